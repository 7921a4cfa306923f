// The life of a paid call, whatever it makes: idempotency, hold, serve, settle; and the void of what came to nothing.
import type { Model } from '../../domain/catalogue.ts'
import { GatewayError, toGatewayError } from '../../domain/errors.ts'
import { totalTokens } from '../../domain/usage.ts'
import type { HoldOperation, HoldOutcome } from '../../ledger/operations.ts'
import type { Quote } from '../../pricing/quote.ts'
import type { Dispatched } from '../../upstream/dispatch.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { Sending } from '../../upstream/sending.ts'
import type { ExchangeParts } from '../parts.ts'
import { ask } from '../serving/asking.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../settling/end.ts'
import { openSettlement } from '../settling/settlement.ts'
import { type Admitted, type PaidCall, within } from './admission.ts'
import { withMargin } from './margin.ts'
import { openTrace } from './opened-trace.ts'
import type { Held, PaidKind, PaidOrder, Paying, Settle, Spent } from './paid-kind.ts'
import { refusalError, refuseWhileClosed } from './refusals.ts'

/**
 * Serves one paid call, from the caller's key to the recorded charge.
 *
 * @returns the answer, whole or streamed; the last of it leaves only after it is paid
 * @throws GatewayError for every refusal and failure before the first byte; nothing is held then
 */
export const servePaid = <C extends PaidCall, O extends PaidOrder>(
  parts: ExchangeParts,
  kind: PaidKind<C, O>,
  call: C,
): Promise<Response> =>
  within(parts, call.origin, async (admitted) =>
    pay(parts, admitted, await kind.read(parts, admitted, call), kind),
  )

/**
 * Holds, serves and settles; or answers again what was answered under the request's Idempotency-Key. Whatever fails
 * before the first byte leaves nothing held.
 *
 * @throws GatewayError as `Idempotency.once`, insufficient_balance and the other refusals of a hold, and what the kind throws
 */
export function pay<C extends PaidCall, O extends PaidOrder>(
  parts: ExchangeParts,
  admitted: Admitted,
  order: O,
  kind: Paying<C, O>,
): Promise<Response> {
  return answerOnce(parts, admitted, order, () => payAnyway(parts, admitted, order, kind))
}

/**
 * Serves a request once for its Idempotency-Key, whatever paid calls its answer takes.
 * @throws GatewayError as `Idempotency.once`, and what `serve` throws
 */
export function answerOnce(
  parts: ExchangeParts,
  admitted: Admitted,
  { content: read, streams }: Pick<PaidOrder, 'content' | 'streams'>,
  serve: () => Promise<Response>,
): Promise<Response> {
  const { origin, caller, place, sent_bytes } = admitted
  const mayBegin = () => {
    refuseWhileClosed(parts)
    admitted.count_later?.()
  }
  const content = sent_bytes ? [sent_bytes] : read
  const call = { origin, account_id: caller.account.id, content, streams, gone: place.gone, mayBegin }
  return parts.idempotency.once(call, serve)
}

/** `pay` without a look at the request's Idempotency-Key. */
export async function payAnyway<C extends PaidCall, O extends PaidOrder>(
  parts: ExchangeParts,
  admitted: Admitted,
  order: O,
  kind: Paying<C, O>,
): Promise<Response> {
  const prepared = kind.prepare ? await kind.prepare(parts, admitted, order) : order
  const quoted = kind.quote(prepared)
  const ready = withMargin(parts, admitted, { order: prepared, quoted, kind })
  const outcome = await parts.ledger.submit(holdOf(parts, admitted, ready, quoted))
  const held = heldBy(parts, admitted, ready, quoted, outcome)
  try {
    const served = await kind.serve(parts, held)
    if ('stream' in served) return await openStream(parts, held, served.stream)
    await settle(held, served.delivered)
    const answer = served.answer()
    return answer instanceof Promise ? await answer : answer
  } catch (thrown) {
    throw await abandon(held, thrown, (attempt) => kind.spent?.(ready, attempt))
  }
}

/** Freezes the ceiling of a quote, or the whole balance where it pays for the floor. */
function holdOf(
  parts: ExchangeParts,
  { caller, origin }: Admitted,
  { model }: PaidOrder,
  { ceiling_nanos, floor_nanos }: Quote,
): HoldOperation {
  const now_ms = parts.now()
  return {
    op: 'hold',
    account_id: caller.account.id,
    key_id: caller.key.id,
    request_id: origin.request_id,
    amount_nanos: ceiling_nanos,
    minimum_nanos: floor_nanos,
    now_ms,
    expires_at_ms: now_ms + longestTimeMs(parts, model),
  }
}

