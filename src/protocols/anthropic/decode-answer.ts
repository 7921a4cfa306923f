// A whole message, read into the canonical form.
import { inFull } from '../../domain/usage.ts'
import type { ConversationAnswer } from '../canonical/answer.ts'
import type { Part } from '../canonical/parts.ts'
import {
  eachUncheckedIn,
  Fields,
  List,
  OpenObject,
  optional,
  Text,
  type Unchecked,
  uncheckedIn,
} from '../forms.ts'
import { type JsonObject, lookUp, objectIn, stringIn } from '../wire/json.ts'
import { readSignature } from './signature.ts'
import { readStop } from './stop-reasons.ts'
import { MessageUsage, readUsage } from './usage.ts'

export const AnswerBlock = Fields({
  type: Text,
  text: optional(Text),
  thinking: optional(Text),
  signature: optional(Text),
  data: optional(Text),
  id: optional(Text),
  name: optional(Text),
  input: optional(OpenObject),
})
export const MessageAnswer = Fields({
  id: Text,
  model: Text,
  content: List(AnswerBlock),
  stop_reason: optional(Text),
  stop_sequence: optional(Text),
  usage: MessageUsage,
})

/** A provider's whole answer. Missing fields are read as empty, and blocks that no other protocol has are left out. */
export function decodeAnswer(body: JsonObject): ConversationAnswer {
  const message = uncheckedIn<typeof MessageAnswer>(body)
  return {
    id: stringIn(message.id),
    model: stringIn(message.model),
    candidates: [
      {
        parts: eachUncheckedIn<typeof AnswerBlock>(message.content).flatMap(
          (block) => lookUp(BLOCKS, block.type)?.(block) ?? [],
        ),
        stop_reason: readStop(stringIn(message.stop_reason) ?? ''),
        stop_sequence: stringIn(message.stop_sequence),
        logprobs: undefined,
      },
    ],
    usage: inFull(readUsage(body)),
  }
}

const BLOCKS: Readonly<Record<string, (block: Unchecked<typeof AnswerBlock>) => Part>> = {
  text: ({ text }) => ({ kind: 'text', text: stringIn(text) ?? '' }),
  tool_use: ({ id, name, input }) => ({
    kind: 'tool_call',
    id: stringIn(id) ?? '',
    name: stringIn(name) ?? '',
    arguments: objectIn(input),
  }),
  thinking: ({ thinking, signature }) => {
    const packed = stringIn(signature)
    return {
      kind: 'thinking',
      text: stringIn(thinking) ?? '',
      signature: packed ? readSignature(packed).signature : undefined,
    }
  },
  redacted_thinking: ({ data }) => ({
    kind: 'redacted_thinking',
    signature: readSignature(stringIn(data) ?? '').signature,
  }),
}
