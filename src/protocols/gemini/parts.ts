// Owns the reading and writing of an answer's parts, whole and streamed alike.
import type { Part, Signature } from '../canonical.ts'
import { packSignature, type Sealed, unpackSignature } from '../signature.ts'
import { type JsonObject, objectIn, stringIn } from '../wire/json.ts'

/** A signature that Gemini issued, as it takes it back; undefined for others'. */
export const ownSignature = (signature: Signature | undefined): string | undefined =>
  signature?.issuer === 'gemini' ? signature.value : undefined

/** A part's seal, for a caller: another vendor's is marked as that. */
export const sealField = (signature: Signature | undefined, sealed: Sealed): JsonObject =>
  signature ? { thoughtSignature: packSignature(signature, sealed, 'gemini') } : {}

/** One part of a provider's answer; undefined for kinds that no other protocol has. */
export function readAnswerPart(part: JsonObject, made_call_id: string): Part | undefined {
  const sealed = stringIn(part.thoughtSignature)
  const signature = sealed ? unpackSignature(sealed, 'gemini').signature : undefined
  if (part.functionCall !== undefined) {
    const called = objectIn(part.functionCall)
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
