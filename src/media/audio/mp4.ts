// The duration of MP4 (M4A): the longest that the header of the movie or of one of its tracks says.
// ISO/IEC 14496-12, sections 8.2.2 (mvhd) and 8.4.2 (mdhd)
import { type DurationReader, hasText, longer } from './bytes.ts'

const BOX_HEADER_BYTES = 8
/** Boxes that hold others on the way to what is read. */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia'])
const MAX_BOXES = 10_000

export const mp4Seconds: DurationReader = ({ head, tail, total_bytes }, view) => {
  if (!hasText(head, 4, 'ftyp')) return undefined
  const told = walkBoxes(head, view)
  if (told !== undefined || head.length === total_bytes) return told
  // What was written in one go has its header at the end.
  const place = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('moov')
  if (place < 4) return undefined
  const end = tail.subarray(place - 4)
  return walkBoxes(end, new DataView(end.buffer, end.byteOffset, end.length))
}

function walkBoxes(bytes: Uint8Array, view: DataView): number | undefined {
  let seconds: number | undefined
  let at = 0
  for (let boxes = 0; boxes < MAX_BOXES && at + BOX_HEADER_BYTES <= bytes.length; boxes++) {
    const type = Buffer.from(bytes.buffer, bytes.byteOffset + at + 4, 4).toString('latin1')
    const { header_bytes, length } = sizeOf(bytes, view, at)
    if (type === 'mvhd' || type === 'mdhd')
      seconds = longer(seconds, headerSeconds(bytes, view, at + header_bytes))
    if (length < header_bytes) return seconds
    at += CONTAINERS.has(type) ? header_bytes : length
  }
  return seconds
}

/** 0 reaches to the end; 1 says that the length follows, in 64 bits. */
function sizeOf(bytes: Uint8Array, view: DataView, at: number): { header_bytes: number; length: number } {
  const length = view.getUint32(at)
  if (length === 0) return { header_bytes: BOX_HEADER_BYTES, length: bytes.length - at }
  if (length !== 1) return { header_bytes: BOX_HEADER_BYTES, length }
  if (at + 16 > bytes.length) return { header_bytes: 16, length: 0 }
  return { header_bytes: 16, length: Number(view.getBigUint64(at + 8)) }
}

const UNKNOWN_32 = 0xffff_ffff

function headerSeconds(bytes: Uint8Array, view: DataView, at: number): number | undefined {
  const is_long = bytes[at] === 1
  const scale_at = at + (is_long ? 20 : 12)
  if (scale_at + (is_long ? 12 : 8) > bytes.length) return undefined
  const scale = view.getUint32(scale_at)
  const duration = is_long ? Number(view.getBigUint64(scale_at + 4)) : view.getUint32(scale_at + 4)
  const is_told = scale > 0 && duration > 0 && (is_long || duration !== UNKNOWN_32)
  return is_told ? duration / scale : undefined
}
