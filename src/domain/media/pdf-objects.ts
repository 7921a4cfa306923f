// The objects of a PDF, found by scanning its bytes: tables of references may lie, and readers repair them.
// ISO 32000-1, sections 7.3 (objects), 7.4 (filters) and 7.5.7 (object streams)
import { inflateSync } from 'node:zlib'

/** What a reader would make of the document cannot be told: it counts as the longest that its provider takes. */
export class Unreadable extends Error {}

export interface PdfObject {
  /** Without the text of its strings and comments; names without escapes. */
  body: string
  /** Its data as they stand in the file; undefined for all but streams. */
  data?: Buffer
}

/** By number. A number that an update of the file gave again has several. */
export type PdfObjects = Map<number, PdfObject[]>

/** Texts compress to a fifth. What unfolds to more was made to. */
const MAX_INFLATE_RATIO = 16
const SPARE_INFLATE_BYTES = 16 * 1024
const MAX_OBJECTS = 200_000

/** Bytes that may still be inflated, of one document. */
export interface Budget {
  left_bytes: number
}
export const budgetOf = (bytes: Uint8Array): Budget => ({
  left_bytes: bytes.length * MAX_INFLATE_RATIO + SPARE_INFLATE_BYTES,
})

/** @throws Unreadable */
export function readObjects(bytes: Buffer, budget: Budget): PdfObjects {
  const text = bytes.toString('latin1')
  const objects: PdfObjects = new Map()
  const begin = /(\d{1,10})\s+\d{1,5}\s+obj\b/g
  const end = /endobj\b|>>\s*stream(?:\r\n|\n|\r)?/g
  let count = 0
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    if (++count > MAX_OBJECTS) throw new Unreadable()
    end.lastIndex = begin.lastIndex
    const stop = end.exec(text)
    const body_end = stop ? stop.index + (stop[0] === 'endobj' ? 0 : 2) : text.length
    const raw = text.slice(begin.lastIndex, body_end)
    // A stream behind a comment, or an object inside another one.
    if (raw.includes('endstream') || /\d\s+\d+\s+obj\b/.test(raw)) throw new Unreadable()
    const object: PdfObject = { body: plain(raw) }
    begin.lastIndex = end.lastIndex || text.length
    if (stop && stop[0] !== 'endobj') {
      const data_end = endOfStream(text, end.lastIndex, object.body)
      object.data = bytes.subarray(end.lastIndex, data_end)
      begin.lastIndex = data_end
    }
    add(objects, Number(match[1]), object)
  }
  for (const object of [...objects.values()].flat())
    if (object.data && /\/Type\s*\/ObjStm\b|\/First\s+\d/.test(object.body))
      unpack(objects, object.body, decoded(object, budget).toString('latin1'))
  return objects
}

/** Without strings, which may look like anything, without comments, and with names as they read. */
const plain = (text: string): string =>
  text
    .replace(/\((?:\\[\s\S]|[^\\()])*\)|%[^\r\n]*/g, (found) => (found[0] === '(' ? '()' : ' '))
    .replace(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

function endOfStream(text: string, start: number, body: string): number {
  const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(body)?.[1] ?? 0)
  const from = start + length <= text.length ? start + length : start
  const end = text.indexOf('endstream', from)
  const stop = end < 0 ? text.length : end
  // Objects in a stream that is not one: its beginning was a text, or its length is a lie.
  if (/\d\s+\d+\s+obj\b/.test(text.slice(start, stop))) throw new Unreadable()
  return stop
}

function unpack(objects: PdfObjects, dictionary: string, text: string): void {
  const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1] ?? Number.NaN)
  const numbers = text.slice(0, first).trim().split(/\s+/).map(Number)
  if (!Number.isSafeInteger(first) || numbers.some(Number.isNaN)) throw new Unreadable()
  if (numbers.length > 2 * MAX_OBJECTS) throw new Unreadable()
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = first + (numbers[index + 1] ?? 0)
    const next = numbers[index + 3]
    const end = next === undefined ? text.length : first + next
    // Out of their order they would overlap.
    if (end < start) throw new Unreadable()
    add(objects, numbers[index] ?? 0, { body: plain(text.slice(start, end)) })
  }
}

function add(objects: PdfObjects, number: number, object: PdfObject): void {
  const known = objects.get(number)
  if (known) known.push(object)
  else objects.set(number, [object])
}

/** The data of a stream. @throws Unreadable for filters that no writer of today uses, and for what unfolds to too much */
export function decoded({ body, data }: PdfObject, budget: Budget): Buffer {
  if (!data) throw new Unreadable()
  if (/\/Predictor\s+(?!1\b)/.test(body) || /\/(?:Crypt|F|FFilter)\b\s*[[(<\d/]/.test(body))
    throw new Unreadable()
  const filters = filtersOf(body)
  let bytes = data
  for (const filter of filters) {
    if (filter === 'FlateDecode' || filter === 'Fl') bytes = inflated(bytes, budget)
    else if (filter === 'ASCII85Decode' || filter === 'A85') bytes = fromAscii85(bytes)
    else throw new Unreadable()
  }
  return bytes
}

function filtersOf(body: string): readonly string[] {
  const found = [...body.matchAll(/\/Filter\s*(\/\w+|\[[^\]]*\]|)/g)]
  if (found.length === 0) return []
  const [match] = found
  const names = (match?.[1] ?? '').match(/[^\s/[\]]+/g) ?? []
  // Of two, or of one that stands elsewhere, readers take either.
  if (found.length > 1 || match?.[1] === '') throw new Unreadable()
  return names
}

function inflated(bytes: Buffer, budget: Budget): Buffer {
  try {
    const out = inflateSync(bytes, { maxOutputLength: Math.max(1, budget.left_bytes) })
    budget.left_bytes -= out.length
    return out
  } catch {
    // Damaged, or longer than the budget: either way it is not told how long it is.
    throw new Unreadable()
  }
}

/** Adobe's form: `z` stands for four zeros, `~>` ends it. */
function fromAscii85(bytes: Buffer): Buffer {
  const out: number[] = []
  let group: number[] = []
  for (const byte of bytes) {
    if (byte === 0x7e) break
    if (byte === 0x7a && group.length === 0) out.push(0, 0, 0, 0)
    if (byte < 0x21 || byte > 0x75) continue
    group.push(byte - 0x21)
    if (group.length < 5) continue
    pushGroup(out, group, 4)
    group = []
  }
  if (group.length > 1) {
    const kept = group.length - 1
    while (group.length < 5) group.push(84)
    pushGroup(out, group, kept)
  }
  return Buffer.from(out)
}

function pushGroup(out: number[], group: readonly number[], kept: number): void {
  const value = group.reduce((sum, digit) => sum * 85 + digit, 0)
  for (let index = 0; index < kept; index++) out.push(Math.floor(value / 256 ** (3 - index)) % 256)
}
