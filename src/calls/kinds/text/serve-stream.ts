// A streamed text answer: pumped to its caller as it arrives, and settled before its end is sent.
import type { StreamReading } from '../../../protocols/protocol.ts'
import type { StreamEnding } from '../../../upstream/pump.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import { pumpAnswer } from '../../serving/pump-answer.ts'
import { restoreEach } from '../../serving/tool-names.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../../settling/end.ts'
import { reportDoubt } from '../../settling/reported-usage.ts'
import { reportBreak, settleStream, streamErrorFor } from '../../settling/stream-end.ts'
import { billStream, isFree } from './bill.ts'
import { rejectEmptyStream } from './empty-answer.ts'
import { type ExtrasTally, tallyStream } from './extras.ts'
import { readFirst } from './first-event.ts'
import { awaitOutput } from './first-output.ts'
import type { TextOrder } from './order.ts'
import { answerHeaders, sendingOf } from './sending.ts'
import { chargeServed, type ServedTier, tierForCaller, watchServedTier } from './service-tier.ts'

export async function serveStream(parts: CallParts, held: Held<TextOrder>): Promise<Response> {
  const { order } = held
  const { request, passages } = order
  const sending = sendingOf(parts, held, async (response, attempt, onProgress) => {
    const { protocol } = passages(attempt)
    const { readFailure, text } = protocol
    const opened = await readFirst(response, { open: text.stream.open, readFailure }, onProgress)
    return awaitOutput(parts.upstream.deadlines, opened, protocol, ({ events, reading }) =>
      rejectEmptyStream(protocol, { events, usage: reading.usage() }, request.body),
    )
  })
  const dispatched = await dispatchCall(parts, held, sending)
  const { attempt } = dispatched
  request.body.release()
  const passage = passages(attempt)
  request.dialect.answering?.answeredBy(attempt, passage.protocol)
  const counted = tallyStream(order.model, passage, passage.protocol.text.stream.open())
  const { reading, served } = watchServedTier(order, passage, attempt, counted.reading)
  const { renamed_tools } = sending.sent
  const relay = passage.stream(reading, {
    billed: () => billStream(held, passage, reading),
    service_tier: () => tierForCaller(order, served),
    upstream_model: attempt.model,
    restore: restoreEach(renamed_tools),
  })
  const headers = answerHeaders(held, attempt, relay.content_type, sending.sent)
  return pumpAnswer(parts, held, dispatched, headers, {
    relay,
    async settle(ending, cause, has_reached_caller) {
      if (cause !== undefined) reportBreak(parts, held, cause)
      const end = { attempt, reading, tally: counted.tally, served, ending, cause, has_reached_caller }
      await settleStream(parts, held, () => endOf(parts, held, end))
      if (ending === 'completed') await request.dialect.answering?.paid()
    },
    renderError(cause) {
      const error = streamErrorFor(parts, held, passage.protocol, relay, cause)
      return request.dialect.protocol.renderStreamError(error, held.origin.request_id)
    },
  })
}

interface StreamEnd {
  attempt: Attempt
  reading: StreamReading
  tally: ExtrasTally
  served: ServedTier
  ending: StreamEnding
  /** The reason why it broke. */
  cause: unknown
  has_reached_caller: boolean
}

/** Returns the end of the call. Delivered output is charged, however the stream ended. */
function endOf(parts: CallParts, held: Held<TextOrder>, end: StreamEnd): Delivered | Undelivered {
  const { attempt, reading, tally, served, ending, cause, has_reached_caller } = end
  if (isFree(reading, ending, cause))
    return { outcome: ending, status: ending === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200, cause }
  const { order } = held
  const billed = billStream(held, order.passages(attempt), reading, ending)
  const { usage, estimated, reported_usage, doubt, reported_cost_nanos } = billed
  reportDoubt(parts, held, attempt, doubt, usage)
  const extras = tally.charges(ending === 'completed' && !estimated)
  const charge = chargeServed(order, served, usage, extras)
  const why = doubt?.why
  return {
    outcome: ending,
    charge,
    usage,
    estimated,
    has_reached_caller,
    reported_usage,
    doubt: why,
    cause,
    reported_cost_nanos,
  }
}
