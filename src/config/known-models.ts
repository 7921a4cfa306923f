// Well-known providers, and models of theirs at list price: starting values, which the operator looks at and confirms.
import type { ServedProtocol, ServerField } from '../domain/servers/known-server.ts'
import { type Addressed, protocolsOf, serverNameOf, writtenServer } from '../domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../domain/servers/table.ts'

/**
 * A text model as its provider sells it. Left to the catalogue page: models whose price depends on the prompt's length, is about
 * to change, or that are about to be shut down.
 */
export interface KnownModel {
  /** The provider's own name of it. */
  model: string
  /** USD per million tokens, as the provider lists them. */
  input: string
  output: string
  cache_read?: string
  context: number
  max_output_tokens: number
}

export interface KnownProvider {
  title: string
  /** The name that it gets in the catalogue. */
  name: string
  /** Its name in the table of known servers; null if it is none of them. */
  server: string | null
  /** The first is spoken where the catalogue names none. */
  protocols: readonly ServedProtocol[]
  /** What its address is made of. */
  fields: readonly ServerField[]
  /** Empty if the operator must say it, or what it is made of. */
  base_url: string
  /** The page where its keys are made; empty if not known. */
  keys_url: string
  /** The page of its prices; empty if not known. */
  prices_url: string
  takes_key: 'yes' | 'maybe' | 'no'
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
    known('claude-sonnet-5-5', ['2.00', '10.00', '0.20'], 1_000_000, 128_000),
    known('claude-opus-5-5', ['4.00', '20.00', '0.20'], 1_000_000, 128_000),
  ],
  openai: [known('gpt-5.4-mini', ['0.75', '4.50', '0.075'], 400_000, 128_000)],
}

const providerOf = (server: string): KnownProvider[] => {
  const row = KNOWN_SERVERS.get(server)
  if (!row) return []
  const { title, needs = [], keyless, keys_url = '', prices_url = '' } = row
  return [
    {
      title,
      name: server,
      server,
      protocols: protocolsOf(row),
      fields: needs,
      base_url: needs.length > 0 ? '' : writtenServer({ server }).base_url,
      keys_url,
      prices_url,
      takes_key: keyless ? 'maybe' : 'yes',
      models: MODELS[server] ?? [],
    },
  ]
}

const NOT_IN_TABLE = { server: null, fields: [], keys_url: '', prices_url: '' }

/** All known servers, and what is none of them. */
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

/** What a provider listed for a model of its own; undefined for others, and for simulated ones. */
export function listedPrice(provider: Addressed, model: string): KnownModel | undefined {
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
