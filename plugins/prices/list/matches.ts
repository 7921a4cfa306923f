// Matches of the catalogue's routes with entries of a price list, by the provider's model id and the provider's identity.
import type { KnownServer } from '../../../src/domain/servers/known-server.ts'
import {
  knownServerOf,
  serverCalled,
  type WrittenServer,
  writtenServer,
} from '../../../src/domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../../../src/domain/servers/table.ts'
import type { ListEntry } from './entry.ts'
import { type ImageLines, modelOfLine, readImageLines } from './image-lines.ts'
import type { PriceList } from './list.ts'
import { type EntryRates, type Kind, mayBeKind, ratesOf } from './rates.ts'

/** A provider in the catalogue file. */
export interface ListedProvider extends Partial<WrittenServer> {
  readonly name: string
}

/** The entry of a route, or the reason for none with the candidates' names. */
export type Match =
  | { readonly entry: ListEntry }
  | { readonly reason: 'not listed' | 'ambiguous'; readonly entries: readonly string[] }

/** The list's names of providers that are not known servers, by host. */
const NAMES_BY_HOST: readonly (readonly [host: RegExp, names: readonly string[]])[] = [
  [/aiplatform\.googleapis\.com$/, ['vertex_ai']],
  [/^api\.perplexity\.ai$/, ['perplexity']],
  [/^api\.cohere\.(ai|com)$/, ['cohere', 'cohere_chat']],
  [/^api\.jina\.ai$/, ['jina_ai']],
  [/^dashscope(?:-intl|-us)?\.aliyuncs\.com$/, ['dashscope']],
  [/^api\.z\.ai$|^open\.bigmodel\.cn$/, ['zai']],
  [/^api\.deepinfra\.com$/, ['deepinfra']],
  [/^api\.novita\.ai$/, ['novita']],
  [/^api\.sambanova\.ai$/, ['sambanova']],
  [/^api\.hyperbolic\.xyz$/, ['hyperbolic']],
  [/^integrate\.api\.nvidia\.com$/, ['nvidia_nim']],
  [/^us\.inference\.heroku\.com$/, ['heroku']],
  [/\.snowflakecomputing\.com$/, ['snowflake']],
  [/^api\.studio\.nebius\.(?:ai|com)$|^api\.tokenfactory\.nebius\.com$/, ['nebius']],
  [/^api\.voyageai\.com$/, ['voyage']],
]

/** Finds entries for routes. */
export interface Matcher {
  /** @param price of the model: its rates decide which of several entries to compare */
  match(provider: ListedProvider, model: string, kind: Kind, price?: object): Match
  /** Returns price lines of an image model. @throws GatewayError invalid_request for an invalid price */
  imageLines(provider: ListedProvider, model: string): ImageLines
}

/** @param from the provider in the list that the operator chose */
export function matcherOf({ entries }: PriceList, from: string | undefined): Matcher {
  const by_model = Map.groupBy(entries, modelOf)
  const lines = Map.groupBy(entries, (entry) => modelOfLine(modelOf(entry)))
  const providers = new Set(entries.map(({ provider }) => provider))
  const belongsTo = (provider: ListedProvider) => {
    const names =
      from === undefined ? namesOf(provider, providers) : providers.has(from) ? [from] : listNamesOf(from)
    return (entry: ListEntry) => names.some((name) => isEntryOf(entry, name))
  }
  return {
    match(provider, model, kind, price = {}) {
      const candidates = (by_model.get(model) ?? []).filter((entry) => mayBeKind(entry, kind))
      const own = candidates.filter(belongsTo(provider))
      const entry = own.length > 1 ? mostComplete(own, kind, price) : own[0]
      if (entry) return { entry }
      if (own.length > 0) return { reason: 'ambiguous', entries: own.map(({ id }) => id) }
      // A known server must not get another provider's prices.
      const others = isKnown(provider) ? [] : candidates
      return { reason: others.length === 0 ? 'not listed' : 'ambiguous', entries: others.map(({ id }) => id) }
    },
    imageLines(provider, model) {
      const own = (lines.get(model) ?? []).filter(belongsTo(provider))
      return readImageLines(own.map((entry) => [modelOf(entry), entry]))
    },
  }
}

/**
 * Returns the names that a list may have for a route's model, the most reliable first. A deployment may have any name, even that of
 * another model. A fine-tuned model costs more than its base model.
 */
export function listedNames(
  provider: ListedProvider,
  { model, generation }: { readonly model: string; readonly generation?: string },
): readonly string[] {
  if (generation === undefined || model.startsWith('ft:')) return [model]
  return serverRowOf(provider)?.has_deployments ? [generation, model] : [model, generation]
}

/** Returns the model's name at its provider: many entries have the provider's name before it. */
export function modelOf({ id, provider }: ListEntry): string {
  const [before = ''] = id.split('/', 1)
  const is_provider =
    before === provider || provider.startsWith(`${before}-`) || provider.startsWith(`${before}_`)
  return is_provider && id.length > before.length ? id.slice(before.length + 1) : id
}

/** Whether an entry belongs to a provider: `vertex_ai` includes `vertex_ai-language-models`. */
const isEntryOf = ({ provider }: ListEntry, name: string): boolean =>
  provider === name || provider.startsWith(`${name}-`)

/** Returns the list's names of the known server, else of the host, else the provider's own name, else its protocol. */
function namesOf(provider: ListedProvider, listed: ReadonlySet<string>): readonly string[] {
  const known = knownNames(provider)
  if (known) return known
  return listed.has(provider.name) ? [provider.name] : [writtenServer(provider).protocol]
}

function knownNames(provider: ListedProvider): readonly string[] | undefined {
  const row = serverRowOf(provider)
  if (row) return row.price_names
  const host = URL.parse(writtenServer(provider).base_url)?.hostname ?? ''
  return NAMES_BY_HOST.find(([pattern]) => pattern.test(host))?.[1]
}

const isKnown = (provider: ListedProvider): boolean => knownNames(provider) !== undefined

/** Returns the list's names for a server of the catalogue: `google` is `gemini` there. */
export const listNamesOf = (server: string): readonly string[] =>
  KNOWN_SERVERS.get(serverCalled(server) ?? server)?.price_names ?? [server]

const serverRowOf = (provider: ListedProvider): KnownServer | undefined =>
  knownServerOf(writtenServer(provider))

/**
 * Returns the entry with every rate that any entry of the model has: a list may omit rates in one entry that another has, or
 * have 0 for them, which is no price. Undefined if entries contradict each other, or each lacks rates.
 */
function mostComplete(entries: readonly ListEntry[], kind: Kind, price: object): ListEntry | undefined {
  const all = entries.flatMap((entry) => {
    const rates = ratesOf(entry, kind, price)
    return rates ? [{ entry, rates: linesOf(rates) }] : []
  })
  if (all.length === 0) return entries[0]
  const has = (rates: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>) =>
    [...other].every(([name, nanos]) => rates.get(name) === nanos)
  return all.find(({ rates }) => all.every((other) => has(rates, other.rates)))?.entry
}

/** Returns all rates of an entry, by names with tier and service tier. */
function linesOf({ base, tiers, service_tiers }: EntryRates): ReadonlyMap<string, number> {
  const all = [{ at: '', base, tiers }, ...[...service_tiers].map(([at, own]) => ({ at, ...own }))]
  return new Map(
    all.flatMap(({ at, base, tiers }) =>
      [{ above: 0, rates: base }, ...tiers].flatMap(({ above, rates }) =>
        [...rates].map(([name, nanos]) => [`${at} ${name} ${above}`, nanos] as const),
      ),
    ),
  )
}
