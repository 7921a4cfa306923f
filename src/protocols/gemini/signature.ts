// Signatures of Gemini's thinking: their format, and the field for them in a part.
import type { Signature } from '../canonical/parts.ts'
import { FORMATS, packSignature, type Signed, unpackSignature } from '../signature.ts'
import type { JsonObject } from '../wire/json.ts'

const FORMAT = FORMATS.gemini

/**
 * Replaces the missing signature of a tool call by another provider's model, or of a call that came back without one: Gemini 3
 * refuses calls without a signature. https://ai.google.dev/gemini-api/docs/thought-signatures, "FAQs"
 */
export const PLACEHOLDER: Signature = { format: FORMAT, value: 'skip_thought_signature_validator' }

/** The value of a signature that Gemini issued; undefined for other signatures. */
export const ownSignature = (signature: Signature | undefined): string | undefined =>
  signature?.format === FORMAT ? signature.value : undefined

/** The caller's field for a part's signature. A signature of another provider is tagged. */
export const signatureField = (signature: Signature | undefined, signed: Signed): JsonObject =>
  signature ? { thoughtSignature: packSignature(signature, signed, FORMAT) } : {}

/** A format of the gateway: the thinking itself takes the place of a signature. */
const UNSIGNED = 'unsigned'

/** The signature field of a call with the unsigned thinking that led to it, for providers that want it back, such as DeepSeek. */
export const unsignedField = (thinking: string): JsonObject =>
  signatureField({ format: UNSIGNED, value: Buffer.from(thinking).toString('base64') }, 'thinking')

/** The thinking in such a field; undefined for a real signature. */
export const unsignedText = ({ format, value }: Signature): string | undefined =>
  format === UNSIGNED ? Buffer.from(value, 'base64').toString() : undefined

/** Reads a signature field, and the kind of part that the signature belongs to. */
export const readSignature = (text: string): { signature: Signature; signed: Signed } =>
  unpackSignature(text, FORMAT)
