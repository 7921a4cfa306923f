// Changes to top-level fields of a JSON object, made in its bytes: everything else stays as it was written, byte for byte.

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
 * The bytes of a body with some of its top-level fields changed. Only the values that differ are written anew, and those that
 * the body says must be, so that nothing is lost that JSON.parse cannot hold: integers beyond 2^53, the spelling of numbers,
 * duplicate keys further in.
 *
 * @param after the fields of `body.json`, changed or not, and any further ones; what it lacks is left out
 * @returns the very same bytes where nothing has to change
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
        // With the comma before it.
        parts.push(data.subarray(copied, Math.max(copied, placeOf(index - 1).end)))
        copied = end
      } else {
        // With the comma after it.
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

/** Bytes that were walked, and are not parsed. */
type Walked = Pick<JsonBody, 'bytes' | 'keys'>

const dataOf = ({ bytes }: Walked): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Some top-level fields, each parsed by itself; of equal names the last one. @throws SyntaxError for what is no JSON */
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

/** The walk takes anything between a key and the next: leaving a field out could turn a malformed body into valid JSON. */
function assertSeparated(data: Buffer, key: number, next_key: number | undefined, object_end: number): void {
  const colon = skipWhitespace(data, closingQuote(data, key + 1) + 1)
  const last = next_key === undefined ? object_end : trimEnd(data, next_key) - 1
  if (data[colon] !== COLON || data[last] !== (next_key === undefined ? CLOSING_BRACE : COMMA))
    throw new SyntaxError('a field does not end where the next begins')
}

/** `spliceFields` for a body that is not parsed. @throws SyntaxError for a name that is no JSON */
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

/** Further fields, to be written before the closing brace. */
function fieldsText(added: readonly (readonly [string, Json])[], object_is_empty: boolean): string {
  const text = added.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')
  return object_is_empty || text === '' ? text : `,${text}`
}

/** Where a field is: its key, its value, and the end of that, whitespace left out. */
interface Place {
  readonly key: number
  readonly value: number
  readonly end: number
}

/** @param key where its opening quote is */
const nameAt = (data: Buffer, key: number): string =>
  JSON.parse(data.toString('utf8', key, closingQuote(data, key + 1) + 1))

/** @param object_end if the closing brace of the object is */
function placeAt(data: Buffer, key: number, next_key: number | undefined, object_end: number): Place {
  const colon = skipWhitespace(data, closingQuote(data, key + 1) + 1)
  const comma_or_end = next_key === undefined ? object_end : trimEnd(data, next_key) - 1
  return { key, value: skipWhitespace(data, colon + 1), end: trimEnd(data, comma_or_end) }
}

/** An envelope around a request, such as a message of a socket. */
export interface EnvelopeRules {
  read: readonly string[]
  /** Fields of the envelope alone. */
  leave_out: readonly string[]
  /** Fields of the request in place of its own, or beside them. */
  set: JsonObject
  /** More top-level fields are refused: each takes its time. */
  max_fields: number
}

export interface Unwrapped {
  /** The fields to read that the envelope has. */
  fields: JsonObject
  request: Uint8Array
}

/** @throws GatewayError invalid_request for anything but a JSON object; other fields' values are not looked at */
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
