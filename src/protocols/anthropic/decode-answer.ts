// Decoding of a whole message into the canonical form.
import { inFull } from '../../domain/usage.ts'
import type { ConversationAnswer } from '../canonical/answer.ts'
import { type Part, readArguments } from '../canonical/parts.ts'
import { type JsonObject, lookUp, objectsIn, stringIn } from '../wire/json.ts'
import { completeMessage } from './complete.ts'
import { readSignature } from './signature.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * Decodes a provider's whole answer. Missing fields count as empty. Blocks that no other protocol has are left out.
 * @throws UpstreamFault for a block without its type, and for a tool call without a name
 */
export function decodeAnswer(answer: JsonObject, call_id: string): ConversationAnswer {
  const message = completeMessage(answer, call_id)
  return {
    id: stringIn(message.id),
    model: stringIn(message.model),
    candidates: [
      {
        parts: objectsIn(message.content).flatMap((block) => lookUp(BLOCKS, block.type)?.(block) ?? []),
        stop_reason: readStop(stringIn(message.stop_reason) ?? ''),
        stop_sequence: stringIn(message.stop_sequence),
        logprobs: undefined,
      },
    ],
    usage: inFull(readUsage(message)),
  }
}

const BLOCKS: Readonly<Record<string, (block: JsonObject) => Part>> = {
  text: ({ text }) => ({ kind: 'text', text: stringIn(text) ?? '' }),
  tool_use: ({ id, name, input }) => ({
    kind: 'tool_call',
    id: stringIn(id) ?? '',
    name: stringIn(name) ?? '',
    arguments: readArguments(input) ?? {},
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
