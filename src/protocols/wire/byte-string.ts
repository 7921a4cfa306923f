// Bytes as text: byte strings, with one character, 0 to 255, for each byte, and base64.
// Searching a byte string is as fast as searching bytes, and making one costs a single copy; each view on a chunk from the network would
// make the runtime keep a buffer object for it.

/** Without a copy of the bytes. */
export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

/** Characters that providers refuse in base64: two of the URL alphabet, and white space. */
const IRREGULAR = /[-_\s]/

/**
 * Base64 as every provider takes it, with its padding and without white space (RFC 4648, section 4), of base64 in either alphabet. Google's
 * Python SDK sends the URL alphabet (google-genai: pydantic writes bytes so); `base64` on a command line breaks lines.
 *
 * @returns the very same text where nothing has to change, and where it is no base64: then its provider says so
 */
export function standardBase64(text: string): string {
  if (text.length % 4 === 0 && !IRREGULAR.test(text)) return text
  const digits = text.replace(/\s+/g, '').replace(/={1,2}$/, '')
  const bytes = Buffer.from(digits, 'base64')
  // The decoder skips what it cannot read, so that fewer bytes come out.
  const is_base64 =
    digits !== '' && digits.length % 4 !== 1 && bytes.length === Math.floor((digits.length * 3) / 4)
  return is_base64 ? bytes.toString('base64') : text
}

export type ByteString = string

export const toByteString = (bytes: Uint8Array): ByteString =>
  Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length)

export const fromByteString = (text: ByteString): Buffer => Buffer.from(text, 'latin1')

/** The text that the bytes encode in UTF-8. */
export const decodeByteString = (text: ByteString): string => fromByteString(text).toString()
