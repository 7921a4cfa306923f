// The fields for prompt caches that models behind chat completions take, by their names.
import { cacheControl } from '../caching.ts'
import type { CacheTtl } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { compact, type JsonObject } from '../wire/json.ts'

/**
 * `key`: OpenAI's models cache by themselves, and find more by a key; `breakpoints`: those from GPT-5.6 on take marks, too
 * (https://developers.openai.com/api/docs/guides/prompt-caching); `marks`: Claude's behind OpenRouter, LiteLLM and their likes take
 * its own marks (https://openrouter.ai/docs/features/prompt-caching).
 */
export type TakenCaching = 'key' | 'breakpoints' | 'marks' | 'nothing'

/** By names, of OpenAI's models alone or behind a router (`openai/gpt-5`); the first row that fits holds. */
const ROWS: readonly (readonly [RegExp, TakenCaching])[] = [
  [/(?:^|\/)gpt-(?:5\.(?:[6-9]|\d\d)|[6-9])/, 'breakpoints'],
  [/(?:^|\/)(?:gpt-[345]|chatgpt-|o\d)/, 'key'],
  [/claude/, 'marks'],
]

export const cachingTakenBy = (model: string): TakenCaching =>
  ROWS.find(([names]) => names.test(model))?.[1] ?? 'nothing'

/** The fields of a request. `prompt_cache_options` takes the place of `prompt_cache_retention` from GPT-5.6 on. */
export const cachingFields = (
  { cache_key, caching = {} }: ConversationRequest,
  taken: TakenCaching,
): Record<string, JsonObject | string | undefined> => {
  const { session, retention, options } = caching
  const key = cache_key ?? session
  if (taken === 'key') return { prompt_cache_key: key, prompt_cache_retention: retention }
  return taken === 'breakpoints' ? { prompt_cache_key: key, prompt_cache_options: options } : {}
}

/** The mark on a part or tool; no field where the model takes none. */
export const markFor = (taken: TakenCaching, cache: CacheTtl | undefined): JsonObject =>
  compact({
    cache_control: cache && taken === 'marks' ? cacheControl(cache) : undefined,
    prompt_cache_breakpoint: cache && taken === 'breakpoints' ? { mode: 'explicit' } : undefined,
  })
