// The duration of WebM (Matroska): what its header says, and where its last cluster begins.
// RFC 8794 (EBML), sections 4 to 6; RFC 9559 (Matroska)
import { type DurationReader, longer } from './bytes.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const CLUSTER = 0x1f43b675
const TIMESTAMP = 0xe7

/** They are walked into: clusters of a live recording do not know their length. */
const CONTAINERS: ReadonlySet<number> = new Set([SEGMENT, INFO, CLUSTER])
const DEFAULT_SCALE_NANOS = 1_000_000
const MAX_ELEMENTS = 5_000_000

export const matroskaSeconds: DurationReader = ({ head }, view) => {
  if (head.length < 8 || view.getUint32(0) !== EBML) return undefined
  let scale_nanos = DEFAULT_SCALE_NANOS
  let duration: number | undefined
  let last_cluster: number | undefined
  let at = 0
  for (let elements = 0; elements < MAX_ELEMENTS && at < head.length; elements++) {
    const element = elementAt(head, at)
    if (!element) break
    const { id, data_at, length } = element
    if (id === TIMESTAMP_SCALE) scale_nanos = unsignedAt(head, data_at, length) || DEFAULT_SCALE_NANOS
    if (id === DURATION) duration = floatAt(view, data_at, length)
    if (id === TIMESTAMP) last_cluster = longer(last_cluster, unsignedAt(head, data_at, length))
    at = CONTAINERS.has(id) ? data_at : data_at + length
  }
  const ticks = longer(duration, last_cluster)
  return ticks === undefined ? undefined : (ticks * scale_nanos) / 1e9
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
  const marked = unsignedAt(bytes, size_at, size_bytes)
  const marker = 2 ** (7 * size_bytes)
  const length = marked - marker
  const is_unknown = length === marker - 1
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
