// Byte strings, with one character (0 to 255) for each byte, and base64.
// Searching a byte string is as fast as searching bytes, and creating one costs a single copy; for each view on a chunk from the
// network, the runtime would keep a buffer object.

/** Encodes without copying the bytes. */
export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

/** Characters that providers refuse in base64: two of the URL alphabet, and white space. */
const IRREGULAR = /[-_\s]/

/**
 * Converts base64 of either alphabet to the form that every provider accepts: standard alphabet, with padding, without white space
 * (RFC 4648, section 4). Google's Python SDK sends the URL alphabet (google-genai: pydantic writes bytes so); `base64` on a command
 * line breaks lines.
 *
 * @returns the same text if it is already standard, or is not base64: the provider then refuses it
 */
export function standardBase64(text: string): string {
  if (text.length % 4 === 0 && !IRREGULAR.test(text)) return text
  const digits = text.replace(/\s+/g, '').replace(/={1,2}$/, '')
  const bytes = Buffer.from(digits, 'base64')
  // The decoder skips invalid characters, which yields fewer bytes.
  const is_base64 =
    digits !== '' && digits.length % 4 !== 1 && bytes.length === Math.floor((digits.length * 3) / 4)
  return is_base64 ? bytes.toString('base64') : text
}

export type ByteString = string

export const toByteString = (bytes: Uint8Array): ByteString =>
  Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length)

export const fromByteString = (text: ByteString): Buffer => Buffer.from(text, 'latin1')

/** Decodes the bytes as UTF-8. */
export const decodeByteString = (text: ByteString): string => fromByteString(text).toString()
