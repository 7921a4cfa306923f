// A streamed text answer: pumped to its caller as it comes, and settled before its end is given out.
import { GatewayError, toGatewayError, UpstreamFault } from '../../domain/errors.ts'
import { chargeTokens } from '../../pricing/charge.ts'
import type { StreamReading } from '../../protocols/protocol.ts'
import { decodeByteString } from '../../protocols/wire/byte-string.ts'
import { brokenOff, reportedFailure } from '../../upstream/failures.ts'
import { pump, type StreamEnding } from '../../upstream/pump.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { reportDoubt } from '../doubted-usage.ts'
import { type Held, type Served, type Settle, send } from '../paid-call.ts'
import type { ExchangeParts } from '../parts.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../settlement.ts'
import { billStream, isFree } from './bill.ts'
import { type ExtrasTally, tallyStream } from './extras.ts'
import { readFirst } from './first-event.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'
import { answerHeaders, sendingOf } from './sending.ts'

export async function serveStream(parts: ExchangeParts, held: Held<TextOrder>): Promise<Served> {
  const { order, place } = held
  const { request, passages } = order
  const sending = sendingOf(held, (response, { provider }, heard) =>
    readFirst(response, passages(provider).protocol, heard),
  )
  const { answer, attempt, abort } = await send(parts, held, sending)
  request.body.release()
  const { server } = parts.catalogue()
  const passage = passages(attempt.provider)
  request.dialect.answering?.answeredBy(attempt, passage.protocol)
  const { reading, tally } = tallyStream(order.model, passage, passage.protocol.text.stream.open())
  const relay = passage.stream(reading, () => billStream(held, passage, reading), attempt.model)
  let is_charged = false
  const stream = (settle: Settle) => {
    place.watchSilence(attempt.provider.idle_timeout_ms, abort)
    const body = pump({
      ...answer,
      relay,
      gone: place.gone,
      abortUpstream: abort,
      drain_timeout_ms: server.on_disconnect === 'drain' ? server.drain_timeout_ms : 0,
      async settle(ending, cause, given_out) {
        if (cause !== undefined) reportBreak(parts, held, cause)
        await settle(() => {
          const end = endOf(parts, held, { attempt, reading, tally, ending, cause, given_out })
          is_charged = 'charge' in end && end.charge.cost_nanos > 0
          return end
        }).catch((thrown) => {
          // What nobody has got is not charged for, where it cannot be recorded.
          is_charged &&= given_out
          throw thrown
        })
        if (ending === 'completed') await request.dialect.answering?.paid()
      },
      renderError(cause) {
        const error = errorOf(parts, passage, relay, { cause, is_charged })
        return request.dialect.protocol.renderStreamError(error, held.origin.request_id)
      },
      onProgress: place.progressed,
    })
    return new Response(body, { headers: answerHeaders(held, attempt, relay.content_type) })
  }
  return { stream }
}

interface StreamEnd {
  attempt: Attempt
  reading: StreamReading
  tally: ExtrasTally
  ending: StreamEnding
  /** Why it broke. */
  cause: unknown
  given_out: boolean
}

/** What was delivered is charged, however the stream ended. */
function endOf(parts: ExchangeParts, held: Held<TextOrder>, end: StreamEnd): Delivered | Undelivered {
  const { attempt, reading, tally, ending, cause, given_out } = end
  if (isFree(reading, ending, cause))
    return { outcome: ending, status: ending === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200 }
  const { model, passages } = held.order
  const billed = billStream(held, passages(attempt.provider), reading, ending)
  reportDoubt(parts, held, attempt, billed)
  const { usage, estimated } = billed
  const extras = tally.charges(ending === 'completed' && !estimated)
  const charge = chargeTokens(model.price, usage, extras)
  return { outcome: ending, charge, usage, estimated, given_out }
}

/** A break that is neither the upstream's nor ours to announce is a bug of the gateway: it is logged with its stack. */
function reportBreak({ log }: ExchangeParts, { origin }: Held, cause: unknown): void {
  const expected = cause instanceof UpstreamFault || cause instanceof GatewayError
  log[expected ? 'warn' : 'error']({ request_id: origin.request_id, cause }, 'a stream broke')
}

/** What the caller is told of a break. @param is_charged whether they pay for what was delivered */
function errorOf(
  { publicWords }: ExchangeParts,
  { protocol }: Passage,
  { failed_event }: Relay,
  { cause, is_charged }: { cause: unknown; is_charged: boolean },
): GatewayError {
  const is_upstreams =
    cause instanceof UpstreamFault || (cause instanceof GatewayError && cause.kind === 'upstream_failed')
  if (!is_upstreams) return toGatewayError(cause)
  const failure =
    failed_event === undefined ? undefined : reportedFailure(protocol, decodeByteString(failed_event)).failure
  return brokenOff({ failure, is_charged, cause, publicWords })
}
