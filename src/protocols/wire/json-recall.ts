// Recall of values that earlier bodies had: the walk finds them, the parser skips them, and they are put in their places.
import { isObject, type Json, type JsonObject, parseJsonBytes } from './json.ts'
import { OPENING_BRACKET, skipWhitespace } from './json-bytes.ts'
import type { Name } from './json-names.ts'
import { type Beginning, type Counted, hashAt, type KnownValue, type KnownValues } from './known-values.ts'

/** A value that may be known. */
interface Candidate extends Beginning {
  readonly name: string
  /** Its position among the items of the field's value; undefined for the whole value. */
  readonly index: number | undefined
  /** The walk's counts before it. */
  readonly before: Counted
}

interface FoundValue {
  readonly at: Candidate
  readonly known: KnownValue
}

interface Walked {
  readonly at: Candidate
  readonly end: number
  readonly counted: Counted
}

/** The known values of the account that sent the body. */
export interface AccountValues {
  readonly account_id: number
  readonly known: KnownValues
}

/** Replaces a known value for the parser: an array, so that the JSON around it stays valid or invalid as it was. */
const PLACEHOLDER = Buffer.from('[]')
/** A depth that no bracket has. */
const NOWHERE = Number.POSITIVE_INFINITY

/**
 * Recalls values while the walk reports the top-level keys, and the brackets and commas at `depth`. Only values of deciding names are
 * recalled: a second spelling of such a name is an ambiguity, in which case nothing is recalled.
 */
export class Recall {
  /** The number of containers around values that may be known: one around a field's value, two around its items. */
  depth = NOWHERE
  readonly #data: Buffer
  readonly #to: AccountValues
  readonly #found: FoundValue[] = []
  readonly #walked: Walked[] = []
  /** The current field of the walk, its name, and the number of its items so far. */
  #field: Name | undefined
  #name = ''
  #index = 0
  #current: Candidate | undefined

  constructor(data: Buffer, to: AccountValues) {
    this.#data = data
    this.#to = to
  }

  /** Called for a top-level key. @param at its opening quote @param end its closing quote */
  key(field: Name, at: number, end: number, colon: number): void {
    this.depth = this.#depthIn(field, colon)
    if (this.depth === NOWHERE) return
    this.#field = field
    this.#name = this.#data.toString('latin1', at + 1, end)
    this.#index = 0
  }

  #depthIn({ bit, grows }: Name, colon: number): number {
    if (bit === 0) return NOWHERE
    if (!grows) return 1
    return this.#data[skipWhitespace(this.#data, colon + 1)] === OPENING_BRACKET ? 2 : NOWHERE
  }

  comma(): void {
    this.#index++
  }

  /**
   * Called at the beginning of a value.
   * @param before the walk's counts so far
   * @returns the value if it is known: the walk then continues after it
   */
  open(start: number, before: Counted): KnownValue | undefined {
    const field = this.#field
    if (!field) return undefined
    const { account_id, known } = this.#to
    const data = this.#data
    const hash = hashAt(account_id, data, start)
    const index = this.depth === 1 ? undefined : this.#index
    const at = { account_id, field, data, start, hash, name: this.#name, index, before }
    const found = known.find(at)
    if (found) this.#found.push({ at, known: found })
    else this.#current = at
    return found
  }

  close(end: number, { values, bare_bytes }: Counted): void {
    const at = this.#current
    if (!at) return
    const counted = {
      values: values - at.before.values,
      bare_bytes: bare_bytes - at.before.bare_bytes,
    }
    this.#walked.push({ at, end, counted })
  }

  /**
   * Parses the body, skipping known values.
   * @returns undefined if no value is known, and for invalid JSON: the full parse then reports the error
   */
  parse(): JsonObject | undefined {
    if (this.#found.length === 0) return undefined
    const json = tryParse(this.#unknownBytes())
    if (!isObject(json)) return undefined
    for (const {
      at: { name, index },
      known: { value },
    } of this.#found) {
      const items = json[name]
      if (index === undefined) json[name] = value
      else if (Array.isArray(items)) items[index] = value
    }
    return json
  }

  /** The body with placeholders. */
  #unknownBytes(): Buffer {
    const parts: Uint8Array[] = []
    let from = 0
    for (const { at, known } of this.#found) {
      parts.push(this.#data.subarray(from, at.start), PLACEHOLDER)
      from = at.start + known.bytes.length
    }
    return Buffer.concat([...parts, this.#data.subarray(from)])
  }

  /** Remembers values that were not known yet. @param json the whole body */
  remember(json: JsonObject): void {
    for (const { at, end, counted } of this.#walked) {
      const all = json[at.name]
      const value = at.index === undefined ? all : Array.isArray(all) ? all[at.index] : undefined
      this.#to.known.remember(at, end, value, counted)
    }
  }
}

function tryParse(bytes: Uint8Array): Json | undefined {
  try {
    return parseJsonBytes(bytes)
  } catch {
    // The full parse reports the same error, at the right place.
    return undefined
  }
}
