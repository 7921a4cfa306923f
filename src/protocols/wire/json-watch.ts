// The check of deciding names during a walk of JSON bytes: each is sent once, in an unambiguous spelling, with counts in plain digits.
import { closingQuote, skipWhitespace } from './json-bytes.ts'
import { HARMLESS, type Name, type Names, NO_HASH, nameIn, reduce, reducedHash } from './json-names.ts'

/** A deciding name that JSON readers could read differently: its path in the request, and the message. */
export interface Ambiguity {
  readonly path: string
  readonly problem: string
}

/** A container around the current place of the walk; reused for the next container at its depth. */
interface Frame {
  names: Names
  is_object: boolean
  /** The deciding names seen in the object: the sum of their bits, which may exceed the range of bitwise operators. */
  seen: number
  /** In an object, the offset of its last key. */
  key_at: number
  /** In an array, the number of containers so far. */
  items: number
}

const NOTHING: ReadonlySet<string> = new Set()
/** Shared by all walks: a walk has no awaits, so only one runs at a time. The list grows to the deepest nesting of names. */
const FRAMES: Frame[] = []
const MAX_SHOWN_CHARS = 64
/** Limits of comparisons by `reduce`: nearly all names for it have escapes or characters outside ASCII. */
const MAX_NAME_BYTES = 256
const MAX_LOOKS = 1_000

/**
 * Checks the names of one body. The walk reports only keys and brackets of the watched containers. After the first error of invalid
 * JSON, results are meaningless.
 */
export class Watch {
  /** The number of watched containers: always the outermost ones around the current place. */
  depth = 0
  /** Whether the innermost watched container is an object. */
  in_object = false
  ambiguity: Ambiguity | undefined
  /** Top-level fields that hold a count which is not written in plain digits. */
  respelled = NOTHING
  /** The number of names compared by `reduce`. */
  looks = 0
  readonly #data: Uint8Array
  /** The innermost watched container. */
  #top: Frame | undefined
  /** The names for the next container in the innermost watched one; undefined if it need not be watched. */
  #next: Names | undefined

  /** @param names the names of the outermost object */
  constructor(data: Uint8Array, names: Names) {
    this.#data = data
    this.#next = names
  }

  /** Called when a container begins directly inside the innermost watched one. */
  open(is_object: boolean): void {
    if (this.#top) this.#top.items++
    const names = this.#next
    if (!names) return
    this.#top = this.#frame(names, is_object)
    this.depth++
    this.in_object = is_object
    if (is_object) this.#next = undefined
  }

  /** Called for a known value directly inside the innermost watched container: it is counted, but not checked again. */
  pass(): void {
    if (this.#top) this.#top.items++
  }

  /** Called when the innermost watched container ends. */
  close(): void {
    if (this.depth === 0) return
    this.depth--
    const outer = this.depth === 0 ? undefined : FRAMES[this.depth - 1]
    this.#top = outer
    this.in_object = outer?.is_object === true
    this.#next = this.in_object ? undefined : outer?.names
  }

  #frame(names: Names, is_object: boolean): Frame {
    const frame = FRAMES[this.depth]
    if (!frame) {
      const made: Frame = { names, is_object, seen: 0, key_at: 0, items: 0 }
      FRAMES.push(made)
      return made
    }
    frame.names = names
    frame.is_object = is_object
    frame.seen = 0
    frame.items = 0
    return frame
  }

  /** Called for a key of the innermost watched object. @param at its opening quote @param end its closing quote @returns its meaning */
  key(at: number, end: number, colon: number): Name {
    const frame = this.#top
    if (!frame) return HARMLESS
    frame.key_at = at
    const name = nameIn(frame.names, this.#data, at + 1, end) ?? this.#unfamiliar(frame, at, end)
    this.#next = name.within
    if (name.bit > 0) {
      if (Math.floor(frame.seen / name.bit) % 2 === 1) this.#refuse('is given twice; send it once.')
      else frame.seen += name.bit
    }
    if (name.counts && !isPlain(this.#data, skipWhitespace(this.#data, colon + 1))) this.#respell()
    return name
  }

  /** Checks a name that is not known in its exact spelling: other readers may read it as a known one. */
  #unfamiliar({ names }: Frame, at: number, end: number): Name {
    if (this.ambiguity) return HARMLESS
    const hash = reducedHash(this.#data, at + 1, end)
    if (hash !== NO_HASH && !names.hashes.has(hash)) return HARMLESS
    if (end - at > MAX_NAME_BYTES || ++this.looks > MAX_LOOKS) {
      this.#refuse('has escapes or non-ASCII characters, and is too long or one of too many such names.')
      return HARMLESS
    }
    const written = textAt(this.#data, at, end)
    const canonical = written === undefined ? undefined : names.reduced.get(reduce(written))
    if (canonical === undefined) return HARMLESS
    this.#refuse(
      written === canonical
        ? 'must be written without escapes: not every server reads them in names.'
        : `is read as ${canonical} by some servers, and ignored by others; send ${canonical}, or leave it out.`,
    )
    return names.known.get(canonical) ?? HARMLESS
  }

  #refuse(problem: string): void {
    this.ambiguity ??= { path: this.#path(), problem }
  }

  #respell(): void {
    const [outermost] = FRAMES
    if (outermost && !this.ambiguity)
      this.respelled = new Set([...this.respelled, this.#nameAt(outermost.key_at)])
  }

  #path(): string {
    let path = ''
    for (const { is_object, key_at, items } of FRAMES.slice(0, this.depth))
      path += is_object ? `${path === '' ? '' : '.'}${this.#nameAt(key_at)}` : `[${items - 1}]`
    return path
  }

  #nameAt(key: number): string {
    return (textAt(this.#data, key, closingQuote(this.#data, key + 1)) ?? '').slice(0, MAX_SHOWN_CHARS)
  }
}

/** The text of a string; undefined if it is invalid. */
function textAt(data: Uint8Array, at: number, end: number): string | undefined {
  try {
    return JSON.parse(Buffer.prototype.utf8Slice.call(data, at, end + 1))
  } catch {
    // The parser refuses invalid JSON with the right message.
    return undefined
  }
}

const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
/** Characters of a fraction or an exponent: readers of whole numbers truncate, round or refuse such a number. */
const SPECIAL: ReadonlySet<number | undefined> = new Set([...'.eE'].map((one) => one.charCodeAt(0)))

/** Whether a value is a number in plain digits, or not a number. Minus zero is not plain. */
function isPlain(data: Uint8Array, start: number): boolean {
  let at = start
  if (data[at] === MINUS) {
    at++
    if (data[at] === ZERO) return false
  }
  while (isDigit(data[at])) at++
  return at === start || !SPECIAL.has(data[at])
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE
