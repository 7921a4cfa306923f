// The end of a hold: the hold that an operation resolves, the amount that it frees, and the record of its call. Pure.
import type { Nanos } from '../../domain/money.ts'
import type { Call } from '../../store/schema.ts'
import {
  type AccountRow,
  type Book,
  countCost,
  countLost,
  type HoldRow,
  type KeyRow,
  personBudgets,
  refused,
} from './book.ts'
import { countPending } from './call-limits.ts'
import type { CallRecord, ExpireOperation, PostOperation, Refused, VoidOperation } from './operations.ts'
import { countCoveredCost, countCoveredLost } from './plans.ts'

/** The id of a lost hold until it is settled: greater than all others, like that of a hold opened now. */
const NO_ID_YET = Number.MAX_SAFE_INTEGER

export interface OpenHold {
  readonly resolving: HoldRow
  readonly account: AccountRow
  readonly key: KeyRow
  /** 0 if the hold has expired, or if a plan covers the call. */
  readonly frozen_nanos: Nanos
  /** The amount that counts against the plan that covers the call. */
  readonly covered_nanos: Nanos
  readonly is_covered: boolean
  readonly late: true | undefined
}

/** Finds a hold that can be resolved. The call of an expired hold was made, so it is paid, whatever its account and key may do now. */
export function openHoldOf(
  book: Book,
  operation: PostOperation | VoidOperation | ExpireOperation,
): OpenHold | Refused {
  const lost = operation.op === 'expire' ? undefined : operation.lost
  const resolving: HoldRow | undefined = lost
    ? { covered_nanos: 0, plan_period_id: null, ...lost, id: NO_ID_YET, state: 'expired', gateway_id: null }
    : book.holds.get(operation.hold_id)
  if (!resolving || (operation.request_id ?? resolving.request_id) !== resolving.request_id)
    return refused('no_such_hold')
  const late = resolving.state === 'expired' && operation.op !== 'expire' ? true : undefined
  if (resolving.state !== 'pending' && !late) return refused('already_resolved')
  const account = book.accounts.get(resolving.account_id)
  const key = book.keys.get(resolving.key_id)
  if (lost && !account) return refused('no_such_account')
  if (lost && key?.account_id !== lost.account_id) return refused('no_such_key')
  if (!account || !key) throw new Error(`the book lacks the account or the key of hold ${resolving.id}`)
  const { amount_nanos, covered_nanos, plan_period_id } = resolving
  return {
    resolving,
    account,
    key,
    frozen_nanos: late ? 0 : amount_nanos,
    covered_nanos: late ? 0 : covered_nanos,
    is_covered: plan_period_id !== null,
    late,
  }
}

/** @param cost_nanos the cost of its call, or 0 */
export function release(book: Book, open: OpenHold, state: HoldRow['state'], cost_nanos: Nanos = 0): void {
  const { resolving, account } = open
  if (resolving.id === NO_ID_YET) {
    resolving.id = book.takeHoldId()
    book.holds.set(resolving.id, resolving)
    if (open.is_covered) countCoveredLost(book, account, resolving)
    else countLostHold(book, open)
  }
  if (book.counts && resolving.state === 'pending') countPending(book.counts, resolving, -1)
  if (open.is_covered) countCoveredCost(book, account, resolving, cost_nanos - open.covered_nanos)
  else countCharge(book, open, cost_nanos)
  resolving.state = state
  book.resolved_holds.push(resolving)
}

function countLostHold(book: Book, { resolving, account, key }: OpenHold): void {
  countLost(book, account.budgets, resolving)
  countLost(book, key.budgets, resolving)
  countLost(book, personBudgets(key, resolving.id), resolving)
}

function countCharge(
  book: Book,
  { resolving, account, key, frozen_nanos }: OpenHold,
  cost_nanos: Nanos,
): void {
  account.held_nanos -= frozen_nanos
  key.held_nanos -= frozen_nanos
  countCost(book, account.budgets, resolving.id, cost_nanos - frozen_nanos)
  countCost(book, key.budgets, resolving.id, cost_nanos - frozen_nanos)
  countCost(book, personBudgets(key, resolving.id), resolving.id, cost_nanos - frozen_nanos)
  book.changed_accounts.add(account)
  book.changed_keys.add(key)
}

/** @param cost_nanos the amount that the balance owes for the call @param covered_nanos the amount that counts against a plan */
export function callOf(
  resolved: HoldRow,
  record: CallRecord,
  cost_nanos: Nanos,
  unpaid_nanos: Nanos,
  covered_nanos: Nanos = 0,
): Call {
  return {
    ...record,
    id: resolved.id,
    request_id: resolved.request_id,
    account_id: resolved.account_id,
    key_id: resolved.key_id,
    hold_nanos: resolved.amount_nanos,
    cost_nanos,
    unpaid_nanos,
    refunded_nanos: 0,
    provider_cost_nanos: record.provider_cost_nanos ?? null,
    costs_elsewhere: record.costs_elsewhere ?? null,
    reported_cost_nanos: record.reported_cost_nanos ?? null,
    computed_cost_nanos: record.computed_cost_nanos ?? null,
    summed: 0,
    price_id: null,
    counted: '',
    failed_tries: record.failed_tries ?? 0,
    trace: record.trace ?? '',
    covered_nanos,
    plan_period_id: resolved.plan_period_id,
  }
}
