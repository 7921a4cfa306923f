// The life of a paid call of any kind: idempotency, hold, serve, settle; and the void of a failed one.
import type { Model } from '../../domain/catalogue.ts'
import { GatewayError, toGatewayError } from '../../domain/errors.ts'
import { keyOf } from '../../idempotency/idempotency.ts'
import type { HoldOperation, HoldOutcome, Refused } from '../../money/ledger/operations.ts'
import type { Quote } from '../../money/pricing/quote.ts'
import type { CallParts } from '../parts.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from '../settling/end.ts'
import { settle } from '../settling/settlement.ts'
import { type PaidCall, withAdmission } from './admission.ts'
import type { Admitted, Held, PaidOrder } from './call.ts'
import { withMargin } from './margin.ts'
import type { KindAfterRead, PaidKind } from './paid-kind.ts'
import { planError } from './plan-refusals.ts'
import { refusalError, refusedByLimit, refuseWhileClosed, sharedLimitsOf } from './refusals.ts'
import { Trace } from './trace.ts'

/**
 * Serves one paid call, from the caller's key to the recorded charge.
 * @returns the answer, whole or streamed; its end is sent only after payment
 * @throws GatewayError for every refusal and failure before the first byte; nothing is held then
 */
export const servePaid = <C extends PaidCall, O extends PaidOrder>(
  parts: CallParts,
  kind: PaidKind<C, O>,
  call: C,
): Promise<Response> =>
  withAdmission(parts, call.origin, async (admitted) =>
    payOnce(parts, admitted, await kind.read(parts, admitted, call), kind),
  )

/**
 * Holds, serves and settles; or repeats the answer kept for the request's Idempotency-Key. After a failure before the first byte
 * nothing is held.
 * @throws GatewayError as `Idempotency.once`, insufficient_balance and the other refusals of a hold, and as the kind
 */
export const payOnce = <O extends PaidOrder>(
  parts: CallParts,
  admitted: Admitted,
  order: O,
  kind: KindAfterRead<O>,
): Promise<Response> => answerOnce(parts, admitted, order, () => pay(parts, admitted, order, kind))

/**
 * Serves a request once for its Idempotency-Key. Its answer may take several paid calls.
 * @throws GatewayError as `Idempotency.once` and `serve`
 */
export function answerOnce(
  parts: CallParts,
  admitted: Admitted,
  { content: sent, streams }: Pick<PaidOrder, 'content' | 'streams'>,
  serve: () => Promise<Response>,
): Promise<Response> {
  const { origin, caller, place, sent_bytes } = admitted
  const mayBegin = () => {
    refuseWhileClosed(parts)
    return admitted.count_later?.()
  }
  const key = keyOf(origin.request)
  if (key === null) {
    const counting = mayBegin()
    return counting ? counting.then(serve) : serve()
  }
  const content = sent_bytes ? [sent_bytes] : sent
  const call = { origin, account_id: caller.account.id, content, streams, gone: place.gone, mayBegin }
  return parts.idempotency.once(key, call, serve)
}

/** Pays without checking the Idempotency-Key; once for a call. @throws GatewayError as `payOnce` */
async function pay<O extends PaidOrder>(
  parts: CallParts,
  admitted: Admitted,
  order: O,
  kind: KindAfterRead<O>,
): Promise<Response> {
  parts.probe('read')
  const prepared = kind.prepare ? await kind.prepare(parts, admitted, order) : order
  const quoted = kind.quote(prepared)
  const ready = withMargin(parts, admitted, { order: prepared, quoted, kind })
  parts.probe('quoted')
  admitted.limits = sharedLimitsOf(parts, admitted.caller)
  const deciding = parts.ledger.submit(holdOf(parts, admitted, ready, quoted))
  // Without a promise if this process owns the ledger.
  const outcome = deciding instanceof Promise ? await deciding : deciding
  const held = recordHold(parts, admitted, ready, quoted, outcome)
  try {
    return await kind.serve(parts, held)
  } catch (thrown) {
    throw await abandon(parts, held, kind, thrown)
  }
}

