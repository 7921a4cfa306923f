// Which entry of a price list is a route of the catalogue: by the provider's id of the model, and by who the provider is.
import type { KnownServer } from '../../domain/servers/known-server.ts'
import { knownServerOf, type WrittenServer, writtenServer } from '../../domain/servers/lookup.ts'
import { type ImageLines, modelOfLine, readImageLines } from './image-lines.ts'
import type { ListEntry, PriceList } from './list.ts'
import { canBe, type Kind } from './rates.ts'

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
]

/** Finds what a list says of a route. */
export interface Matcher {
  match(provider: ListedProvider, model: string, kind: Kind): Match
  /** The lines of an image model's price. @throws GatewayError invalid_request for an invalid price */
  imageLines(provider: ListedProvider, model: string): ImageLines
}

/** @param from the list's provider whose prices are meant, where the operator has said */
export function matcherOf({ entries }: PriceList, from: string | undefined): Matcher {
  const by_model = Map.groupBy(entries, modelOf)
  const lines = Map.groupBy(entries, (entry) => modelOfLine(modelOf(entry)))
  const providers = new Set(entries.map(({ provider }) => provider))
  const isOwn = (provider: ListedProvider) => {
    const names = from === undefined ? namesOf(provider, providers) : [from]
    return (entry: ListEntry) => names.some((name) => isOf(entry, name))
  }
  return {
    match(provider, model, kind) {
      const named = (by_model.get(model) ?? []).filter((entry) => canBe(entry, kind))
      const own = named.filter(isOwn(provider))
      const [first, ...others] = own
      if (first && others.every((other) => saysTheSame(first, other))) return { entry: first }
      if (first) return { reason: 'ambiguous', entries: own.map(({ id }) => id) }
      const reason = named.length === 0 ? 'not listed' : 'ambiguous'
      return { reason, entries: named.map(({ id }) => id) }
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
export function namesOf(provider: ListedProvider, listed: ReadonlySet<string>): readonly string[] {
  const { base_url, protocol } = writtenServer(provider)
  const row = rowOf(provider)
  if (row) return row.price_names
  const host = URL.parse(base_url)?.hostname ?? ''
  const known = NAMES_BY_HOST.find(([pattern]) => pattern.test(host))
  if (known) return known[1]
  return listed.has(provider.name) ? [provider.name] : [protocol]
}

const rowOf = (provider: ListedProvider): KnownServer | undefined => knownServerOf(writtenServer(provider))

const saysTheSame = (one: ListEntry, other: ListEntry): boolean => {
  const prices = ({ fields }: ListEntry) => [...fields].filter(([name]) => /cost/.test(name)).sort()
  return Bun.deepEquals(prices(one), prices(other))
}
