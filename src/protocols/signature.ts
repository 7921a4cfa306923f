// Signatures of one provider, wrapped for the signature field of another, and unwrapped when they come back.
import type { Signature } from './canonical/parts.ts'

const SIGNED = ['thinking', 'tool_call', 'redacted_thinking'] as const

/** The kind of part that a signature belongs to, for fields of another kind. */
export type Signed = (typeof SIGNED)[number]

/** The signature formats of providers, by OpenRouter's names: https://openrouter.ai/docs/use-cases/reasoning-tokens */
export const FORMATS = {
  gemini: 'google-gemini-v1',
  anthropic: 'anthropic-claude-v1',
  openai: 'openai-responses-v1',
} as const

/** Former names of formats: conversations that began before an upgrade still carry them. */
const FORMER_FORMATS: ReadonlyMap<string, string> = new Map(Object.entries(FORMATS))

const TAG = new RegExp(`^([!-~]+?)\\.(${SIGNED.join('|')})\\.`)

/**
 * Writes a signature into a field for signatures of one format. A signature of another format is tagged and encoded as base64,
 * because SDKs decode such fields.
 * @param field_format the format that the field is for
 */
export function packSignature({ format, value }: Signature, signed: Signed, field_format: string): string {
  if (format === field_format) return value
  return Buffer.from(`${format}.${signed}.${value}`).toString('base64')
}

/** Reverses packSignature. Text without a tag is a signature of the field's own format on `thinking`. */
export function unpackSignature(
  text: string,
  field_format: string,
): { signature: Signature; signed: Signed } {
  const inner = Buffer.from(text, 'base64').toString('latin1')
  const [tag = '', marked] = TAG.exec(inner) ?? []
  const signed = SIGNED.find((name) => tag.endsWith(`.${name}.`))
  if (marked === undefined || !signed)
    return { signature: { format: field_format, value: text }, signed: 'thinking' }
  const format = FORMER_FORMATS.get(marked) ?? marked
  return { signature: { format, value: inner.slice(tag.length) }, signed }
}
