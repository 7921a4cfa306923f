// The billed tokens in a chat completion's usage, read and written.
// https://platform.openai.com/docs/api-reference/chat/object#chat/object-usage
import { promptTokens, type ReportedUsage, totalTokens, type Usage } from '../../domain/usage.ts'
import { sumTokens } from '../token-sums.ts'
import {
  countIn,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  tokenCountIn,
} from '../wire/json.ts'
import { readCost } from './reported-cost.ts'
import { messageTokens } from './written.ts'

/** The usage of a whole answer, or of a stream's last chunk; undefined if it reports none. */
export const readUsage = (answer: JsonObject): ReportedUsage | undefined => readCounts(answer.usage)

/**
 * The counts of a usage. `prompt_tokens` includes what was read from a cache and what was written to it, and
 * `completion_tokens` the reasoning, except where `total_tokens` is more than both (plugins/README.md, Usage of providers):
 * then what was cached is beside the prompt if it is more than the prompt, and the rest of the total is output beside the
 * completion. Undefined where the counts are absent.
 */
export function readCounts(value: Json | undefined): ReportedUsage | undefined {
  const usage = objectIn(value)
  const prompt = tokenCountIn(usage.prompt_tokens)
  const completion = tokenCountIn(usage.completion_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const details = objectIn(usage.prompt_tokens_details)
  const cache_read_tokens = readCached(usage, details)
  const written =
    tokenCountIn(details.cache_write_tokens) ?? tokenCountIn(details.cache_creation_input_tokens) ?? 0
  const cache_write_1h_tokens = written === 0 ? 0 : readWrittenForHour(details)
  const cached = cache_read_tokens + written
  let beside = besideIn(usage, prompt, completion)
  const cached_beside = cached > (prompt ?? 0) && beside >= cached ? cached : 0
  beside -= cached_beside
  const read = (prompt ?? 0) + cached_beside
  const input_audio_tokens = readAudio(read, cached, tokenCountIn(details.audio_tokens) ?? 0)
  // Google's chat completions count thoughts in the total alone.
  const thinking_tokens = tokenCountIn(objectIn(usage.completion_tokens_details).reasoning_tokens) ?? beside
  return {
    input_tokens: prompt === undefined ? undefined : read - cached - input_audio_tokens,
    input_audio_tokens,
    cache_read_tokens,
    cache_write_5m_tokens: written - cache_write_1h_tokens,
    cache_write_1h_tokens,
    output_tokens: completion === undefined ? undefined : completion + beside - thinking_tokens,
    thinking_tokens,
    cost_nanos: readCost(usage),
  }
}

/** What was read from a cache: OpenAI's name of it, then Moonshot's and Together's, Mistral's and DeepSeek's. */
const readCached = (usage: JsonObject, details: JsonObject): number =>
  tokenCountIn(details.cached_tokens) ??
  tokenCountIn(usage.cached_tokens) ??
  tokenCountIn(usage.num_cached_tokens) ??
  tokenCountIn(usage.prompt_cache_hit_tokens) ??
  0

/** What was written to a cache is kept for minutes, unless it says otherwise. */
const readWrittenForHour = (details: JsonObject): number =>
  tokenCountIn(objectIn(details.cache_creation).ephemeral_1h_input_tokens) ?? 0

/** What the total has beyond the prompt and the completion. */
function besideIn(usage: JsonObject, prompt: number | undefined, completion: number | undefined): number {
  const total = countIn(tokenCountIn(usage.total_tokens))
  if (total === undefined || prompt === undefined || completion === undefined) return 0
  return Math.max(0, total - prompt - completion)
}

/** Audio that was not cached: some of it may have been. Where it is more than the prompt, it leaves a negative rest. */
const readAudio = (prompt: number, cached: number, audio: number): number =>
  audio > prompt ? audio : Math.min(audio, Math.max(0, prompt - cached))

/** The same answer or chunk with this usage in place of one that it has. */
export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.usage) ? { ...body, usage: writeUsage(usage) } : body

/** What was written to a cache for an hour, which has a price of its own, beside all that was written; only where there is some. */
export const writtenForHour = ({ cache_write_1h_tokens }: Usage): JsonObject =>
  cache_write_1h_tokens > 0 ? { cache_creation: { ephemeral_1h_input_tokens: cache_write_1h_tokens } } : {}

/** What was billed, as a caller of chat completions reads it. */
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
      ...writtenForHour(usage),
    },
    completion_tokens_details: { reasoning_tokens: usage.thinking_tokens },
  }
}

/** The output of a whole answer in estimated tokens, for one without usage. */
export const estimateOutput = (answer: JsonObject): number =>
  sumTokens(objectsIn(answer.choices), ({ message }) => messageTokens(message))
