// A request's JSON body: its bytes as they arrived, the value that they parse to, and where its fields stand in them.
import { invalidRequest } from '../../domain/errors.ts'
import { isObject, type JsonObject } from './json.ts'
import { topLevelKeys } from './json-bytes.ts'

export interface JsonBody {
  readonly bytes: Uint8Array
  readonly json: JsonObject
  /** Offsets in `bytes` of the opening quotes of the top-level keys, in order, duplicates included. */
  readonly keys: readonly number[]
}

/** Deeper than any request needs, and far from where recursive code would exhaust the stack. */
const MAX_DEPTH = 500

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** More than any request needs. Parsed, so many empty arrays take 200 MB. */
const MAX_VALUES = 5_000_000

/** A body that was walked, and not parsed yet. */
export interface ScannedBody extends Omit<JsonBody, 'json'> {
  /** About how many values it has. */
  readonly values: number
}

/**
 * Walks a body before it is parsed: a parser would recurse into its depth, and make an object of each of its values.
 *
 * @throws GatewayError invalid_request for JSON that is nested too deep, or has too many values
 */
export function scanJsonBody(bytes: Uint8Array): ScannedBody {
  const count = { values: 0 }
  const keys = topLevelKeys(bytes, MAX_DEPTH, count)
  if (!keys) throw invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels.`)
  if (count.values > MAX_VALUES)
    throw invalidRequest(`The request body has more than ${MAX_VALUES} values. Send fewer.`)
  return { bytes, keys, values: count.values }
}

/**
 * Parses a JSON object.
 *
 * @throws GatewayError invalid_request as `scanJsonBody`, and for anything but a JSON object in UTF-8
 */
export const parseJsonBody = (bytes: Uint8Array): JsonBody => parseScanned(scanJsonBody(bytes))

/** The same, for a body that was walked already. */
export function parseScanned({ bytes, keys }: ScannedBody): JsonBody {
  let json: unknown
  try {
    json = JSON.parse(UTF8.decode(bytes))
  } catch (cause) {
    throw invalidRequest('The request body is not valid JSON in UTF-8.', { cause })
  }
  if (!isObject(json)) throw invalidRequest('The request body must be a JSON object.')
  return { bytes, json, keys }
}
