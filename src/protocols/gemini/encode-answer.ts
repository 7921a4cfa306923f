// Encoding of a canonical answer as a whole native one.
// https://ai.google.dev/api/generate-content#generatecontentresponse
import type { AnswerContext, Candidate, ConversationAnswer } from '../canonical/answer.ts'
import type { Part, Signature } from '../canonical/parts.ts'
import { compact, type JsonObject } from '../wire/json.ts'
import { writeParts } from '../writers.ts'
import { writeLogprobs } from './logprobs.ts'
import { signatureField, unsignedField } from './signature.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

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

/** Attaches thinking, encrypted or unsigned, to the call after it: clients send calls back unchanged, but mostly drop thoughts. */
function encodeParts(parts: readonly Part[]): JsonObject[] {
  return parts.flatMap((part, index) => {
    const [before, after] = [parts[index - 1], parts[index + 1]]
    if (part.kind === 'redacted_thinking' && after && isUnsignedCall(after)) return []
    const encoded = encodeAnswerPart(part)
    if (!before || !isUnsignedCall(part)) return encoded
    if (before.kind === 'redacted_thinking')
      return encoded.map((call) => withThinking(call, before.signature))
    return before.kind === 'thinking' && !before.signature
      ? encoded.map((call) => ({ ...call, ...unsignedField(before.text) }))
      : encoded
  })
}

/** Whether a part is a call without a signature of its own. */
const isUnsignedCall = (part: Part): boolean => part.kind === 'tool_call' && part.signature === undefined

/** A call with the encrypted thinking that led to it. */
export const withThinking = (call: JsonObject, signature: Signature): JsonObject => ({
  ...call,
  ...signatureField(signature, 'redacted_thinking'),
})

/** Encodes one part of an answer. Images are the only media. */
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
