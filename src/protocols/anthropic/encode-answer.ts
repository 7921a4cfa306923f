// Owns the writing of a canonical answer as a whole message.
// https://platform.claude.com/docs/en/api/messages, "Returns"
import { NO_USAGE } from '../../usage.ts'
import type { AnswerContext, ConversationAnswer, Part, Signature } from '../canonical.ts'
import type { JsonObject } from '../protocol.ts'
import { packSignature } from '../signature.ts'
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
function encodePart(part: Part): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'thinking': {
      const signature = part.signature ? packSignature(part.signature, 'thinking', 'anthropic') : ''
      return [{ type: 'thinking', thinking: part.text, signature }]
    }
    case 'redacted_thinking':
      return [redactedBlock(part.signature)]
    case 'tool_call': {
      const { id, name, arguments: input, signature } = part
      return [...sealBlock(signature), { type: 'tool_use', id, name, input }]
    }
    default:
      return []
  }
}

/** The thinking block that carries the seal of the tool call after it. */
export const sealBlock = (signature: Signature | undefined): JsonObject[] =>
  signature
    ? [{ type: 'thinking', thinking: '', signature: packSignature(signature, 'tool_call', 'anthropic') }]
    : []

export const redactedBlock = (signature: Signature): JsonObject => ({
  type: 'redacted_thinking',
  data: packSignature(signature, 'redacted_thinking', 'anthropic'),
})
