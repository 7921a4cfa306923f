// The recall of one body's values that came before: found while it is walked, left out of its parse, and put into their places.
import { isObject, type Json, type JsonObject, parseJsonBytes } from './json.ts'
import { OPENING_BRACKET, skipWhitespace } from './json-bytes.ts'
import type { Name } from './json-names.ts'
import { type Beginning, type Counted, hashAt, type KnownValue, type KnownValues } from './known-values.ts'

/** A value that may be known. */
interface Candidate extends Beginning {
  readonly name: string
  /** Among the items of the field's value; undefined for all of that. */
  readonly index: number | undefined
  /** The walk's counts before it. */
  readonly before: Counted
}

interface Found {
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

/** In the place of a known value: an array as well as it, so that a parser takes or refuses it for what stands around it. */
const PLACEHOLDER = Buffer.from('[]')
/** No bracket is so deep. */
const NOWHERE = Number.POSITIVE_INFINITY

/**
 * The walk tells it of the top-level keys, and of the brackets and commas at `depth`. Values are recalled only under names that
 * decide the request: whatever could name such a field once more, in any spelling, is an ambiguity, and with that nothing is recalled.
 */
export class Recall {
  /** How many containers are around the values that may be known here: one around a field's value, two around its items. */
  depth = NOWHERE
  readonly #data: Buffer
  readonly #to: AccountValues
  readonly #found: Found[] = []
  readonly #walked: Walked[] = []
  /** The field that the walk has come to, its name, and how many items of it are behind. */
  #field: Name | undefined
  #name = ''
  #index = 0
  #current: Candidate | undefined

  constructor(data: Buffer, to: AccountValues) {
    this.#data = data
    this.#to = to
  }

  /** A key of the body's. @param at at its opening quote @param end its closing quote */
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
   * A value begins.
   * @param before what the walk has counted so far
   * @returns it, where it is known: then the walk goes on after it
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
   * The body, of which only what is new was parsed.
   * @returns undefined if nothing was known, and for invalid JSON: the parse of all of it says what is wrong
   */
  parse(): JsonObject | undefined {
    if (this.#found.length === 0) return undefined
    const json = parsed(this.#unknownBytes())
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

  /** Remembers what was not known yet. @param json all of the body */
  remember(json: JsonObject): void {
    for (const { at, end, counted } of this.#walked) {
      const all = json[at.name]
      const value = at.index === undefined ? all : Array.isArray(all) ? all[at.index] : undefined
      this.#to.known.remember(at, end, value, counted)
    }
  }
}

function parsed(bytes: Uint8Array): Json | undefined {
  try {
    return parseJsonBytes(bytes)
  } catch {
    // The same error comes from the parse of all, with its right place.
    return undefined
  }
}
