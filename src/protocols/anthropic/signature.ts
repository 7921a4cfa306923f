// Signatures of Claude's thinking: their format, and the field for them in messages.
import type { Signature } from '../canonical/parts.ts'
import { FORMATS, packSignature, type Signed, unpackSignature } from '../signature.ts'

const FORMAT = FORMATS.anthropic

export const isOwn = ({ format }: Signature): boolean => format === FORMAT

/** The text of a signature field. A signature of another provider is tagged. */
export const writeSignature = (signature: Signature, signed: Signed): string =>
  packSignature(signature, signed, FORMAT)

/** Reads a signature field, and the kind of part that the signature belongs to. */
export const readSignature = (text: string): { signature: Signature; signed: Signed } =>
  unpackSignature(text, FORMAT)
