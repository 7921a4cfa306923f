// The parts of a provider's answer, read, whole and streamed alike.
import { UpstreamFault } from '../../domain/errors.ts'
import type { MediaPart, Part, Signature } from '../canonical/parts.ts'
import { type JsonObject, objectIn, stringIn } from '../wire/json.ts'
import { readSignature } from './signature.ts'

/**
 * One part of a provider's answer; undefined for kinds that no other protocol has.
 * @throws UpstreamFault for a tool call without a name
 */
export function readAnswerPart(
  part: JsonObject,
  made_call_id: string,
): Extract<Part, { kind: 'text' | 'thinking' | 'tool_call' }> | MediaPart | undefined {
  const packed = stringIn(part.thoughtSignature)
  const signature = packed ? readSignature(packed).signature : undefined
  if (part.functionCall !== undefined) {
    const called = objectIn(part.functionCall)
    const name = stringIn(called.name)
    if (!name) throw new UpstreamFault('the upstream sent a tool call without a name')
    return {
      kind: 'tool_call',
      id: stringIn(called.id) || made_call_id,
      name,
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
  { inlineData, thought }: JsonObject,
  signature: Signature | undefined,
): MediaPart | undefined {
  const { mimeType, data } = objectIn(inlineData)
  const mime_type = stringIn(mimeType)
  if (!mime_type?.startsWith('image/') || thought === true) return undefined
  return { kind: 'image', source: { by: 'data', mime_type, data: stringIn(data) ?? '' }, at: '', signature }
}
