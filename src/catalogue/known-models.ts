// Well-known providers, and some of their models at list price, as suggestions for the operator to confirm.
import { FIELD_WORDS } from '../domain/servers/field-words.ts'
import type { KnownServer, ServedProtocol, ServerField } from '../domain/servers/known-server.ts'
import { type ProviderAddress, protocolsOf, serverNameOf, writtenServer } from '../domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../domain/servers/table.ts'

/**
 * A text model at its provider's list price. Models whose price depends on the prompt's length or will change soon, and models that
 * will be shut down, are left out.
 */
interface KnownModel {
  /** The provider's ID of the model. */
  model: string
  /** USD per million tokens, in the provider's price list. */
  input: string
  output: string
  cache_read?: string
  context: number
  max_output_tokens: number
}

/** A field of a form. */
interface KnownField {
  name: ServerField
  label: string
  help: string
}

interface KnownProvider {
  title: string
  /** Its suggested name in the catalogue. */
  name: string
  /** Its name in the table of known servers; null if it is not in it. */
  server: string | null
  /** The first one is the default. */
  protocols: readonly ServedProtocol[]
  /** Its required and optional fields. */
  fields: readonly KnownField[]
  /** Empty if the operator must enter it, or its parts. */
  base_url: string
  /** The page for creating keys; empty if unknown. */
  keys_url: string
  /** The page of its prices; empty if unknown. */
  prices_url: string
  takes_key: 'yes' | 'maybe' | 'no'
  /** Whether its keys may be files of Google service accounts. */
  takes_accounts: boolean
  /** Whether its models are called by the operator's deployment names. */
  has_deployments: boolean
  /** A help text about its model IDs, as a sentence. */
  model_help: string
  models: readonly KnownModel[]
}

/** The month of the last comparison with the providers' pages: prices, and no announced shutdowns. */
export const PRICES_AS_OF = 'November 2026'

/** Models by known server; these servers are listed first. */
const MODELS: Readonly<Record<string, readonly KnownModel[]>> = {
  google: [
    known('gemini-3.5-flash-lite', ['0.30', '2.50', '0.03'], 1_048_576, 65_536),
    known('gemini-2.5-flash-lite', ['0.10', '0.40', '0.01'], 1_048_576, 65_536),
  ],
  anthropic: [
    known('claude-sonnet-5-5', ['2.00', '10.00', '0.10'], 1_000_000, 128_000),
    known('claude-opus-5-5', ['4.00', '20.00', '0.20'], 1_000_000, 128_000),
  ],
  openai: [known('gpt-5.4-mini', ['0.75', '4.50', '0.075'], 400_000, 128_000)],
}

const providerOf = (server: string): KnownProvider[] => {
  const row = KNOWN_SERVERS.get(server)
  if (!row) return []
  const { title, needs = [], takes = [], keyless, keys_url = '', prices_url = '' } = row
  return [
    {
      title,
      name: server,
      server,
      protocols: protocolsOf(row),
      fields: [...needs.map(neededField), ...takes.map(optionalField)],
      base_url: needs.length > 0 ? '' : writtenServer({ server }).base_url,
      keys_url,
      prices_url,
      takes_key: keyless ? 'maybe' : 'yes',
      takes_accounts: row.takes_accounts === true,
      has_deployments: row.has_deployments === true,
      model_help: modelHelp(row),
      models: MODELS[server] ?? [],
    },
  ]
}

const OWN_ID = 'Enter the provider’s own ID of the model.'

const modelHelp = ({ has_deployments, model_form }: KnownServer): string => {
  if (has_deployments) return 'Enter the name of your deployment.'
  return model_form === undefined ? OWN_ID : `Enter the ID, such as ${model_form}.`
}

function neededField(name: ServerField): KnownField {
  const { label, what, example } = FIELD_WORDS[name]
  return { name, label, help: `Enter ${what}, such as ${example}.` }
}

function optionalField(name: ServerField): KnownField {
  const { label, optional } = FIELD_WORDS[name]
  return { name, label: `${label} (optional)`, help: optional }
}

const NOT_IN_TABLE = {
  server: null,
  fields: [],
  keys_url: '',
  prices_url: '',
  takes_accounts: false,
  has_deployments: false,
  model_help: OWN_ID,
}

/** All known servers, and other providers. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  ...[...new Set([...Object.keys(MODELS), ...KNOWN_SERVERS.keys()])].flatMap(providerOf),
  {
    ...NOT_IN_TABLE,
    title: 'Another server',
    name: 'local',
    protocols: ['openai', 'anthropic', 'gemini'],
    base_url: '',
    takes_key: 'maybe',
    models: [],
  },
  {
    ...NOT_IN_TABLE,
    title: 'Simulator',
    name: 'simulator',
    protocols: ['gemini'],
    base_url: 'simulator',
    takes_key: 'no',
    models: [known('flash', ['0.30', '2.50'], 1_048_576, 8_192)],
  },
]

/** Returns the provider's list price of a model; undefined for unknown models and simulated providers. */
export function listedPrice(provider: ProviderAddress, model: string): KnownModel | undefined {
  const server = provider.base_url.startsWith('simulator') ? undefined : serverNameOf(provider)
  return server === undefined ? undefined : MODELS[server]?.find((one) => one.model === model)
}

function known(
  model: string,
  [input, output, cache_read]: readonly [string, string, string?],
  context: number,
  max_output_tokens: number,
): KnownModel {
  const price = cache_read === undefined ? { input, output } : { input, output, cache_read }
  return { model, ...price, context, max_output_tokens }
}
