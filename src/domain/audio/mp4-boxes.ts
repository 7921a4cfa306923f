// The nested boxes of MP4. A box never extends beyond its parent, whatever length it states. ISO/IEC 14496-12, section 4.2
import { type InSteps, STEP_PARTS } from './bytes.ts'

export interface Box {
  type: string
  data_at: number
  end: number
}

const HEADER_BYTES = 8
const LONG_HEADER_BYTES = 16
const MAX_DEPTH = 10
const MAX_BOXES = 300_000
/** Boxes that contain the boxes that are read. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'mvex',
  'moof',
  'traf',
  'edts',
])

/** Visits all boxes in order. @returns false if there are more than any real file has */
export function* eachBox(
  bytes: Uint8Array,
  view: DataView,
  look: (box: Box) => InSteps<void> | undefined,
): InSteps<boolean> {
  let boxes = 0
  yield* walk(0, bytes.length, 0)
  return boxes <= MAX_BOXES

  function* walk(start: number, stop: number, depth: number): InSteps<void> {
    for (let at = start; at + HEADER_BYTES <= stop && boxes <= MAX_BOXES; boxes++) {
      if (boxes % STEP_PARTS === STEP_PARTS - 1) yield
      const { header_bytes, length } = sizeOf(bytes, view, at)
      if (length < header_bytes) return
      const box = { type: typeAt(bytes, at), data_at: at + header_bytes, end: Math.min(at + length, stop) }
      const reading = look(box)
      if (reading) yield* reading
      if (CONTAINERS.has(box.type) && depth < MAX_DEPTH) yield* walk(box.data_at, box.end, depth + 1)
      at = box.end
    }
  }
}

const typeAt = (bytes: Uint8Array, at: number): string =>
  String.fromCharCode(bytes[at + 4] ?? 0, bytes[at + 5] ?? 0, bytes[at + 6] ?? 0, bytes[at + 7] ?? 0)

/** Length 0 means to the end of the file; 1 means that a 64-bit length follows. */
function sizeOf(bytes: Uint8Array, view: DataView, at: number): { header_bytes: number; length: number } {
  const length = view.getUint32(at)
  if (length === 0) return { header_bytes: HEADER_BYTES, length: bytes.length - at }
  if (length !== 1) return { header_bytes: HEADER_BYTES, length }
  if (at + LONG_HEADER_BYTES > bytes.length) return { header_bytes: LONG_HEADER_BYTES, length: 0 }
  return { header_bytes: LONG_HEADER_BYTES, length: Number(view.getBigUint64(at + 8)) }
}

/** A sample's composition offset; 0 if it is negative, which some writers store in version 0, too. Section 8.6.1.3 (ctts) */
export function lateTicks(view: DataView, at: number): number {
  const ticks = view.getUint32(at)
  return ticks > 0xff00_0000 ? 0 : ticks
}
