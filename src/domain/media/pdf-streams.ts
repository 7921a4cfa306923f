// The decoded data of a PDF's streams. ISO 32000-1, section 7.4
import { inflateSync } from 'node:zlib'
import { type MediaWork, Unreadable } from './work.ts'

export interface PdfObject {
  /** Without the content of strings and comments, with unescaped names. */
  body: string
  /** The encoded data of a stream; undefined for other objects. */
  data?: Buffer
}

/** Text compresses to about a fifth. A higher ratio is considered an attack. */
const MAX_INFLATE_RATIO = 16
const SPARE_INFLATE_BYTES = 16 * 1024
const MAX_INFLATE_BYTES = 32 * 1024 * 1024
const MAX_OBJECTS = 200_000
/** Ordinary objects have more bytes each, even compressed. */
const MIN_OBJECT_BYTES = 8
const SPARE_OBJECTS = 500

/** The remaining bytes to inflate and objects to find of one document, and the remaining work of its request. */
export interface Budget {
  left_bytes: number
  left_objects: number
  readonly work: MediaWork
}
export const budgetOf = (bytes: Uint8Array, work: MediaWork): Budget => ({
  left_objects: Math.min(MAX_OBJECTS, SPARE_OBJECTS + bytes.length / MIN_OBJECT_BYTES),
  left_bytes: Math.min(MAX_INFLATE_BYTES, bytes.length * MAX_INFLATE_RATIO + SPARE_INFLATE_BYTES),
  work,
})

/** Real documents have one or two. */
const MAX_FILTERS = 4

/** Decodes the data of a stream. @throws Unreadable for obsolete filters, and if the data expand to too much */
export function decoded({ body, data }: PdfObject, budget: Budget): Buffer {
  if (!data) throw new Unreadable()
  if (/\/Predictor\s+(?!1\b)/.test(body) || /\/(?:Crypt|F|FFilter)\b\s*[[(<\d/]/.test(body))
    throw new Unreadable()
  const filters = filtersOf(body)
  if (filters.length > MAX_FILTERS) throw new Unreadable()
  let bytes = data
  for (const filter of filters) {
    if (filter === 'FlateDecode' || filter === 'Fl') bytes = inflated(bytes, budget)
    else if (filter === 'ASCII85Decode' || filter === 'A85') bytes = fromAscii85(bytes, budget)
    else throw new Unreadable()
  }
  return bytes
}

function filtersOf(body: string): readonly string[] {
  const [match, second] = body.matchAll(/\/Filter\b\s*(\/\w+|\[[^[\]]*\]|)/g)
  if (!match) return []
  const [, value = ''] = match
  // With two entries, or one in another object, readers differ in which one they use.
  if (second || value === '') throw new Unreadable()
  return value.match(/[^\s/[\]]+/g) ?? []
}

/** The work to start inflating, and for each input or output byte. */
const INFLATE_STEPS = 20_000
const INFLATED_BYTE_STEPS = 5

function inflated(bytes: Buffer, budget: Budget): Buffer {
  const { work } = budget
  work.spend(INFLATE_STEPS + bytes.length * INFLATED_BYTE_STEPS)
  const out = inflatedUpTo(bytes, Math.max(1, budget.left_bytes))
  work.spend((out?.length ?? budget.left_bytes) * INFLATED_BYTE_STEPS)
  if (!out) throw new Unreadable()
  budget.left_bytes -= out.length
  return out
}

function inflatedUpTo(bytes: Buffer, max_bytes: number): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: max_bytes })
  } catch {
    // Dropped: the data are damaged, or over the limit.
    return undefined
  }
}

const TILDE = 0x7e
const ASCII85_BYTE_STEPS = 10

/** Decodes Adobe's ASCII85, where `z` is four zero bytes and `~>` the end. @throws Unreadable over the budget */
function fromAscii85(bytes: Buffer, budget: Budget): Buffer {
  budget.work.spend(bytes.length * ASCII85_BYTE_STEPS)
  const end = bytes.indexOf(TILDE)
  // Some data begin with `<~`, which some readers skip, and others take as the end.
  if (end >= 0 && !/^~[\s\0]*>[\s\0]*$/.test(bytes.toString('latin1', end))) throw new Unreadable()
  const out = Buffer.allocUnsafe(Math.min(budget.left_bytes, 4 * bytes.length) + 4)
  let length = 0
  let digits = 0
  let value = 0
  for (const byte of bytes) {
    if (byte === TILDE) break
    const is_zeros = byte === 0x7a && digits === 0
    if (!is_zeros && (byte < 0x21 || byte > 0x75)) continue
    value = is_zeros ? 0 : value * 85 + byte - 0x21
    if (!is_zeros && ++digits < 5) continue
    if (length > budget.left_bytes) throw new Unreadable()
    length = out.writeUInt32BE(value % 2 ** 32, length)
    digits = 0
    value = 0
  }
  if (digits > 1) {
    const kept = digits - 1
    for (; digits < 5; digits++) value = value * 85 + 84
    out.writeUInt32BE(value % 2 ** 32, length)
    length += kept
  }
  budget.left_bytes = Math.max(0, budget.left_bytes - length)
  return out.subarray(0, length)
}
