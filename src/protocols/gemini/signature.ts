// Signatures of Gemini's thinking: the name of their format, and the field for them in a part.
import type { Signature } from '../canonical/parts.ts'
import { FORMATS, packSignature, type Signed, unpackSignature } from '../signature.ts'
import type { JsonObject } from '../wire/json.ts'

const FORMAT = FORMATS.gemini

/**
 * Stands in for the signature of a tool call that another provider's model made, or that came back without its signature:
 * Gemini 3 refuses a call without one. https://ai.google.dev/gemini-api/docs/thought-signatures, "FAQs"
 */
export const PLACEHOLDER: Signature = { format: FORMAT, value: 'skip_thought_signature_validator' }

/** A signature that Gemini issued, as it takes it back; undefined for others'. */
export const ownSignature = (signature: Signature | undefined): string | undefined =>
  signature?.format === FORMAT ? signature.value : undefined

/** The field for a part's signature, for a caller: another provider's is marked as such. */
export const signatureField = (signature: Signature | undefined, signed: Signed): JsonObject =>
  signature ? { thoughtSignature: packSignature(signature, signed, FORMAT) } : {}

/** The name of no provider's format: the text itself stands in the place of a signature. */
const UNSIGNED = 'unsigned'

/** Thinking that its provider wants back though it signs none, such as DeepSeek's, as the field of the call that it led to. */
export const unsignedField = (thinking: string): JsonObject =>
  signatureField({ format: UNSIGNED, value: Buffer.from(thinking).toString('base64') }, 'thinking')

/** Its text; undefined for a signature. */
export const unsignedText = ({ format, value }: Signature): string | undefined =>
  format === UNSIGNED ? Buffer.from(value, 'base64').toString() : undefined

/** A field's signature, and what it belongs to. */
export const readSignature = (text: string): { signature: Signature; signed: Signed } =>
  unpackSignature(text, FORMAT)
