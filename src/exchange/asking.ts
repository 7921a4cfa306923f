// Asking a model's routes: an attempt after the other, with the caller's signals, the time limits and the log.

import type { Model } from '../domain/catalogue.ts'
import type { GatewayError } from '../domain/errors.ts'
import type { UpstreamFailure } from '../protocols/facts.ts'
import { protocolOf } from '../protocols/registry.ts'
import { type Dispatched, dispatch } from '../upstream/dispatch.ts'
import type { Attempt } from '../upstream/routes.ts'
import type { UpstreamRequest } from '../upstream/transport.ts'
import type { Admitted } from './admission.ts'
import type { ExchangeParts } from './parts.ts'
import type { RunningCall } from './running.ts'

/** How a call is put to a route of its model. */
export interface Sending<T> {
  streams: boolean
  write(attempt: Attempt): UpstreamRequest | Promise<UpstreamRequest>
  /** Reads an answer as far as it must be there before the caller gets a byte. */
  open(response: Response, attempt: Attempt, heard: () => void): Promise<T>
  /** Understands a refusal, where that is not done by the provider's protocol. */
  readFailure?: (attempt: Attempt, status: number, headers: Headers, body: string) => UpstreamFailure
  /** The most that one attempt may take, where the provider allows it more. */
  timeout_ms?: number
  /** The attempts to make before all others, wherever they stand. */
  isPreferred?: ((attempt: Attempt) => boolean) | undefined
  /** Whether a refused request is changed, and worth a second attempt at the same route. */
  amend?: (attempt: Attempt, failure: UpstreamFailure) => boolean
  /** What a caller is told of a refused request, where not the provider's own words. */
  refused?: (attempt: Attempt, failure: UpstreamFailure) => GatewayError | undefined
  /** Whether the request was refused for what this route alone may be too small for. */
  isTooSmall?: (failure: UpstreamFailure) => boolean
  /** Told of the attempt that the caller's leaving ended, where its provider may have the request. */
  onAbandoned?: (attempt: Attempt) => void
}

/**
 * Gets the first answer that works.
 * @throws GatewayError as `dispatch`
 */
export function ask<T>(
  parts: ExchangeParts,
  { origin, place }: Pick<Admitted, 'origin' | 'place'>,
  model: Model,
  sending: Sending<T>,
): Promise<Dispatched<T>> {
  const { streams, write, open, timeout_ms = Number.POSITIVE_INFINITY } = sending
  place.progressed('upstream')
  return dispatch(parts.upstream, {
    catalogue: parts.catalogue(),
    model,
    signal: upstreamSignal(parts, place),
    gone: place.gone,
    write,
    open,
    readFailure:
      sending.readFailure ??
      (({ provider }, ...answer) => protocolOf(parts.protocols, provider).readFailure(...answer)),
    publicWords: parts.publicWords,
    timeoutOf: ({ provider }) =>
      Math.min(timeout_ms, streams ? provider.first_byte_timeout_ms : provider.call_timeout_ms),
    onFailure: ({ key_id }, { failure_class, message }) =>
      parts.log.warn(
        { request_id: origin.request_id, provider_key: key_id, failure_class, cause: message },
        'a route failed',
      ),
    isPreferred: sending.isPreferred,
    amend: sending.amend,
    refused: sending.refused,
    isTooSmall: sending.isTooSmall,
    ...(sending.onAbandoned ? { onAbandoned: sending.onAbandoned } : {}),
  })
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
