// Owns the writing of a canonical answer as a whole message.
// https://platform.claude.com/docs/en/api/messages, "Returns"

import { NO_USAGE } from '../../domain/usage.ts'
import type { AnswerContext, ConversationAnswer, Part, Signature } from '../canonical.ts'
import { writeParts } from '../part-writers.ts'
import { packSignature } from '../signature.ts'
import type { JsonObject } from '../wire/json.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** A whole answer for a caller of messages: the first one, for he cannot ask for more. */
export function encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject {
  const [first] = answer.answers
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

/** One part as blocks. A tool call's seal goes in a thinking block before it: there is no other place for it. */
const encodePart: (part: Part) => JsonObject[] = writeParts({
  text: ({ text }) => [{ type: 'text', text }],
  thinking: ({ text, signature }) => [
    {
      type: 'thinking',
      thinking: text,
      signature: signature ? packSignature(signature, 'thinking', 'anthropic') : '',
    },
  ],
  redacted_thinking: ({ signature }) => [redactedBlock(signature)],
  tool_call: ({ id, name, arguments: input, signature }) => [
    ...sealBlock(signature),
    { type: 'tool_use', id, name, input },
  ],
  tool_result: () => [],
  image: () => [],
  audio: () => [],
  document: () => [],
})

/** The thinking block that carries the seal of the tool call after it. */
export const sealBlock = (signature: Signature | undefined): JsonObject[] =>
  signature
    ? [{ type: 'thinking', thinking: '', signature: packSignature(signature, 'tool_call', 'anthropic') }]
    : []

export const redactedBlock = (signature: Signature): JsonObject => ({
  type: 'redacted_thinking',
  data: packSignature(signature, 'redacted_thinking', 'anthropic'),
})
