// A whole text answer: read to its end, priced, and sent after payment.
import type { Awaitable } from '../../../store/db.ts'
import { readReported } from '../../../upstream/failures.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import { readAnswer } from '../../../upstream/transport.ts'
import { after } from '../../../utilities/after.ts'
import type { Held } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { dispatchCall } from '../../serving/dispatch-call.ts'
import { restoreBytes } from '../../serving/tool-names.ts'
import { wholeOutcome } from '../../settling/end.ts'
import { type BilledCall, reportDoubt } from '../../settling/reported-usage.ts'
import { settle } from '../../settling/settlement.ts'
import { bill } from './bill.ts'
import { rejectEmpty, seemsEmpty } from './empty-answer.ts'
import { type ExtrasTally, tallyAnswer } from './extras.ts'
import type { TextOrder } from './order.ts'
import { answerHeaders, type SentFacts, sendingOf } from './sending.ts'
import { chargeServed, type ServedTier, servedTier, tierForCaller } from './service-tier.ts'

export async function serveWhole(parts: CallParts, held: Held<TextOrder>): Promise<Response> {
  const { order } = held
  const sending = sendingOf(parts, held, (response, attempt, _onProgress, sent) =>
    readWhole(parts, response, held, { attempt, sent }),
  )
  const { answer, attempt } = await dispatchCall(parts, held, sending)
  order.request.body.release()
  const { body, billed, tally, served } = answer
  reportDoubt(parts, held, attempt, billed.doubt, billed.usage)
  const { usage, estimated, reported_usage, doubt, reported_cost_nanos } = billed
  await settle(parts, held, {
    outcome: wholeOutcome(held),
    charge: chargeServed(order, served, usage, tally.charges(!estimated)),
    usage,
    estimated,
    reported_usage,
    doubt: doubt?.why,
    reported_cost_nanos,
  })
  const { answering } = order.request.dialect
  if (answering) await answering.paid()
  return new Response(body, { headers: answerHeaders(held, attempt, 'application/json', sending.sent) })
}

/** A whole answer for its caller, and the basis of its charge. */
interface WholeAnswer {
  body: Uint8Array<ArrayBuffer> | string
  billed: BilledCall
  tally: ExtrasTally
  served: ServedTier
}

/** The attempt that answered, and the facts of its request. */
interface AnsweredAttempt {
  attempt: Attempt
  sent: SentFacts
}

/**
 * Reads a whole answer. If it is cut short, or reports an error with status 200, another route is tried.
 * @throws UpstreamFault; ReportedFailure for a reported error
 */
const readWhole = (
  { catalogue }: CallParts,
  response: Response,
  held: Held<TextOrder>,
  answered: AnsweredAttempt,
): Promise<WholeAnswer> =>
  readAnswer(response, catalogue().server.max_answer_bytes).then((read) => judge(held, read, answered))

function judge(
  held: Held<TextOrder>,
  read: Buffer<ArrayBuffer>,
  { attempt, sent }: AnsweredAttempt,
): Awaitable<WholeAnswer> {
  const passage = held.order.passages(attempt)
  const bytes = restoreBytes(read, sent.renamed_tools)
  const json = readReported(passage.protocol, bytes.toString())
  const { readUsage, estimateOutput } = passage.protocol.text
  const usage = readUsage(json)
  const { body, dialect } = held.order.request
  const judging = seemsEmpty(passage.protocol, { json, usage })
    ? rejectEmpty(passage.protocol, { json, usage }, body)
    : undefined
  return after(judging, () => {
    dialect.answering?.answeredBy(attempt, passage.protocol)
    const billed = bill(held, passage, usage, () => estimateOutput(json))
    const served = servedTier(held.order, passage, attempt, json)
    const details = {
      upstream_model: attempt.model,
      wants_json: sent.wants_json,
      service_tier: tierForCaller(held.order, served),
    }
    return {
      body: passage.answer({ bytes, json }, billed, details),
      billed,
      tally: tallyAnswer(held.order.model, passage, json),
      served,
    }
  })
}
