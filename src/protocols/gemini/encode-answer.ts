// A canonical answer, written as a whole native one.
// https://ai.google.dev/api/generate-content#generatecontentresponse
import type { AnswerContext, Candidate, ConversationAnswer } from '../canonical/answer.ts'
import type { Part, Signature } from '../canonical/parts.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { writeParts } from '../writers.ts'
import { writeLogprobs } from './logprobs.ts'
import { signatureField, unsignedField } from './signature.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** A whole answer for a caller of the native protocol. */
export const encodeAnswer = (answer: ConversationAnswer, context: AnswerContext): JsonObject =>
  compact({
    candidates: answer.candidates.map(encodeCandidate),
    usageMetadata: answer.usage && writeUsage(answer.usage),
    modelVersion: answer.model ?? context.model,
    responseId: context.id,
  })

const encodeCandidate = (candidate: Candidate, index: number): JsonObject => ({
  content: { role: 'model', parts: encodeParts(candidate.parts) },
  finishReason: writeStop(candidate.stop_reason),
  index,
  ...writeLogprobs(candidate.logprobs),
})

/** Thinking stands on the call that follows it, encrypted or unsigned: clients send calls back as they came, and thoughts mostly not. */
function encodeParts(parts: readonly Part[]): JsonObject[] {
  return parts.flatMap((part, index) => {
    const [before, after] = [parts[index - 1], parts[index + 1]]
    if (part.kind === 'redacted_thinking' && after && takesThinking(after)) return []
    const encoded = encodeAnswerPart(part)
    if (!before || !takesThinking(part)) return encoded
    if (before.kind === 'redacted_thinking')
      return encoded.map((call) => withThinking(call, before.signature))
    return before.kind === 'thinking' && !before.signature
      ? encoded.map((call) => ({ ...call, ...unsignedField(before.text) }))
      : encoded
  })
}

/** Whether a part is a call that has no signature of its own. */
const takesThinking = (part: Part): boolean => part.kind === 'tool_call' && part.signature === undefined

/** A call with the encrypted thinking that led to it. */
export const withThinking = (call: JsonObject, signature: Signature): JsonObject => ({
  ...call,
  ...signatureField(signature, 'redacted_thinking'),
})

/** One part of an answer, for a caller. Of media there are only pictures. */
export const encodeAnswerPart: (part: Part) => JsonObject[] = writeParts({
  text: ({ text, signature }) => [{ text, ...signatureField(signature, 'thinking') }],
  thinking: ({ text, signature }) => [{ text, thought: true, ...signatureField(signature, 'thinking') }],
  redacted_thinking: ({ signature }) => [
    { text: '', thought: true, ...signatureField(signature, 'redacted_thinking') },
  ],
  tool_call: ({ id, name, arguments: args, signature }) => [
    { functionCall: { id, name, args }, ...signatureField(signature, 'tool_call') },
  ],
  tool_result: () => [],
  image: ({ source, signature }) =>
    source.by === 'url'
      ? []
      : [
          {
            inlineData: { mimeType: source.mime_type, data: source.data },
            ...signatureField(signature, 'thinking'),
          },
        ],
  audio: () => [],
  document: () => [],
})
