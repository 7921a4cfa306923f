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
import { usageIn } from './usage-places.ts'
import { messageIn, messageTokens } from './written.ts'

/** The usage of a whole answer, or of a stream's last chunk; undefined if it reports none. */
export const readUsage = (answer: JsonObject): ReportedUsage | undefined => readCounts(usageIn(answer))

/**
 * The counts of a usage, by the names of chat completions or of responses. The prompt includes what was read from a cache and
 * what was written to it, and the completion the reasoning, except where `total_tokens` is more than both (plugins/provider-usage.md):
 * then what was cached, and audio, is beside the prompt if it is more than the prompt, and the rest of the
 * total is output beside the completion. Of prompt and completion one may follow from the other and the total. Undefined where
 * the counts are absent.
 */
export function readCounts(value: Json | undefined): ReportedUsage | undefined {
  const usage = objectIn(value)
  const { prompt, completion, beside: all_beside } = sumsIn(usage)
  if (prompt === undefined && completion === undefined) return undefined
  const details = objectIn(usage.prompt_tokens_details ?? usage.input_tokens_details)
  const cache_read_tokens = readCached(usage, details)
  const written =
    tokenCountIn(details.cache_write_tokens) ?? tokenCountIn(details.cache_creation_input_tokens) ?? 0
  const cache_write_1h_tokens = written === 0 ? 0 : readWrittenForHour(details)
  const cached = cache_read_tokens + written
  let beside = all_beside
  const cached_beside = cached > (prompt ?? 0) && beside >= cached ? cached : 0
  beside -= cached_beside
  const audio_beside = audioBeside(usage, {
    prompt: prompt ?? 0,
    beside,
    audio: tokenCountIn(details.audio_tokens),
  })
  beside -= audio_beside
  const read = (prompt ?? 0) + cached_beside + audio_beside
  const audio = tokenCountIn(details.audio_tokens) ?? audio_beside
  const input_audio_tokens = readAudio(read, cached, audio)
  // Google's chat completions count thoughts in the total alone.
  const thinking_tokens = reasoningIn(usage, completion) ?? beside
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

interface Sums {
  prompt: number | undefined
  completion: number | undefined
  /** The rest of the total beyond both. */
  beside: number
}

/**
 * Prompt, completion and the rest of the total. One of the first two may be missing: it follows from the other and the total,
 * where the total has reasoning that is more than the completion, beside that. A total that leaves nothing, or is zero, says
 * nothing; one that is less contradicts itself.
 */
export function sumsIn(usage: JsonObject): Sums {
  const prompt = tokenCountIn(usage.prompt_tokens) ?? tokenCountIn(usage.input_tokens)
  const completion = tokenCountIn(usage.completion_tokens) ?? tokenCountIn(usage.output_tokens)
  const total = countIn(tokenCountIn(usage.total_tokens)) || undefined
  if (total === undefined) return { prompt, completion, beside: 0 }
  if (prompt !== undefined && completion !== undefined)
    return { prompt, completion, beside: Math.max(0, total - prompt - completion) }
  if (prompt !== undefined) return { prompt, completion: restOf(total, prompt), beside: 0 }
  if (completion === undefined) return { prompt, completion, beside: 0 }
  const reasoning = tokenCountIn(reasoningDetails(usage)) ?? 0
  const beside = reasoning > completion ? reasoning : 0
  return { prompt: restOf(total, completion + beside), completion, beside }
}

/** @returns undefined where nothing is left; NaN, which is not believed, where the part is more than the total */
const restOf = (total: number, part: number): number | undefined =>
  part > total ? Number.NaN : total - part || undefined

const reasoningDetails = (usage: JsonObject): Json | undefined =>
  objectIn(usage.completion_tokens_details ?? usage.output_tokens_details).reasoning_tokens

/**
 * Reasoning among the completion or beside it. SGLang has it beside the counts, within the completion (sglang 0.5
 * `UsageInfo.reasoning_tokens`); Perplexity's is an extra there, as its citations are (extras.ts).
 */
function reasoningIn(usage: JsonObject, completion: number | undefined): number | undefined {
  const detailed = tokenCountIn(reasoningDetails(usage))
  if (detailed !== undefined || (usage.citation_tokens ?? null) !== null) return detailed
  const own = countIn(usage.reasoning_tokens)
  return own !== undefined && own > 0 && own <= (completion ?? 0) ? own : undefined
}

interface AudioPlace {
  prompt: number
  beside: number
  audio: number | undefined
}

/**
 * Audio that the prompt's count does not have. Mistral's has the text alone, and the total the audio, too: @mistralai/mistralai 2.7
 * `UsageInfo.promptAudioSeconds`, https://docs.mistral.ai/capabilities/audio_transcription.
 */
function audioBeside(usage: JsonObject, { prompt, beside, audio }: AudioPlace): number {
  if (audio !== undefined) return audio > prompt && beside >= audio ? audio : 0
  return (countIn(usage.prompt_audio_seconds) ?? 0) > 0 ? beside : 0
}

/** Tokens read from a cache: OpenAI's name, then Moonshot's and Together's, Mistral's and DeepSeek's. */
const readCached = (usage: JsonObject, details: JsonObject): number =>
  tokenCountIn(details.cached_tokens) ??
  tokenCountIn(usage.cached_tokens) ??
  tokenCountIn(usage.num_cached_tokens) ??
  tokenCountIn(usage.prompt_cache_hit_tokens) ??
  0

/** Cache writes last for minutes, unless they are reported as written for an hour. */
const readWrittenForHour = (details: JsonObject): number =>
  tokenCountIn(objectIn(details.cache_creation).ephemeral_1h_input_tokens) ?? 0

/** Audio that was not cached: some of it may have been. Where it is more than the prompt, it leaves a negative rest. */
const readAudio = (prompt: number, cached: number, audio: number): number =>
  audio > prompt ? audio : Math.min(audio, Math.max(0, prompt - cached))

/** The same answer or chunk with this usage in place of one that it has. */
export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.usage) ? { ...body, usage: writeUsage(usage) } : body

