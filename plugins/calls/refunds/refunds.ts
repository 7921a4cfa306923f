// Refunds of one or many calls: the calls that can be refunded, and the errors of refused refunds.

import { and, notInArray } from 'drizzle-orm'
import { refuseErased } from '../../../src/access/accounts.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { conflict, type GatewayError, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import type { RefundOperation, RefundOutcome, Refusal } from '../../../src/money/ledger/operations.ts'
import type { CallFilter } from '../../../src/money/ledger/queries.ts'
import type { Awaitable, Db } from '../../../src/store/db.ts'
import { isOneOf } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { calls, erased_accounts } from '../../../src/store/schema.ts'
import { allCalls, type RecordedCall } from '../listing.ts'
import { callUnderWay, findCall } from '../one-call.ts'

/** Calls that one request can refund, newest first; a repetition refunds the next ones. */
export const MAX_CALLS = 1_000
/** Refunds that are submitted together, so that paid calls are served in between. */
const CALLS_AT_ONCE = 50

type RefundedCall = Pick<
  RecordedCall,
  'id' | 'account_id' | 'key_id' | 'request_id' | 'cost_nanos' | 'refunded_nanos' | 'plan_period_id'
>

const queries = perConnection({
  ofIds: (orm) =>
    orm
      .select({
        id: calls.id,
        account_id: calls.account_id,
        key_id: calls.key_id,
        request_id: calls.request_id,
        cost_nanos: calls.cost_nanos,
        refunded_nanos: calls.refunded_nanos,
        plan_period_id: calls.plan_period_id,
      })
      .from(calls)
      .where(
        and(
          isOneOf(calls.id, 'ids'),
          notInArray(
            calls.account_id,
            orm.select({ account_id: erased_accounts.account_id }).from(erased_accounts),
          ),
        ),
      )
      .orderBy(calls.id),
  erased: (orm) => orm.select({ account_id: erased_accounts.account_id }).from(erased_accounts),
})

/** Returns the part of a charge that was not refunded yet. */
export const refundableAmount = ({
  cost_nanos,
  refunded_nanos,
}: Pick<RefundedCall, 'cost_nanos' | 'refunded_nanos'>) => cost_nanos - refunded_nanos

interface Refundable {
  calls: RecordedCall[]
  amount_nanos: Nanos
  /** Whether there are more than `MAX_CALLS`. */
  has_more: boolean
}

/** Returns the calls that can be refunded, without those of erased accounts. @param filter undefined matches no calls */
export async function refundableCalls(db: Db, filter: CallFilter | undefined): Promise<Refundable> {
  const found: Refundable = { calls: [], amount_nanos: 0, has_more: false }
  if (!filter) return found
  const erased = new Set((await queries(db).erased.all({})).map(({ account_id }) => account_id))
  for await (const some of allCalls(db, filter))
    for (const call of some) {
      if (refundableAmount(call) === 0 || erased.has(call.account_id)) continue
      if (found.calls.length === MAX_CALLS) return { ...found, has_more: true }
      found.calls.push(call)
      found.amount_nanos += refundableAmount(call)
    }
  return found
}

/** Returns a call that may be refunded. @throws GatewayError not_found; conflict while it is running, and for an erased account */
export async function requireCall(db: Db, request_id: string): Promise<RecordedCall> {
  const call = await findCall(db, request_id)
  if (call) {
    await refuseErased(db, { id: call.account_id, name: call.account_name })
    return call
  }
  if (await callUnderWay(db, request_id))
    throw conflict(`The call ${request_id} is still running. Refund it once it has ended.`, {
      code: 'call_under_way',
    })
  throw notFound(`No call found with the request id ${request_id}. Refused requests are not charged.`, {
    param: 'request_id',
  })
}

/** Submits a refund to the ledger of the gateway or of a command. */
export type SubmitRefund = (operation: RefundOperation) => Awaitable<RefundOutcome>

export interface Refund {
  /** Null: the whole charge, without what was refunded before. */
  amount_nanos: Nanos | null
  /** Visible to the account holder. */
  reason: string
  /** Idempotency key. */
  request_key?: string | undefined
  by: ActionContext | undefined
  now_ms: number
}

