// Asking a model's routes: an attempt after the other, with the caller's signals, the time limits and the log.

import type { Catalogue, Model } from '../../domain/catalogue.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import { protocolOf } from '../../protocols/registry.ts'
import { type Dispatch, type Dispatched, dispatch } from '../../upstream/dispatch.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { Sending } from '../../upstream/sending.ts'
import type { Admitted } from '../life/admission.ts'
import type { RunningCall } from '../life/running.ts'
import type { ExchangeParts } from '../parts.ts'
import type { Settlement } from '../settling/settlement.ts'

/** Told of the attempts that a call's record is about; its trace alone, where no attempt is recorded, or not each. */
type Recorded = Pick<Settlement, 'trace'> & Partial<Pick<Settlement, 'reached' | 'abandoned'>>

/**
 * Gets the first answer that works.
 * @param recorded absent for what is no call of its own
 * @throws GatewayError as `dispatch`
 */
export function ask<T>(
  parts: ExchangeParts,
  admitted: Pick<Admitted, 'origin' | 'place'>,
  model: Model,
  sending: Sending<T>,
  recorded?: Recorded,
): Promise<Dispatched<T>> {
  admitted.place.progressed('upstream')
  return dispatch(parts.upstream, new Question(parts, admitted, model, sending, recorded))
}

/** One call's question to the routes of its model. */
class Question<T> implements Dispatch<T> {
  readonly catalogue: Catalogue
  readonly model: Model
  readonly signal: AbortSignal
  readonly gone: AbortSignal
  readonly sending: Sending<T>
  readonly #parts: ExchangeParts
  readonly #request_id: string
  readonly #recorded: Recorded | undefined
  #sent_at_ms = 0
  #head_at_ms = 0
  /** Of the try under way; 0 until its head came. */
  #status = 0

  constructor(
    parts: ExchangeParts,
    { origin, place }: Pick<Admitted, 'origin' | 'place'>,
    model: Model,
    sending: Sending<T>,
    recorded: Recorded | undefined,
  ) {
    this.catalogue = parts.catalogue()
    this.model = model
    this.signal = upstreamSignal(parts, place)
    this.gone = place.gone
    this.sending = sending
    this.#parts = parts
    this.#request_id = origin.request_id
    this.#recorded = recorded
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
    this.#recorded?.trace.failed(attempt, failure, {
      sent_at_ms: this.#sent_at_ms,
      failed_at_ms: this.#parts.now(),
      status: this.#status,
      context: this.model.kind === 'text' ? this.model.context : undefined,
    })
  }

  answered(attempt: Attempt): void {
    if (!this.#recorded) return
    this.#recorded.trace.answered(this.#sent_at_ms, this.#head_at_ms)
    if (!this.#recorded.reached) return
    this.#recorded.reached(attempt)
    this.#parts.probe('dispatched')
  }

  abandoned(attempt: Attempt): void {
    this.#recorded?.abandoned?.(attempt)
  }
}

/** Fires when a caller who has left takes the upstream along: at once, or after the time to drain. */
function upstreamSignal({ catalogue }: ExchangeParts, place: RunningCall): AbortSignal {
  const { on_disconnect, drain_timeout_ms } = catalogue().server
  if (on_disconnect === 'cancel') return place.gone
  const controller = new AbortController()
  const abort = () => controller.abort()
  place.watchSilence(Number.POSITIVE_INFINITY, abort)
  place.gone.addEventListener('abort', () => setTimeout(abort, drain_timeout_ms).unref(), { once: true })
  return controller.signal
}
