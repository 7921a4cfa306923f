// Immediate release of large buffers: the garbage collector would free them late, and a forced collection would stop all calls.

/**
 * Frees the memory of bytes, which are empty afterwards.
 * @param bytes whose buffer is no longer used anywhere else, including native background work
 */
export const freeBytes = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** Smaller buffers are collected soon, and may be pooled by the runtime for other bytes. */
const MIN_FREED_BYTES = 64 * 1024

/**
 * Yields the same chunks, and frees each buffer once a chunk of another buffer is requested: by then both the reader and the source
 * have finished with it.
 */
export async function* freedOnceRead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | undefined
  for await (const chunk of chunks) {
    if (last && last.buffer !== chunk.buffer && last.buffer.byteLength >= MIN_FREED_BYTES) freeBytes(last)
    last = chunk
    yield chunk
  }
}
