// The elements and numbers of EBML, the format of Matroska. RFC 8794, sections 4 to 6

interface Element {
  id: number
  data_at: number
  /** Infinity if it is not stated. */
  length: number
}

export function elementAt(bytes: Uint8Array, at: number): Element | undefined {
  const id_bytes = widthOf(bytes[at])
  if (id_bytes > 4 || at + id_bytes >= bytes.length) return undefined
  const id = unsignedAt(bytes, at, id_bytes)
  const size_at = at + id_bytes
  const size_bytes = widthOf(bytes[size_at])
  if (size_bytes > 8 || size_at + size_bytes > bytes.length) return undefined
  const length = numberAt(bytes, size_at, size_bytes)
  const is_unknown = length >= 2 ** (7 * size_bytes) - 1
  return { id, data_at: size_at + size_bytes, length: is_unknown ? Number.POSITIVE_INFINITY : length }
}

/** The width of a number in bytes, by its first byte: the leading zero bits plus one. */
export const widthOf = (first = 0): number => Math.clz32(first) - 23

/** Reads a number without its width marker, which in the widest numbers would exceed exact integers. */
export function numberAt(bytes: Uint8Array, at: number, width: number): number {
  const first = (bytes[at] ?? 0) & (0xff >> width)
  return unsignedAt(bytes, at + 1, width - 1) + first * 256 ** (width - 1)
}

export function unsignedAt(bytes: Uint8Array, at: number, length: number): number {
  let value = 0
  for (let index = at; index < at + Math.min(length, 8); index++) value = value * 256 + (bytes[index] ?? 0)
  return value
}

/** @returns undefined unless it is a number above zero */
export function floatAt(view: DataView, at: number, length: number): number | undefined {
  if (at + length > view.byteLength) return undefined
  const value = length === 4 ? view.getFloat32(at) : length === 8 ? view.getFloat64(at) : Number.NaN
  return Number.isFinite(value) && value > 0 ? value : undefined
}
