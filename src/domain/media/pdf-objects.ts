// The objects of a PDF, found by scanning its bytes, since reference tables may be forged, and readers repair them.
// ISO 32000-1, sections 7.3 (objects) and 7.5.7 (object streams)
import { scanObject, sourceOf } from './pdf-scan.ts'
import { type Budget, decoded, type PdfObject } from './pdf-streams.ts'
import { type MediaWork, Unreadable } from './work.ts'

/** By number. A number that an incremental update redefines has several objects. */
type PdfObjects = Map<number, PdfObject[]>

/** The objects of a document. */
export interface PdfParts {
  objects: PdfObjects
  /** All objects, and the trailers between them. */
  all: readonly PdfObject[]
}

/** The work to search objects and ends of streams. */
const FILE_BYTE_STEPS = 1
/** The work to keep an object, and to search it for each relevant field. */
const OBJECT_STEPS = 3_000
const BODY_CHAR_STEPS = 20

/** @throws Unreadable */
export function readObjects(bytes: Buffer, budget: Budget): PdfParts {
  const { work } = budget
  work.spend(bytes.length * FILE_BYTE_STEPS)
  const source = sourceOf(bytes, work)
  const objects: PdfObjects = new Map()
  const between: Buffer[] = []
  let end = 0
  for (let header = headerAfter(bytes, 0, work); header >= 0; header = headerAfter(bytes, header + 1, work)) {
    const { number, start } = numberBefore(bytes, end, header)
    between.push(bytes.subarray(end, start))
    const { body, keyword, at } = scanObject(source, header + OBJ.length)
    if (keyword === undefined) throw new Unreadable()
    const object: PdfObject = { body }
    end = at
    if (keyword === 'stream') {
      const data_start = at + lineEndAt(bytes, at)
      const data_end = endOfStream(bytes, data_start, body)
      object.data = bytes.subarray(data_start, data_end)
      end = endOfObject(bytes, data_end + ENDSTREAM.length)
    }
    add(objects, number, object, budget)
  }
  between.push(bytes.subarray(end))
  const outside = outsideOf(Buffer.concat(between), work)
  for (const object of [...objects.values()].flat())
    if (object.data && /\/Type\s*\/ObjStm\b|\/First\b/.test(object.body))
      unpack(objects, object.body, decoded(object, budget), budget)
  return { objects, all: [...[...objects.values()].flat(), outside] }
}

const OBJ = 'obj'
const ENDSTREAM = 'endstream'
const ENDOBJ = 'endobj'
/** The work for bytes that look like a header, such as the end of `endobj`. */
const MAYBE_STEPS = 50

const isSpace = (code: number | undefined): boolean =>
  code === 0x20 || code === 0 || code === 0xa0 || (code !== undefined && code >= 9 && code <= 13)
const isDigit = (code: number | undefined): boolean => code !== undefined && code >= 0x30 && code <= 0x39
const isLetter = (code = 0): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** Finds the next object header, also inside streams and comments, where a reference table may point. @returns its end, or -1 */
function headerAfter(bytes: Buffer, from: number, work: MediaWork): number {
  for (let at = bytes.indexOf(OBJ, from); at >= 0; at = bytes.indexOf(OBJ, at + 1)) {
    const before = bytes[at - 1]
    if (at > 0 && (isDigit(before) || isSpace(before)) && !isLetter(bytes[at + OBJ.length])) return at
    work.spend(MAYBE_STEPS)
  }
  return -1
}

const NUMBERS = /(\d{1,10})[\s\0]+\d{1,5}[\s\0]+$/
const MAX_NUMBERS_BYTES = 30

/** @param end of the previous object @throws Unreadable if the header is inside it, or in an unusual form */
function numberBefore(bytes: Buffer, end: number, header: number): { number: number; start: number } {
  const from = Math.max(end, header - MAX_NUMBERS_BYTES)
  const numbers = from < header ? NUMBERS.exec(bytes.toString('latin1', from, header)) : null
  if (!numbers) throw new Unreadable()
  return { number: Number(numbers[1]), start: header - numbers[0].length }
}