/** Cache writes for an hour, which have a price of their own, beside all cache writes; absent where zero. */
export const writtenForHour = ({ cache_write_1h_tokens }: Usage): JsonObject =>
  cache_write_1h_tokens > 0 ? { cache_creation: { ephemeral_1h_input_tokens: cache_write_1h_tokens } } : {}

/** The billed usage, as a caller of chat completions reads it. */
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
  sumTokens(objectsIn(answer.choices), (choice) => messageTokens(messageIn(choice)))

const NANOS_PER_USD = 1_000_000_000
/** No call costs as much: more is a mistake, which would spoil every sum that it is part of. */
const MAX_COST_NANOS = 10_000 * NANOS_PER_USD
/** https://docs.x.ai/developers/cost-tracking: 10,000,000,000 ticks are a dollar. */
const TICKS_PER_NANO = 10

/**
 * xAI tells ticks, OpenRouter the dollars, Perplexity the dollars of each part and their sum. Where OpenRouter used the operator's
 * own key with a provider, that provider bills the operator beside it. DeepInfra calls it an estimate, and bills it.
 * https://openrouter.ai/docs/use-cases/usage-accounting, https://docs.perplexity.ai/changelog (July 2025),
 * https://deepinfra.com/docs/advanced/openai_api
 *
 * @returns nano-dollars; undefined if it says nothing, or nothing that can be an amount
 */
function readCost(usage: JsonObject): number | undefined {
  const ticks = countIn(usage.cost_in_usd_ticks)
  if (ticks !== undefined) return believable(Math.round(ticks / TICKS_PER_NANO))
  const cost = usage.cost ?? usage.estimated_cost
  if (cost === undefined || cost === null) return undefined
  const reported = isObject(cost) ? cost.total_cost : cost
  const beside = usage.is_byok === true ? objectIn(usage.cost_details).upstream_inference_cost : 0
  if (typeof reported !== 'number' || typeof beside !== 'number') return undefined
  return believable(Math.round((reported + beside) * NANOS_PER_USD))
}

const believable = (nanos: number): number | undefined =>
  nanos >= 0 && nanos <= MAX_COST_NANOS ? nanos : undefined
