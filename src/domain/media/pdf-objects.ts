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
const MAX_INFLATE_BYTES = 32 * 1024 * 1024
const MAX_OBJECTS = 200_000
/** Of a document of ordinary objects each has more, compressed. */
const MIN_OBJECT_BYTES = 8
const SPARE_OBJECTS = 500

/** Bytes that may still be inflated, and objects that may still be found, of one document. */
export interface Budget {
  left_bytes: number
  left_objects: number
}
export const budgetOf = (bytes: Uint8Array): Budget => ({
  left_objects: Math.min(MAX_OBJECTS, SPARE_OBJECTS + bytes.length / MIN_OBJECT_BYTES),
  left_bytes: Math.min(MAX_INFLATE_BYTES, bytes.length * MAX_INFLATE_RATIO + SPARE_INFLATE_BYTES),
})

/** What a document is made of. */
export interface PdfParts {
  objects: PdfObjects
  /** All objects, and what stands between them: trailers. */
  all: readonly PdfObject[]
}

/** The end of a header: readers find it by its place in the file, which may be in a stream or a comment too. */
const HEADER = /(?<=[\d\s])obj(?![A-Za-z])/g
const NUMBERS = /(\d{1,10})\s+\d{1,5}\s+$/
const MAX_NUMBERS_CHARS = 30
/** What is left of tables of references and trailers. */
const BETWEEN = /^[\s\d]*(?:\b(?:xref|trailer|startxref|n|f)\b[\s\d]*)*$/
const MAX_BETWEEN_CHARS = 2_000_000
/** `%PDF-1.7`, `%%EOF` and a handful of others. */
const MAX_COMMENT_CHARS = 1_000

/** @throws Unreadable */
export function readObjects(bytes: Buffer, budget: Budget): PdfParts {
  const text = latin(bytes)
  const objects: PdfObjects = new Map()
  HEADER.lastIndex = 0
  let between = ''
  let end = 0
  for (let found = HEADER.exec(text); found; found = HEADER.exec(text)) {
    const numbers = NUMBERS.exec(text.slice(Math.max(end, found.index - MAX_NUMBERS_CHARS), found.index))
    // One in the object before, or in a form that no writer writes.
    if (!numbers || --budget.left_objects < 0) throw new Unreadable()
    between += text.slice(end, found.index - numbers[0].length)
    const { body, keyword, at } = plain(text, HEADER.lastIndex)
    if (keyword === undefined) throw new Unreadable()
    const object: PdfObject = { body }
    end = at
    if (keyword === 'stream') {
      const start = at + (/^(?:\r\n|\n|\r)/.exec(text.slice(at, at + 2))?.[0].length ?? 0)
      const data_end = endOfStream(text, start, body)
      object.data = bytes.subarray(start, data_end)
      const close = /endstream\s*endobj\b/y
      close.lastIndex = data_end
      // Its length is a lie: readers differ in what belongs to it.
      if (!close.test(text)) throw new Unreadable()
      end = close.lastIndex
    }
    add(objects, Number(numbers[1]), object)
  }
  const outside = outsideOf(between + text.slice(end))
  for (const object of [...objects.values()].flat())
    if (object.data && /\/Type\s*\/ObjStm\b|\/First\b/.test(object.body))
      unpack(objects, object.body, latin(decoded(object, budget)), budget)
  return { objects, all: [...[...objects.values()].flat(), { body: outside }] }
}

/** Zeros are space in a PDF. */
const latin = (bytes: Buffer): string => bytes.toString('latin1').replaceAll('\0', ' ')

function outsideOf(text: string): string {
  if (text.length > MAX_BETWEEN_CHARS) throw new Unreadable()
  const { body, comment_chars } = plain(text, 0)
  if (comment_chars > MAX_COMMENT_CHARS || !BETWEEN.test(besideDictionaries(body))) throw new Unreadable()
  return body
}

function besideDictionaries(text: string): string {
  let rest = ''
  let from = 0
  let depth = 0
  for (const { 0: bracket, index } of text.matchAll(/<<|>>/g)) {
    if (bracket === '<<' && depth++ === 0) rest += `${text.slice(from, index)} `
    if (bracket === '>>' && --depth === 0) from = index + 2
  }
  return rest + text.slice(from)
}

interface Plain {
  /** Without strings, which may look like anything, without comments, and with names as they read. */
  body: string
  /** What ended it, and where that ends; undefined for the end of the text. */
  keyword: string | undefined
  at: number
  comment_chars: number
}

