// The token counts in usageMetadata, read and written, and the estimate for an answer without one.
// https://ai.google.dev/api/generate-content#UsageMetadata
import type { ReportedImageTokens } from '../../domain/image-tokens.ts'
import { estimateTokens, OUTPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import { promptTokens, type ReportedUsage, totalTokens, type Usage } from '../../domain/usage.ts'
import { audioTokens } from '../audio-output.ts'
import {
  compact,
  countIn,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  stringIn,
  tokenCountIn,
} from '../wire/json.ts'

/**
 * Reads the usage of a whole answer, or of one event of a stream. promptTokenCount includes cached tokens and excludes tool use;
 * candidatesTokenCount includes image tokens and excludes thoughts. Counts of zero may be missing.
 *
 * @returns undefined if usageMetadata is absent, or has none of the counts
 */
export function readUsage(answer: JsonObject): ReportedUsage | undefined {
  const meta = answer.usageMetadata
  if (!isObject(meta)) return undefined
  const cached = tokenCountIn(meta.cachedContentTokenCount)
  const tools = tokenCountIn(meta.toolUsePromptTokenCount)
  const thoughts = tokenCountIn(meta.thoughtsTokenCount)
  const { prompt, candidates } = countsIn(meta, (tools ?? 0) + (thoughts ?? 0))
  const has_input = prompt !== undefined || cached !== undefined || tools !== undefined
  const has_output = candidates !== undefined || thoughts !== undefined
  if (!has_input && !has_output) return undefined
  const uncached = (prompt ?? 0) - (cached ?? 0)
  // Tokens that tools read must not fill a gap in the other counts.
  const read = uncached < 0 ? uncached : uncached + (tools ?? 0)
  const input_audio_tokens = readAudio(meta, { prompt: prompt ?? 0, cached: cached ?? 0, read })
  const output_image_tokens = modality(meta.candidatesTokensDetails, 'IMAGE')
  return {
    input_tokens: has_input ? read - input_audio_tokens : undefined,
    input_audio_tokens,
    cache_read_tokens: cached ?? 0,
    output_tokens: has_output ? (candidates ?? 0) - output_image_tokens : undefined,
    thinking_tokens: thoughts ?? 0,
    output_image_tokens,
  }
}

/**
 * The counts of the prompt and the candidates. A missing one is the rest of the total after the other one and `beside`. A total without
 * a rest decides nothing: the first events of a stream have none.
 * @param beside the tokens of tools and thoughts, which neither count includes
 */
function countsIn(meta: JsonObject, beside: number) {
  const prompt = tokenCountIn(meta.promptTokenCount)
  const candidates = tokenCountIn(meta.candidatesTokenCount)
  const total = countIn(tokenCountIn(meta.totalTokenCount)) || undefined
  const restBeyond = (part: number | undefined) =>
    total === undefined || part === undefined || total === part + beside ? undefined : total - part - beside
  return { prompt: prompt ?? restBeyond(candidates), candidates: candidates ?? restBeyond(prompt) }
}

interface InputCounts {
  prompt: number
  cached: number
  /** All input that was not cached. */
  read: number
}

/** Uncached audio. If the report has more audio than input, the result exceeds the input. */
function readAudio(meta: JsonObject, { prompt, cached, read }: InputCounts): number {
  const audio = modality(meta.promptTokensDetails, 'AUDIO')
  const cached_audio = modality(meta.cacheTokensDetails, 'AUDIO')
  if (audio > prompt || cached_audio > cached) return Math.max(0, read) + audio + cached_audio
  return Math.min(Math.max(0, audio - cached_audio), Math.max(0, prompt - cached))
}

function modality(details: Json | undefined, name: string): number {
  // Nearly all answers have text only, and no list.
  if (details === undefined) return 0
  let tokens = 0
  for (const detail of objectsIn(details))
    if (detail.modality === name) tokens += tokenCountIn(detail.tokenCount) ?? 0
  return tokens
}

/** The images of the input, if the usage reports the input's modalities. */
export function readInputImages(answer: JsonObject): Omit<ReportedImageTokens, 'usage'> {
  const { promptTokensDetails, cacheTokensDetails } = objectIn(answer.usageMetadata)
  if (promptTokensDetails === undefined) return {}
  const image_cache_read_tokens = modality(cacheTokensDetails, 'IMAGE')
  return {
    image_input_tokens: modality(promptTokensDetails, 'IMAGE') - image_cache_read_tokens,
    image_cache_read_tokens,
  }
}

/** The audio tokens of the output, if the usage reports the output's modalities. */
export const outputAudio = ({ candidatesTokensDetails }: JsonObject): number | undefined =>
  candidatesTokensDetails === undefined ? undefined : modality(candidatesTokensDetails, 'AUDIO')

/** Replaces the usage of an answer or event that has one. */
export const showUsage = (body: JsonObject, usage: Usage): JsonObject =>
  isObject(body.usageMetadata) ? { ...body, usageMetadata: writeUsage(usage) } : body

/** The billed usage in the native format. */
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

/** The output of a whole answer in estimated tokens, including visible thoughts. */
export function estimateOutput(answer: JsonObject): number {
  let tokens = 0
  for (const { content } of objectsIn(answer.candidates)) {
    const { parts } = objectIn(content)
    for (const part of objectsIn(parts)) tokens += partTokens(part)
  }
  return tokens
}

function partTokens(part: JsonObject): number {
  if (typeof part.text === 'string') return estimateTokens(part.text)
  if (part.inlineData !== undefined) return audioPartTokens(part.inlineData) ?? OUTPUT_IMAGE_TOKENS
  const { thoughtSignature: _, ...rest } = part
  return Object.keys(rest).length === 0 ? 0 : estimateTokens(JSON.stringify(rest))
}

/** https://ai.google.dev/gemini-api/docs/pricing */
export const AUDIO_TOKENS_PER_SECOND = 25

/** The tokens of a piece of audio in an answer; undefined for other media. */
export function audioPartTokens(inline: Json | undefined): number | undefined {
  const { mimeType, data } = objectIn(inline)
  if (!stringIn(mimeType)?.toLowerCase().startsWith('audio/')) return undefined
  return audioTokens(stringIn(data)?.length ?? 0, AUDIO_TOKENS_PER_SECOND)
}
