// Changes of a JSON object's top-level fields, made in its bytes: everything else stays the same, byte for byte.

import { invalidRequest } from '../../domain/errors.ts'
import type { Json, JsonObject } from './json.ts'
import type { JsonBody } from './json-body.ts'
import {
  CLOSING_BRACE,
  COLON,
  COMMA,
  closingQuote,
  OPENING_BRACE,
  skipWhitespace,
  trimEnd,
} from './json-bytes.ts'
import { NO_NAMES } from './json-names.ts'
import { MAX_DEPTH } from './json-text.ts'
import { walkJson } from './json-walk.ts'

/**
 * Writes a body with some top-level fields changed. Only changed values, and those in `respelled`, are written again, so that nothing
 * is lost that JSON.parse cannot represent: integers beyond 2^53, spellings of numbers, duplicate keys in nested objects.
 *
 * @param after the fields of `body.json`, changed or not, and any further ones; missing ones are left out
 * @returns the same bytes if nothing has to change
 */
export function spliceFields(body: JsonBody, after: JsonObject): Uint8Array {
  const { bytes, json, keys, respelled } = body
  if (after === json && respelled.size === 0) return bytes
  const data = dataOf(body)
  const names = keys.map((key) => nameAt(data, key))
  const isReplaced = (name: string) => after[name] !== json[name] || respelled.has(name)
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(json, name))
  if (added.length === 0 && !names.some(isReplaced)) return bytes

  const object_end = trimEnd(data, data.length) - 1
  const placeOf = (index: number): Place => placeAt(data, keys[index] ?? 0, keys[index + 1], object_end)
  const parts: Buffer[] = []
  let copied = 0
  let kept = 0
  for (const [index, name] of names.entries()) {
    const is_left_out = !Object.hasOwn(after, name)
    if (is_left_out || isReplaced(name)) {
      const { key, value, end } = placeOf(index)
      if (!is_left_out) {
        parts.push(data.subarray(copied, value), Buffer.from(JSON.stringify(after[name])))
        copied = end
      } else if (kept > 0) {
        // Together with the comma before it.
        parts.push(data.subarray(copied, Math.max(copied, placeOf(index - 1).end)))
        copied = end
      } else {
        // Together with the comma after it.
        parts.push(data.subarray(copied, key))
        copied = keys[index + 1] ?? end
      }
    }
    if (!is_left_out) kept++
  }
  return Buffer.concat([
    ...parts,
    data.subarray(copied, object_end),
    Buffer.from(fieldsText(added, kept === 0)),
    data.subarray(object_end),
  ])
}

/** A body that was walked, but not parsed. */
type Walked = Pick<JsonBody, 'bytes' | 'keys'>

const dataOf = ({ bytes }: Walked): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Parses some top-level fields, each by itself; of equal names the last. @throws SyntaxError for invalid JSON */
function fieldsNamed(walked: Walked, names: readonly string[]): JsonObject {
  const data = dataOf(walked)
  const object_end = trimEnd(data, data.length) - 1
  const fields: JsonObject = {}
  for (const [index, key] of walked.keys.entries()) {
    const name = nameAt(data, key)
    const next_key = walked.keys[index + 1]
    assertSeparated(data, key, next_key, object_end)
    if (!names.includes(name)) continue
    const { value, end } = placeAt(data, key, next_key, object_end)
    fields[name] = JSON.parse(data.toString('utf8', value, end))
  }
  return fields
}

/** The walk accepts any bytes between two keys: leaving a field out could turn a malformed body into valid JSON. */
function assertSeparated(data: Buffer, key: number, next_key: number | undefined, object_end: number): void {
  const colon = skipWhitespace(data, closingQuote(data, key + 1) + 1)
  const last = next_key === undefined ? object_end : trimEnd(data, next_key) - 1
  if (data[colon] !== COLON || data[last] !== (next_key === undefined ? CLOSING_BRACE : COMMA))
    throw new SyntaxError('a field does not end where the next begins')
}

/** As `spliceFields`, for a body that is not parsed. @throws SyntaxError for a name that is not valid JSON */
function spliceNamed(
  walked: Walked,
  { leave_out, set }: { leave_out: readonly string[]; set: JsonObject },
): Uint8Array {
  const data = dataOf(walked)
  const json: JsonObject = {}
  const after: JsonObject = {}
  for (const key of walked.keys) {
    const name = nameAt(data, key)
    json[name] = null
    if (!leave_out.includes(name)) after[name] = null
  }
  const body = { ...walked, json, respelled: NONE, counted: { values: 0, bare_bytes: 0 } }
  return spliceFields(body, { ...after, ...set })
}

const NONE: ReadonlySet<string> = new Set()

/** The text of further fields, to insert before the closing brace. */
function fieldsText(added: readonly (readonly [string, Json])[], object_is_empty: boolean): string {
  const text = added.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')
  return object_is_empty || text === '' ? text : `,${text}`
}

/** The offsets of a field's key, its value, and the value's end, without whitespace. */
interface Place {
  readonly key: number
  readonly value: number
  readonly end: number
}

/** @param key the offset of its opening quote */
const nameAt = (data: Buffer, key: number): string =>
  JSON.parse(data.toString('utf8', key, closingQuote(data, key + 1) + 1))

/** @param object_end the offset of the object's closing brace */
function placeAt(data: Buffer, key: number, next_key: number | undefined, object_end: number): Place {
  const colon = skipWhitespace(data, closingQuote(data, key + 1) + 1)
  const comma_or_end = next_key === undefined ? object_end : trimEnd(data, next_key) - 1
  return { key, value: skipWhitespace(data, colon + 1), end: trimEnd(data, comma_or_end) }
}

/** The rules for unwrapping a request from an envelope, such as a message of a socket. */
export interface EnvelopeRules {
  read: readonly string[]
  /** Fields that belong to the envelope only. */
  leave_out: readonly string[]
  /** Fields to set in the request. */
  set: JsonObject
  /** Messages with more top-level fields are refused, since each field costs time. */
  max_fields: number
}

export interface Unwrapped {
  /** The values of the fields in `read` that the envelope has. */
  fields: JsonObject
  request: Uint8Array
}

/** @throws GatewayError invalid_request unless the message is a JSON object; values of other fields are not checked */
export function unwrap(bytes: Uint8Array, { read, leave_out, set, max_fields }: EnvelopeRules): Unwrapped {
  if (bytes[skipWhitespace(bytes, 0)] !== OPENING_BRACE)
    throw invalidRequest('A message must be a JSON object with a type, such as "response.create".')
  const walk = walkJson(bytes, MAX_DEPTH, NO_NAMES)
  if (!walk) throw invalidRequest(`The message is nested deeper than ${MAX_DEPTH} levels.`)
  if (walk.keys.length > max_fields) throw invalidRequest(`The message has more than ${max_fields} fields.`)
  const scanned = { bytes, keys: walk.keys }
  try {
    return { fields: fieldsNamed(scanned, read), request: spliceNamed(scanned, { leave_out, set }) }
  } catch (cause) {
    throw invalidRequest('The message is not valid JSON.', { cause })
  }
}
