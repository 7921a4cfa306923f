// The freeing of large bytes at once: the collector is in no hurry, and to hurry it would stop everyone else.

/**
 * Frees the memory of bytes, which are empty from then on.
 * @param bytes whose buffer nobody else uses any more, native code at work in the background included
 */
export const freeBytes = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** Smaller buffers are soon collected, and may be the runtime's, which other bytes stand in. */
const MIN_FREED_BYTES = 64 * 1024

/**
 * The same chunks. The buffer of each is freed once one of another buffer is asked for: the reader is done with it then, and so
 * is whoever made it.
 */
export async function* freedOnceRead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (last && last.buffer !== chunk.buffer && last.buffer.byteLength >= MIN_FREED_BYTES) freeBytes(last)
    last = chunk
    yield chunk
  }
}
