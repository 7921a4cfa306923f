// Values of request bodies that came before, found by their bytes: agents send the same tools and history with every call.
import type { Json, JsonObject } from './json.ts'
import type { Name } from './json-names.ts'

/** An object or array that was parsed before. Calls share it: nobody may change it, which a test sees to. */
export interface KnownValue extends Counted {
  /** As it was written. JSON's objects and arrays end where they end, so that the same bytes are the same value. */
  readonly bytes: Uint8Array
  readonly value: Json[] | JsonObject
}

/** The counts of a walk over JSON. */
export interface Counted {
  /** Its commas and brackets. */
  readonly values: number
  /** The bytes of its numbers and words. */
  readonly bare_bytes: number
}

/** The place where a value begins: it is known only there, and to its account alone. */
export interface Beginning {
  readonly account_id: number
  /** The field that it is the value of, or an item of. */
  readonly field: Name
  readonly data: Buffer
  readonly start: number
  /** Of its first bytes; undefined if there are too few. */
  readonly hash: number | undefined
}

interface Kept extends KnownValue, Pick<Beginning, 'account_id' | 'field'> {}

/** By the hash of how they begin: those that were kept last, first. */
interface Generation {
  readonly kept: Map<number, readonly Kept[]>
  /** Of all of them, as `sizeOf` has it. */
  size_bytes: number
}

/** To find a shorter one costs as much as to parse it. So many bytes of each are hashed; the rest is compared. */
const MIN_BYTES = 256
/** A longer one would drive out a whole conversation. */
const MAX_BYTES = 256 * 1024
/** Where a value has fewer bytes of JSON, what it is parsed to takes more than these do: an object with a key of its own takes 300. */
const BYTES_PER_VALUE = 24
/** More that begin alike, such as prompts with the date at their end, are compared no further. */
const MAX_ALIKE = 4

/**
 * The values that are known: those that came twice, since most of what comes once does not come again. What is used stays: the
 * values are in two generations, and when the newer one is full, the older one is forgotten, except for what was found in it.
 */
export class KnownValues {
  readonly #generation_bytes: number
  #newer = emptyGeneration()
  #older = emptyGeneration()
  /** Values that came once, by hash and length, and their bytes in all. */
  readonly #seen = new Set<number>()
  #seen_bytes = 0

  /** @param max_bytes of their JSON, all together; parsed, they take about twice as much again, and at most ten times */
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

  /** @param end where the value ends in its data @param counted what was counted of it */
  remember(beginning: Beginning, end: number, value: Json | undefined, counted: Counted): void {
    const { account_id, field, data, start, hash } = beginning
    const length = end - start
    if (hash === undefined || length < MIN_BYTES || length > MAX_BYTES) return
    if (typeof value !== 'object' || value === null || !this.#cameBefore(hash, length)) return
    // The same one may be in this body twice.
    if (this.find(beginning)) return
    RESULTS.set(value, new Map())
    this.#keep(hash, { account_id, field, bytes: copyOf(data, start, end), value, ...counted })
  }

  #cameBefore(hash: number, length: number): boolean {
    const mark = hash * MAX_BYTES + length
    if (this.#seen.has(mark)) return true
    this.#seen_bytes += length
    // A value that returns only after more than the store holds would be gone before it is found.
    if (this.#seen_bytes > 2 * this.#generation_bytes) {
      this.#seen.clear()
      this.#seen_bytes = length
    }
    this.#seen.add(mark)
    return false
  }

  #keep(hash: number, value: Kept): void {
    if (this.#newer.size_bytes + sizeOf(value) > this.#generation_bytes) {
      this.#older = this.#newer
      this.#newer = emptyGeneration()
    }
    const { kept } = this.#newer
    const alike = [value, ...(kept.get(hash) ?? [])]
    kept.set(hash, alike.slice(0, MAX_ALIKE))
    const dropped = alike[MAX_ALIKE]
    this.#newer.size_bytes += sizeOf(value) - (dropped ? sizeOf(dropped) : 0)
  }
}

const emptyGeneration = (): Generation => ({ kept: new Map(), size_bytes: 0 })

/** How much of the bound a value takes. */
const sizeOf = ({ bytes, values }: KnownValue): number => Math.max(bytes.length, values * BYTES_PER_VALUE)

const copyOf = (data: Buffer, start: number, end: number): Uint8Array =>
  Uint8Array.prototype.slice.call(data, start, end)

/** The hash of how a value begins, as `Beginning` has it. */
export const hashAt = (account_id: number, data: Buffer, start: number): number | undefined =>
  start + MIN_BYTES > data.length
    ? undefined
    : Bun.hash.xxHash32(data.subarray(start, start + MIN_BYTES), account_id)

function findIn({ kept }: Generation, beginning: Beginning): Kept | undefined {
  const alike = beginning.hash === undefined ? undefined : kept.get(beginning.hash)
  if (alike) for (const one of alike) if (isAt(one, beginning)) return one
  return undefined
}

function isAt({ account_id, field, bytes }: Kept, at: Beginning): boolean {
  const end = at.start + bytes.length
  return (
    account_id === at.account_id &&
    field === at.field &&
    end <= at.data.length &&
    at.data.compare(bytes, 0, bytes.length, at.start, end) === 0
  )
}

/** The results for known values, by the function that computed them. */
const RESULTS = new WeakMap<object, Map<unknown, unknown>>()

/** Whether something may have been worked out of a value before. */
export const isKnown = (value: object): boolean => RESULTS.has(value)

/**
 * The result of a function for a value; computed only once for a known one.
 *
 * @param work the same function each time; its result depends on the value alone
 * @param path the value's place, for what the function throws
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
