// The settlement of a held call: its hold is posted or voided exactly once, with the call's record and log line.
import type { Catalogue } from '../../domain/catalogue.ts'
import { overloaded } from '../../domain/errors.ts'
import { formatUsd } from '../../domain/money.ts'
import { NO_USAGE, totalTokens } from '../../domain/usage.ts'
import type {
  CallRecord,
  Ledger,
  LostHold,
  Outcome,
  PostOperation,
  VoidOperation,
} from '../../money/ledger/operations.ts'
import type { TextLogger } from '../../observe/log.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { Held, RecordedCall } from '../life/call.ts'
import type { Events } from '../life/events.ts'
import { CLIENT_CLOSED_REQUEST, type Delivered, type Undelivered } from './end.ts'
import { costsOf } from './provider-cost.ts'
import { costOf, type SettlementQueue } from './queue.ts'
import { logSettled } from './settled-line.ts'

export interface SettlementParts {
  ledger: Ledger
  /** Its `[billing]` section sets the price of an interrupted answer: `isFree`. */
  catalogue: () => Catalogue
  /** Takes settlements that the ledger cannot write at the moment. */
  settlements: SettlementQueue
  events: Events
  log: TextLogger
  now: () => number
  /** Called at each step, for crash tests and the benchmark. */
  probe: (point: string) => void
}

/**
 * Settles a held call, once: charges for what was delivered, or voids the hold. Does nothing if the call is already resolved.
 * Resolves when the settlement is on the disk. A void that cannot be recorded is retried until it is, and never rejects.
 * @throws GatewayError if a charge could not be recorded. If the caller has received a part, or has disconnected, the charge is then
 * retried until it is recorded, as a broken answer. If the caller has received nothing, it is not retried, and may be voided
 */
export async function settle(
  parts: SettlementParts,
  held: Held,
  end: Delivered | Undelivered,
): Promise<void> {
  if (held.is_resolved) return
  const operation = operationOf(parts, held, end)
  if (held.plan_period_id !== null) operation.is_covered = true
  held.is_resolved = true
  held.is_charged = operation.op === 'post' && operation.cost_nanos > 0
  if (operation.op === 'post') parts.probe('settling')
  // A void would fail only after a wait, which callers need not spend.
  else if (parts.ledger.failing !== undefined) return enqueue(parts, held, operation)
  let result: Outcome
  try {
    result = await parts.ledger.submit(operation)
  } catch (cause) {
    parts.log.error({ ...fieldsOf(held, operation), cause }, 'a settlement failed')
    if (operation.op === 'void') return enqueue(parts, held, operation)
    held.is_resolved =
      ('has_reached_caller' in end && end.has_reached_caller === true) || end.outcome === 'cancelled'
    // An answer that no caller received is not charged if it cannot be recorded.
    held.is_charged &&= held.is_resolved
    if (!held.is_resolved) throw cause
    enqueue(parts, held, asBroken(operation))
    throw chargedLater(operation, cause)
  }
  conclude(parts, held, operation, result)
  if (operation.op === 'post') parts.probe('settled')
}

/** Records that an upstream started to answer. If a call makes several requests, the last attempt is recorded, with the time of the first answer. */
export function recordAnswering({ events, now }: SettlementParts, held: Held, attempt: Attempt): void {
  held.attempt = attempt
  if (held.first_byte_ms !== null) return
  held.first_byte_ms = now() - held.started_ms
  events.raise('answering', { call: held, after_ms: held.first_byte_ms })
}

/** Whether an answer that was interrupted after its first part is free for the caller, by `[billing] interrupted`. */
export const isFree = (
  { catalogue }: Pick<SettlementParts, 'catalogue'>,
  outcome: CallRecord['outcome'],
): boolean => outcome === 'broken' && catalogue().billing.interrupted === 'free'

function operationOf(
  parts: SettlementParts,
  held: Held,
  end: Delivered | Undelivered,
): PostOperation | VoidOperation {
  const now_ms = parts.now()
  const { hold_id, trace, place } = held
  const { request_id } = held.origin
  if (place.left_at_ms !== undefined) trace.left(place.left_at_ms)
  trace.ended(end)
  if (!('charge' in end))
    return { op: 'void', hold_id, request_id, call: recordOf(held, end, end.status, now_ms), now_ms }
  held.used_tokens = totalTokens(end.usage)
  const status = end.outcome === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200
  // A post of 0 releases the whole hold, and its tokens still count against token limits.
  const cost_nanos = isFree(parts, end.outcome) ? 0 : end.charge.cost_nanos
  const call = recordOf(held, end, status, now_ms, end)
  if (!held.limits) return { op: 'post', hold_id, request_id, cost_nanos, call, now_ms }
  return { op: 'post', hold_id, request_id, cost_nanos, call, now_ms, limits: held.limits }
}

