// The answer of a running stream: pumped to its caller as it arrives, and settled before its end is sent.
import { keyOf } from '../../idempotency/idempotency.ts'
import type { Dispatched } from '../../upstream/dispatch.ts'
import { type PumpOptions, pump } from '../../upstream/pump.ts'
import type { Admitted, Held } from '../life/call.ts'
import type { CallParts } from '../parts.ts'

/** Returns the reader of an answer: the gateway reads what it keeps under an Idempotency-Key, embeds in another answer, or sends in messages. */
export const readBy = ({ origin }: Pick<Admitted, 'origin'>): PumpOptions['read_by'] =>
  origin.read_by === 'gateway' || keyOf(origin.request) !== null ? 'gateway' : 'socket'

/** Starts the pump. The call stays open until `settle` has ended it (`settleStream`). */
export function pumpAnswer(
  { catalogue }: Pick<CallParts, 'catalogue'>,
  held: Held,
  { answer: opened, attempt, abort }: Dispatched<PumpOptions['opened']>,
  headers: Record<string, string>,
  stream: Pick<PumpOptions, 'relay' | 'settle' | 'renderError'>,
): Response {
  const { place } = held
  const { on_disconnect, drain_timeout_ms } = catalogue().server
  place.watchSilence(attempt.provider.idle_timeout_ms, abort)
  const body = pump({
    ...stream,
    opened,
    gone: place.gone,
    read_by: readBy(held),
    abortUpstream: abort,
    drain_timeout_ms: on_disconnect === 'drain' ? drain_timeout_ms : 0,
    place,
  })
  const answer = new Response(body, { headers })
  held.keepOpen()
  return answer
}
