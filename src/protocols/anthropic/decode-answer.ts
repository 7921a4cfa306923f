// Owns the reading of a whole message into the canonical form.
import type { ConversationAnswer, Part } from '../canonical.ts'
import { unpackSignature } from '../signature.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/** A provider's whole answer. What is missing in it is taken for empty, and blocks that nobody else has are left out. */
export const decodeAnswer = (body: JsonObject): ConversationAnswer => ({
  id: stringIn(body.id),
  model: stringIn(body.model),
  answers: [
    {
      parts: objectsIn(body.content).flatMap((block) => BLOCKS[stringIn(block.type) ?? '']?.(block) ?? []),
      stop_reason: readStop(stringIn(body.stop_reason) ?? ''),
      stop_sequence: stringIn(body.stop_sequence),
      logprobs: undefined,
    },
  ],
  usage: readUsage(body),
})

const BLOCKS: Readonly<Record<string, (block: JsonObject) => Part>> = {
  text: ({ text }) => ({ kind: 'text', text: stringIn(text) ?? '' }),
  tool_use: ({ id, name, input }) => ({
    kind: 'tool_call',
    id: stringIn(id) ?? '',
    name: stringIn(name) ?? '',
    arguments: objectIn(input),
  }),
  thinking: ({ thinking, signature }) => {
    const seal = stringIn(signature)
    return {
      kind: 'thinking',
      text: stringIn(thinking) ?? '',
      signature: seal ? unpackSignature(seal, 'anthropic').signature : undefined,
    }
  },
  redacted_thinking: ({ data }) => ({
    kind: 'redacted_thinking',
    signature: unpackSignature(stringIn(data) ?? '', 'anthropic').signature,
  }),
}