function recordOf(
  held: Held,
  { outcome }: Delivered | Undelivered,
  status: number,
  now_ms: number,
  delivered?: Delivered,
): CallRecord {
  const { attempt, trace, order } = held
  const usage = delivered?.usage ?? NO_USAGE
  const costs = costsOf(delivered, attempt, trace.failed_costs)
  return {
    surface: held.origin.surface,
    model: order.model.id,
    provider: attempt?.provider.name ?? '',
    upstream_model: attempt?.model ?? '',
    outcome,
    status,
    streamed: order.streams ? 1 : 0,
    estimated: delivered?.estimated ? 1 : 0,
    // Field by field: every call runs this, and a spread takes a microsecond.
    input_tokens: usage.input_tokens,
    input_audio_tokens: usage.input_audio_tokens,
    cache_read_tokens: usage.cache_read_tokens,
    cache_write_5m_tokens: usage.cache_write_5m_tokens,
    cache_write_1h_tokens: usage.cache_write_1h_tokens,
    output_tokens: usage.output_tokens,
    thinking_tokens: usage.thinking_tokens,
    output_image_tokens: usage.output_image_tokens,
    images: delivered?.images ?? 0,
    provider_cost_nanos: costs.provider_cost_nanos,
    reported_cost_nanos: costs.reported_cost_nanos,
    computed_cost_nanos: costs.computed_cost_nanos,
    costs_elsewhere: costs.costs_elsewhere,
    price: delivered?.charge.snapshot ?? '',
    started_at_ms: held.started_ms,
    first_byte_ms: held.first_byte_ms,
    duration_ms: now_ms - held.started_ms,
    failed_tries: trace.failed_tries + (outcome === 'broken' ? 1 : 0),
    trace: trace.text(),
  }
}

/** Marks a completed answer as broken: its end is withheld, since it could not be paid in time. */
function asBroken(operation: PostOperation): PostOperation {
  const { call } = operation
  return call.outcome === 'completed' ? { ...operation, call: { ...call, outcome: 'broken' } } : operation
}

/** Logs and announces the ledger's outcome for a call: charged or not. */
function conclude(
  { log, events }: SettlementParts,
  held: RecordedCall,
  operation: PostOperation | VoidOperation,
  result: Outcome,
): void {
  if (!result.ok) {
    const { request_id, hold_id, cost_usd } = fieldsOf(held, operation)
    log.error(
      { request_id, hold_id, refusal: result.refusal, cost_usd },
      // A server that lost committed data has no such hold.
      `hold ${result.refusal === 'no_such_hold' ? 'missing' : 'already resolved'}; cost not charged`,
    )
    return
  }
  logSettled(log, held, operation, 'late' in result && result.late)
  events.raise('settled', { call: held, operation })
}

const fieldsOf = (
  { origin, hold_id }: Pick<RecordedCall, 'origin' | 'hold_id'>,
  operation: PostOperation | VoidOperation,
) => ({
  request_id: origin.request_id,
  hold_id,
  cost_usd: formatUsd(costOf(operation)),
})

function enqueue(parts: SettlementParts, held: Held, operation: PostOperation | VoidOperation): void {
  const fields = fieldsOf(held, operation)
  // The settlement may wait long, so the call itself, with its body, is not kept.
  const { caller, hold_id, held_nanos, plan_period_id, origin, order, attempt } = held
  const recorded = {
    caller,
    hold_id,
    held_nanos,
    plan_period_id,
    origin,
    attempt,
    order: { model: order.model, streams: order.streams },
  }
  parts.settlements.add({
    operation,
    hold: expiredHoldOf(held),
    fields,
    written(outcome) {
      if (outcome.ok) return conclude(parts, recorded, operation, outcome)
      // A commit that reported failure may still have succeeded; then this settlement itself resolved the hold.
      parts.log.warn({ ...fields, refusal: outcome.refusal }, 'hold already resolved, by an earlier try')
    },
  })
}

/** Returns the hold for a later process that may lack its row. It counts as expired, since its call is over. */
const expiredHoldOf = ({
  caller,
  origin,
  held_nanos,
  covered_nanos,
  plan_period_id,
  started_ms,
}: Held): LostHold => ({
  account_id: caller.account.id,
  key_id: caller.key.id,
  request_id: origin.request_id,
  amount_nanos: held_nanos,
  covered_nanos,
  plan_period_id,
  created_at_ms: started_ms,
  expires_at_ms: started_ms,
})

const chargedLater = ({ call }: PostOperation, cause: unknown) =>
  overloaded(
    call.images > 0
      ? 'The gateway cannot record calls at the moment. The images are stored and will be charged: GET /api/images/history lists them.'
      : 'The gateway cannot record calls at the moment, so the end of this answer is withheld. The answer will be charged.',
    { code: 'ledger_unavailable', retry_after_s: 1, cause },
  )
