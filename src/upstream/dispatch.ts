// Dispatch: a model's routes tried one after the other until one answers, and never again after the first byte.

import type { Catalogue, Model } from '../domain/catalogue.ts'
import { GatewayError, UpstreamFault } from '../domain/errors.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import type { Cooldowns } from './cooldowns.ts'
import { allFailed, ReportedFailure, refusedRequest } from './failures.ts'
import { type Attempt, planAttempts, preferredFirst } from './routes.ts'
import {
  couldNotConnect,
  type Fetch,
  fromUpstream,
  reclaimOverlong,
  type UpstreamRequest,
} from './transport.ts'

export interface DispatchDeps {
  fetch: Fetch
  cooldowns: Cooldowns
  now: () => number
  random: () => number
}

export interface Dispatch<T> {
  catalogue: Catalogue
  model: Model
  /** Ends the attempt under way. */
  signal: AbortSignal
  /** Fires when the caller has gone: then no further attempt is begun, though the one under way may be read on. */
  gone: AbortSignal
  /**
   * Writes the request for one attempt.
   * @throws GatewayError where this provider's protocol cannot carry what the caller asks: another may
   */
  write(attempt: Attempt): UpstreamRequest | Promise<UpstreamRequest>
  /**
   * Reads an answer as far as it must be there before the caller gets a byte.
   * @param heard told of each sign of life that is no answer yet: the attempt's time begins anew
   * @throws UpstreamFault for what is garbled; ReportedFailure for an error under status 200
   */
  open(response: Response, attempt: Attempt, heard: () => void): Promise<T>
  /** Understands a refusal. */
  readFailure(attempt: Attempt, status: number, headers: Headers, body: string): UpstreamFailure
  /** What callers may read of a provider's words. */
  publicWords(message: string, attempt: Attempt): string
  /** How long one attempt may take until `open` is done. */
  timeoutOf(attempt: Attempt): number
  onFailure(attempt: Attempt, failure: UpstreamFailure): void
  /** The attempts to make before all others. */
  isPreferred?: ((attempt: Attempt) => boolean) | undefined
  /** Whether a refused request is changed, and worth a second attempt at the same route. */
  amend?: ((attempt: Attempt, failure: UpstreamFailure) => boolean) | undefined
  /** What a caller is told of a refused request, where not the provider's own words. */
  refused?: ((attempt: Attempt, failure: UpstreamFailure) => GatewayError | undefined) | undefined
  /** Whether the request was refused for what this route alone may be too small for: then others are tried. */
  isTooSmall?: ((failure: UpstreamFailure) => boolean) | undefined
  /** Told of the attempt that `signal` ended, where its provider may have the request: it was sent, and not refused. */
  onAbandoned?(attempt: Attempt): void
}

export interface Dispatched<T> {
  answer: T
  attempt: Attempt
  /** Ends the upstream's work, for as long as the answer is read. */
  abort: () => void
}

/** Refusals are short; what is longer is not read. */
const MAX_FAILURE_BYTES = 64 * 1024

/**
 * Tries the model's routes until one answers. After a 429, 5xx, refused key, garbled answer or failed connection the key goes
 * into cooldown and the next attempt is made; a refusal of the request itself ends the call. A route that cannot carry the
 * request is skipped, and is not at fault. Neither is any route when the gateway's own code throws.
 *
 * @throws GatewayError invalid_request, rate_limited (every attempt was), upstream_timeout or upstream_failed; and whatever
 * a bug of the gateway throws, as it is
 */
export async function dispatch<T>(deps: DispatchDeps, call: Dispatch<T>): Promise<Dispatched<T>> {
  const { model, catalogue } = call
  const planned = planAttempts(model.routes, catalogue.providers, deps.cooldowns, deps.now(), deps.random)
  const attempts = call.isPreferred ? preferredFirst(planned, call.isPreferred) : planned
  const failures: UpstreamFailure[] = []
  let refusal: GatewayError | undefined
  const too_small = new Set<string>()
  for (const attempt of attempts) {
    if (call.signal.aborted || call.gone.aborted) break
    if (too_small.has(routeOf(attempt))) continue
    const request = await writeOrRefuse(call, attempt)
    if (request instanceof GatewayError) {
      refusal ??= request
      continue
    }
    let result = await tryOnce(deps, call, attempt, request)
    if (!('answer' in result) && call.amend?.(attempt, result)) {
      const amended = await writeOrRefuse(call, attempt)
      if (!(amended instanceof GatewayError)) result = await tryOnce(deps, call, attempt, amended)
    }
    if ('answer' in result) {
      deps.cooldowns.succeeded(attempt.key_id)
      return result
    }
    if (result.failure_class === 'bad_request' && !call.signal.aborted) {
      const refused =
        call.refused?.(attempt, result) ?? refusedRequest(result, (words) => call.publicWords(words, attempt))
      if (!call.isTooSmall?.(result)) throw refused
      too_small.add(routeOf(attempt))
      refusal = refused
      continue
    }
    failures.push(result)
    if (call.signal.aborted) break
    call.onFailure(attempt, result)
    deps.cooldowns.failed(attempt.key_id, attempt.provider.cooldown_ms, (result.retry_after_s ?? 0) * 1000)
  }
  throw failures.length === 0 && refusal ? refusal : allFailed(failures)
}

const routeOf = ({ provider, model }: Attempt): string => `${provider.name} ${model}`

async function writeOrRefuse<T>(
  call: Dispatch<T>,
  attempt: Attempt,
): Promise<UpstreamRequest | GatewayError> {
  try {
    return await call.write(attempt)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}

async function tryOnce<T>(
  deps: DispatchDeps,
  call: Dispatch<T>,
  attempt: Attempt,
  { url, headers, body }: UpstreamRequest,
): Promise<Dispatched<T> | UpstreamFailure> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timeout = setTimeout(() => controller.abort(new TimedOut()), call.timeoutOf(attempt))
  call.signal.addEventListener('abort', abort)
  let refused = false
  try {
    const init = { method: 'POST', headers, body, signal: controller.signal, redirect: 'manual' } as const
    const response = await fromUpstream(deps.fetch(url, init))
    if (!response.ok) {
      refused = true
      const text = await fromUpstream(readShort(response))
      return call.readFailure(attempt, response.status, response.headers, text)
    }
    return { answer: await call.open(response, attempt, () => void timeout.refresh()), attempt, abort }
  } catch (thrown) {
    const { aborted, reason } = controller.signal
    controller.abort()
    reclaimOverlong(thrown)
    if (thrown instanceof ReportedFailure) return thrown.failure
    if (reason instanceof TimedOut) return timedOut()
    if (aborted && !refused && !couldNotConnect(thrown)) call.onAbandoned?.(attempt)
    if (aborted || isUpstreams(thrown)) return upstreamError(wordsOf(thrown))
    throw thrown
  } finally {
    clearTimeout(timeout)
    call.signal.removeEventListener('abort', abort)
  }
}

class TimedOut extends Error {}

/** Whether a failure is the upstream's: its transport's, its answer's, or one that the answer reports. All else is a bug of ours. */
const isUpstreams = (thrown: unknown): boolean =>
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

const wordsOf = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)

async function readShort(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const parts: Uint8Array[] = []
  for (let bytes = 0; bytes < MAX_FAILURE_BYTES; ) {
    const { value } = await reader.read()
    if (!value) return Buffer.concat(parts).toString()
    parts.push(value)
    bytes += value.length
  }
  await reader.cancel()
  return Buffer.concat(parts).toString()
}
