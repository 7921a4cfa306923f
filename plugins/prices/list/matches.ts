// Which entry of a price list is a route of the catalogue: by the provider's id of the model, and by who the provider is.
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
import { canBe, type EntryRates, type Kind, ratesOf } from './rates.ts'

/** A provider as the file has it. */
export interface ListedProvider extends Partial<WrittenServer> {
  readonly name: string
}

/** The entry of a route; or why none was found, with the names of the entries that came into question. */
export type Match =
  | { readonly entry: ListEntry }
  | { readonly reason: 'not listed' | 'ambiguous'; readonly entries: readonly string[] }

/** The list's names of those who serve at an address and are no known servers. */
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

/** Finds what a list says of a route. */
export interface Matcher {
  /** @param price of the model, which says what is compared where the list has a model twice */
  match(provider: ListedProvider, model: string, kind: Kind, price?: object): Match
  /** The lines of an image model's price. @throws GatewayError invalid_request for an invalid price */
  imageLines(provider: ListedProvider, model: string): ImageLines
}

/** @param from the list's provider that the operator chose */
export function matcherOf({ entries }: PriceList, from: string | undefined): Matcher {
  const by_model = Map.groupBy(entries, modelOf)
  const lines = Map.groupBy(entries, (entry) => modelOfLine(modelOf(entry)))
  const providers = new Set(entries.map(({ provider }) => provider))
  const isOwn = (provider: ListedProvider) => {
    const names =
      from === undefined ? namesOf(provider, providers) : providers.has(from) ? [from] : listedAs(from)
    return (entry: ListEntry) => names.some((name) => isOf(entry, name))
  }
  return {
    match(provider, model, kind, price = {}) {
      const named = (by_model.get(model) ?? []).filter((entry) => canBe(entry, kind))
      const own = named.filter(isOwn(provider))
      const entry = own.length > 1 ? fullest(own, kind, price) : own[0]
      if (entry) return { entry }
      if (own.length > 0) return { reason: 'ambiguous', entries: own.map(({ id }) => id) }
      // A known server does not sell at the prices of others.
      const others = isKnown(provider) ? [] : named
      return { reason: others.length === 0 ? 'not listed' : 'ambiguous', entries: others.map(({ id }) => id) }
    },
    imageLines(provider, model) {
      const own = (lines.get(model) ?? []).filter(isOwn(provider))
      return readImageLines(own.map((entry) => [modelOf(entry), entry]))
    },
  }
}

/**
 * The names that a list may have for the model of a route, the surest first. A deployment may have any name, even that of another
 * model. A fine-tuned model costs more than the one that it was made of.
 */
export function listedNames(
  provider: ListedProvider,
  { model, generation }: { readonly model: string; readonly generation?: string },
): readonly string[] {
  if (generation === undefined || model.startsWith('ft:')) return [model]
  return rowOf(provider)?.has_deployments ? [generation, model] : [model, generation]
}

/** The model's name at its provider: the list puts the provider's before it, though not everywhere. */
export function modelOf({ id, provider }: ListEntry): string {
  const [before = ''] = id.split('/', 1)
  const is_provider =
    before === provider || provider.startsWith(`${before}-`) || provider.startsWith(`${before}_`)
  return is_provider && id.length > before.length ? id.slice(before.length + 1) : id
}

/** `vertex_ai` is also `vertex_ai-language-models`. */
const isOf = ({ provider }: ListEntry, name: string): boolean =>
  provider === name || provider.startsWith(`${name}-`)

/** Those of its known server, else of its host; a provider that is neither goes by its own name, else its protocol. */
function namesOf(provider: ListedProvider, listed: ReadonlySet<string>): readonly string[] {
  const known = knownNames(provider)
  if (known) return known
  return listed.has(provider.name) ? [provider.name] : [writtenServer(provider).protocol]
}

function knownNames(provider: ListedProvider): readonly string[] | undefined {
  const row = rowOf(provider)
  if (row) return row.price_names
  const host = URL.parse(writtenServer(provider).base_url)?.hostname ?? ''
  return NAMES_BY_HOST.find(([pattern]) => pattern.test(host))?.[1]
}

const isKnown = (provider: ListedProvider): boolean => knownNames(provider) !== undefined

/** The names in a list of a server that the catalogue knows by another name: `google` is `gemini` there. */
export const listedAs = (server: string): readonly string[] =>
  KNOWN_SERVERS.get(serverCalled(server) ?? server)?.price_names ?? [server]

const rowOf = (provider: ListedProvider): KnownServer | undefined => knownServerOf(writtenServer(provider))

/**
 * Of several entries of one model the one with every rate that any of them has: lists leave out in one what they say in another,
 * or say 0 for it, which is no price. Undefined where two contradict each other, or each has what the other lacks.
 */
function fullest(entries: readonly ListEntry[], kind: Kind, price: object): ListEntry | undefined {
  const all = entries.flatMap((entry) => {
    const rates = ratesOf(entry, kind, price)
    return rates ? [{ entry, rates: linesOf(rates) }] : []
  })
  if (all.length === 0) return entries[0]
  const has = (rates: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>) =>
    [...other].every(([name, nanos]) => rates.get(name) === nanos)
  return all.find(({ rates }) => all.every((other) => has(rates, other.rates)))?.entry
}

/** All rates of an entry, by names that tell its tiers and service tiers apart. */
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
