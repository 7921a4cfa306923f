// An envelope around a request: some of its top-level fields read, and the request without them, which is not parsed.
import { invalidRequest } from '../../domain/errors.ts'
import type { JsonObject } from './json.ts'
import { OPENING_BRACE, skipWhitespace } from './json-bytes.ts'
import { NO_NAMES } from './json-names.ts'
import { fieldsNamed, spliceNamed } from './json-splice.ts'
import { MAX_DEPTH } from './json-text.ts'
import { walkJson } from './json-walk.ts'

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
