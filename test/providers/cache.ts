// The prompt cache of simulated providers: it returns the length of the longest prefix that was seen before.
import type { Ask, CachePoint, PromptUsage } from './ask.ts'

/** Shorter prompts are not cached (platform.claude.com, "Prompt caching"; platform.openai.com, the same). */
const MIN_TOKENS = 1_024
const MAX_CACHED_KEYS = 10_000
const KEEP_MS = { '5m': 300_000, '1h': 3_600_000 } as const

/** Tokens of one prompt that are read from the cache, and written to it. */
type CacheUse = Pick<PromptUsage, 'cached' | 'written_5m' | 'written_1h'>

export interface PrefixCache {
  /** Finds the longest cached prefix, and stores the marked rest. */
  use(points: readonly CachePoint[]): CacheUse
}

/** The number of blocks before a mark that are compared with the cache (platform.claude.com, "Prompt caching"). */
const LOOKBACK_POINTS = 20
const MAX_OWNERS = 1_000

/** The caches of all keys: providers share none between their customers. @param now milliseconds */
export function createPrefixCaches(now: () => number): (key: string) => PrefixCache {
  const caches = new Map<string, PrefixCache>()
  return (key) => {
    const known = caches.get(key)
    if (known) return known
    if (caches.size >= MAX_OWNERS) caches.clear()
    const made = createPrefixCache(now)
    caches.set(key, made)
    return made
  }
}

function createPrefixCache(now: () => number): PrefixCache {
  const until_ms = new Map<string, number>()
  const isKnown = ({ prefix }: CachePoint) => (until_ms.get(prefix) ?? 0) > now()
  const keep = (prefix: string, keep: '5m' | '1h') => {
    if (until_ms.size >= MAX_CACHED_KEYS) until_ms.clear()
    until_ms.set(prefix, Math.max(until_ms.get(prefix) ?? 0, now() + KEEP_MS[keep]))
  }
  return {
    use(points) {
      const last_kept = points.findLastIndex((point) => point.keep !== undefined)
      const usable = points.slice(0, last_kept + 1).filter(({ tokens }) => tokens >= MIN_TOKENS)
      const isInReach = (at: number) =>
        usable.slice(at, at + LOOKBACK_POINTS).some((point) => point.keep !== undefined)
      const known = usable.findLast((point, at) => isInReach(at) && isKnown(point))
      const written = { '5m': 0, '1h': 0 }
      let so_far = known?.tokens ?? 0
      for (const point of usable) {
        if (point.keep === undefined) continue
        if (point.tokens > so_far) {
          written[point.keep] += point.tokens - so_far
          so_far = point.tokens
        }
        keep(point.prefix, point.keep)
      }
      return { cached: known?.tokens ?? 0, written_5m: written['5m'], written_1h: written['1h'] }
    },
  }
}

/**
 * A prompt's use of the cache, at most the whole prompt: joined parts may take fewer tokens than they do alone. A
 * cached part that the model's name sets takes precedence.
 */
export function useOf(cache: PrefixCache, ask: Ask, prompt: PromptUsage): CacheUse {
  const use = cache.use(ask.cache_points)
  if (prompt.cached > 0) return { cached: prompt.cached, written_5m: 0, written_1h: 0 }
  const total = prompt.text + prompt.image + prompt.audio + prompt.document
  const cached = Math.min(use.cached, total)
  const written_1h = Math.min(use.written_1h, total - cached)
  return { cached, written_5m: Math.min(use.written_5m, total - cached - written_1h), written_1h }
}

/** One part of a prompt. */
export interface PromptPart {
  readonly content: string
  readonly tokens: number
  readonly keep: CachePoint['keep']
}

/** The points at the ends of the parts of a prompt, in order; each identifies all that is before it. */
export function pointsOf(model: string, parts: readonly PromptPart[]): CachePoint[] {
  let prefix = model
  let tokens = 0
  return parts.map((part) => {
    prefix = Bun.hash(`${prefix}\n${part.content}`).toString(36)
    tokens += part.tokens
    return { prefix, tokens, keep: part.keep }
  })
}
