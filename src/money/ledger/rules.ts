// The rules of the ledger: what an operation does to the rows of a book. Pure.

import {
  type Budget,
  everFit,
  leastRoom,
  reachedBudget,
  resetOf,
  staysExactOpened,
  staysExactResolved,
} from '../../domain/budgets.ts'
import type { Nanos } from '../../domain/money.ts'
import type { Call } from '../../store/schema.ts'
import {
  type AccountRow,
  addHold,
  type Book,
  countCost,
  countLost,
  freeOf,
  type HoldRow,
  isAmount,
  type KeyRow,
  move,
  payDebt,
  personBudgets,
  refused,
} from './book.ts'
import { countPending, countRequest, countTokens, limitReached } from './call-limits.ts'
import { moveByOperator, openDebt } from './movements.ts'
import type {
  CallRecord,
  ExpireOperation,
  HoldOperation,
  HoldOutcome,
  Operation,
  OutcomeOf,
  PostOperation,
  PostOutcome,
  Refusal,
  Refused,
  VoidOperation,
  VoidOutcome,
} from './operations.ts'
import { refund } from './refunds.ts'

/** Periods as refusals name them. */
const PERIOD_NAMES = { '5h': '5h', day: 'daily', week: 'weekly', month: 'monthly' } as const

type Rule<O extends Operation> = (book: Book, operation: O) => OutcomeOf<O>

const RULES: { [Op in Operation['op']]: Rule<Extract<Operation, { op: Op }>> } = {
  hold,
  post,
  void: voidHold,
  expire,
  top_up: moveByOperator,
  withdraw: moveByOperator,
  open_debt: openDebt,
  refund,
}

/**
 * Applies one operation to a book that has the rows it touches. A refusal changes nothing.
 *
 * @throws Error when the account or key of a hold is not in the book: a bug of the writer
 */
export function apply<O extends Operation>(book: Book, operation: O): OutcomeOf<O> {
  // The table pairs every name with its rule; the compiler cannot follow that through the lookup.
  const rule = RULES[operation.op] as Rule<O>
  return rule(book, operation)
}

function hold(book: Book, operation: HoldOperation): HoldOutcome {
  const { amount_nanos, minimum_nanos, now_ms } = operation
  if (!isAmount(amount_nanos) || !isAmount(minimum_nanos)) return refused('amount_out_of_range')
  const account = book.accounts.get(operation.account_id)
  if (!account) return refused('no_such_account')
  const key = book.keys.get(operation.key_id)
  if (key?.account_id !== account.id) return refused('no_such_key')
  const refusal = refusalOf(account, key, now_ms)
  if (refusal) return refused(refusal)
  const reached = operation.limits && book.counts && limitReached(book.counts, operation, operation.limits)
  if (reached) return { ok: false, ...reached }

  // A call that can cost anything needs a hold of at least 1, even where the minimum is 0.
  const required = Math.min(amount_nanos, Math.max(minimum_nanos, 1))
  const total_room = remainingIn(key.spend_limit_nanos, key.spent_nanos + key.held_nanos)
  if (total_room < required) return refused('key_spend_limit')
  const over_budget =
    overBudget('key', key.budgets, required, now_ms) ??
    overBudget('person', key.person_budgets, required, now_ms) ??
    overBudget('account', account.budgets, required, now_ms)
  if (over_budget) {
    const all = [key.budgets, key.person_budgets, account.budgets]
    const may_wait = all.every((budgets) => everFit(budgets, required))
    return may_wait ? over_budget : { ...over_budget, resets_at_ms: null }
  }
  const free = freeOf(account)
  if (free < required) return refused('insufficient_balance')

  const budget_room = Math.min(
    leastRoom(key.budgets, now_ms),
    leastRoom(key.person_budgets, now_ms),
    leastRoom(account.budgets, now_ms),
  )
  const held = Math.min(amount_nanos, total_room, budget_room, free)
  if (
    !staysExactOpened(key.budgets, held, now_ms) ||
    !staysExactOpened(key.person_budgets, held, now_ms) ||
    !staysExactOpened(account.budgets, held, now_ms)
  )
    return refused('amount_out_of_range')
  return openHold(book, account, key, operation, held)
}

function post(book: Book, operation: PostOperation): PostOutcome {
  const { cost_nanos, now_ms } = operation
  const open = openHoldOf(book, operation)
  if ('refusal' in open) return open
  const { resolving, account, key, frozen_nanos, late } = open

  // The call may use its own hold and the free balance, but not the holds of other calls.
  const paid = Math.min(cost_nanos, freeOf(account) + frozen_nanos)
  const unpaid_nanos = cost_nanos - paid
  if (
    !isAmount(cost_nanos) ||
    !isAmount(key.spent_nanos + cost_nanos) ||
    !staysExactResolved(key.budgets, resolving.id, cost_nanos - frozen_nanos) ||
    !staysExactResolved(personBudgets(key, resolving.id), resolving.id, cost_nanos - frozen_nanos) ||
    !staysExactResolved(account.budgets, resolving.id, cost_nanos - frozen_nanos) ||
    !isAmount(account.debt_nanos + unpaid_nanos)
  )
    return refused('amount_out_of_range')

  release(book, open, 'settled', cost_nanos)
  key.spent_nanos += cost_nanos
  account.debt_nanos += unpaid_nanos
  move(book, account, {
    kind: 'charge',
    amount_nanos: -paid,
    call_id: resolving.id,
    note: '',
    request_key: null,
    now_ms,
  })
  book.new_calls.push(callOf(resolving, operation.call, cost_nanos, unpaid_nanos))
  if (operation.limits && book.counts)
    countTokens(book.counts, resolving, operation.limits, { call: operation.call, ended_ms: now_ms })
  payDebt(book, account, now_ms)
  return { ok: true, charged_nanos: paid, unpaid_nanos, late }
}

