// Thumbnails of stored images: made at first use, and cached in memory up to a limit.
import type { WholeBytes } from '../../src/domain/stored-bytes.ts'
import { freeBytes } from '../../src/http/free-bytes.ts'
import { FIRST_FRAME, openImage, withSharp } from '../../src/media/sharp.ts'
import { createSlots } from '../../src/utilities/slots.ts'

/** The longer side: a tile of a gallery at twice its size, for dense screens. */
const SIDE_PX = 384
const QUALITY = 72

/** About 300 thumbnails. Dropped ones are made again if the browser's cache does not have them. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

export const THUMBNAIL_MIME = 'image/webp'

export interface Thumbnails {
  /**
   * Returns the thumbnail of an image.
   * @param name unique for its content, such as the key of its file
   * @param open its file
   * @returns a WebP; undefined if there is no file @throws libvips' error for a file that does not decode
   */
  of(name: string, open: () => Promise<WholeBytes | undefined>): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** Makes one thumbnail at a time, so that a paid image waits for at most one. */
const inSlot = createSlots(1)

export function createThumbnails(): Thumbnails {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  let kept_bytes = 0

  function keep(name: string, thumbnail: Uint8Array<ArrayBuffer>): void {
    kept.set(name, thumbnail)
    kept_bytes += thumbnail.length
    for (const [oldest, { length }] of kept) {
      if (kept_bytes <= MAX_KEPT_BYTES) return
      kept.delete(oldest)
      kept_bytes -= length
    }
  }

  return {
    of: (name, open) =>
      inSlot(async () => {
        const known = kept.get(name)
        if (known) {
          // Moves the entry to the end, so that the least recently used is dropped first.
          kept.delete(name)
          kept.set(name, known)
          return known
        }
        const bytes = await (await open())?.bytes()
        if (!bytes) return undefined
        const thumbnail = await shrunk(bytes)
        // Not after a failure: an abandoned decoder may still be reading the file.
        freeBytes(bytes)
        keep(name, thumbnail)
        return thumbnail
      }),
  }
}

const shrunk = (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  withSharp(async (sharp) => {
    const image = openImage(sharp, bytes, FIRST_FRAME).autoOrient()
    const small = image.resize({ width: SIDE_PX, height: SIDE_PX, fit: 'inside', withoutEnlargement: true })
    return new Uint8Array(await small.webp({ quality: QUALITY }).toBuffer())
  })