/** The held call. @throws GatewayError insufficient_balance or another refusal; nothing is held then */
function heldBy<O extends PaidOrder>(
  parts: ExchangeParts,
  admitted: Admitted,
  order: O,
  { ceiling_nanos }: Quote,
  outcome: HoldOutcome,
): Held<O> {
  if (!outcome.ok) throw refusalError(outcome.refusal)
  const { hold_id, held_nanos } = outcome
  const { caller, origin, place, scope, started_ms, is_part } = admitted
  const { request_id, surface } = origin
  place.holds(hold_id)
  origin.known.is_call = true
  parts.probe('held')
  const trace = openTrace(parts, admitted, held_nanos < ceiling_nanos ? ceiling_nanos : undefined)
  const call = {
    hold_id,
    held_nanos,
    request_id,
    traceparent: origin.request.headers.get('traceparent'),
    surface,
    model_id: order.model.id,
    streamed: order.streams,
    caller,
    started_ms,
  }
  const settlement = openSettlement(parts, call, trace)
  const held = {
    origin,
    caller,
    place,
    scope,
    started_ms,
    order,
    hold_id,
    held_nanos,
    ceiling_nanos,
    settlement,
  }
  return is_part ? { ...held, is_part } : held
}

/** Every route may take all of its time, and a caller theirs to read: an older hold was left by a call that is over. */
function longestTimeMs({ catalogue }: ExchangeParts, model: Model): number {
  const { providers, server } = catalogue()
  let time_ms = server.drain_timeout_ms + server.stalled_reader_timeout_ms
  for (const { provider } of model.routes) time_ms += providers.get(provider)?.call_timeout_ms ?? 0
  return time_ms
}

async function openStream(
  parts: ExchangeParts,
  held: Held,
  stream: (settle: Settle) => Response,
): Promise<Response> {
  const end = held.scope.keepOpen()
  try {
    return stream((endOf) => settleStream(parts, held, endOf).finally(end))
  } catch (thrown) {
    await end()
    throw thrown
  }
}

function settle({ settlement, scope, place }: Held, end: Delivered | Undelivered): Promise<void> {
  if (place.left_at_ms !== undefined) settlement.trace.left(place.left_at_ms)
  if (!('charge' in end)) return settlement.voidHold(end)
  scope.used_tokens = totalTokens(end.usage)
  return settlement.post(end)
}

/** Voids the hold of a stream that neither was charged nor will be, as `abandon` does for a whole answer. */
async function settleStream(
  { log }: ExchangeParts,
  held: Held,
  endOf: () => Delivered | Undelivered,
): Promise<void> {
  try {
    await settle(held, endOf())
  } catch (thrown) {
    if (!(thrown instanceof GatewayError))
      log.error({ request_id: held.origin.request_id, cause: thrown }, 'a stream could not be priced')
    await held.settlement.voidHold({ outcome: 'broken', status: 200, cause: thrown })
    throw thrown
  }
}

/**
 * Ends the hold of a call that failed, or whose caller left: it is voided, unless the caller left a request that its
 * provider may have, and that costs its input.
 * @returns the failure to tell of
 */
async function abandon(
  held: Held,
  thrown: unknown,
  spent: (attempt: Attempt) => Spent | undefined,
): Promise<unknown> {
  const { origin, place, settlement } = held
  const { aborted, reason } = place.gone
  const failure = reason instanceof GatewayError ? reason : toGatewayError(thrown)
  if (aborted && failure !== reason) {
    const { abandoned_attempt } = settlement
    const paid = abandoned_attempt && spent(abandoned_attempt)
    const end: Delivered | Undelivered = paid
      ? { outcome: 'cancelled', estimated: true, ...paid }
      : { outcome: 'cancelled', status: CLIENT_CLOSED_REQUEST }
    // Its failure is dropped here: the settlement has logged it and is tried again, and nobody is left to be told.
    await settle(held, end).catch(() => undefined)
  } else
    await settlement.voidHold({
      outcome: 'failed',
      status: origin.render(failure, origin.request_id).status,
      cause: failure,
    })
  return failure
}

/**
 * Gets the first answer that works for a held call: the route that answers goes into its record.
 * @throws GatewayError as `dispatch`
 */
export const send = <T>(parts: ExchangeParts, held: Held, sending: Sending<T>): Promise<Dispatched<T>> =>
  ask(parts, held, held.order.model, sending, held.settlement)

/** A whole answer is made even if its caller has left by then: what it cost is charged all the same. */
export const wholeOutcome = ({ place }: Held): 'cancelled' | 'completed' =>
  place.gone.aborted ? 'cancelled' : 'completed'
