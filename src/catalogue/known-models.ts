// Well-known providers, and models of theirs at list price: starting values, which the operator looks at and confirms.
import { FIELD_WORDS } from '../domain/servers/field-words.ts'
import type { KnownServer, ServedProtocol, ServerField } from '../domain/servers/known-server.ts'
import { type ProviderAddress, protocolsOf, serverNameOf, writtenServer } from '../domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../domain/servers/table.ts'

/**
 * A text model as its provider sells it. Left to the catalogue page: models whose price depends on the prompt's length, is about
 * to change, or that are about to be shut down.
 */
interface KnownModel {
  /** The provider's own name of it. */
  model: string
  /** USD per million tokens, as the provider lists them. */
  input: string
  output: string
  cache_read?: string
  context: number
  max_output_tokens: number
}

/** A field of an entry, as a form has it. */
interface KnownField {
  name: ServerField
  label: string
  help: string
}

interface KnownProvider {
  title: string
  /** The name that it gets in the catalogue. */
  name: string
  /** Its name in the table of known servers; null if it is not in it. */
  server: string | null
  /** The first is spoken where the catalogue names none. */
  protocols: readonly ServedProtocol[]
  /** The parts of its address, and the fields that it can do without. */
  fields: readonly KnownField[]
  /** Empty if the operator must say it, or what it is made of. */
  base_url: string
  /** The page where its keys are made; empty if not known. */
  keys_url: string
  /** The page of its prices; empty if not known. */
  prices_url: string
  takes_key: 'yes' | 'maybe' | 'no'
  /** Its keys are the files of Google's service accounts. */
  takes_accounts: boolean
  /** Its models are called by names of the operator's own. */
  has_deployments: boolean
  /** The meaning of a model's name there, as a sentence. */
  model_help: string
  models: readonly KnownModel[]
}

/** The month in which the prices below stood on the providers' pages, and the models were not to be shut down. */
export const PRICES_AS_OF = 'November 2026'

/** Models of known servers, by the servers' names; those servers are offered first. */
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

/** The provider's listing of a model of its own; undefined for others, and for simulated ones. */
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
