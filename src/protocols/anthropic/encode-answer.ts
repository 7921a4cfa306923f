// Encoding of a canonical answer as a whole message.
// https://platform.claude.com/docs/en/api/messages, "Returns"

import { NO_USAGE } from '../../domain/usage.ts'
import type { AnswerContext, ConversationAnswer } from '../canonical/answer.ts'
import type { Part, Signature } from '../canonical/parts.ts'
import { lostImageError } from '../carries.ts'
import type { JsonObject } from '../wire/json.ts'
import { writeParts } from '../writers.ts'
import { carries } from './carries.ts'
import { writeSignature } from './signature.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** Encodes the first candidate: callers of this protocol cannot request more. */
export function encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject {
  const [first] = answer.candidates
  return {
    id: `msg_${context.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.model ?? context.model,
    content: first.parts.flatMap(encodePart),
    stop_reason: writeStop(first.stop_reason),
    stop_sequence: first.stop_sequence ?? null,
    usage: writeUsage(answer.usage ?? NO_USAGE),
  }
}

const encodePart: (part: Part) => JsonObject[] = writeParts({
  text: ({ text }) => [{ type: 'text', text }],
  thinking: ({ text, signature }) => [
    {
      type: 'thinking',
      thinking: text,
      signature: signature ? writeSignature(signature, 'thinking') : '',
    },
  ],
  redacted_thinking: ({ signature }) => [redactedBlock(signature)],
  tool_call: ({ id, name, arguments: input, signature }) => [
    ...signatureBlock(signature),
    { type: 'tool_use', id, name, input },
  ],
  tool_result: () => [],
  image: () => {
    throw lostImageError(carries)
  },
  audio: () => [],
  document: () => [],
})

/** A thinking block before a tool call that carries the call's signature: the protocol has no other place for it. */
export const signatureBlock = (signature: Signature | undefined): JsonObject[] =>
  signature ? [{ type: 'thinking', thinking: '', signature: writeSignature(signature, 'tool_call') }] : []

export const redactedBlock = (signature: Signature): JsonObject => ({
  type: 'redacted_thinking',
  data: writeSignature(signature, 'redacted_thinking'),
})
