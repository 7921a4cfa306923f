// The frame count of a PNG, since libvips reads only the first frame of an animated PNG and does not report the others. Pure.

const SIGNATURE_BYTES = 8
/** Length, type and checksum around each chunk's data. PNG (Third Edition) §5.3. */
const CHUNK_OVERHEAD_BYTES = 12
/** `fcTL`, the frame control chunk before each frame. PNG (Third Edition) §11.3.6.2. */
const FRAME_CONTROL = 0x6663544c

/** `IEND`, the last chunk of the image. PNG (Third Edition) §11.2.5. */
const IMAGE_END = 0x49454e44
/** Encoders write chunks of kilobytes, so that 25 MB have some thousands. Walking two million would block the event loop. */
const MAX_CHUNKS = 100_000

/**
 * Counts the frames that a PNG declares.
 * @param bytes a file with a PNG signature
 * @returns 1 for a PNG that is not animated; chunks after a malformed one are not counted; Infinity for more than 100,000
 * chunks, which no image needs
 */
export function countPngFrames(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [frames, chunks] = [0, 0]
  for (let offset = SIGNATURE_BYTES; offset + 8 <= bytes.length; ) {
    chunks += 1
    if (chunks > MAX_CHUNKS) return Number.POSITIVE_INFINITY
    const type = view.getUint32(offset + 4)
    if (type === IMAGE_END) break
    if (type === FRAME_CONTROL) frames += 1
    offset += view.getUint32(offset) + CHUNK_OVERHEAD_BYTES
  }
  return Math.max(frames, 1)
}
