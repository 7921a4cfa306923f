// Dispatch of a call to the routes that support it, with the caller's disconnect signal, time limits and log.
import type { Catalogue, Model, Provider, Route } from '../../domain/catalogue.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import { protocolOf } from '../../protocols/registry.ts'
import { type Dispatch, type Dispatched, dispatch } from '../../upstream/dispatch.ts'
import { type Attempt, withRoutes } from '../../upstream/routes.ts'
import type { Sending } from '../../upstream/sending.ts'
import { PlainSignal } from '../../utilities/plain-signal.ts'
import type { Admitted, Held } from '../life/call.ts'
import type { RunningCall } from '../life/running.ts'
import type { Trace } from '../life/trace.ts'
import type { CallParts } from '../parts.ts'
import { recordAnswering } from '../settling/settlement.ts'

/**
 * Returns the model with only those routes that support the request.
 * @param assertCarries throws GatewayError invalid_request naming a field that the route's protocol does not support
 * @throws GatewayError the first route's refusal, if no route supports the request
 */
export async function withSupportingRoutes<M extends Model>(
  { catalogue }: Pick<CallParts, 'catalogue'>,
  model: M,
  assertCarries: (provider: Provider, route: Route) => void | Promise<void>,
): Promise<M> {
  const { providers } = catalogue()
  const refused = new Map<Route, GatewayError>()
  for (const route of model.routes) {
    const provider = providers.get(route.provider)
    try {
      if (provider) await assertCarries(provider, route)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      refused.set(route, thrown)
    }
  }
  if (refused.size === 0) return model
  const carrying = withRoutes(model, (route) => !refused.has(route))
  if (!carrying) throw refused.values().next().value
  return carrying
}

/**
 * Gets the first usable answer for a held call, and records the route that answered.
 * @throws GatewayError as `dispatch`
 */
export const dispatchCall = <T>(parts: CallParts, held: Held, sending: Sending<T>): Promise<Dispatched<T>> =>
  dispatch(parts.upstream, new CallDispatch(parts, held, held.order.model, sending, held.trace, held))

/**
 * Gets the first usable answer for a request that is not a held call, or for one of several requests of a call.
 * @param trace the call's trace, if any, which records the attempts
 */
export const dispatchRequest = <T>(
  parts: CallParts,
  admitted: Admitted,
  model: Model,
  sending: Sending<T>,
  trace?: Trace,
): Promise<Dispatched<T>> =>
  dispatch(parts.upstream, new CallDispatch(parts, admitted, model, sending, trace))

/** The dispatch of one request to its model's routes. */
class CallDispatch<T> implements Dispatch<T> {
  readonly catalogue: Catalogue
  readonly model: Model
  readonly signal: PlainSignal
  readonly gone: PlainSignal
  readonly sending: Sending<T>
  readonly #parts: CallParts
  readonly #request_id: string
  readonly #trace: Trace | undefined
  readonly #held: Held | undefined
  #sent_at_ms = 0
  #head_at_ms = 0
  /** The status of the current try; 0 until the response head arrived. */
  #status = 0

  constructor(
    parts: CallParts,
    { origin, place }: Admitted,
    model: Model,
    sending: Sending<T>,
    trace?: Trace,
    held?: Held,
  ) {
    place.progressed('upstream')
    this.catalogue = parts.catalogue()
    this.model = model
    this.signal = upstreamSignal(parts, place)
    this.gone = place.gone
    this.sending = sending
    this.#parts = parts
    this.#request_id = origin.request_id
    this.#trace = trace
    this.#held = held
  }

  readFailure(attempt: Attempt, status: number, headers: Headers, body: string): UpstreamFailure {
    if (this.sending.readFailure) return this.sending.readFailure(attempt, status, headers, body)
    return protocolOf(this.#parts.protocols, attempt.provider).readFailure(status, headers, body)
  }

  publicWords(message: string): string {
    return this.#parts.publicWords(message)
  }

  timeoutOf({ provider }: Attempt): number {
    const { streams, timeout_ms = Number.POSITIVE_INFINITY } = this.sending
    return Math.min(timeout_ms, streams ? provider.first_byte_timeout_ms : provider.call_timeout_ms)
  }

  onFailure({ key_id }: Attempt, { failure_class, message }: UpstreamFailure): void {
    this.#parts.log.warn(
      { request_id: this.#request_id, provider_key: key_id, failure_class, cause: message },
      'a route failed',
    )
  }

  sent(): void {
    this.#sent_at_ms = this.#parts.now()
    this.#status = 0
  }

  responded(status: number): void {
    this.#head_at_ms = this.#parts.now()
    this.#status = status
  }

  tried(attempt: Attempt, failure: UpstreamFailure): void {
    this.#trace?.failed(attempt, failure, {
      sent_at_ms: this.#sent_at_ms,
      failed_at_ms: this.#parts.now(),
      status: this.#status,
      context: this.model.kind === 'text' ? this.model.context : undefined,
    })
  }

  answered(attempt: Attempt): void {
    this.#trace?.answered(this.#sent_at_ms, this.#head_at_ms)
    if (!this.#held) return
    recordAnswering(this.#parts, this.#held, attempt)
    this.#parts.probe('dispatched')
  }

  abandoned(attempt: Attempt): void {
    if (!this.#held) return
    this.#held.attempt = attempt
    this.#held.abandoned_attempt = attempt
  }
}

/** Returns the signal that aborts the upstream after the caller's disconnect: at once, or after the drain timeout. */
function upstreamSignal({ catalogue }: CallParts, place: RunningCall): PlainSignal {
  const { on_disconnect, drain_timeout_ms } = catalogue().server
  if (on_disconnect === 'cancel') return place.gone
  const drained = new PlainSignal()
  const abort = () => drained.abort()
  place.watchSilence(Number.POSITIVE_INFINITY, abort)
  place.gone.listen({ onAbort: () => setTimeout(abort, drain_timeout_ms).unref() })
  return drained
}
