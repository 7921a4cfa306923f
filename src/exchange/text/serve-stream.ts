// A streamed text answer: pumped to its caller as it comes, and settled before its end is given out.
import { brokenStream, GatewayError, toGatewayError, UpstreamFault } from '../../domain/errors.ts'
import { chargeTokens } from '../../pricing/charge.ts'
import type { StreamReading } from '../../protocols/protocol.ts'
import { type ByteReader, beginningWith, pump, type StreamEnding } from '../../upstream/pump.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { fromUpstream } from '../../upstream/transport.ts'
import { reportDoubt } from '../doubted-usage.ts'
import { type Held, type Served, type Settle, send } from '../paid-call.ts'
import type { ExchangeParts } from '../parts.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../settlement.ts'
import { billStream, isFree } from './bill.ts'
import { type ExtrasTally, tallyStream } from './extras.ts'
import type { TextOrder } from './order.ts'
import { answerHeaders, sendingOf } from './sending.ts'

export async function serveStream(parts: ExchangeParts, held: Held<TextOrder>): Promise<Served> {
  const { order, place } = held
  const { request, passages } = order
  const { answer, attempt, abort } = await send(parts, held, sendingOf(held, readFirst))
  request.body.release()
  const { server } = parts.catalogue()
  const passage = passages(attempt.provider)
  request.dialect.answering?.answeredBy(attempt, passage.protocol)
  const { reading, tally } = tallyStream(order.model, passage, passage.protocol.text.stream.open())
  const relay = passage.stream(reading, () => billStream(held, passage, reading))
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
        await settle(() => endOf(parts, held, { attempt, reading, tally, ending, cause, given_out }))
        if (ending === 'completed') await request.dialect.answering?.paid()
      },
      renderError: (cause) =>
        request.dialect.protocol.renderStreamError(errorOf(cause), held.origin.request_id),
      onProgress: place.progressed,
    })
    return new Response(body, { headers: answerHeaders(held, relay.content_type) })
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

const errorOf = (cause: unknown): GatewayError =>
  cause instanceof UpstreamFault ? brokenStream(cause) : toGatewayError(cause)

/**
 * Waits for the first bytes of a stream: until they are there, another route may still answer.
 * @returns a reader of the whole stream
 * @throws UpstreamFault
 */
async function readFirst(response: Response): Promise<{ reader: ByteReader }> {
  const type = response.headers.get('content-type')
  if (type !== null && !type.startsWith('text/event-stream'))
    throw new UpstreamFault(`the upstream sent ${type}, no stream`)
  if (!response.body) throw new UpstreamFault('the upstream sent an answer without a body')
  const reader: ByteReader = response.body.getReader()
  const { value } = await fromUpstream(reader.read())
  if (!value) throw new UpstreamFault('the upstream sent an empty stream')
  return { reader: beginningWith(value, reader) }
}
