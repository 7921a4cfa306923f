// Answers of the gateway's own: JSON with its request id, and failures in their surface's shape.
import { type GatewayError, toGatewayError } from '../domain/errors.ts'
import { boundedLinesOf } from '../observe/bounded-lines.ts'
import type { Logger } from '../observe/log.ts'
import { redactUrl } from '../observe/redact.ts'
import { isAbandoned } from './body.ts'

/** How a surface writes an error. @param request where it is known: some clients read a form of their own */
export type RenderError = (
  error: GatewayError,
  request_id: string,
  request?: Request,
) => { status: number; body: unknown }

export interface Identified {
  request_id: string
  /** A further name of the header that carries the id. */
  id_header?: string | undefined
}

export interface Failure extends Identified {
  thrown: unknown
  /** Given where its body may not have been read: the connection is closed rather than read to the end of a large body. */
  request?: Request
  render: RenderError
  log: Logger
  /** The caller, as far as it is known: lines about refusals are bounded for each. */
  caller?: string
}

/** The answer to a request that failed. Logged as an error where the gateway is at fault, and less loudly elsewhere. */
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
  // In an outage every request is refused so.
  else if (error.kind === 'overloaded') boundedLinesOf(log).write(caller, fields, 'request failed', 'warn')
  else if (status >= 500) log.warn(fields, 'request failed')
  else boundedLinesOf(log).write(caller, fields, 'request refused')
  if (request && isCutOff(request)) answer.headers.set('connection', 'close')
  return answer
}

/**
 * So long a sender whom the answer cuts off has to stop: writing on, they would be reset, and most clients then report a
 * broken pipe instead of the answer. Once the sockets' buffers are full, they read.
 */
const PAUSE_MS = 100

/** `failureAnswer`, at once unless its sender is to be cut off in the midst of a body. */
export async function answerFailure(failure: Failure): Promise<Response> {
  const answer = failureAnswer(failure)
  const { request } = failure
  if (request && isCutOff(request)) await Bun.sleep(PAUSE_MS)
  return answer
}

/** Path and query of a URL that may be malformed: its host is whatever the caller wrote. */
const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').slice(0, MAX_PATH_CHARS)

const MAX_PATH_CHARS = 500

/** Where the caller is at fault, a stack trace of ours says nothing. */
const messageOf = (cause: unknown): unknown => (cause instanceof Error ? cause.message : cause)

/** Reading the rest of a body shorter than this is cheaper than a new connection. */
const SHORT_BODY_BYTES = 64 * 1024

const isCutOff = (request: Request): boolean => isAbandoned(request) || leavesMuchUnread(request)

function leavesMuchUnread({ bodyUsed, headers }: Request): boolean {
  if (bodyUsed) return false
  const declared = headers.get('content-length')
  return declared === null ? headers.has('transfer-encoding') : Number(declared) > SHORT_BODY_BYTES
}

/** An error in its surface's shape, with the headers that every failure has. */
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
  // Such a body is refused before it is read, or half-way.
  if (error.kind === 'payload_too_large') headers.connection = 'close'
  return new Response(JSON.stringify(body), { status, headers })
}

/** A request's id under each of its header names. */
export function idHeaders({ request_id, id_header }: Identified): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': request_id }
  if (id_header !== undefined) headers[id_header] = request_id
  return headers
}

/** A JSON answer of the gateway's own. */
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
