// The billed tokens in the native protocol's usageMetadata, read and written, and the estimate for an answer without one.
import { estimateTokens, OUTPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import { promptTokens, totalTokens, type Usage } from '../../domain/usage.ts'
import {
  Anything,
  Count,
  eachUncheckedIn,
  Fields,
  List,
  optional,
  Text,
  type Unchecked,
  uncheckedIn,
} from '../forms.ts'
import { compact, isObject, type Json, type JsonObject } from '../wire/json.ts'

export const ModalityCount = Fields({ modality: Text, tokenCount: optional(Count) })
/**
 * Source: https://ai.google.dev/api/generate-content#UsageMetadata. A count may also come as text, as int64 is written.
 */
export const UsageMetadata = Fields({
  promptTokenCount: optional(Count),
  cachedContentTokenCount: optional(Count),
  toolUsePromptTokenCount: optional(Count),
  candidatesTokenCount: optional(Count),
  thoughtsTokenCount: optional(Count),
  promptTokensDetails: optional(List(ModalityCount)),
  cacheTokensDetails: optional(List(ModalityCount)),
  candidatesTokensDetails: optional(List(ModalityCount)),
})

/**
 * The usage of a whole answer, or of one event of a stream. promptTokenCount includes the cached tokens and excludes
 * tool use; candidatesTokenCount includes image tokens and excludes thoughts.
 *
 * @returns undefined where usageMetadata is absent; a count that is absent or malformed is zero
 */
export function readUsage(answer: JsonObject): Usage | undefined {
  if (!isObject(answer.usageMetadata)) return undefined
  const meta = uncheckedIn<typeof UsageMetadata>(answer.usageMetadata)
  const cached = count(meta.cachedContentTokenCount)
  const uncached = Math.max(0, count(meta.promptTokenCount) - cached)
  const uncached_audio =
    modality(meta.promptTokensDetails, 'AUDIO') - modality(meta.cacheTokensDetails, 'AUDIO')
  const input_audio_tokens = Math.min(uncached, Math.max(0, uncached_audio))
  const candidates = count(meta.candidatesTokenCount)
  const output_image_tokens = Math.min(candidates, modality(meta.candidatesTokensDetails, 'IMAGE'))
  return {
    input_tokens: uncached - input_audio_tokens + count(meta.toolUsePromptTokenCount),
    input_audio_tokens,
    cache_read_tokens: cached,
    cache_write_5m_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: candidates - output_image_tokens,
    thinking_tokens: count(meta.thoughtsTokenCount),
    output_image_tokens,
  }
}

function modality(details: Json | undefined, name: string): number {
  let tokens = 0
  for (const detail of eachUncheckedIn<typeof ModalityCount>(details))
    if (detail.modality === name) tokens += count(detail.tokenCount)
  return tokens
}

/** A count as an upstream wrote it: a whole number, or one in a string; zero for anything else. */
function count(value: Json | undefined): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : 0
}

/** What was billed, as a caller of the native protocol reads it. */
export const writeUsage = (usage: Usage): JsonObject =>
  compact({
    promptTokenCount: promptTokens(usage),
    cachedContentTokenCount: usage.cache_read_tokens || undefined,
    candidatesTokenCount: usage.output_tokens + usage.output_image_tokens,
    thoughtsTokenCount: usage.thinking_tokens || undefined,
    totalTokenCount: totalTokens(usage),
    promptTokensDetails: modalities({
      TEXT: promptTokens(usage) - usage.input_audio_tokens,
      AUDIO: usage.input_audio_tokens,
    }),
    candidatesTokensDetails: usage.output_image_tokens
      ? modalities({ TEXT: usage.output_tokens, IMAGE: usage.output_image_tokens })
      : undefined,
  })

const modalities = (counts: Readonly<Record<string, number>>): JsonObject[] =>
  Object.entries(counts)
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([name, tokenCount]) => ({ modality: name, tokenCount }))

/** A part as far as the model wrote it. */
export const WrittenPart = Fields({
  text: optional(Text),
  inlineData: optional(Anything),
  thoughtSignature: optional(Text),
})
export const WrittenContent = Fields({ parts: optional(List(WrittenPart)) })
export const WrittenCandidate = Fields({ content: optional(WrittenContent) })

/** The output of a whole answer in estimated tokens, including thoughts that are shown. */
export function estimateOutput(answer: JsonObject): number {
  let tokens = 0
  for (const { content } of eachUncheckedIn<typeof WrittenCandidate>(answer.candidates)) {
    const { parts } = uncheckedIn<typeof WrittenContent>(content)
    for (const part of eachUncheckedIn<typeof WrittenPart>(parts)) tokens += partTokens(part)
  }
  return tokens
}

function partTokens(part: Unchecked<typeof WrittenPart>): number {
  if (typeof part.text === 'string') return estimateTokens(part.text)
  if (part.inlineData !== undefined) return OUTPUT_IMAGE_TOKENS
  const { thoughtSignature: _, ...rest } = part
  return Object.keys(rest).length === 0 ? 0 : estimateTokens(JSON.stringify(rest))
}
