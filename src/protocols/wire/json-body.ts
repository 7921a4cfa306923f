// A request's JSON body: its bytes as they came, and what they say.
import { invalidRequest } from '../../domain/errors.ts'
import { isObject, type JsonObject } from './json.ts'
import { isNestedDeeperThan } from './json-bytes.ts'

/** A body as it came, and what it says. */
export interface JsonBody {
  bytes: Uint8Array
  json: JsonObject
}

/** What no caller needs, and what is walked through well within the stack. */
const MAX_DEPTH = 500

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON object. The depth is checked before the parse, which would recurse into it.
 *
 * @throws GatewayError invalid_request for what is nested too deep, or is no JSON object in UTF-8
 */
export function parseJsonBody(bytes: Uint8Array): JsonBody {
  if (isNestedDeeperThan(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), MAX_DEPTH))
    throw invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels.`)
  let json: unknown
  try {
    json = JSON.parse(UTF8.decode(bytes))
  } catch (cause) {
    throw invalidRequest('The request body is not valid JSON in UTF-8.', { cause })
  }
  if (!isObject(json)) throw invalidRequest('The request body must be a JSON object.')
  return { bytes, json }
}