/** Makes the hold for a quote's ceiling, or for the whole balance if that covers at least the floor. */
function holdOf(
  parts: CallParts,
  { caller, origin, limits }: Admitted,
  { model }: PaidOrder,
  { ceiling_nanos, floor_nanos }: Quote,
): HoldOperation {
  const now_ms = parts.now()
  const operation: HoldOperation = {
    op: 'hold',
    account_id: caller.account.id,
    key_id: caller.key.id,
    request_id: origin.request_id,
    amount_nanos: ceiling_nanos,
    minimum_nanos: floor_nanos,
    now_ms,
    expires_at_ms: now_ms + longestTimeMs(parts, model),
    reports_spend_left: true,
  }
  if (limits) operation.limits = limits
  if (caller.account.plan_period_id !== null) operation.model_id = model.id
  return operation
}

/** Returns the call's longest time: all of every route's time, and the caller's time to read. An older hold belongs to no running call. */
function longestTimeMs({ catalogue }: CallParts, model: Model): number {
  const { providers, server } = catalogue()
  let time_ms = server.drain_timeout_ms + server.stalled_reader_timeout_ms
  for (const { provider } of model.routes) time_ms += providers.get(provider)?.call_timeout_ms ?? 0
  return time_ms
}

/** Writes the hold into its call's record. @throws GatewayError insufficient_balance or another refusal; nothing is held then */
function recordHold<O extends PaidOrder>(
  parts: CallParts,
  admitted: Admitted,
  order: O,
  { ceiling_nanos }: Quote,
  outcome: HoldOutcome,
): Held<O> {
  if (!outcome.ok)
    throw (
      refusedByLimit(parts, admitted.caller, outcome) ??
      planError(outcome, parts.now()) ??
      refusalError(outcome.refusal, order.is_uncounted, resetOf(parts, outcome))
    )
  const held = admitted as Held<O>
  held.order = order
  held.hold_id = outcome.hold_id
  held.held_nanos = outcome.held_nanos
  if (outcome.covered_nanos !== undefined) {
    held.covered_nanos = outcome.covered_nanos
    held.plan_period_id = outcome.plan_period_id ?? null
  }
  held.spend_left = outcome.spend_left
  held.ceiling_nanos = ceiling_nanos
  held.place.hold_id = held.hold_id
  held.origin.known.is_call = true
  parts.probe('held')
  held.trace = traceOf(parts, held)
  parts.events.raise('held', held)
  return held
}

const resetOf = ({ now }: CallParts, { resets_at_ms }: Refused) =>
  typeof resets_at_ms === 'number' ? { at_ms: resets_at_ms, now_ms: now() } : undefined

/** Enough to distinguish keys: anyone who has the key can find its calls. */
const HASH_CHARS = 16

/** Creates the trace of a newly held call. */
function traceOf(
  { now, publicWords }: CallParts,
  { origin, started_ms, held_nanos, covered_nanos, ceiling_nanos }: Held,
): Trace {
  const trace = new Trace(started_ms, now(), publicWords)
  if (held_nanos + covered_nanos < ceiling_nanos) trace.note({ ceiling_nanos })
  const key = keyOf(origin.request)
  if (key === null) return trace
  const sha256 = new Bun.CryptoHasher('sha256').update(key).digest('hex')
  trace.note({ idempotency_key_sha256: sha256.slice(0, HASH_CHARS) })
  return trace
}

/**
 * Ends the hold of a call that failed or whose caller disconnected. The hold is voided, unless the caller disconnected after a provider
 * may have received the request, and its input costs something.
 * @returns the failure to report
 */
async function abandon<O extends PaidOrder>(
  parts: CallParts,
  held: Held<O>,
  kind: KindAfterRead<O>,
  thrown: unknown,
): Promise<unknown> {
  const { origin, place, order, abandoned_attempt } = held
  const { aborted, reason } = place.gone
  const failure = reason instanceof GatewayError ? reason : toGatewayError(thrown)
  const has_left = aborted && failure !== reason
  if (!has_left) {
    const { status } = origin.render(failure, origin.request_id)
    await settle(parts, held, { outcome: 'failed', status, cause: failure })
    return failure
  }
  const spent = abandoned_attempt && kind.spent?.(order, abandoned_attempt)
  const end: Delivered | Undelivered = spent
    ? { outcome: 'cancelled', estimated: true, ...spent }
    : { outcome: 'cancelled', status: CLIENT_CLOSED_REQUEST }
  // A failed settlement is ignored here: it is logged and retried, and the caller has disconnected.
  await settle(parts, held, end).catch(() => undefined)
  return failure
}
