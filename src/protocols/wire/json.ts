// Readers of unchecked JSON: strict readers for callers' values, lenient ones for upstreams' values.
import { invalidRequest, UpstreamFault } from '../../domain/errors.ts'
import { defined } from '../../utilities/defined.ts'
import { type ByteString, toByteString } from './byte-string.ts'
import { isTooDeep } from './json-text.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Checks a caller's value. @param path its place in the request @throws GatewayError invalid_request that names the path */
export type Check<T> = (value: Json | undefined, path: string) => T

/** A JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The error for a caller's field, with the field's path as `param`. */
export const refusal = (path: string, problem: string) =>
  invalidRequest(`${path}: ${problem}`, { param: path })

const check =
  <T extends Json>(expected: string, accepts: (value: Json | undefined) => value is T): Check<T> =>
  (value, path) => {
    if (accepts(value)) return value
    throw refusal(path, value === undefined ? `is missing; it must be ${expected}.` : `must be ${expected}.`)
  }

export const wantObject: Check<JsonObject> = check('an object', isObject)
export const wantArray: Check<Json[]> = check('an array', (value) => Array.isArray(value))
export const wantString: Check<string> = check('a string', (value) => typeof value === 'string')
export const wantBoolean: Check<boolean> = check('true or false', (value) => typeof value === 'boolean')
export const wantNumber: Check<number> = check(
  'a number',
  (value): value is number => typeof value === 'number' && Number.isFinite(value),
)
export const wantCount: Check<number> = check(
  'a whole number, 0 or more',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
)

/** Reads each item of a caller's array. */
export const eachOf = <T>(value: Json | undefined, path: string, read: Check<T>): T[] =>
  wantArray(value, path).map((item, index) => read(item, `${path}[${index}]`))

/** Looks up an external name in a table. The name may be one that every object inherits, such as `constructor`. */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: Json | undefined): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined

/** The table's value for a caller's string, which must be one of its keys. */
export function oneOf<T>(table: Readonly<Record<string, T>>, value: Json | undefined, path: string): T {
  const found = lookUp(table, wantString(value, path))
  if (found === undefined) throw refusal(path, `must be one of ${Object.keys(table).join(', ')}.`)
  return found
}

/** An upstream's object; an empty one for any other value. */
export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : NOTHING)

/** Shared, since most answers lack most of the fields that are read. */
const NOTHING: JsonObject = Object.freeze({})

/** The objects of an upstream's array; other items are left out. Any other value gives an empty list. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return NO_OBJECTS
  return value.every(isObject) ? value : value.filter(isObject)
}

const NO_OBJECTS: readonly JsonObject[] = Object.freeze([])

/** Applies a function to each object; returns the same list if it changes none. @param about a further argument of the function */
export function changedObjects<About>(
  objects: readonly JsonObject[],
  change: (object: JsonObject, position: number, about: About) => JsonObject,
  about: About,
): readonly JsonObject[] {
  let changed: JsonObject[] | undefined
  for (let position = 0; position < objects.length; position++) {
    const before = objects[position] ?? NOTHING
    const after = change(before, position, about)
    if (after === before) continue
    changed ??= [...objects]
    changed[position] = after
  }
  return changed ?? objects
}

/** Whether a value is a list with at least one item. */
export const hasItems = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0

/** An upstream's string; undefined for any other value. */
export const stringIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** An upstream's count; undefined for any other value. */
export const countIn = (value: Json | undefined): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined

/**
 * An upstream's count of tokens: undefined if it is absent or null, NaN if it is not a count. It may also be text, as JSON encodes
 * int64.
 */
export function tokenCountIn(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return countIn(count) ?? Number.NaN
}

/** Parses an upstream's JSON; undefined for invalid JSON, and for JSON that is too deep for recursive code. */
export function parseJson(text: string): Json | undefined {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Invalid JSON: undefined.
    return undefined
  }
}

/** Keeps a byte order mark, which is not valid JSON. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws TypeError for bytes that are not UTF-8, SyntaxError for text that is not JSON */
export const parseJsonBytes = (bytes: Uint8Array): Json => JSON.parse(UTF8.decode(bytes))

/** JSON as a byte string, for streams. */
export const jsonByteString = (value: JsonObject): ByteString =>
  toByteString(Buffer.from(JSON.stringify(value)))

/** Parses an upstream's JSON object; undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/**
 * Parses an upstream's whole answer.
 * @throws UpstreamFault if it was truncated, or reports an error under status 200
 */
export function parseAnswer(text: string): JsonObject {
  const answer = parseObject(text)
  if (!answer || (answer.error ?? null) !== null)
    throw new UpstreamFault('the upstream reported an error under status 200, or sent no JSON object')
  return answer
}

/** An object without its undefined fields. */
export const compact = (fields: Record<string, Json | undefined>): JsonObject => defined(fields) as JsonObject
