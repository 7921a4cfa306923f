// The token counts of a message's usage, read and written.
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "Tracking cache performance"
// https://platform.claude.com/docs/en/build-with-claude/compaction, "Usage"
import { inFull, promptTokens, type ReportedUsage, type Usage } from '../../domain/usage.ts'
import { sumTokens } from '../token-sums.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn, tokenCountIn } from '../wire/json.ts'
import { blockTokens } from './output-fields.ts'

/** The usage of a whole message; undefined if it reports none. */
export const readUsage = (answer: JsonObject): ReportedUsage | undefined => readCounts(objectIn(answer.usage))

/** The usage at the start of a stream. Some servers start with zeros, which are ignored: no prompt is empty. */
export function initialUsage(value: Json | undefined): JsonObject {
  const reported = laterUsage({}, value)
  const counts = readCounts(reported)
  return counts && promptTokens(inFull(counts)) === 0 ? {} : reported
}

/**
 * Merges a later event's usage: counts are cumulative, so they replace earlier ones. If all prompt counts are zero, they
 * replace nothing: some servers end their streams with such counts.
 */
export function laterUsage(reported: JsonObject, value: Json | undefined): JsonObject {
  const usage = objectIn(value)
  const reads_nothing = PROMPT.every((name) => (tokenCountIn(usage[name]) ?? 0) === 0)
  return {
    ...reported,
    ...Object.fromEntries(
      Object.entries(usage).filter(
        ([name, count]) => count !== null && !(reads_nothing && IN_PROMPT.includes(name) && name in reported),
      ),
    ),
  }
}

const PROMPT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
/** Includes the cache writes by lifetime. */
const IN_PROMPT = [...PROMPT, 'cache_creation']

/**
 * The counts of a usage, undefined if absent. `input_tokens` excludes the cache. Cache writes are for 5 minutes unless reported as for
 * an hour. `output_tokens` includes thinking. Compactions are counted only in `iterations`.
 */
export function readCounts(reported: JsonObject): ReportedUsage | undefined {
  const usage = withCompactions(reported)
  const input_tokens = tokenCountIn(usage.input_tokens)
  const output = tokenCountIn(usage.output_tokens)
  if (input_tokens === undefined && output === undefined) return undefined
  const thinking_tokens = tokenCountIn(objectIn(usage.output_tokens_details).thinking_tokens) ?? 0
  const written = objectIn(usage.cache_creation)
  const in_1h = tokenCountIn(written.ephemeral_1h_input_tokens) ?? 0
  const total = tokenCountIn(usage.cache_creation_input_tokens)
  return {
    input_tokens,
    cache_read_tokens: tokenCountIn(usage.cache_read_input_tokens) ?? 0,
    cache_write_5m_tokens:
      total === undefined ? (tokenCountIn(written.ephemeral_5m_input_tokens) ?? 0) : total - in_1h,
    cache_write_1h_tokens: in_1h,
    output_tokens: output === undefined ? undefined : output - thinking_tokens,
    thinking_tokens,
  }
}

const COMPACTED = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const

/**
 * Adds the counts of compactions, which the model writes before its answer and which are billed like it. Other iterations are already
 * in the counts, or belong to another model (@anthropic-ai/sdk 1.12.0, `BetaUsage.iterations`).
 */
function withCompactions(usage: JsonObject): JsonObject {
  const compactions = objectsIn(usage.iterations).filter(({ type }) => type === 'compaction')
  if (compactions.length === 0) return usage
  const all = [usage, ...compactions]
  const sum = { ...usage }
  for (const field of COMPACTED) sum[field] = sumOf(all, (counts) => counts[field])
  sum.cache_creation = {
    ephemeral_1h_input_tokens: sumOf(
      all,
      ({ cache_creation }) => objectIn(cache_creation).ephemeral_1h_input_tokens,
    ),
  }
  return sum
}

const sumOf = (counts: readonly JsonObject[], read: (counts: JsonObject) => Json | undefined): number =>
  counts.reduce((sum, each) => sum + (tokenCountIn(read(each)) ?? 0), 0)

/** Replaces the usage of a message or event that has one. */
export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.usage) ? { ...body, usage: writeUsage(usage) } : body

/** The billed usage in the format of messages. */
export const writeUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.input_tokens + usage.input_audio_tokens,
  cache_creation_input_tokens: usage.cache_write_5m_tokens + usage.cache_write_1h_tokens,
  cache_read_input_tokens: usage.cache_read_tokens,
  cache_creation: {
    ephemeral_5m_input_tokens: usage.cache_write_5m_tokens,
    ephemeral_1h_input_tokens: usage.cache_write_1h_tokens,
  },
  output_tokens: usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens,
  output_tokens_details: { thinking_tokens: usage.thinking_tokens },
})

/** The output of a whole message in estimated tokens, for one without a usage. */
export const estimateOutput = (answer: JsonObject): number =>
  sumTokens(Array.isArray(answer.content) ? answer.content : [], blockTokens)
