// The gateway's own answers: JSON with the request ID, and failures in the surface's format.
import { type GatewayError, toGatewayError } from '../domain/errors.ts'
import { boundedLinesOf } from '../observe/bounded-lines.ts'
import type { Logger } from '../observe/log.ts'
import { redactUrl } from '../observe/redact.ts'
import { isAbandoned } from './body.ts'

/** Renders an error in a surface's format. @param request if known, since some clients expect a special format */
export type RenderError = (
  error: GatewayError,
  request_id: string,
  request?: Request,
) => { status: number; body: unknown }

export interface Identified {
  request_id: string
  /** A second header for the request ID. */
  id_header?: string | undefined
}

export interface Failure extends Identified {
  thrown: unknown
  /** Set if its body may be unread: the connection is then closed instead of reading the rest of a large body. */
  request?: Request
  render: RenderError
  log: Logger
  /** The caller, if known: log lines about refusals are limited per caller. */
  caller?: string
}

/** Returns the answer to a failed request, and logs it: as an error if the gateway is at fault, otherwise at a lower level. */
export function failureAnswer({ thrown, log, request, caller = 'unknown', ...about }: Failure): Response {
  const error = toGatewayError(thrown)
  const answer = renderFailure(error, { ...about, request })
  const { request_id } = about
  const { status } = answer
  const cause = status >= 500 ? error.cause : messageOf(error.cause)
  const logged_request = request && { method: request.method, path: redactUrl(pathOf(request.url)) }
  const fields = {
    request_id,
    ...logged_request,
    status,
    kind: error.kind,
    message_sent: error.message,
    cause,
  }
  if (error.kind === 'internal') log.error(fields, 'request failed')
  // Limited, since in an outage every request fails so.
  else if (error.kind === 'overloaded') boundedLinesOf(log).write(caller, fields, 'request failed', 'warn')
  else if (status >= 500) log.warn(fields, 'request failed')
  else boundedLinesOf(log).write(caller, fields, 'request refused')
  if (request && isCutOff(request)) answer.headers.set('connection', 'close')
  return answer
}

/**
 * The time for a sender to stop before the connection is closed. If it still writes then, the connection is reset, and most clients
 * report a broken pipe instead of the answer. Once the socket's buffers are full, clients read the answer.
 */
const PAUSE_MS = 100
/** At once. The runtime meanwhile receives 1 to 2 MB of each body, and in a flood of them no timer runs before it has. */
const MAX_PAUSES = 64
let pauses = 0

/** `failureAnswer`, delayed if the sender is interrupted within a body. */
export async function answerFailure(failure: Failure): Promise<Response> {
  const answer = failureAnswer(failure)
  const { request } = failure
  if (!request || !isCutOff(request) || pauses >= MAX_PAUSES) return answer
  pauses += 1
  await Bun.sleep(PAUSE_MS)
  pauses -= 1
  return answer
}

/** Returns the path and query of a URL, which may be malformed, since its host is the caller's input. */
const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').slice(0, MAX_PATH_CHARS)

const MAX_PATH_CHARS = 500

/** The message only: if the caller is at fault, our stack trace does not help. */
const messageOf = (cause: unknown): unknown => (cause instanceof Error ? cause.message : cause)

/** Reading the rest of a shorter body is cheaper than a new connection. */
const SHORT_BODY_BYTES = 64 * 1024

const isCutOff = (request: Request): boolean => isAbandoned(request) || leavesMuchUnread(request)

function leavesMuchUnread({ bodyUsed, headers }: Request): boolean {
  if (bodyUsed) return false
  const declared = headers.get('content-length')
  return declared === null ? headers.has('transfer-encoding') : Number(declared) > SHORT_BODY_BYTES
}

/** Renders an error in the surface's format, with the headers of every failure. */
export function renderFailure(
  error: GatewayError,
  {
    request_id,
    render,
    id_header,
    request,
  }: Pick<Failure, 'request_id' | 'render' | 'id_header'> & { request?: Request | undefined },
): Response {
  const { status, body } = render(error, request_id, request)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...idHeaders({ request_id, id_header }),
  }
  if (error.retry_after_s !== undefined) headers['retry-after'] = String(error.retry_after_s)
  // The body was refused before it was read to its end.
  if (error.kind === 'payload_too_large') headers.connection = 'close'
  return new Response(JSON.stringify(body), { status, headers })
}

/** Returns the headers with the request ID. */
export function idHeaders({ request_id, id_header }: Identified): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': request_id }
  if (id_header !== undefined) headers[id_header] = request_id
  return headers
}

/** Returns a JSON answer with the request ID. */
export function jsonAnswer(
  body: unknown,
  request_id: string,
  headers: Record<string, string> = {},
  status = 200,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': request_id, ...headers },
  })
}
