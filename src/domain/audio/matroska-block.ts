// Lacing: the frames of a Matroska block, which may hold several. RFC 9559, section 10
import { numberAt, widthOf } from './ebml.ts'

/** The bits of a block's flags with its kind of lacing. */
const LACING = 6
const XIPH = 2
const EBML = 6

/**
 * Returns the start and end of each frame of a block.
 * @param at the position of its flags, after the track number and time
 */
export function framesOf(bytes: Uint8Array, at: number, end: number): [start: number, end: number][] {
  const lacing = (bytes[at] ?? 0) & LACING
  if (lacing === 0) return [[at + 1, end]]
  const count = (bytes[at + 1] ?? 0) + 1
  const sizes: number[] = []
  let place = at + 2
  if (lacing === XIPH) {
    for (let frame = 1; frame < count; frame++) {
      let size = 0
      for (; bytes[place] === 255 && place < end; place++) size += 255
      sizes.push(size + (bytes[place++] ?? 0))
    }
  } else if (lacing === EBML) {
    for (let frame = 1; frame < count; frame++) {
      const width = widthOf(bytes[place])
      const value = numberAt(bytes, place, width)
      // Each size but the first is stored as the difference from the one before.
      sizes.push(frame === 1 ? value : (sizes.at(-1) ?? 0) + value - (2 ** (7 * width - 1) - 1))
      place += width
    }
  } else {
    const size = Math.floor((end - place) / count)
    for (let frame = 1; frame < count; frame++) sizes.push(size)
  }
  const frames: [number, number][] = []
  for (const size of sizes) {
    frames.push([place, Math.min(place + Math.max(size, 0), end)])
    place += Math.max(size, 0)
  }
  frames.push([Math.min(place, end), end])
  return frames
}
