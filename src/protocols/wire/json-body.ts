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

/**
 * Parses a JSON object. The depth is checked before the parse, which would recurse into it.
 *
 * @throws GatewayError invalid_request for JSON that is nested too deep, and for anything but a JSON object in UTF-8
 */
export function parseJsonBody(bytes: Uint8Array): JsonBody {
  const keys = topLevelKeys(bytes, MAX_DEPTH)
  if (!keys) throw invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels.`)
  let json: unknown
  try {
    json = JSON.parse(UTF8.decode(bytes))
  } catch (cause) {
    throw invalidRequest('The request body is not valid JSON in UTF-8.', { cause })
  }
  if (!isObject(json)) throw invalidRequest('The request body must be a JSON object.')
  return { bytes, json, keys }
}
