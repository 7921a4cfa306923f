// The parts of a provider's answer, read, whole and streamed alike.
import type { Part } from '../canonical/parts.ts'
import { Fields, Flag, OpenObject, optional, Text, type Unchecked, uncheckedIn } from '../forms.ts'
import { objectIn, stringIn } from '../wire/json.ts'
import { readSignature } from './signature.ts'

export const AnswerCall = Fields({ id: optional(Text), name: Text, args: optional(OpenObject) })
export const AnswerPart = Fields({
  text: optional(Text),
  thought: optional(Flag),
  thoughtSignature: optional(Text),
  functionCall: optional(AnswerCall),
})

/** One part of a provider's answer; undefined for kinds that no other protocol has. */
export function readAnswerPart(
  part: Unchecked<typeof AnswerPart>,
  made_call_id: string,
): Extract<Part, { kind: 'text' | 'thinking' | 'tool_call' }> | undefined {
  const packed = stringIn(part.thoughtSignature)
  const signature = packed ? readSignature(packed).signature : undefined
  if (part.functionCall !== undefined) {
    const called = uncheckedIn<typeof AnswerCall>(part.functionCall)
    return {
      kind: 'tool_call',
      id: stringIn(called.id) || made_call_id,
      name: stringIn(called.name) ?? '',
      arguments: objectIn(called.args),
      signature,
    }
  }
  const text = stringIn(part.text)
  if (text === undefined && signature === undefined) return undefined
  return { kind: part.thought === true ? 'thinking' : 'text', text: text ?? '', signature }
}
