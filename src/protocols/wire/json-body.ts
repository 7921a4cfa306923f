// A request's JSON body: the original bytes, the parsed value, and the offsets of its fields.
import { invalidRequest } from '../../domain/errors.ts'
import { isObject, type Json, type JsonObject, parseJsonBytes, refusal } from './json.ts'
import { type Names, NO_NAMES } from './json-names.ts'
import { type AccountValues, Recall } from './json-recall.ts'
import { MAX_DEPTH } from './json-text.ts'
import { type Walk, walkJson } from './json-walk.ts'
import type { Counted } from './known-values.ts'

export interface JsonBody {
  readonly bytes: Uint8Array
  readonly json: JsonObject
  /** Offsets in `bytes` of the opening quotes of the top-level keys, in order, duplicates included. */
  readonly keys: readonly number[]
  /** Top-level fields to write again, because they hold a count that is not written in plain digits. */
  readonly respelled: ReadonlySet<string>
  /** Counts from the bytes. Parsing drops duplicates of names, and digits beyond a number's precision. */
  readonly counted: Counted
}

/** More than any request needs. Parsed, this many empty arrays take 200 MB. */
const MAX_VALUES = 5_000_000

/** A body that was walked, but not parsed. */
interface ScannedBody extends Walk {
  readonly bytes: Uint8Array
  readonly recall: Recall | undefined
}

/** Recalling values of shorter bodies saves no time. */
const MIN_RECALLED_BYTES = 2048

/**
 * Walks a body before it is parsed: a parser would recurse to any depth, and create an object for each value. A byte order mark is
 * removed: some readers refuse it (RFC 8259, section 8.1).
 *
 * @param names the deciding names. JSON readers differ in which of two equal names counts (RFC 8259, section 4), in case sensitivity,
 * and in what a whole number is, so deciding names must not be ambiguous in any of these
 * @param to the account's known values, which are neither walked nor parsed again; calls share them, and must not change them
 * @throws GatewayError invalid_request for JSON that is nested too deep, or has too many values
 */
export function scanJsonBody(arrived: Uint8Array, names: Names = NO_NAMES, to?: AccountValues): ScannedBody {
  const bytes = withoutMark(arrived)
  const recall =
    to && bytes.length >= MIN_RECALLED_BYTES
      ? new Recall(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), to)
      : undefined
  const walk = walkJson(bytes, MAX_DEPTH, names, recall)
  if (!walk) throw invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels.`)
  if (walk.values > MAX_VALUES)
    throw invalidRequest(`The request body has more than ${MAX_VALUES} values. Send fewer.`)
  return Object.assign(walk, { bytes, recall })
}

/**
 * Parses a JSON object.
 *
 * @param names as for `scanJsonBody`
 * @throws GatewayError invalid_request as `scanJsonBody`, for anything but a JSON object in UTF-8, and for an ambiguous deciding name
 */
export const parseJsonBody = (bytes: Uint8Array, names?: Names): JsonBody =>
  parseScanned(scanJsonBody(bytes, names))

/** As parseJsonBody, for a body that is already walked. */
export function parseScanned(scanned: ScannedBody): JsonBody {
  const { bytes, keys, respelled, ambiguity, is_plain, recall, values, bare_bytes } = scanned
  const json = (ambiguity === undefined ? recall?.parse() : undefined) ?? parseWhole(bytes)
  if (ambiguity) throw refusal(ambiguity.path, ambiguity.problem)
  if (is_plain) recall?.remember(json)
  return { bytes, json, keys, respelled, counted: { values, bare_bytes } }
}

function parseWhole(bytes: Uint8Array): JsonObject {
  let json: Json
  try {
    json = parseJsonBytes(bytes)
  } catch (cause) {
    throw invalidRequest('The request body is not valid JSON in UTF-8.', { cause })
  }
  if (!isObject(json)) throw invalidRequest('The request body must be a JSON object.')
  return json
}

/** The mark is EF BB BF. */
const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