/** @throws Unreadable where brackets are left open */
function plain(text: string, start: number): Plain {
  const mark = /[(%]|<<|>>|[<>[\]]|endobj\b|endstream|\bstream\b/g
  mark.lastIndex = start
  const parts: string[] = []
  let from = start
  let depth = 0
  let comment_chars = 0
  const ended = (keyword: string | undefined, until: number, at: number): Plain => {
    if (depth !== 0) throw new Unreadable()
    parts.push(text.slice(from, until))
    const body = parts
      .join('')
      .replace(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    return { body, keyword, at, comment_chars }
  }
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    const [sign] = found
    const { index } = found
    if (sign === 'endobj' || sign === 'endstream' || (sign === 'stream' && depth === 0)) {
      if (sign === 'endstream') throw new Unreadable()
      return ended(sign, index, mark.lastIndex)
    }
    if (sign === '<<' || sign === '[') depth++
    else if (sign === '>>' || sign === ']') depth--
    else if (sign === '<') mark.lastIndex = afterNext(text, '>', index)
    else if (sign === '(' || sign === '%') {
      mark.lastIndex = sign === '(' ? afterString(text, index) : endOfLine(text, index)
      if (sign === '%') comment_chars += mark.lastIndex - index
      parts.push(text.slice(from, index), sign === '(' ? '()' : ' ')
      from = mark.lastIndex
    } else if (sign === '>') throw new Unreadable()
  }
  return ended(undefined, text.length, text.length)
}

function afterNext(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from)
  if (at < 0) throw new Unreadable()
  return at + 1
}

function endOfLine(text: string, from: number): number {
  const line = /[\r\n]/g
  line.lastIndex = from
  return line.exec(text)?.index ?? text.length
}

const MAX_DEPTH = 100

/** Strings have strings inside, in brackets of their own. */
function afterString(text: string, start: number): number {
  const bracket = /[()]|\\[\s\S]/g
  bracket.lastIndex = start
  let depth = 0
  for (let found = bracket.exec(text); found; found = bracket.exec(text)) {
    if (found[0] === '(' && ++depth > MAX_DEPTH) throw new Unreadable()
    else if (found[0] === ')' && --depth === 0) return bracket.lastIndex
  }
  throw new Unreadable()
}

function endOfStream(text: string, start: number, body: string): number {
  const length = Number(/\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(body)?.[1] ?? 0)
  const from = start + length <= text.length ? start + length : start
  const end = text.indexOf('endstream', from)
  if (end < 0) throw new Unreadable()
  return end
}

function unpack(objects: PdfObjects, dictionary: string, text: string, budget: Budget): void {
  const [told, ...more] = [...dictionary.matchAll(/\/First\s+(\d+)\b(?!\s+\d+\s+R\b)/g)]
  const first = Number(told?.[1] ?? Number.NaN)
  const numbers = text.slice(0, first).trim().split(/\s+/).map(Number)
  if (more.length > 0 || !Number.isSafeInteger(first) || numbers.some(Number.isNaN)) throw new Unreadable()
  budget.left_objects -= numbers.length / 2
  if (budget.left_objects < 0) throw new Unreadable()
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = first + (numbers[index + 1] ?? 0)
    const next = numbers[index + 3]
    const end = next === undefined ? text.length : first + next
    // Out of their order they would overlap.
    if (end < start) throw new Unreadable()
    add(objects, numbers[index] ?? 0, { body: plain(text.slice(start, end), 0).body })
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
    else if (filter === 'ASCII85Decode' || filter === 'A85') bytes = fromAscii85(bytes, budget)
    else throw new Unreadable()
  }
  return bytes
}

function filtersOf(body: string): readonly string[] {
  const found = [...body.matchAll(/\/Filter\b\s*(\/\w+|\[[^[\]]*\]|)/g)]
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

const TILDE = 0x7e

/** Adobe's form: `z` stands for four zeros, `~>` ends it. @throws Unreadable for more than the budget */
function fromAscii85(bytes: Buffer, budget: Budget): Buffer {
  const end = bytes.indexOf(TILDE)
  // Some begin with `<~`, which some readers take, and others as the end.
  if (end >= 0 && !/^~\s*>\s*$/.test(latin(bytes.subarray(end)))) throw new Unreadable()
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
