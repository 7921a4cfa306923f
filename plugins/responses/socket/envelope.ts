// A message of a caller over a WebSocket: what it asks for, and, where that is a response, the request as POST has it.
// https://developers.openai.com/api/docs/guides/websocket-mode; types: npm openai, resources/responses/responses, `ResponsesClientEvent`
import { type GatewayError, invalidRequest } from '../../../src/domain/errors.ts'
import { type Json, type JsonObject, refusal } from '../../../src/protocols/wire/json.ts'
import { OPENING_BRACE, skipWhitespace } from '../../../src/protocols/wire/json-bytes.ts'
import { MAX_DEPTH } from '../../../src/protocols/wire/json-depth.ts'
import { NO_NAMES } from '../../../src/protocols/wire/json-names.ts'
import { fieldsNamed, spliceNamed } from '../../../src/protocols/wire/json-splice.ts'
import { walkJson } from '../../../src/protocols/wire/json-walk.ts'
import { MAX_NAMED_LANES } from './lanes.ts'

/** A response is asked for. */
export interface Create {
  kind: 'create'
  lane: string | undefined
  /** The body of the POST that asks for the same. */
  body: Uint8Array
  /** False: it is only prepared. */
  generates: boolean
}

/** What a message asks for. */
export type Asked =
  | Create
  /** Words for a response under way, which no model here takes. */
  | { kind: 'steer'; steer: { previous_response_id: Json; input: Json } }
  /** Codex says that it has read an answer: nothing is to be done, and an answer would be taken for that of the next request. */
  | { kind: 'notice' }

const ENVELOPE = ['type', 'stream_id', 'generate', 'stream']
/** No request has as many. Each takes its time on the event loop. */
const MAX_FIELDS = 256
/** Of a message that asks for no response: nobody pays for reading it, and a steer is sent back. */
const MAX_UNPAID_BYTES = 64 * 1024
const STEERING = ['previous_response_id', 'input']

/** @throws GatewayError invalid_request for what cannot be understood; what a response is asked for with is not looked at */
export function readMessage(message: string | Uint8Array): Asked {
  if (typeof message !== 'string')
    throw invalidRequest('A binary message cannot be read. Send JSON as a text message.')
  const bytes = Buffer.from(message)
  if (bytes[skipWhitespace(bytes, 0)] !== OPENING_BRACE)
    throw invalidRequest('A message must be a JSON object with a type, such as "response.create".')
  const walk = walkJson(bytes, MAX_DEPTH, NO_NAMES)
  if (!walk) throw invalidRequest(`The message is nested deeper than ${MAX_DEPTH} levels.`)
  if (walk.keys.length > MAX_FIELDS) throw invalidRequest(`The message has more than ${MAX_FIELDS} fields.`)
  const scanned = { bytes, keys: walk.keys }
  const { type, stream_id, generate = true } = fieldsOf(scanned, ENVELOPE)
  if ((type === 'response.processed' || type === 'response.steer') && bytes.length > MAX_UNPAID_BYTES)
    throw invalidRequest(`A message of type "${type}" may have at most ${MAX_UNPAID_BYTES / 1024} KB.`)
  if (type === 'response.processed') return { kind: 'notice' }
  if (type === 'response.steer') {
    const { previous_response_id = null, input = null } = fieldsOf(scanned, STEERING)
    return { kind: 'steer', steer: { previous_response_id, input } }
  }
  if (type !== 'response.create') throw unknownType(type)
  const lane = laneOf(stream_id)
  if (typeof generate !== 'boolean') throw refusal('generate', 'must be true or false.')
  const body = spliceNamed(scanned, { leave_out: ['type', 'stream_id', 'generate'], set: { stream: true } })
  return { kind: 'create', lane, body, generates: generate }
}

function fieldsOf(scanned: Parameters<typeof fieldsNamed>[0], names: readonly string[]): JsonObject {
  try {
    return fieldsNamed(scanned, names)
  } catch (cause) {
    throw invalidRequest('The message is not valid JSON.', { cause })
  }
}

const MAX_SHOWN_CHARS = 64

const unknownType = (type: Json | undefined) =>
  typeof type === 'string'
    ? refusal('type', `"${type.slice(0, MAX_SHOWN_CHARS)}" is unknown. Send "response.create".`)
    : refusal('type', 'is missing. Send "response.create".')

/** A further lane would be one too many. */
export const tooManyLanes = (): GatewayError =>
  invalidRequest(
    `stream_id: this WebSocket has ${MAX_NAMED_LANES} lanes already, the most it may have. Use one of them, or connect again.`,
    { param: 'stream_id', code: 'websocket_stream_limit_reached' },
  )

const LANE = /^[A-Za-z0-9_.-]{1,256}$/

function laneOf(stream_id: Json | undefined): string | undefined {
  if (stream_id === undefined) return undefined
  if (typeof stream_id === 'string' && LANE.test(stream_id)) return stream_id
  throw invalidRequest(
    'stream_id: must be 1 to 256 letters, digits, underscores, hyphens and periods. Leave it out for the lane without a name.',
    { param: 'stream_id', code: 'invalid_stream_id' },
  )
}