function voidHold(book: Book, operation: VoidOperation): VoidOutcome {
  const open = openHoldOf(book, operation)
  if ('refusal' in open) return open
  release(book, open, 'settled')
  book.new_calls.push(callOf(open.resolving, operation.call, 0, 0))
  payDebt(book, open.account, operation.now_ms)
  return { ok: true, returned_nanos: open.frozen_nanos, late: open.late }
}

function expire(book: Book, operation: ExpireOperation): VoidOutcome {
  const open = openHoldOf(book, operation)
  if ('refusal' in open) return open
  release(book, open, 'expired')
  payDebt(book, open.account, operation.now_ms)
  return { ok: true, returned_nanos: open.frozen_nanos }
}

/** Why this account and key may not begin a call now, whatever it costs; in order of precedence. */
function refusalOf(account: AccountRow, key: KeyRow, now_ms: number): Refusal | undefined {
  if (account.status === 'suspended') return 'account_suspended'
  if (key.revoked_at_ms !== null && key.revoked_at_ms <= now_ms) return 'key_revoked'
  if (key.expires_at_ms !== null && key.expires_at_ms <= now_ms) return 'key_expired'
  if (account.debt_nanos > 0) return 'outstanding_debt'
  return undefined
}

/** The refusal by a budget that has less left than a call needs. */
function overBudget(
  of: 'account' | 'key' | 'person',
  budgets: readonly Budget[],
  required_nanos: Nanos,
  now_ms: number,
): Refused | undefined {
  const reached = reachedBudget(budgets, required_nanos, now_ms)
  if (!reached) return undefined
  const refusal = `${of}_${PERIOD_NAMES[reached.period]}_limit` as const
  return { ok: false, refusal, resets_at_ms: resetOf(reached, now_ms) }
}

function openHold(
  book: Book,
  account: AccountRow,
  key: KeyRow,
  operation: HoldOperation,
  amount_nanos: Nanos,
): HoldOutcome {
  const { request_id, now_ms, expires_at_ms, limits } = operation
  const opened: HoldRow = {
    id: book.takeHoldId(),
    account_id: account.id,
    key_id: key.id,
    request_id,
    amount_nanos,
    state: 'pending',
    created_at_ms: now_ms,
    expires_at_ms,
    gateway_id: book.gateway_id,
  }
  addHold(book, account, key, opened)
  if (limits && book.counts) countRequest(book.counts, operation, limits)
  return { ok: true, hold_id: opened.id, held_nanos: amount_nanos }
}

/** Of a lost hold, until it is settled: as one that is opened now, and greater than all there are. */
const NO_ID_YET = Number.MAX_SAFE_INTEGER

interface OpenHold {
  readonly resolving: HoldRow
  readonly account: AccountRow
  readonly key: KeyRow
  /** Nothing once it has expired. */
  readonly frozen_nanos: Nanos
  readonly late: true | undefined
}

/** A hold that may be resolved. The call of one that expired was made: whatever its account and key may do by now, it is paid. */
function openHoldOf(
  book: Book,
  operation: PostOperation | VoidOperation | ExpireOperation,
): OpenHold | Refused {
  const lost = operation.op === 'expire' ? undefined : operation.lost
  const resolving: HoldRow | undefined = lost
    ? { ...lost, id: NO_ID_YET, state: 'expired', gateway_id: null }
    : book.holds.get(operation.hold_id)
  if (!resolving) return refused('no_such_hold')
  const late = resolving.state === 'expired' && operation.op !== 'expire' ? true : undefined
  if (resolving.state !== 'pending' && !late) return refused('already_resolved')
  const account = book.accounts.get(resolving.account_id)
  const key = book.keys.get(resolving.key_id)
  if (lost && !account) return refused('no_such_account')
  if (lost && key?.account_id !== lost.account_id) return refused('no_such_key')
  if (!account || !key) throw new Error(`the book lacks the account or the key of hold ${resolving.id}`)
  return { resolving, account, key, frozen_nanos: late ? 0 : resolving.amount_nanos, late }
}

function release(
  book: Book,
  { resolving, account, key, frozen_nanos }: OpenHold,
  state: HoldRow['state'],
  cost_nanos: Nanos = 0,
): void {
  if (resolving.id === NO_ID_YET) {
    resolving.id = book.takeHoldId()
    book.holds.set(resolving.id, resolving)
    countLost(book, account.budgets, resolving)
    countLost(book, key.budgets, resolving)
    countLost(book, personBudgets(key, resolving.id), resolving)
  }
  if (book.counts && resolving.state === 'pending') countPending(book.counts, resolving, -1)
  resolving.state = state
  account.held_nanos -= frozen_nanos
  key.held_nanos -= frozen_nanos
  countCost(book, account.budgets, resolving.id, cost_nanos - frozen_nanos)
  countCost(book, key.budgets, resolving.id, cost_nanos - frozen_nanos)
  countCost(book, personBudgets(key, resolving.id), resolving.id, cost_nanos - frozen_nanos)
  book.resolved_holds.push(resolving)
  book.changed_accounts.add(account)
  book.changed_keys.add(key)
}

function callOf(resolved: HoldRow, record: CallRecord, cost_nanos: Nanos, unpaid_nanos: Nanos): Call {
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
  }
}

/** How much more a key may hold by one of its limits; negative where its calls cost more than their holds. */
const remainingIn = (limit_nanos: Nanos | null, used_nanos: Nanos): Nanos =>
  limit_nanos === null ? Infinity : limit_nanos - used_nanos
