// Owns byte strings: bytes as a string with one character, 0 to 255, for each. Searching one is as fast as searching bytes,
// and it costs a single copy, where every view on a chunk of the network makes the runtime keep a buffer object for it.

export type ByteString = string

/** The bytes, one character each. */
export const toByteString = (bytes: Uint8Array): ByteString =>
  Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length)

/** The bytes again. */
export const fromByteString = (text: ByteString): Buffer => Buffer.from(text, 'latin1')

/** What the bytes say in UTF-8. */
export const decodeByteString = (text: ByteString): string => fromByteString(text).toString()
