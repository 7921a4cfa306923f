// Owns how a vendor's signature travels inside another vendor's signature field, and is told apart when it comes back.
import type { ProtocolName, Signature } from './canonical.ts'

/** What a signature belongs to, where the field that carries it belongs to something else. */
export type Sealed = 'thinking' | 'tool_call' | 'redacted_thinking'

const ISSUERS: readonly ProtocolName[] = ['gemini', 'anthropic', 'openai']
const SEALED: readonly Sealed[] = ['thinking', 'tool_call', 'redacted_thinking']
const TAG = new RegExp(`^(${ISSUERS.join('|')})\\.(${SEALED.join('|')})\\.`)

/**
 * A foreign signature as text for a field of `carrier`. It is base64, because SDKs decode such fields. A protocol's own
 * signature stays as it was issued.
 */
export function packSignature(signature: Signature, sealed: Sealed, carrier: ProtocolName): string {
  if (signature.issuer === carrier) return signature.value
  return Buffer.from(`${signature.issuer}.${sealed}.${signature.value}`).toString('base64')
}

/** The reverse: what is not marked as foreign was issued by `carrier` itself, for `thinking`. */
export function unpackSignature(
  text: string,
  carrier: ProtocolName,
): { signature: Signature; sealed: Sealed } {
  const inner = Buffer.from(text, 'base64').toString('latin1')
  const tag = TAG.exec(inner)
  const issuer = ISSUERS.find((name) => name === tag?.[1])
  const sealed = SEALED.find((name) => name === tag?.[2])
  if (!tag || !issuer || !sealed) return { signature: { issuer: carrier, value: text }, sealed: 'thinking' }
  return { signature: { issuer, value: inner.slice(tag[0].length) }, sealed }
}
