// Owns how the vendor's usageMetadata becomes a Usage, and what an answer without one is taken to have cost.
import { estimateTokens, OUTPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import type { Usage } from '../../domain/usage.ts'
import { isObject, type Json, type JsonObject, objectIn, objectsIn } from '../wire/json.ts'

/**
 * The usage of a whole answer, or of one event of a stream.
 *
 * promptTokenCount holds the cached tokens, and tool use comes on top of it; candidatesTokenCount holds no thoughts, but
 * holds image tokens. Source: https://ai.google.dev/api/generate-content#UsageMetadata.
 *
 * @returns undefined where usageMetadata is absent; a count that is absent or nonsense is zero
 */
export function readUsage(answer: JsonObject): Usage | undefined {
  const meta = answer.usageMetadata
  if (!isObject(meta)) return undefined
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

/** Output of a whole answer in estimated tokens, thoughts that are shown included. */
export function estimateOutput(answer: JsonObject): number {
  let tokens = 0
  for (const candidate of objectsIn(answer.candidates)) {
    for (const part of objectsIn(objectIn(candidate.content).parts)) tokens += partTokens(part)
  }
  return tokens
}

function partTokens(part: JsonObject): number {
  if (typeof part.text === 'string') return estimateTokens(part.text)
  if (part.inlineData !== undefined) return OUTPUT_IMAGE_TOKENS
  const { thoughtSignature: _, ...rest } = part
  return Object.keys(rest).length === 0 ? 0 : estimateTokens(JSON.stringify(rest))
}

function modality(details: Json | undefined, name: string): number {
  let tokens = 0
  for (const detail of objectsIn(details)) if (detail.modality === name) tokens += count(detail.tokenCount)
  return tokens
}

/** A count as an upstream wrote it: a whole number, or one in a string as int64 is written; anything else is none. */
function count(value: Json | undefined): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : 0
}
