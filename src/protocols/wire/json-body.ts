// A request's JSON body: its bytes as they arrived, the value that they parse to, and where its fields stand in them.
import { invalidRequest } from '../../domain/errors.ts'
import { isObject, type JsonObject, refusal } from './json.ts'
import { type Names, NO_NAMES } from './json-names.ts'
import { walkJson } from './json-walk.ts'

export interface JsonBody {
  readonly bytes: Uint8Array
  readonly json: JsonObject
  /** Offsets in `bytes` of the opening quotes of the top-level keys, in order, duplicates included. */
  readonly keys: readonly number[]
  /** Top-level fields to be written anew: they hold a count that is not written in plain digits. */
  readonly respelled: ReadonlySet<string>
}

/** Deeper than any request needs, and far from where recursive code would exhaust the stack. */
const MAX_DEPTH = 500

/** A mark is taken off beforehand, and a second one is no JSON. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a JSON object. The depth is checked before the parse, which would recurse into it. A byte order mark is left out:
 * some readers refuse it (RFC 8259, section 8.1).
 *
 * @param names what decides the request: readers differ in which of two equal names counts (RFC 8259, section 4), in whether
 * case matters, and in what makes a whole number, so that none of these may be spelled in a way that leaves a choice
 * @throws GatewayError invalid_request for JSON that is nested too deep, for anything but a JSON object in UTF-8, and naming a
 * field that could be read differently
 */
export function parseJsonBody(arrived: Uint8Array, names: Names = NO_NAMES): JsonBody {
  const bytes = withoutMark(arrived)
  const walk = walkJson(bytes, MAX_DEPTH, names)
  if (!walk) throw invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels.`)
  let json: unknown
  try {
    json = JSON.parse(UTF8.decode(bytes))
  } catch (cause) {
    throw invalidRequest('The request body is not valid JSON in UTF-8.', { cause })
  }
  if (!isObject(json)) throw invalidRequest('The request body must be a JSON object.')
  if (walk.ambiguity) throw refusal(walk.ambiguity.path, walk.ambiguity.problem)
  return { bytes, json, keys: walk.keys, respelled: walk.respelled }
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes
