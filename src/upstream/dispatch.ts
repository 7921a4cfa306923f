// Dispatch: tries a model's routes one after the other until one answers. It never retries after the first byte.
import type { Catalogue, Model } from '../domain/catalogue.ts'
import { GatewayError, UpstreamFault } from '../domain/errors.ts'
import { isServiceAccount } from '../domain/service-account.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import type { Deadline, Deadlines } from '../utilities/deadlines.ts'
import type { AbortListener, PlainSignal } from '../utilities/plain-signal.ts'
import type { Cooldowns } from './cooldowns.ts'
import { allRoutesFailed, ReportedFailure, refusedRequest } from './failures.ts'
import { type Attempt, planAttempts, preferredFirst, seedFrom } from './routes.ts'
import type { Sending } from './sending.ts'
import { NOT_SENT, sendWithToken } from './tokens/bearer.ts'
import type { Tokens } from './tokens/tokens.ts'
import {
  couldNotConnect,
  type Fetch,
  faultOf,
  fromUpstream,
  reclaimOverlong,
  type UpstreamRequest,
} from './transport.ts'

export interface DispatchDeps {
  fetch: Fetch
  cooldowns: Cooldowns
  /** The time limits of all attempts under way. */
  deadlines: Deadlines
  /** The access tokens of service accounts. */
  tokens: Tokens
  now: () => number
  /** A number in [0, 1) that orders routes and keys for calls without a session. */
  random: () => number
}

export interface Dispatch<T> {
  catalogue: Catalogue
  model: Model
  /** Ends the attempt under way: when the caller disconnects, or later. */
  signal: PlainSignal
  /** Fires when the caller disconnects: no further attempt starts, but the one under way may be read to its end. */
  gone: PlainSignal
  sending: Sending<T>
  /** Classifies a refusal. */
  readFailure(attempt: Attempt, status: number, headers: Headers, body: string): UpstreamFailure
  /** The part of a provider's message that callers may read. */
  publicWords(message: string, attempt: Attempt): string
  /** The time limit of one attempt until `open` is done. */
  timeoutOf(attempt: Attempt): number
  onFailure(attempt: Attempt, failure: UpstreamFailure): void
  /** Called when an attempt sends its request. */
  sent?(): void
  /** Called when the head of an answer arrives, with any status. */
  responded?(status: number): void
  /** Called for each failed attempt. */
  tried?(attempt: Attempt, failure: UpstreamFailure): void
  /** Called with the attempt that answered. */
  answered?(attempt: Attempt): void
  /** Called with the attempt that `signal` ended, if its provider may have the request: it was sent, and not refused. */
  abandoned?(attempt: Attempt): void
}

export interface Dispatched<T> {
  answer: T
  attempt: Attempt
  /** Ends the upstream's work while the answer is read; does nothing if the answer was read completely. */
  abort: () => void
}

/** The call fails after this many routes without output: a prompt that silences every model would be billed by each. */
const MAX_SILENT_ROUTES = 2

/** Refusals are short. The rest of a longer one is not read. */
const MAX_FAILURE_BYTES = 64 * 1024

/**
 * Tries the model's routes until one answers. After a 429, 5xx, refused key, garbled answer or failed connection, the key goes
 * into cooldown and the next attempt starts. A refusal of the request itself ends the call, and so does a second route without
 * output. A route whose protocol cannot express the request is skipped without blame. Exceptions of the gateway's own code blame no
 * route.
 * @throws GatewayError invalid_request, rate_limited (every attempt was), upstream_timeout or upstream_failed; and exceptions of the
 * gateway's own code, unchanged
 */
export async function dispatch<T>(deps: DispatchDeps, call: Dispatch<T>): Promise<Dispatched<T>> {
  const { model, catalogue, sending } = call
  const seed = sending.seed ?? seedFrom(deps.random())
  const planned = planAttempts(model.routes, catalogue.providers, deps.cooldowns, deps.now(), seed)
  const attempts = sending.isPreferred ? preferredFirst(planned, sending.isPreferred) : planned
  const failures: UpstreamFailure[] = []
  let refusal: GatewayError | undefined
  /** Routes that would answer the same with another key. */
  let skipped_routes: Set<string> | undefined
  let silent_routes = 0
  for (const attempt of attempts) {
    if (call.gone.aborted) break
    if (skipped_routes?.has(routeOf(attempt))) continue
    const written = writeOrRefuse(sending, attempt)
    const request = written instanceof Promise ? await written : written
    if (request instanceof GatewayError) {
      refusal ??= request
      continue
    }
    let result = await tryAttempt(deps, call, attempt, request)
    if (!('answer' in result) && sending.amend?.(attempt, result)) {
      call.tried?.(attempt, result)
      const amended = await writeOrRefuse(sending, attempt)
      if (!(amended instanceof GatewayError)) result = await tryAttempt(deps, call, attempt, amended)
    }
    if ('answer' in result) {
      deps.cooldowns.succeeded(attempt.key_id)
      call.answered?.(attempt)
      return result
    }
    call.tried?.(attempt, result)
    if (result.failure_class === 'bad_request' && !call.signal.aborted) {
      const refused =
        sending.refused?.(attempt, result) ??
        refusedRequest(result, (words) => call.publicWords(words, attempt))
      if (!sending.isTooSmall?.(result)) throw refused
      skipped_routes ??= new Set()
      skipped_routes.add(routeOf(attempt))
      refusal = refused
      continue
    }
    failures.push(result)
    if (call.signal.aborted || result === NOT_SENT) break
    call.onFailure(attempt, result)
    if (result.is_silent) {
      if (++silent_routes === MAX_SILENT_ROUTES) break
      skipped_routes ??= new Set()
      skipped_routes.add(routeOf(attempt))
      continue
    }
    const at_least_ms = (result.retry_after_s ?? 0) * 1000
    deps.cooldowns.failed(attempt.key_id, attempt.provider.cooldown_ms, at_least_ms, result)
  }
  throw failures.length === 0 && refusal ? refusal : allRoutesFailed(failures)
}

const routeOf = ({ provider, model }: Attempt): string => `${provider.name} ${model}`

type Written = UpstreamRequest | GatewayError

/** The request, or the refusal if this provider's protocol cannot express it; synchronous if nothing has to be awaited. */
function writeOrRefuse<T>(sending: Sending<T>, attempt: Attempt): Written | Promise<Written> {
  try {
    const request = sending.write(attempt)
    return request instanceof Promise ? request.catch(refusalOf) : request
  } catch (thrown) {
    return refusalOf(thrown)
  }
}

function refusalOf(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  throw thrown
}

/** Most keys are already in the request's headers; a service account needs a token first. */
function tryAttempt<T>(
  deps: DispatchDeps,
  call: Dispatch<T>,
  attempt: Attempt,
  request: UpstreamRequest,
): Promise<Dispatched<T> | UpstreamFailure> {
  const { api_key } = attempt
  const timeout_ms = call.timeoutOf(attempt)
  if (!isServiceAccount(api_key)) return tryOnce(deps, call, attempt, request, timeout_ms)
  const onRefused = (failure: UpstreamFailure) => call.tried?.(attempt, failure)
  return sendWithToken<Dispatched<T>>(
    request,
    { tokens: deps.tokens, api_key, gone: call.gone, timeout_ms, onRefused },
    (authorized, left_ms) => tryOnce(deps, call, attempt, authorized, left_ms),
  )
}

async function tryOnce<T>(
  deps: DispatchDeps,
  call: Dispatch<T>,
  attempt: Attempt,
  { url, headers, body }: UpstreamRequest,
  timeout_ms: number,
): Promise<Dispatched<T> | UpstreamFailure> {
  const end = new AttemptEnd()
  const { controller } = end
  deps.deadlines.set(end, timeout_ms)
  call.signal.listen(end)
  let response: Response | undefined
  try {
    call.sent?.()
    response = await deps.fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: controller.signal,
      redirect: 'manual',
    })
    call.responded?.(response.status)
    if (!response.ok) {
      const text = await readShort(response)
      const failure = call.readFailure(attempt, response.status, response.headers, text)
      return response.status === 401 ? { ...failure, is_unauthorized: true } : failure
    }
    const answer = await call.sending.open(response, attempt, () => deps.deadlines.set(end, timeout_ms))
    const { streams, is_read_on = streams } = call.sending
    if (is_read_on) return { answer, attempt, abort: () => controller.abort() }
    end.recycle()
    return { answer, attempt, abort: doNothing }
  } catch (thrown) {
    const { aborted, reason } = controller.signal
    controller.abort()
    reclaimOverlong(thrown)
    if (thrown instanceof ReportedFailure) return thrown.failure
    if (reason instanceof TimedOut) return timedOut()
    // Before a response, every exception is the connection's.
    const failure = response === undefined ? faultOf(thrown) : thrown
    const is_refused = response !== undefined && !response.ok
    if (aborted && !is_refused && !couldNotConnect(failure)) call.abandoned?.(attempt)
    if (aborted || isUpstreamFailure(failure)) return upstreamError(failureMessage(failure))
    throw failure
  } finally {
    deps.deadlines.clear(end)
    call.signal.forget(end)
  }
}

const doNothing = (): void => {}

/** Controllers of completed attempts, for reuse: to create one costs 3 µs, a hundredth of a small call. */
const IDLE_CONTROLLERS: AbortController[] = []
const MAX_IDLE_CONTROLLERS = 256

/** Ends an attempt: its fetch, and the reading of its answer. */
class AttemptEnd implements AbortListener, Deadline {
  readonly controller = IDLE_CONTROLLERS.pop() ?? new AbortController()

  /** Releases the controller for reuse. Call it only once the whole answer was read, when nothing is left to abort. */
  recycle(): void {
    const { signal } = this.controller
    if (!signal.aborted && IDLE_CONTROLLERS.length < MAX_IDLE_CONTROLLERS)
      IDLE_CONTROLLERS.push(this.controller)
  }

  onAbort(): void {
    this.controller.abort()
  }

  onDue(): void {
    this.controller.abort(new TimedOut())
  }
}

class TimedOut extends Error {}

/** Whether the upstream failed: its transport, its answer, or an error that it reported. All other exceptions are bugs of the gateway. */
const isUpstreamFailure = (thrown: unknown): boolean =>
  thrown instanceof UpstreamFault || (thrown instanceof GatewayError && thrown.kind !== 'internal')

const upstreamError = (message: string): UpstreamFailure => ({
  failure_class: 'upstream_error',
  message,
  retry_after_s: undefined,
})

const timedOut = (): UpstreamFailure => ({
  ...upstreamError('no answer in time'),
  failure_class: 'timed_out',
})

/** The message of an upstream's failure, without the name of the gateway's class. */
function failureMessage(thrown: unknown): string {
  if (thrown instanceof UpstreamFault) return thrown.message
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
}

async function readShort(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const parts: Uint8Array[] = []
  for (let bytes = 0; bytes < MAX_FAILURE_BYTES; ) {
    const { value } = await fromUpstream(reader.read())
    if (!value) return Buffer.concat(parts).toString()
    parts.push(value)
    bytes += value.length
  }
  await fromUpstream(reader.cancel())
  return Buffer.concat(parts).toString()
}
