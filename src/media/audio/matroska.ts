// The duration of WebM (Matroska): what its header says, where its last block begins, and what its Opus packets last.
// RFC 8794 (EBML), sections 4 to 6; RFC 9559 (Matroska)
import { type DurationReader, hasText, longer } from './bytes.ts'
import { opusSeconds } from './opus.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const CODEC = 0x86
const CLUSTER = 0x1f43b675
const TIMESTAMP = 0xe7
const BLOCK_GROUP = 0xa0
const BLOCKS: ReadonlySet<number> = new Set([0xa1, 0xa3])

/** They are walked into: clusters of a live recording do not know their length. */
const CONTAINERS: ReadonlySet<number> = new Set([SEGMENT, INFO, TRACKS, TRACK, CLUSTER, BLOCK_GROUP])
const DEFAULT_SCALE_NANOS = 1_000_000
const MAX_ELEMENTS = 5_000_000

export const matroskaSeconds: DurationReader = ({ head }, view) => {
  if (head.length < 8 || view.getUint32(0) !== EBML) return undefined
  let scale_nanos = DEFAULT_SCALE_NANOS
  let duration: number | undefined
  let cluster = 0
  let last_block: number | undefined
  let is_opus = false
  let packet_seconds = 0
  let at = 0
  for (let elements = 0; elements < MAX_ELEMENTS && at < head.length; elements++) {
    const element = elementAt(head, at)
    if (!element) break
    const { id, data_at, length } = element
    if (id === TIMESTAMP_SCALE) scale_nanos = unsignedAt(head, data_at, length) || DEFAULT_SCALE_NANOS
    if (id === DURATION) duration = floatAt(view, data_at, length)
    if (id === TIMESTAMP) cluster = unsignedAt(head, data_at, length)
    if (id === CODEC) is_opus = hasText(head, data_at, 'A_OPUS')
    if (BLOCKS.has(id)) {
      last_block = longer(last_block, cluster + relativeAt(head, view, data_at))
      if (is_opus) packet_seconds += blockSeconds(head, data_at, data_at + length)
    }
    at = CONTAINERS.has(id) ? data_at : data_at + length
  }
  const ticks = longer(duration, last_block)
  return ticks === undefined ? undefined : Math.max((ticks * scale_nanos) / 1e9, packet_seconds)
}

/** Bits of a block's flags that say how several packets share it. */
const LACING = 6
const USUAL_PACKET_S = 0.02

/** What the Opus packets of a block last; where several share it, each as most encoders make them. */
function blockSeconds(bytes: Uint8Array, data_at: number, end: number): number {
  const flags_at = data_at + widthOf(bytes[data_at]) + 2
  return (bytes[flags_at] ?? 0) & LACING
    ? ((bytes[flags_at + 1] ?? 0) + 1) * USUAL_PACKET_S
    : opusSeconds(bytes, flags_at + 1, end)
}

/** A block's time within its cluster: 16 bits with a sign, behind the number of its track. */
function relativeAt(bytes: Uint8Array, view: DataView, data_at: number): number {
  const at = data_at + widthOf(bytes[data_at])
  return at + 2 <= bytes.length ? view.getInt16(at) : 0
}

interface Element {
  id: number
  data_at: number
  /** Infinity where it is not known. */
  length: number
}

function elementAt(bytes: Uint8Array, at: number): Element | undefined {
  const id_bytes = widthOf(bytes[at])
  if (id_bytes > 4 || at + id_bytes >= bytes.length) return undefined
  const id = unsignedAt(bytes, at, id_bytes)
  const size_at = at + id_bytes
  const size_bytes = widthOf(bytes[size_at])
  if (size_bytes > 8 || size_at + size_bytes > bytes.length) return undefined
  // Without the bit that marks its width, which is beyond what a number holds exactly.
  const first = (bytes[size_at] ?? 0) & (0xff >> size_bytes)
  const length = unsignedAt(bytes, size_at + 1, size_bytes - 1) + first * 256 ** (size_bytes - 1)
  const is_unknown = length >= 2 ** (7 * size_bytes) - 1
  return { id, data_at: size_at + size_bytes, length: is_unknown ? Number.POSITIVE_INFINITY : length }
}

/** The width of a number by its first byte: one more than the zeros before the first 1. */
const widthOf = (first = 0): number => Math.clz32(first) - 23

function unsignedAt(bytes: Uint8Array, at: number, length: number): number {
  let value = 0
  for (let index = at; index < at + Math.min(length, 8); index++) value = value * 256 + (bytes[index] ?? 0)
  return value
}

function floatAt(view: DataView, at: number, length: number): number | undefined {
  if (at + length > view.byteLength) return undefined
  const value = length === 4 ? view.getFloat32(at) : length === 8 ? view.getFloat64(at) : Number.NaN
  return Number.isFinite(value) && value > 0 ? value : undefined
}
