// Byte strings: bytes as a string with one character, 0 to 255, for each.
// Searching one is as fast as searching bytes, and making one costs a single copy; each view on a chunk from the network would
// make the runtime keep a buffer object for it.

export type ByteString = string

export const toByteString = (bytes: Uint8Array): ByteString =>
  Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length)

export const fromByteString = (text: ByteString): Buffer => Buffer.from(text, 'latin1')

/** The text that the bytes encode in UTF-8. */
export const decodeByteString = (text: ByteString): string => fromByteString(text).toString()
