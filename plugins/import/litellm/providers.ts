// Providers made of deployments: one for each address and key, with any number of models.
import type { IncomingProvider, LeftOut, Secret } from '../move-in.ts'
import { TakenNames } from '../taken-names.ts'
import { type Address, addressOf } from './addresses.ts'
import { type Deployment, parseReference, type Settings } from './deployments.ts'
import { type Fields, fieldsOf, textOf } from './values.ts'

/** A deployment with the provider that serves it. */
export interface PlacedDeployment {
  readonly deployment: Deployment
  /** The name of the incoming provider. */
  readonly provider: string
  readonly address: Address
}

interface PlacedDeployments {
  readonly placed: readonly PlacedDeployment[]
  readonly providers: readonly IncomingProvider[]
  readonly left_out: readonly LeftOut[]
}

/** Assigns each deployment to a provider. @param environment variables that the configuration itself sets */
export function placeDeployments(
  deployments: readonly Deployment[],
  settings: Settings,
  environment: ReadonlyMap<string, string>,
): PlacedDeployments {
  const left_out: LeftOut[] = []
  const found = deployments.flatMap((deployment) => {
    const address = addressOf(deployment, settings)
    if (!('reason' in address)) return [{ deployment, ...providerPartsOf(deployment, address, settings) }]
    left_out.push({ kind: 'deployments', row: deployment.row, reason: address.reason })
    return []
  })
  // Values written in the configuration must not get the name of a variable that it refers to.
  const referenced = found.flatMap(({ key, headers }) => [...(key ? [key] : []), ...headers.values()])
  const names = new Names(environment, referenced)
  const providers = new Map<string, IncomingProvider>()
  const placed = found.map(({ deployment, ...parts }): PlacedDeployment => {
    const { address, key, headers } = parts
    const identity = JSON.stringify([address.fields, key, [...headers]])
    const known = providers.get(identity)
    const provider = known ?? newProvider(parts, names)
    providers.set(identity, provider)
    const note = known ? undefined : credentialNote(provider.name, deployment, key)
    if (note) left_out.push(note)
    return { deployment, provider: provider.name, address }
  })
  return { placed, providers: [...providers.values()], left_out }
}

/** Everything that identifies a provider. */
interface ProviderParts {
  readonly address: Address
  readonly key: SecretSource | undefined
  readonly headers: ReadonlyMap<string, SecretSource>
}

const providerPartsOf = (deployment: Deployment, address: Address, settings: Settings): ProviderParts => ({
  address,
  key: keyOf(deployment, address, settings),
  headers: headersOf(deployment.params),
})

/** A key or header value: a variable's name, or a literal. */
type SecretSource = { readonly variable: string } | { readonly value: string }

/** The variable for the JSON of a Google service account. LiteLLM usually reads the JSON from a file. */
const SERVICE_ACCOUNT = { variable: 'VERTEX_SERVICE_ACCOUNT' }

/** `vertex_credentials` is the JSON of a service account, or the path of its file: https://docs.litellm.ai/docs/providers/vertex */
function serviceAccountOf({ vertex_credentials }: Fields, settings: Settings): SecretSource {
  const reference = parseReference(vertex_credentials)
  const written =
    typeof vertex_credentials === 'object' ? JSON.stringify(vertex_credentials) : vertex_credentials
  const text = settings.read(written).text
  if (text?.startsWith('{') !== true) return SERVICE_ACCOUNT
  return reference ?? { value: text }
}

/** @returns undefined if the server needs no key */
function keyOf(
  { params }: Deployment,
  { prefix, fields }: Address,
  settings: Settings,
): SecretSource | undefined {
  if (prefix.server === 'vertex') return serviceAccountOf(params, settings)
  const written = textOf(params.api_key)
  const reference = parseReference(written)
  if (reference) return reference
  if (written !== undefined) return { value: written }
  const variable = settings.firstSet(prefix.key_variables)
  if (variable !== undefined) return { variable }
  const is_plain = typeof fields.base_url === 'string' && fields.base_url.startsWith('http:')
  const [first] = prefix.key_variables
  return prefix.keyless || is_plain || first === undefined ? undefined : { variable: first }
}

/** Names of providers and variables that are already used. */
class Names {
  readonly #environment: ReadonlyMap<string, string>
  readonly #providers = new TakenNames()
  readonly #variables: TakenNames

  constructor(environment: ReadonlyMap<string, string>, referenced: readonly SecretSource[]) {
    this.#environment = environment
    const variables = referenced.flatMap((each) => ('variable' in each ? [variableName(each.variable)] : []))
    this.#variables = new TakenNames([...environment.keys(), ...variables], '_')
  }

  provider(wish: string): string {
    return this.#providers.take(wish)
  }

  /** @param wish the variable for a literal value */
  secret(written: SecretSource, wish: string): Secret {
    if ('value' in written) {
      return { variable: this.#variables.take(variableName(wish.toUpperCase())), value: written.value }
    }
    const variable = variableName(written.variable)
    return { variable, value: this.#environment.get(written.variable) ?? null }
  }
}

/** Makes a valid variable name: letters, digits and "_", no digit first. */
const variableName = (text: string): string => text.replace(/\W+/g, '_').replace(/^(?=\d)/, 'PROVIDER_')

function newProvider({ address, key, headers }: ProviderParts, names: Names): IncomingProvider {
  const name = names.provider(address.name)
  const secrets = [...headers].map(([header, written]) => [
    header,
    names.secret(written, `${name}_${header}`),
  ])
  return {
    source_id: `provider ${name}`,
    name,
    fields: address.fields,
    api_keys: key === undefined ? [] : [names.secret(key, `${name}_API_KEY`)],
    ...(secrets.length === 0 ? {} : { headers: Object.fromEntries(secrets) }),
  }
}

/** Reads `extra_headers` and OpenAI's organization: https://docs.litellm.ai/docs/proxy/configs. Any value may be a secret. */
function headersOf(params: Fields): ReadonlyMap<string, SecretSource> {
  const headers = Object.entries(fieldsOf(params.extra_headers ?? params.headers))
  const organization = textOf(params.organization)
  if (organization !== undefined) headers.push(['OpenAI-Organization', organization])
  return new Map(
    headers.flatMap(([name, value]) => {
      const text = textOf(value)
      if (text === undefined) return []
      return [[name, parseReference(text) ?? { value: text }] as const]
    }),
  )
}

/** Fields for AWS signatures and Microsoft Entra, which replace an API key. */
const OTHER_CREDENTIALS = [
  'aws_access_key_id',
  'aws_profile_name',
  'aws_role_name',
  'azure_ad_token',
  'client_secret',
]

/** Advice for a deployment that authenticates without an API key. */
function credentialNote(
  provider: string,
  { params }: Deployment,
  key: SecretSource | undefined,
): LeftOut | undefined {
  const kind = 'provider credentials'
  if (key === SERVICE_ACCOUNT)
    return {
      kind,
      row: `service account of provider "${provider}"`,
      reason: `Put the JSON of its file into the variable ${SERVICE_ACCOUNT.variable}, or "file:PATH" into api_keys of the catalogue.`,
    }
  const other = OTHER_CREDENTIALS.find((name) => textOf(params[name]) !== undefined)
  if (other === undefined || textOf(params.api_key) !== undefined) return undefined
  return {
    kind,
    row: `${other} of provider "${provider}"`,
    reason:
      'Tollgate shows the provider an API key. Create one there, and put it into the variable that the catalogue names.',
  }
}
