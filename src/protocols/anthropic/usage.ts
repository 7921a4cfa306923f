// The billed tokens in a message's usage, read and written.
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "Tracking cache performance"
import { estimateTokens } from '../../domain/token-estimate.ts'
import { NO_USAGE, type Usage } from '../../domain/usage.ts'
import {
  Count,
  eachUncheckedIn,
  Fields,
  OpenObject,
  optional,
  Text,
  type Unchecked,
  uncheckedIn,
} from '../forms.ts'
import { countIn, type Json, type JsonObject, stringIn } from '../wire/json.ts'

export const OutputDetails = Fields({ thinking_tokens: optional(Count) })
export const CacheCreation = Fields({
  ephemeral_5m_input_tokens: optional(Count),
  ephemeral_1h_input_tokens: optional(Count),
})
export const MessageUsage = Fields({
  input_tokens: optional(Count),
  cache_read_input_tokens: optional(Count),
  cache_creation_input_tokens: optional(Count),
  cache_creation: optional(CacheCreation),
  output_tokens: optional(Count),
  output_tokens_details: optional(OutputDetails),
})

/** The usage of a whole message; undefined where it reports none. */
export const readUsage = (answer: JsonObject): Usage | undefined => updateUsage(undefined, answer.usage)

/**
 * A usage, updated by what a later event of the stream says: its counts are cumulative, so they replace the known ones.
 * `input_tokens` excludes the cache; a cache write is for 5 minutes unless it is reported as one for an hour;
 * `output_tokens` includes thinking.
 */
export function updateUsage(known: Usage | undefined, value: Json | undefined): Usage | undefined {
  const usage = uncheckedIn<typeof MessageUsage>(value)
  const input = countIn(usage.input_tokens)
  const output = countIn(usage.output_tokens)
  if (input === undefined && output === undefined) return known
  const before = known ?? NO_USAGE
  const details = uncheckedIn<typeof OutputDetails>(usage.output_tokens_details)
  const thinking = countIn(details.thinking_tokens)
  const thinking_tokens = Math.min(thinking ?? before.thinking_tokens, output ?? Number.MAX_SAFE_INTEGER)
  return {
    ...before,
    ...readCacheWrites(usage, before),
    input_tokens: input ?? before.input_tokens,
    cache_read_tokens: countIn(usage.cache_read_input_tokens) ?? before.cache_read_tokens,
    output_tokens: output === undefined ? before.output_tokens : output - thinking_tokens,
    thinking_tokens,
  }
}

type CacheWrites = Pick<Usage, 'cache_write_5m_tokens' | 'cache_write_1h_tokens'>

function readCacheWrites(usage: Unchecked<typeof MessageUsage>, before: Usage): CacheWrites {
  const written = uncheckedIn<typeof CacheCreation>(usage.cache_creation)
  const in_1h = countIn(written.ephemeral_1h_input_tokens) ?? before.cache_write_1h_tokens
  const in_5m = countIn(written.ephemeral_5m_input_tokens)
  const total = countIn(usage.cache_creation_input_tokens)
  if (total === undefined)
    return { cache_write_5m_tokens: in_5m ?? before.cache_write_5m_tokens, cache_write_1h_tokens: in_1h }
  const cache_write_1h_tokens = Math.min(in_1h, total)
  return { cache_write_5m_tokens: total - cache_write_1h_tokens, cache_write_1h_tokens }
}

/** What was billed, as a caller of messages reads it. */
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

/** A block as far as the model wrote it. */
export const WrittenBlock = Fields({
  text: optional(Text),
  thinking: optional(Text),
  name: optional(Text),
  input: optional(OpenObject),
})

/** The output of a whole message in estimated tokens, for one without usage. */
export const estimateOutput = (answer: JsonObject): number =>
  eachUncheckedIn<typeof WrittenBlock>(answer.content).reduce(
    (tokens, block) => tokens + estimateTokens(writtenText(block)),
    0,
  )

/** All text of a block that the model wrote. */
function writtenText(block: Unchecked<typeof WrittenBlock>): string {
  const input = block.input === undefined ? '' : JSON.stringify(block.input)
  return [stringIn(block.text), stringIn(block.thinking), stringIn(block.name), input].join('')
}
