// Signatures of Claude's thinking: the name of their format, and the fields for them in messages.
import type { Signature } from '../canonical/parts.ts'
import { FORMATS, packSignature, type Signed, unpackSignature } from '../signature.ts'

const FORMAT = FORMATS.anthropic

export const isOwn = ({ format }: Signature): boolean => format === FORMAT

/** A signature as the text of a field: another provider's is marked as such. */
export const writeSignature = (signature: Signature, signed: Signed): string =>
  packSignature(signature, signed, FORMAT)

/** A field's signature, and what it belongs to. */
export const readSignature = (text: string): { signature: Signature; signed: Signed } =>
  unpackSignature(text, FORMAT)
