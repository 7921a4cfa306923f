// The places of the usage in answers of chat completions: servers differ in them, and in the names of the counts.
import { isObject, type Json, type JsonObject, objectIn, objectsIn } from '../wire/json.ts'

/** Every usage has at least one of these. */
export const COUNT_NAMES = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'input_tokens',
  'output_tokens',
] as const

/** Every usage outside of the known fields has at least one of these. */
export const BESIDE_NAMES = ['timings', 'eval_count', 'billed_units'] as const

function hasCounts(value: Json | undefined): value is JsonObject {
  if (!isObject(value)) return false
  for (const name of COUNT_NAMES) if ((value[name] ?? null) !== null) return true
  return false
}

/**
 * The usage of a whole answer or of a stream's chunk.
 *
 * - Groq: `x_groq.usage` of the last chunk (groq-sdk `ChatCompletionChunk`; https://github.com/Portkey-AI/gateway/issues/1338)
 * - Moonshot: in the last chunk's choice (https://github.com/earendil-works/pi/issues/2017)
 * - Cohere: objects of its own, one of which it bills (cohere-ai 8.1 `Usage`)
 * - llama.cpp: `timings` at the top (https://github.com/ggml-org/llama.cpp/pull/15827)
 * - Ollama: counts at the top (ollama 0.6 `ChatResponse`)
 *
 * @returns undefined if none of these places has a count
 */
export function usageIn(answer: JsonObject): JsonObject | undefined {
  const { usage, x_groq, choices, meta, timings } = answer
  if (hasCounts(usage)) return usage
  const groq = objectIn(x_groq).usage
  if (hasCounts(groq)) return groq
  for (const choice of objectsIn(choices)) if (hasCounts(choice.usage)) return choice.usage
  return (
    cohereUsage(objectIn(usage)) ?? cohereUsage(objectIn(meta)) ?? llamaUsage(timings) ?? ollamaUsage(answer)
  )
}

function cohereUsage({ billed_units, tokens, cached_tokens = null }: JsonObject): JsonObject | undefined {
  const counts = [billed_units, tokens].find(hasCounts)
  return counts && { ...objectIn(counts), cached_tokens }
}

/** Reads llama.cpp's counts: prompt tokens outside of the cache, prompt tokens from the cache, and output tokens. */
function llamaUsage(timings: Json | undefined): JsonObject | undefined {
  const { prompt_n = null, cache_n = 0, predicted_n = null } = objectIn(timings)
  if (typeof prompt_n !== 'number' || typeof cache_n !== 'number') return undefined
  return { prompt_tokens: prompt_n + cache_n, completion_tokens: predicted_n, cached_tokens: cache_n }
}

function ollamaUsage({ prompt_eval_count = null, eval_count = null }: JsonObject): JsonObject | undefined {
  if (prompt_eval_count === null && eval_count === null) return undefined
  return { prompt_tokens: prompt_eval_count, completion_tokens: eval_count }
}
