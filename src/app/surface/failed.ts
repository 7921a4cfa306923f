// Handling of every failed request of a surface: it is counted, recorded if it was refused, and answered in the surface's format.
import type { RefusalFacts } from '../../calls/life/call.ts'
import type { RefusedRequest } from '../../calls/life/events.ts'
import { CLIENT_CLOSED_REQUEST } from '../../calls/settling/end.ts'
import { type GatewayError, toGatewayError } from '../../domain/errors.ts'
import { answerFailure, type Failure, failureAnswer, renderFailure } from '../../http/answers.ts'
import { addressOf } from '../../http/sockets.ts'
import { boundedLinesOf } from '../../observe/bounded-lines.ts'
import type { Gateway } from './gateway.ts'
import type { Surface } from './origin.ts'

interface FailedRequest extends Pick<Failure, 'thrown' | 'request_id' | 'request'> {
  /** The facts known before the failure; absent if it had no origin yet. */
  known: RefusalFacts | undefined
}

type Parts = Pick<Gateway, 'calls' | 'requests'>

/** Returns the answer to a failed request, as `failureAnswer`. */
export const answerTo = (parts: Parts, surface: Surface, failed: FailedRequest): Response =>
  isAborted(failed) ? answerAborted(parts, surface, failed) : failureAnswer(record(parts, surface, failed))

/** Returns the answer to a failed request, as `answerFailure`. */
export const answerLater = async (
  parts: Parts,
  surface: Surface,
  failed: FailedRequest,
): Promise<Response> =>
  isAborted(failed) ? answerAborted(parts, surface, failed) : answerFailure(record(parts, surface, failed))

/**
 * Whether a request failed because its caller disconnected. Refusals before that, and faults of the gateway, are recorded as
 * usual.
 */
function isAborted({ thrown, known, request }: FailedRequest): boolean {
  if (!request?.signal.aborted) return false
  const { kind, cause } = toGatewayError(thrown)
  if (kind === 'internal') return cause instanceof DOMException && cause.name === 'AbortError'
  return known?.is_call ? kind !== 'overloaded' : kind.startsWith('upstream_')
}

/** Renders an answer for a closed connection, and records no refusal: a call is recorded as cancelled, a request without a hold gets a line in the log. */
function answerAborted(
  { calls: { log }, requests: { sockets } }: Parts,
  { render, id_header }: Surface,
  { thrown, known, request, request_id }: FailedRequest,
): Response {
  if (!known?.is_call)
    boundedLinesOf(log).write(
      callerOf(known, request, sockets),
      { request_id, status: CLIENT_CLOSED_REQUEST },
      'the client disconnected before an answer',
    )
  return renderFailure(toGatewayError(thrown), { request_id, render, id_header, request })
}

function record(
  { calls: { log, events }, requests: { error_answers, sockets } }: Parts,
  surface: Surface,
  { thrown: cause, known, ...about }: FailedRequest,
): Failure {
  const thrown = toGatewayError(cause)
  error_answers.add({ surface: surface.surface, class: thrown.kind })
  const refused = known && refusedRequest(surface, thrown, { known, request_id: about.request_id })
  if (refused) events.raise('refused', refused)
  return { ...surface, ...about, thrown, log, caller: callerOf(known, about.request, sockets) }
}

function callerOf(
  known: RefusalFacts | undefined,
  request: Request | undefined,
  sockets: Gateway['requests']['sockets'],
): string {
  if (known?.caller) return `account ${known.caller.account.id}`
  const address = request && addressOf({ request, sockets })
  return address === undefined ? 'unknown' : `address ${address}`
}

/** Returns the record of a 4xx with a known key, or a 503 before a provider was called (silent.md, Refused calls); none if it is a call. */
function refusedRequest(
  { surface, render }: Surface,
  error: GatewayError,
  { known, request_id }: { known: RefusalFacts; request_id: string },
): RefusedRequest | undefined {
  const { caller, model, is_call } = known
  if (!caller || is_call || error.kind.startsWith('upstream_')) return undefined
  const { status } = render(error, request_id)
  if (status >= 500 && error.kind !== 'overloaded') return undefined
  const { kind, code = kind, message, is_quoted } = error
  return {
    account_id: caller.account.id,
    key_id: caller.key.id,
    request_id,
    surface,
    model,
    status,
    code: is_quoted ? kind : code,
    sentence: is_quoted ? QUOTED : message,
  }
}

/** Replaces a provider's message, which may quote the request. */
const QUOTED = "The model's provider refused the request."
