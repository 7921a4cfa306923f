// A whole text answer: read to its end, priced, and given out once it is paid.
import { readReported } from '../../upstream/failures.ts'
import type { Attempt } from '../../upstream/routes.ts'
import { readAnswer } from '../../upstream/transport.ts'
import { send, wholeOutcome } from '../life/paid-call.ts'
import type { Held, Served } from '../life/paid-kind.ts'
import type { ExchangeParts } from '../parts.ts'
import { reportDoubt } from '../settling/doubted-usage.ts'
import type { BilledCall } from '../settling/told-usage.ts'
import { bill } from './bill.ts'
import { type ExtrasTally, tallyAnswer } from './extras.ts'
import type { TextOrder } from './order.ts'
import { answerHeaders, sendingOf } from './sending.ts'
import { chargeServed, type ServedTier, servedTier } from './service-tier.ts'

export async function serveWhole(parts: ExchangeParts, held: Held<TextOrder>): Promise<Served> {
  const { order } = held
  const sending = sendingOf(held, (response, attempt) => readWhole(parts, response, held, attempt))
  const { answer, attempt } = await send(parts, held, sending)
  order.request.body.release()
  const { body, billed, tally, served } = answer
  const { answering } = order.request.dialect
  reportDoubt(parts, held, attempt, billed.doubt, billed.usage)
  const charge = chargeServed(order, served, billed.usage, tally.charges(!billed.estimated))
  const { usage, estimated, told, doubt, reported_cost_nanos } = billed
  return {
    delivered: {
      outcome: wholeOutcome(held),
      charge,
      usage,
      estimated,
      told,
      doubt: doubt?.why,
      reported_cost_nanos,
    },
    answer: () =>
      answering ? answering.paid().then(() => giveOut(held, attempt, body)) : giveOut(held, attempt, body),
  }
}

type Body = Uint8Array<ArrayBuffer> | string

const giveOut = (held: Held<TextOrder>, attempt: Attempt, body: Body): Response =>
  new Response(body, { headers: answerHeaders(held, attempt, 'application/json') })

/**
 * All of an answer. What is cut short, or tells of an error under status 200, is none, and another route may have one.
 * @throws UpstreamFault; ReportedFailure for such an error
 */
async function readWhole(
  { catalogue }: ExchangeParts,
  response: Response,
  held: Held<TextOrder>,
  attempt: Attempt,
): Promise<{ body: Body; billed: BilledCall; tally: ExtrasTally; served: ServedTier }> {
  const passage = held.order.passages(attempt.provider)
  const bytes = await readAnswer(response, catalogue().server.max_answer_bytes)
  const json = readReported(passage.protocol, bytes.toString())
  const { readUsage, estimateOutput } = passage.protocol.text
  held.order.request.dialect.answering?.answeredBy(attempt, passage.protocol)
  const billed = bill(held, passage, readUsage(json), () => estimateOutput(json))
  return {
    body: passage.answer({ bytes, json }, billed, attempt.model),
    billed,
    tally: tallyAnswer(held.order.model, passage, json),
    served: servedTier(held.order, passage, attempt, json),
  }
}
