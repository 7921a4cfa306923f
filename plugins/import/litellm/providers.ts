// Providers of the catalogue made of deployments: one for each address and key, whatever the number of models that it serves.
import type { IncomingProvider, LeftOut, Secret } from '../move-in.ts'
import { TakenNames } from '../taken-names.ts'
import { type Address, addressOf } from './addresses.ts'
import { type Deployment, referenceIn, type Settings } from './deployments.ts'
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

/**
 * Finds the provider of each deployment.
 *
 * @param environment values that the configuration itself gives to variables
 */
export function placeDeployments(
  deployments: readonly Deployment[],
  settings: Settings,
  environment: ReadonlyMap<string, string>,
): PlacedDeployments {
  const left_out: LeftOut[] = []
  const found = deployments.flatMap((deployment) => {
    const address = addressOf(deployment, settings)
    if (!('reason' in address)) return [{ deployment, ...requestOf(deployment, address, settings) }]
    left_out.push({ kind: 'deployments', row: deployment.row, reason: address.reason })
    return []
  })
  // Names that the configuration uses are not free for values that it writes itself.
  const referenced = found.flatMap(({ key, headers }) => [...(key ? [key] : []), ...headers.values()])
  const names = new Names(environment, referenced)
  const providers = new Map<string, IncomingProvider>()
  const placed = found.map(({ deployment, ...request }): PlacedDeployment => {
    const { address, key, headers } = request
    const identity = JSON.stringify([address.fields, key, [...headers]])
    const known = providers.get(identity)
    const provider = known ?? newProvider(request, names)
    providers.set(identity, provider)
    const note = known ? undefined : credentialNote(provider.name, deployment, key)
    if (note) left_out.push(note)
    return { deployment, provider: provider.name, address }
  })
  return { placed, providers: [...providers.values()], left_out }
}

/** All that a provider is made of. */
interface ProviderRequest {
  readonly address: Address
  readonly key: Written | undefined
  readonly headers: ReadonlyMap<string, Written>
}

const requestOf = (deployment: Deployment, address: Address, settings: Settings): ProviderRequest => ({
  address,
  key: keyOf(deployment, address, settings),
  headers: headersOf(deployment.params),
})

/** A key or a header's value: the name of a variable, or the value itself. */
type Written = { readonly variable: string } | { readonly value: string }

/** The variable for the text of a Google service account, which LiteLLM mostly reads from a file. */
const SERVICE_ACCOUNT = { variable: 'VERTEX_SERVICE_ACCOUNT' }

/** `vertex_credentials` is the JSON of a service account or the path of its file: https://docs.litellm.ai/docs/providers/vertex */
function serviceAccountOf({ vertex_credentials }: Fields, settings: Settings): Written {
  const reference = referenceIn(vertex_credentials)
  const written =
    typeof vertex_credentials === 'object' ? JSON.stringify(vertex_credentials) : vertex_credentials
  const text = settings.read(written).text
  if (text?.startsWith('{') !== true) return SERVICE_ACCOUNT
  return reference ?? { value: text }
}

/** @returns undefined for a server that takes none */
function keyOf({ params }: Deployment, { prefix, fields }: Address, settings: Settings): Written | undefined {
  if (prefix.server === 'vertex') return serviceAccountOf(params, settings)
  const written = textOf(params.api_key)
  const reference = referenceIn(written)
  if (reference) return reference
  if (written !== undefined) return { value: written }
  const variable = settings.firstSet(prefix.key_variables)
  if (variable !== undefined) return { variable }
  const is_plain = typeof fields.base_url === 'string' && fields.base_url.startsWith('http:')
  const [first] = prefix.key_variables
  return prefix.keyless || is_plain || first === undefined ? undefined : { variable: first }
}

/** Names of providers and variables that are taken. */
class Names {
  readonly #environment: ReadonlyMap<string, string>
  readonly #providers = new TakenNames()
  readonly #variables: TakenNames

  constructor(environment: ReadonlyMap<string, string>, referenced: readonly Written[]) {
    this.#environment = environment
    const variables = referenced.flatMap((each) => ('variable' in each ? [variableName(each.variable)] : []))
    this.#variables = new TakenNames([...environment.keys(), ...variables], '_')
  }

  provider(wish: string): string {
    return this.#providers.take(wish)
  }

  /** @param wish the variable that holds the value where the configuration does not name one */
  secret(written: Written, wish: string): Secret {
    if ('value' in written) {
      return { variable: this.#variables.take(variableName(wish.toUpperCase())), value: written.value }
    }
    const variable = variableName(written.variable)
    return { variable, value: this.#environment.get(written.variable) ?? null }
  }
}

/** As a file of variables and the catalogue take it: letters, digits and "_", no digit first. */
const variableName = (text: string): string => text.replace(/\W+/g, '_').replace(/^(?=\d)/, 'PROVIDER_')

function newProvider({ address, key, headers }: ProviderRequest, names: Names): IncomingProvider {
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

/** `extra_headers`, and OpenAI's organization: https://docs.litellm.ai/docs/proxy/configs. Any of their values may be a secret. */
function headersOf(params: Fields): ReadonlyMap<string, Written> {
  const headers = Object.entries(fieldsOf(params.extra_headers ?? params.headers))
  const organization = textOf(params.organization)
  if (organization !== undefined) headers.push(['OpenAI-Organization', organization])
  return new Map(
    headers.flatMap(([name, value]) => {
      const text = textOf(value)
      if (text === undefined) return []
      return [[name, referenceIn(text) ?? { value: text }] as const]
    }),
  )
}

/** Fields of AWS's signatures and of Microsoft's directory, which stand in the place of a key. */
const OTHER_CREDENTIALS = [
  'aws_access_key_id',
  'aws_profile_name',
  'aws_role_name',
  'azure_ad_token',
  'client_secret',
]

/** Advice where LiteLLM authenticates without an API key. */
function credentialNote(
  provider: string,
  { params }: Deployment,
  key: Written | undefined,
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
