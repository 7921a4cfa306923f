// The freeing of large bytes at once: the collector is in no hurry, and to hurry it would stop everyone else.

/**
 * Frees the memory of bytes, which are empty from then on.
 *
 * @param bytes whose buffer nobody else uses any more, native code at work in the background included
 */
export const freeBytes = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
