// Which entry of a price list is a route of the catalogue: by the provider's id of the model, and by who the provider is.
import { type ImageLines, modelOfLine, readImageLines } from './image-lines.ts'
import type { ListEntry, PriceList } from './list.ts'
import { canBe, type Kind } from './rates.ts'

export interface ListedProvider {
  readonly name: string
  readonly protocol: string
  readonly base_url: string
}

/** The entry of a route; or why none was found, with the names of the entries that came into question. */
export type Match =
  | { readonly entry: ListEntry }
  | { readonly reason: 'not listed' | 'ambiguous'; readonly entries: readonly string[] }

/** The list's names of those who serve at an address; a provider at another one goes by its own name, else its protocol. */
const NAMES_BY_HOST: readonly (readonly [host: RegExp, names: readonly string[]])[] = [
  [/^generativelanguage\.googleapis\.com$/, ['gemini']],
  [/aiplatform\.googleapis\.com$/, ['vertex_ai']],
  [/(^|\.)api\.anthropic\.com$/, ['anthropic']],
  [/(^|\.)api\.openai\.com$/, ['openai', 'text-completion-openai']],
  [/(^|\.)openrouter\.ai$/, ['openrouter']],
  [/\.openai\.azure\.com$/, ['azure']],
  [/^api\.groq\.com$/, ['groq']],
  [/^api\.mistral\.ai$/, ['mistral']],
  [/^api\.deepseek\.com$/, ['deepseek']],
  [/^api\.x\.ai$/, ['xai']],
  [/^api\.together\.(xyz|ai)$/, ['together_ai']],
  [/^api\.fireworks\.ai$/, ['fireworks_ai']],
  [/^api\.perplexity\.ai$/, ['perplexity']],
  [/^api\.cohere\.(ai|com)$/, ['cohere', 'cohere_chat']],
  [/^api\.jina\.ai$/, ['jina_ai']],
]

/** Finds what a list says of a route. */
export interface Matcher {
  match(provider: ListedProvider, model: string, kind: Kind): Match
  /** The lines of an image model's price. @throws GatewayError invalid_request for a price that is none */
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

export function namesOf(
  { name, protocol, base_url }: ListedProvider,
  listed: ReadonlySet<string>,
): readonly string[] {
  const host = URL.parse(base_url)?.hostname ?? ''
  const known = NAMES_BY_HOST.find(([pattern]) => pattern.test(host))
  if (known) return known[1]
  return listed.has(name) ? [name] : [protocol]
}

const saysTheSame = (one: ListEntry, other: ListEntry): boolean => {
  const prices = ({ fields }: ListEntry) => [...fields].filter(([name]) => /cost/.test(name)).sort()
  return Bun.deepEquals(prices(one), prices(other))
}
