// The token counts of a chat completion's usage, read and written.
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
import { messageIn, messageTokens } from './output-fields.ts'
import { usageIn } from './usage-places.ts'

/** The usage of a whole answer, or of a stream's last chunk; undefined if it reports none. */
export const readUsage = (answer: JsonObject): ReportedUsage | undefined => readCounts(usageIn(answer))

/**
 * Reads the counts of a usage, by the names of chat completions or of responses. The prompt includes cache reads and writes, and the
 * completion includes reasoning, unless `total_tokens` exceeds their sum (plugins/provider-usage.md). In that case, cached tokens and
 * audio are outside of the prompt if they exceed it, and the rest of the total is output outside of the completion. A missing prompt or
 * completion is computed from the other one and the total. Undefined if the counts are absent.
 */
export function readCounts(value: Json | undefined): ReportedUsage | undefined {
  const usage = objectIn(value)
  const { prompt, completion, rest: total_rest } = sumsIn(usage)
  if (prompt === undefined && completion === undefined) return undefined
  const details = objectIn(usage.prompt_tokens_details ?? usage.input_tokens_details)
  const cache_read_tokens = readCached(usage, details)
  const written =
    tokenCountIn(details.cache_write_tokens) ?? tokenCountIn(details.cache_creation_input_tokens) ?? 0
  const cache_write_1h_tokens = written === 0 ? 0 : readWrittenForHour(details)
  const cached = cache_read_tokens + written
  let rest = total_rest
  const cached_extra = cached > (prompt ?? 0) && rest >= cached ? cached : 0
  rest -= cached_extra
  const audio_extra = audioOutsidePrompt(usage, {
    prompt: prompt ?? 0,
    rest,
    audio: tokenCountIn(details.audio_tokens),
  })
  rest -= audio_extra
  const read = (prompt ?? 0) + cached_extra + audio_extra
  const audio = tokenCountIn(details.audio_tokens) ?? audio_extra
  const input_audio_tokens = readAudio(read, cached, audio)
  // Google's chat completions include thoughts only in the total.
  const thinking_tokens = reasoningIn(usage, completion) ?? rest
  return {
    input_tokens: prompt === undefined ? undefined : read - cached - input_audio_tokens,
    input_audio_tokens,
    cache_read_tokens,
    cache_write_5m_tokens: written - cache_write_1h_tokens,
    cache_write_1h_tokens,
    output_tokens: completion === undefined ? undefined : completion + rest - thinking_tokens,
    thinking_tokens,
    cost_nanos: readCost(usage),
  }
}

interface Sums {
  prompt: number | undefined
  completion: number | undefined
  /** The rest of the total after both. */
  rest: number
}

/**
 * Prompt, completion and the rest of the total. If one of the first two is missing, it is computed from the other one and the total; if
 * the reasoning exceeds the completion, the total has it in addition. A total that leaves nothing, or is zero, decides nothing; a
 * smaller one is a contradiction.
 */
export function sumsIn(usage: JsonObject): Sums {
  const prompt = tokenCountIn(usage.prompt_tokens) ?? tokenCountIn(usage.input_tokens)
  const completion = tokenCountIn(usage.completion_tokens) ?? tokenCountIn(usage.output_tokens)
  const total = countIn(tokenCountIn(usage.total_tokens)) || undefined
  if (total === undefined) return { prompt, completion, rest: 0 }
  if (prompt !== undefined && completion !== undefined)
    return { prompt, completion, rest: Math.max(0, total - prompt - completion) }
  if (prompt !== undefined) return { prompt, completion: restOf(total, prompt), rest: 0 }
  if (completion === undefined) return { prompt, completion, rest: 0 }
  const reasoning = tokenCountIn(reasoningDetails(usage)) ?? 0
  const rest = reasoning > completion ? reasoning : 0
  return { prompt: restOf(total, completion + rest), completion, rest }
}

/** @returns undefined if nothing is left; NaN, an invalid count, if the part exceeds the total */
const restOf = (total: number, part: number): number | undefined =>
  part > total ? Number.NaN : total - part || undefined

const reasoningDetails = (usage: JsonObject): Json | undefined =>
  objectIn(usage.completion_tokens_details ?? usage.output_tokens_details).reasoning_tokens

/**
 * The reasoning tokens. SGLang reports them at the top of the usage, as a part of the completion (sglang 0.5
 * `UsageInfo.reasoning_tokens`); Perplexity's are an extra there, like its citations (extras.ts).
 */
