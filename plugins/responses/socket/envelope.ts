// Parsing of a caller's WebSocket message: its kind, and for a response the body of the equivalent POST.
// https://developers.openai.com/api/docs/guides/websocket-mode; types: npm openai, resources/responses/responses, `ResponsesClientEvent`
import { type GatewayError, invalidRequest } from '../../../src/domain/errors.ts'
import { type Json, refusal } from '../../../src/protocols/wire/json.ts'
import { type EnvelopeRules, type Unwrapped, unwrap } from '../../../src/protocols/wire/json-splice.ts'
import { MAX_NAMED_LANES } from './lanes.ts'

/** The request for a response. */
export interface Create {
  kind: 'create'
  lane: string | undefined
  /** The body of the equivalent POST. */
  body: Uint8Array
  /** False if the response is only prepared, without generation. */
  generates: boolean
}

/** A message by its kind. */
export type Envelope =
  | Create
  /** Input for a response under way, which no model of the gateway supports. */
  | { kind: 'steer'; steer: { previous_response_id: Json; input: Json } }
  /** Codex reports that it has read an answer. It gets no reply, which Codex would take for the answer to its next request. */
  | { kind: 'notice' }

/** More than any real request has. */
const MAX_FIELDS = 256
const ENVELOPE: EnvelopeRules = {
  read: ['type', 'stream_id', 'generate'],
  leave_out: ['type', 'stream_id', 'generate'],
  set: { stream: true },
  max_fields: MAX_FIELDS,
}
const STEERING: EnvelopeRules = {
  read: ['previous_response_id', 'input'],
  leave_out: [],
  set: {},
  max_fields: MAX_FIELDS,
}
/** Limit for messages that request no response: they are free, and a steer is sent back. */
const MAX_UNPAID_BYTES = 64 * 1024

/** Parses an envelope, on the event loop or on a thread. */
export type Unwrap = (bytes: Uint8Array, rules: EnvelopeRules) => Promise<Unwrapped>

/** Returns the bytes of a text message. @throws GatewayError invalid_request for a binary message */
export function bytesOf(message: string | Uint8Array): Uint8Array {
  if (typeof message !== 'string')
    throw invalidRequest('A binary message cannot be read. Send JSON as a text message.')
  return Buffer.from(message)
}

/** Parses a message. The fields of a response request are checked later. @throws GatewayError invalid_request for an invalid envelope */
export const readMessage = (bytes: Uint8Array): Envelope => envelopeOf(bytes, unwrap(bytes, ENVELOPE))

/** The same for a large message. @throws GatewayError as `readMessage` and `unwrap` */
export async function readLargeMessage(bytes: Uint8Array, unwrapLarge: Unwrap): Promise<Envelope> {
  const { length } = bytes
  return envelopeOf({ length }, await unwrapLarge(bytes, ENVELOPE))
}

/** @param bytes the message; only its length if it is too large for any other kind than a request */
function envelopeOf(
  bytes: Uint8Array | { readonly length: number },
  { fields: { type, stream_id, generate = true }, request }: Unwrapped,
): Envelope {
  if (type === 'response.processed' || type === 'response.steer') {
    if (!(bytes instanceof Uint8Array) || bytes.length > MAX_UNPAID_BYTES)
      throw invalidRequest(`A message of type "${type}" may have at most ${MAX_UNPAID_BYTES / 1024} KB.`)
    if (type === 'response.processed') return { kind: 'notice' }
    const { previous_response_id = null, input = null } = unwrap(bytes, STEERING).fields
    return { kind: 'steer', steer: { previous_response_id, input } }
  }
  if (type !== 'response.create') throw unknownType(type)
  const lane = laneOf(stream_id)
  if (typeof generate !== 'boolean') throw refusal('generate', 'must be true or false.')
  return { kind: 'create', lane, body: request, generates: generate }
}

/** SDKs write the lane at the beginning of a message. */
const LANE_AT_START =
  /^\s*\{\s*(?:"type"\s*:\s*"response\.create"\s*,\s*)?"stream_id"\s*:\s*"([A-Za-z0-9_.-]{1,256})"/
const MAX_START_CHARS = 1_024

/** Finds the lane of an unparsed message; undefined if the message does not begin with it. */
export const laneAtStart = (message: string | Uint8Array): string | undefined =>
  typeof message === 'string' ? LANE_AT_START.exec(message.slice(0, MAX_START_CHARS))?.[1] : undefined

const MAX_SHOWN_CHARS = 64

const unknownType = (type: Json | undefined) =>
  typeof type === 'string'
    ? refusal('type', `"${type.slice(0, MAX_SHOWN_CHARS)}" is unknown. Send "response.create".`)
    : refusal('type', 'is missing. Send "response.create".')

/** The error for a further lane. */
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
