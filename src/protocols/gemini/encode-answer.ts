// Owns the writing of a canonical answer as a whole native one.
// https://ai.google.dev/api/generate-content#generatecontentresponse
import { promptTokens, totalTokens, type Usage } from '../../domain/usage.ts'
import type { Answer, AnswerContext, ConversationAnswer, Part } from '../canonical.ts'
import { writeParts } from '../part-writers.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { writeLogprobs } from './logprobs.ts'
import { sealField } from './parts.ts'
import { writeStop } from './stop-reasons.ts'

/** A whole answer for a caller of the native protocol. */
export const encodeAnswer = (answer: ConversationAnswer, context: AnswerContext): JsonObject =>
  compact({
    candidates: answer.answers.map(encodeCandidate),
    usageMetadata: answer.usage && writeUsage(answer.usage),
    modelVersion: answer.model ?? context.model,
    responseId: context.id,
  })

const encodeCandidate = (answer: Answer, index: number): JsonObject => ({
  content: { role: 'model', parts: answer.parts.flatMap(encodeAnswerPart) },
  finishReason: writeStop(answer.stop_reason),
  index,
  ...writeLogprobs(answer.logprobs),
})

/** One part of an answer, for a caller; media are left out: only Gemini's own models answer with any. */
export const encodeAnswerPart: (part: Part) => JsonObject[] = writeParts({
  text: ({ text, signature }) => [{ text, ...sealField(signature, 'thinking') }],
  thinking: ({ text, signature }) => [{ text, thought: true, ...sealField(signature, 'thinking') }],
  redacted_thinking: ({ signature }) => [
    { text: '', thought: true, ...sealField(signature, 'redacted_thinking') },
  ],
  tool_call: ({ id, name, arguments: args, signature }) => [
    { functionCall: { id, name, args }, ...sealField(signature, 'tool_call') },
  ],
  tool_result: () => [],
  image: () => [],
  audio: () => [],
  document: () => [],
})

/** What was billed, as a caller of the native protocol reads it: the cache is part of the prompt, thoughts are not of the candidates. */
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
    .map(([modality, tokenCount]) => ({ modality, tokenCount }))
