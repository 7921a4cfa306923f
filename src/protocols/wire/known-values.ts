// A cache of parsed values of request bodies, found by their bytes: agents send the same tools and history with every call.
import type { Json, JsonObject } from './json.ts'
import type { Name } from './json-names.ts'

/** An object or array that was parsed before. Calls share it, so no code may change it; a test checks that. */
export interface KnownValue extends Counted {
  /** The bytes as written. JSON objects and arrays delimit themselves, so the same bytes are the same value. */
  readonly bytes: Uint8Array
  readonly value: Json[] | JsonObject
}

/** Counts from a walk over JSON. */
export interface Counted {
  /** The number of commas and brackets. */
  readonly values: number
  /** The bytes of numbers and words. */
  readonly bare_bytes: number
}

/** The beginning of a value. A value is known only at the same field, and only for the same account. */
export interface Beginning {
  readonly account_id: number
  /** The field whose value, or item of a value, it is. */
  readonly field: Name
  readonly data: Buffer
  readonly start: number
  /** The hash of its first bytes; undefined if there are too few. */
  readonly hash: number | undefined
}

interface StoredValue extends KnownValue, Pick<Beginning, 'account_id' | 'field'> {}

/** Values by the hash of their beginning, the last kept first. */
interface Generation {
  readonly kept: Map<number, readonly StoredValue[]>
  /** The sum of `sizeOf` over all values. */
  size_bytes: number
}

/** Finding a shorter value costs as much as parsing it. Also the number of bytes that are hashed; the rest is compared. */
const MIN_BYTES = 256
/** A longer value would displace a whole conversation. */
const MAX_BYTES = 256 * 1024
/** The least size counted for each value inside: parsed, it can take more memory than its JSON. An object with a unique key takes 300. */
const BYTES_PER_VALUE = 24
/** The limit of values with the same beginning, such as prompts that end with the date. */
const MAX_ALIKE = 4

/**
 * Keeps values that came twice, since most values that come once never return. Used values stay: there are two generations, and when the
 * newer one is full, the older one is dropped, except for values that were found in it.
 */
export class KnownValues {
  readonly #generation_bytes: number
  #newer = emptyGeneration()
  #older = emptyGeneration()
  /** Hash and length of values that came once, and the sum of their bytes. */
  readonly #seen = new Set<number>()
  #seen_bytes = 0

  /** @param max_bytes of JSON in all; parsed, it takes about twice as much in addition, and at most ten times */
  constructor(max_bytes: number) {
    this.#generation_bytes = max_bytes / 2
  }

  find(beginning: Beginning): KnownValue | undefined {
    const newer = findIn(this.#newer, beginning)
    if (newer) return newer
    const older = findIn(this.#older, beginning)
    if (older) this.#keep(beginning.hash ?? 0, older)
    return older
  }

  /** @param end the end of the value in its data @param counted the counts of the value */
  remember(beginning: Beginning, end: number, value: Json | undefined, counted: Counted): void {
    const { account_id, field, data, start, hash } = beginning
    const length = end - start
    if (hash === undefined || length < MIN_BYTES || length > MAX_BYTES) return
    if (typeof value !== 'object' || value === null || !this.#cameBefore(hash, length)) return
    // The body may contain the same value twice.
    if (this.find(beginning)) return
    RESULTS.set(value, new Map())
    this.#keep(hash, { account_id, field, bytes: copyOf(data, start, end), value, ...counted })
  }

  #cameBefore(hash: number, length: number): boolean {
    const mark = hash * MAX_BYTES + length
    if (this.#seen.has(mark)) return true
    this.#seen_bytes += length
    // A value that returns after more bytes than the store holds would already be displaced.
    if (this.#seen_bytes > 2 * this.#generation_bytes) {
      this.#seen.clear()
      this.#seen_bytes = length
    }
    this.#seen.add(mark)
    return false
  }

  #keep(hash: number, value: StoredValue): void {
    if (this.#newer.size_bytes + sizeOf(value) > this.#generation_bytes) {
      this.#older = this.#newer
      this.#newer = emptyGeneration()
    }
    const { kept } = this.#newer
    const same_start = [value, ...(kept.get(hash) ?? [])]
    kept.set(hash, same_start.slice(0, MAX_ALIKE))
    const dropped = same_start[MAX_ALIKE]
    this.#newer.size_bytes += sizeOf(value) - (dropped ? sizeOf(dropped) : 0)
  }
}

const emptyGeneration = (): Generation => ({ kept: new Map(), size_bytes: 0 })

/** The share of `max_bytes` that a value takes. */
const sizeOf = ({ bytes, values }: KnownValue): number => Math.max(bytes.length, values * BYTES_PER_VALUE)

const copyOf = (data: Buffer, start: number, end: number): Uint8Array =>
  Uint8Array.prototype.slice.call(data, start, end)

/** The hash for `Beginning.hash`. */
export const hashAt = (account_id: number, data: Buffer, start: number): number | undefined =>
  start + MIN_BYTES > data.length
    ? undefined
    : Bun.hash.xxHash32(data.subarray(start, start + MIN_BYTES), account_id)

function findIn({ kept }: Generation, beginning: Beginning): StoredValue | undefined {
  const same_start = beginning.hash === undefined ? undefined : kept.get(beginning.hash)
  if (same_start) for (const one of same_start) if (isAt(one, beginning)) return one
  return undefined
}

function isAt({ account_id, field, bytes }: StoredValue, at: Beginning): boolean {
  const end = at.start + bytes.length
  return (
    account_id === at.account_id &&
    field === at.field &&
    end <= at.data.length &&
    at.data.compare(bytes, 0, bytes.length, at.start, end) === 0
  )
}

/** Cached results for known values, by the function that computed them. */
const RESULTS = new WeakMap<object, Map<unknown, unknown>>()

/** Whether results for a value may be cached. */
export const isKnown = (value: object): boolean => RESULTS.has(value)

/**
 * Computes a function's result for a value, cached for known values.
 *
 * @param work the same function object each time; its result must depend on the value alone
 * @param path the value's place, for errors
 */
export function computedOnce<V, T>(work: (value: V, path: string) => T, value: V, path = ''): T {
  const known = typeof value === 'object' && value !== null ? RESULTS.get(value) : undefined
  if (!known) return work(value, path)
  const before = known.get(work) as T | undefined
  if (before !== undefined) return before
  const result = work(value, path)
  known.set(work, result)
  return result
}
