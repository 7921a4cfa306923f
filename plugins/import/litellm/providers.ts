// Providers of the catalogue made of deployments: one for each address and key, whatever the number of models that it serves.
import type { IncomingProvider, LeftOut, Secret } from '../move-in.ts'
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

export interface PlacedDeployments {
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
  const placed: PlacedDeployment[] = []
  const left_out: LeftOut[] = []
  const providers = new Map<string, IncomingProvider>()
  const names = new Names(environment)
  for (const deployment of deployments) {
    const address = addressOf(deployment, settings)
    if ('reason' in address) {
      left_out.push({ kind: 'deployments', row: deployment.row, reason: address.reason })
      continue
    }
    const key = keyOf(deployment, address, settings)
    const headers = headersOf(deployment.params)
    const identity = JSON.stringify([address.fields, key, [...headers]])
    const known = providers.get(identity)
    const provider = known ?? newProvider({ address, key, headers, names })
    providers.set(identity, provider)
    placed.push({ deployment, provider: provider.name, address })
    if (!known && takesSignatures(deployment, key)) left_out.push(signatureNote(provider.name, deployment))
  }
  return { placed, providers: [...providers.values()], left_out }
}

/** A key or a header's value: the name of a variable, or the value itself. */
type Written = { readonly variable: string } | { readonly value: string }

/** @returns undefined for a server that takes none */
function keyOf({ params }: Deployment, { prefix, fields }: Address, settings: Settings): Written | undefined {
  const written = textOf(params.api_key) ?? textOf(params.vertex_credentials)
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
  readonly #providers = new Set<string>()
  readonly #variables: Set<string>

  constructor(environment: ReadonlyMap<string, string>) {
    this.#environment = environment
    this.#variables = new Set(environment.keys())
  }

  provider(wish: string): string {
    return freeName(wish, this.#providers, '-')
  }

  /** @param wish the variable that holds the value where the configuration does not name one */
  secret(written: Written, wish: string): Secret {
    if ('value' in written) {
      const variable = freeName(wish.toUpperCase().replace(/[^A-Z0-9]+/g, '_'), this.#variables, '_')
      return { variable, value: written.value }
    }
    const { variable } = written
    this.#variables.add(variable)
    return { variable, value: this.#environment.get(variable) ?? null }
  }
}

function freeName(wish: string, taken: Set<string>, separator: string): string {
  let name = wish
  for (let count = 2; taken.has(name); count++) name = `${wish}${separator}${count}`
  taken.add(name)
  return name
}

interface NewProvider {
  readonly address: Address
  readonly key: Written | undefined
  readonly headers: ReadonlyMap<string, Written>
  readonly names: Names
}

function newProvider({ address, key, headers, names }: NewProvider): IncomingProvider {
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

const takesSignatures = ({ params }: Deployment, key: Written | undefined): boolean =>
  (key === undefined || !('value' in key)) &&
  textOf(params.api_key) === undefined &&
  OTHER_CREDENTIALS.some((name) => textOf(params[name]) !== undefined)

const signatureNote = (provider: string, { params }: Deployment): LeftOut => ({
  kind: 'provider credentials',
  row: `${OTHER_CREDENTIALS.find((name) => textOf(params[name]) !== undefined)} of provider "${provider}"`,
  reason:
    'Tollgate shows the provider an API key. Create one there, and put it into the variable that the catalogue names.',
})
