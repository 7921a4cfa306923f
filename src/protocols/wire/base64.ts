// Bytes as base64, which is how images travel in JSON.

/** Without a copy of the bytes. */
export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