const lineEndAt = (bytes: Buffer, at: number): number =>
  bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? 2 : bytes[at] === 0x0d || bytes[at] === 0x0a ? 1 : 0

function endOfStream(bytes: Buffer, start: number, body: string): number {
  const length = Number(/\/Length\s+(\d{1,10})(?!\s+\d+\s+R)/.exec(body)?.[1] ?? 0)
  const from = start + length <= bytes.length ? start + length : start
  const end = bytes.indexOf(ENDSTREAM, from)
  if (end < 0) throw new Unreadable()
  return end
}

/** @throws Unreadable for a stream with a wrong length, since readers differ in its extent */
function endOfObject(bytes: Buffer, from: number): number {
  let at = from
  while (isSpace(bytes[at])) at++
  const end = at + ENDOBJ.length
  if (bytes.toString('latin1', at, end) !== ENDOBJ || isLetter(bytes[end]) || isDigit(bytes[end]))
    throw new Unreadable()
  return end
}

const MAX_BETWEEN_BYTES = 2_000_000
const BETWEEN_BYTE_STEPS = 40
/** `%PDF-1.7`, `%%EOF` and a handful of others. */
const MAX_COMMENT_CHARS = 1_000
/** The keywords of reference tables and trailers. */
const BETWEEN: ReadonlySet<string> = new Set(['xref', 'trailer', 'startxref', 'n', 'f'])

function outsideOf(bytes: Buffer, work: MediaWork): PdfObject {
  if (bytes.length > MAX_BETWEEN_BYTES) throw new Unreadable()
  work.spend(bytes.length * BETWEEN_BYTE_STEPS)
  const { body, keyword, comment_chars } = scanObject(sourceOf(bytes, work), 0)
  const words = besideDictionaries(body).split(/\s+/)
  const is_known = words.every((word) => BETWEEN.has(word) || /^\d*$/.test(word))
  if (keyword !== undefined || comment_chars > MAX_COMMENT_CHARS || !is_known) throw new Unreadable()
  return { body }
}

function besideDictionaries(text: string): string {
  const parts: string[] = []
  let from = 0
  let depth = 0
  for (let at = text.search(/[<>]/); at >= 0 && at + 1 < text.length; at++) {
    const sign = text.charAt(at)
    if ((sign !== '<' && sign !== '>') || text.charAt(at + 1) !== sign) continue
    if (sign === '<' && depth++ === 0) parts.push(text.slice(from, at))
    at++
    if (sign === '>' && --depth === 0) from = at + 1
  }
  parts.push(text.slice(from))
  return parts.join(' ')
}

const NUMBER_CHAR_STEPS = 40

/** @throws Unreadable */
function unpack(objects: PdfObjects, dictionary: string, bytes: Buffer, budget: Budget): void {
  const { work } = budget
  const [place, another] = dictionary.matchAll(/\/First\s+(\d{1,10})\b(?!\s+\d+\s+R\b)/g)
  if (!place || another) throw new Unreadable()
  const first = Math.min(Number(place[1]), bytes.length)
  work.spend(first * NUMBER_CHAR_STEPS)
  const words = bytes.toString('latin1', 0, first).match(/[^\s\0]+/g) ?? []
  if (!words.every((word) => /^\d{1,10}$/.test(word))) throw new Unreadable()
  const numbers = words.map(Number)
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = first + (numbers[index + 1] ?? 0)
    const next = numbers[index + 3]
    const end = next === undefined ? bytes.length : first + next
    // If they were not in order, they would overlap.
    if (end < start) throw new Unreadable()
    const { body } = scanObject(sourceOf(bytes.subarray(start, end), work), 0)
    add(objects, numbers[index] ?? 0, { body }, budget)
  }
}

/** @throws Unreadable */
function add(objects: PdfObjects, number: number, object: PdfObject, budget: Budget): void {
  if (--budget.left_objects < 0) throw new Unreadable()
  budget.work.spend(OBJECT_STEPS + object.body.length * BODY_CHAR_STEPS)
  const known = objects.get(number)
  if (known) known.push(object)
  else objects.set(number, [object])
}