const operationOf = (
  { id, account_id, key_id }: RefundedCall,
  { amount_nanos, reason, request_key, by, now_ms }: Refund,
): RefundOperation => ({
  op: 'refund',
  ...{ account_id, key_id, call_id: id, amount_nanos, request_key },
  note: reason,
  // The same time as the refund's: the page of the call finds the actor in the audit log by it.
  by: by && { ...by, now_ms },
  now_ms,
})

/** Refunds one call. @throws GatewayError unprocessable if the ledger refuses; nothing was refunded then */
export async function refundCall(
  refund: SubmitRefund,
  call: RefundedCall,
  requested: Refund,
): Promise<Extract<RefundOutcome, { ok: true }>> {
  const outcome = await refund(operationOf(call, requested))
  if (outcome.ok) return outcome
  throw refusalOf(call, outcome.refusal)
}

/** Checks a refund before it is submitted. @throws GatewayError unprocessable */
export function checkRefund(call: RefundedCall, amount_nanos: Nanos | null): void {
  if (refundableAmount(call) === 0) throw refusalOf(call, 'nothing_to_refund')
  if (amount_nanos !== null && amount_nanos > refundableAmount(call))
    throw refusalOf(call, 'more_than_charged')
}

function refusalOf(call: RefundedCall, refusal: Refusal): GatewayError {
  const { request_id, cost_nanos, refunded_nanos, plan_period_id } = call
  switch (refusal) {
    case 'nothing_to_refund':
      if (plan_period_id !== null)
        return unprocessable(
          `The plan of the account paid for the call ${request_id}: nothing was taken from the balance, so nothing can be refunded. Add funds to the account in its place.`,
          { code: 'paid_by_plan' },
        )
      return unprocessable(
        cost_nanos === 0
          ? `The call ${request_id} was free: it has nothing to refund.`
          : `The call ${request_id} is refunded already: ${formatUsd(cost_nanos)} USD, all that it was charged.`,
        { code: refusal },
      )
    case 'more_than_charged': {
      const before = refunded_nanos > 0 ? `, of which ${formatUsd(refunded_nanos)} are refunded` : ''
      return unprocessable(
        `amount: the call ${request_id} was charged ${formatUsd(cost_nanos)} USD${before}. Enter at most ${formatUsd(refundableAmount(call))}.`,
        { param: 'amount', code: refusal },
      )
    }
    case 'amount_out_of_range':
      return unprocessable(
        `amount: with the refund of ${request_id} the balance would be more than an account can hold.`,
        {
          param: 'amount',
          code: refusal,
        },
      )
    case 'request_key_used':
      return unprocessable(
        'Idempotency-Key: was used for another movement of this account. Send a new one. Nothing was refunded.',
        { param: 'Idempotency-Key', code: 'idempotency_key_reused' },
      )
    default:
      return unprocessable(`The ledger refused the refund of ${request_id}: ${refusal}.`, { code: refusal })
  }
}

interface RefundedCalls {
  calls: number
  amount_nanos: Nanos
  /** The number of calls with nothing left to refund, or of erased accounts. */
  skipped: number
  /** Whether an earlier request with the same key had made all of these refunds. */
  again: boolean
}

/** Refunds the remaining charge of each call. It skips calls that were refunded or erased meanwhile, so it can be repeated. */
export async function refundCalls(
  { db, refund }: { db: Db; refund: SubmitRefund },
  ids: readonly number[],
  { request_key, ...requested }: Omit<Refund, 'amount_nanos'>,
): Promise<RefundedCalls> {
  const found = await queries(db).ofIds.all({ ids: JSON.stringify(ids) })
  const done = { calls: 0, amount_nanos: 0, again: 0 }
  for (let start = 0; start < found.length; start += CALLS_AT_ONCE) {
    const outcomes = await Promise.all(
      found.slice(start, start + CALLS_AT_ONCE).map(async (call) => {
        const key = request_key === undefined ? undefined : `${request_key} ${call.id}`
        return await refund(operationOf(call, { ...requested, amount_nanos: null, request_key: key }))
      }),
    )
    for (const outcome of outcomes) {
      if (!outcome.ok) continue
      done.calls += 1
      done.amount_nanos += outcome.refunded_nanos
      if (outcome.first) done.again += 1
    }
  }
  const { calls, amount_nanos, again } = done
  return { calls, amount_nanos, skipped: ids.length - calls, again: calls > 0 && again === calls }
}