function reasoningIn(usage: JsonObject, completion: number | undefined): number | undefined {
  const detailed = tokenCountIn(reasoningDetails(usage))
  if (detailed !== undefined || (usage.citation_tokens ?? null) !== null) return detailed
  const own = countIn(usage.reasoning_tokens)
  return own !== undefined && own > 0 && own <= (completion ?? 0) ? own : undefined
}

interface AudioPlace {
  prompt: number
  rest: number
  audio: number | undefined
}

/**
 * Audio that the prompt's count does not include. Mistral's prompt is the text alone, while its total includes audio:
 * @mistralai/mistralai 2.7 `UsageInfo.promptAudioSeconds`, https://docs.mistral.ai/capabilities/audio_transcription.
 */
function audioOutsidePrompt(usage: JsonObject, { prompt, rest, audio }: AudioPlace): number {
  if (audio !== undefined) return audio > prompt && rest >= audio ? audio : 0
  return (countIn(usage.prompt_audio_seconds) ?? 0) > 0 ? rest : 0
}

/** Tokens read from a cache, by the names of OpenAI, Moonshot and Together, Mistral, and DeepSeek. */
const readCached = (usage: JsonObject, details: JsonObject): number =>
  tokenCountIn(details.cached_tokens) ??
  tokenCountIn(usage.cached_tokens) ??
  tokenCountIn(usage.num_cached_tokens) ??
  tokenCountIn(usage.prompt_cache_hit_tokens) ??
  0

/** Cache writes are short-lived unless reported as written for an hour. */
const readWrittenForHour = (details: JsonObject): number =>
  tokenCountIn(objectIn(details.cache_creation).ephemeral_1h_input_tokens) ?? 0

/** Uncached audio. The cached tokens may include audio. If audio exceeds the prompt, the remaining input becomes negative. */
const readAudio = (prompt: number, cached: number, audio: number): number =>
  audio > prompt ? audio : Math.min(audio, Math.max(0, prompt - cached))

/** Replaces the usage of an answer or chunk that has one. */
export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.usage) ? { ...body, usage: writeUsage(usage) } : body

/** The field for one-hour cache writes, which have a price of their own and are also part of all cache writes; absent if zero. */
export const writtenForHour = ({ cache_write_1h_tokens }: Usage): JsonObject =>
  cache_write_1h_tokens > 0 ? { cache_creation: { ephemeral_1h_input_tokens: cache_write_1h_tokens } } : {}

/** The billed usage in the format of chat completions. */
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

/** The output of a whole answer in estimated tokens, for one without a usage. */
export const estimateOutput = (answer: JsonObject): number =>
  sumTokens(objectsIn(answer.choices), (choice) => messageTokens(messageIn(choice)))

const NANOS_PER_USD = 1_000_000_000
/** No call costs as much: a higher amount is an error, which would spoil every sum that includes it. */
const MAX_COST_NANOS = 10_000 * NANOS_PER_USD
/** https://docs.x.ai/developers/cost-tracking: 10,000,000,000 ticks are a dollar. */
const TICKS_PER_NANO = 10

/**
 * Reads the cost. xAI reports ticks, OpenRouter dollars, Perplexity the dollars of each part and their sum. If OpenRouter used the
 * operator's own key for a provider, that provider bills the operator in addition. DeepInfra calls the cost an estimate, and bills it.
 * https://openrouter.ai/docs/use-cases/usage-accounting, https://docs.perplexity.ai/changelog (July 2025),
 * https://deepinfra.com/docs/advanced/openai_api
 *
 * @returns nano-dollars; undefined if the usage has no valid amount
 */
function readCost(usage: JsonObject): number | undefined {
  const ticks = countIn(usage.cost_in_usd_ticks)
  if (ticks !== undefined) return plausibleCost(Math.round(ticks / TICKS_PER_NANO))
  const cost = usage.cost ?? usage.estimated_cost
  if (cost === undefined || cost === null) return undefined
  const reported = isObject(cost) ? cost.total_cost : cost
  const own_key_cost = usage.is_byok === true ? objectIn(usage.cost_details).upstream_inference_cost : 0
  if (typeof reported !== 'number' || typeof own_key_cost !== 'number') return undefined
  return plausibleCost(Math.round((reported + own_key_cost) * NANOS_PER_USD))
}

const plausibleCost = (nanos: number): number | undefined =>
  nanos >= 0 && nanos <= MAX_COST_NANOS ? nanos : undefined
