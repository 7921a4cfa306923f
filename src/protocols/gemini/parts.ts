// The parts of a provider's answer, read, whole and streamed alike.
import type { MediaPart, Part, Signature } from '../canonical/parts.ts'
import { Fields, Flag, OpenObject, optional, Text, type Unchecked, uncheckedIn } from '../forms.ts'
import { objectIn, stringIn } from '../wire/json.ts'
import { readSignature } from './signature.ts'

export const AnswerCall = Fields({ id: optional(Text), name: Text, args: optional(OpenObject) })
export const AnswerMedia = Fields({ mimeType: Text, data: Text })
export const AnswerPart = Fields({
  text: optional(Text),
  thought: optional(Flag),
  thoughtSignature: optional(Text),
  functionCall: optional(AnswerCall),
  inlineData: optional(AnswerMedia),
})

/** One part of a provider's answer; undefined for kinds that no other protocol has. */
export function readAnswerPart(
  part: Unchecked<typeof AnswerPart>,
  made_call_id: string,
): Extract<Part, { kind: 'text' | 'thinking' | 'tool_call' }> | MediaPart | undefined {
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
  const image = readImage(part, signature)
  if (image) return image
  const text = stringIn(part.text)
  if (text === undefined && signature === undefined) return undefined
  return { kind: part.thought === true ? 'thinking' : 'text', text: text ?? '', signature }
}

/** A picture. Drafts, which are among the thoughts, are none. */
function readImage(
  { inlineData, thought }: Unchecked<typeof AnswerPart>,
  signature: Signature | undefined,
): MediaPart | undefined {
  const { mimeType, data } = uncheckedIn<typeof AnswerMedia>(inlineData)
  const mime_type = stringIn(mimeType)
  if (!mime_type?.startsWith('image/') || thought === true) return undefined
  return { kind: 'image', source: { by: 'data', mime_type, data: stringIn(data) ?? '' }, at: '', signature }
}
