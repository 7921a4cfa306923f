// The prompt cache fields that models behind chat completions accept, decided by their names.
import { cacheControl } from '../caching.ts'
import type { CacheTtl } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { compact, type JsonObject } from '../wire/json.ts'

/**
 * `key`: OpenAI's models cache automatically, and find more with a key. `breakpoints`: since GPT-5.6 they also accept marks
 * (https://developers.openai.com/api/docs/guides/prompt-caching). `marks`: Claude behind OpenRouter, LiteLLM and similar servers accepts
 * its own marks (https://openrouter.ai/docs/features/prompt-caching).
 */
export type CacheStyle = 'key' | 'breakpoints' | 'marks' | 'nothing'

/** OpenAI's models, directly or behind a router (`openai/gpt-5`), and Claude's. The first row that matches applies. */
const ROWS: readonly (readonly [RegExp, CacheStyle])[] = [
  [/(?:^|\/)gpt-(?:5\.(?:[6-9]|\d\d)|[6-9])/, 'breakpoints'],
  [/(?:^|\/)(?:gpt-[345]|chatgpt-|o\d)/, 'key'],
  [/claude/, 'marks'],
]

export const cacheStyleOf = (model: string): CacheStyle =>
  ROWS.find(([names]) => names.test(model))?.[1] ?? 'nothing'

/** The cache fields of a request. Since GPT-5.6, `prompt_cache_options` replaces `prompt_cache_retention`. */
export const cachingFields = (
  { cache_key, caching = {} }: ConversationRequest,
  taken: CacheStyle,
): Record<string, JsonObject | string | undefined> => {
  const { session, retention, options } = caching
  const key = cache_key ?? session
  if (taken === 'key') return { prompt_cache_key: key, prompt_cache_retention: retention }
  return taken === 'breakpoints' ? { prompt_cache_key: key, prompt_cache_options: options } : {}
}

/** The mark on a part or tool; no field if the model accepts none. */
export const markFor = (taken: CacheStyle, cache: CacheTtl | undefined): JsonObject =>
  compact({
    cache_control: cache && taken === 'marks' ? cacheControl(cache) : undefined,
    prompt_cache_breakpoint: cache && taken === 'breakpoints' ? { mode: 'explicit' } : undefined,
  })
