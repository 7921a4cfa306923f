// The billed tokens in a chat completion's usage, read and written.
// https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
import { promptTokens, type ReportedUsage, totalTokens, type Usage } from '../../domain/usage.ts'
import { sumTokens } from '../token-sums.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn, tokenCountIn } from '../wire/json.ts'
import { messageTokens } from './written.ts'

/** The usage of a whole answer, or of a stream's last chunk; undefined if it reports none. */
export const readUsage = (answer: JsonObject): ReportedUsage | undefined => readCounts(answer.usage)

/**
 * The counts of a usage. `prompt_tokens` includes the cached tokens and `completion_tokens` the reasoning: neither is
 * added again. Undefined where the counts are absent.
 */
export function readCounts(value: Json | undefined): ReportedUsage | undefined {
  const usage = objectIn(value)
  const prompt = tokenCountIn(usage.prompt_tokens)
  const completion = tokenCountIn(usage.completion_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const details = objectIn(usage.prompt_tokens_details)
  const cache_read_tokens = tokenCountIn(details.cached_tokens) ?? 0
  const input_audio_tokens = readAudio(
    prompt ?? 0,
    cache_read_tokens,
    tokenCountIn(details.audio_tokens) ?? 0,
  )
  const { reasoning_tokens } = objectIn(usage.completion_tokens_details)
  const thinking_tokens = tokenCountIn(reasoning_tokens) ?? 0
  return {
    input_tokens: prompt === undefined ? undefined : prompt - cache_read_tokens - input_audio_tokens,
    input_audio_tokens,
    cache_read_tokens,
    output_tokens: completion === undefined ? undefined : completion - thinking_tokens,
    thinking_tokens,
  }
}

/** Audio that was not cached: some of it may have been. Where it is more than the prompt, it leaves a negative rest. */
const readAudio = (prompt: number, cached: number, audio: number): number =>
  audio > prompt ? audio : Math.min(audio, Math.max(0, prompt - cached))

/** The same answer or chunk with this usage in place of one that it has. */
export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.usage) ? { ...body, usage: writeUsage(usage) } : body

/**
 * What was billed, as a caller of chat completions reads it. OpenAI has no `cache_write_tokens`; the name is
 * OpenRouter's.
 */
export function writeUsage(usage: Usage): JsonObject {
  const written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens,
    total_tokens: totalTokens(usage),
    prompt_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      audio_tokens: usage.input_audio_tokens,
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    completion_tokens_details: { reasoning_tokens: usage.thinking_tokens },
  }
}

/** The output of a whole answer in estimated tokens, for one without usage. */
export const estimateOutput = (answer: JsonObject): number =>
  sumTokens(objectsIn(answer.choices), ({ message }) => messageTokens(message))
