// The rules of the ledger: how an operation changes the rows of a book. Pure.

import {
  type Budget,
  budgetsStayExact,
  everFit,
  leastRoom,
  reachedBudget,
  resetOf,
  staysExactResolved,
} from '../../domain/budgets.ts'
import type { Nanos } from '../../domain/money.ts'
import {
  type AccountRow,
  addHold,
  type Book,
  freeOf,
  type HoldRow,
  isAmount,
  type KeyRow,
  move,
  payDebt,
  personBudgets,
  refused,
} from './book.ts'
import { countRequest, countTokens, limitReached } from './call-limits.ts'
import { PERIOD_NAMES } from './limit-refusals.ts'
import { openDebt, topUpOrWithdraw } from './movements.ts'
import type {
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
import { coversExactly, planOf, planRefusal } from './plans.ts'
import { refund } from './refunds.ts'
import { callOf, type OpenHold, openHoldOf, release } from './resolving.ts'
import { spendLeft } from './spend-left.ts'

type Rule<O extends Operation> = (book: Book, operation: O) => OutcomeOf<O>

const RULES: { [Op in Operation['op']]: Rule<Extract<Operation, { op: Op }>> } = {
  hold,
  post,
  void: voidHold,
  expire,
  top_up: topUpOrWithdraw,
  withdraw: topUpOrWithdraw,
  open_debt: openDebt,
  refund,
}

/**
 * Applies one operation to a book that contains the rows it touches. A refusal changes nothing.
 *
 * @throws Error if the account or key of a hold is not in the book: a bug of the writer
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
  const plan = planOf(account, operation)
  if (plan) {
    const refusal = planRefusal(plan, operation)
    if (!refusal) return openHold(book, { account, key }, operation, amount_nanos, plan.period_id)
    if (!plan.overflow) return refusal
  }

  // A call that may cost anything needs a hold of at least 1, even if the minimum is 0.
  const required = Math.min(amount_nanos, Math.max(minimum_nanos, 1))
  const total_room = remainingIn(key.spend_limit_nanos, key.spent_nanos + key.held_nanos)
  if (total_room < required) return refused('key_spend_limit')
  const over_budget =
    refusalByBudget('key', key.budgets, required, now_ms) ??
    refusalByBudget('person', key.person_budgets, required, now_ms) ??
    refusalByBudget('account', account.budgets, required, now_ms)
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
    !budgetsStayExact(key.budgets, held, now_ms) ||
    !budgetsStayExact(key.person_budgets, held, now_ms) ||
    !budgetsStayExact(account.budgets, held, now_ms)
  )
    return refused('amount_out_of_range')
  return openHold(book, { account, key }, operation, held)
}

function post(book: Book, operation: PostOperation): PostOutcome {
  const { cost_nanos, now_ms } = operation
  const open = openHoldOf(book, operation)
  if ('refusal' in open) return open
  if (open.is_covered) return postCovered(book, operation, open)
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

/** Counts the whole cost against the plan alone, including the part above its ceiling. */
function postCovered(book: Book, operation: PostOperation, open: OpenHold): PostOutcome {
  const { cost_nanos, now_ms } = operation
  const { resolving, account, late } = open
  if (!isAmount(cost_nanos) || !coversExactly(account, resolving.id, cost_nanos - open.covered_nanos))
    return refused('amount_out_of_range')
  release(book, open, 'settled', cost_nanos)
  book.new_calls.push(callOf(resolving, operation.call, 0, 0, cost_nanos))
  if (operation.limits && book.counts)
    countTokens(book.counts, resolving, operation.limits, { call: operation.call, ended_ms: now_ms })
  return { ok: true, charged_nanos: 0, unpaid_nanos: 0, covered_nanos: cost_nanos, late }
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

/** Returns why this account and key may not begin any call now, in order of precedence. */
function refusalOf(account: AccountRow, key: KeyRow, now_ms: number): Refusal | undefined {
  if (account.status === 'suspended') return 'account_suspended'
  if (key.revoked_at_ms !== null && key.revoked_at_ms <= now_ms) return 'key_revoked'
  if (key.expires_at_ms !== null && key.expires_at_ms <= now_ms) return 'key_expired'
  if (account.debt_nanos > 0) return 'outstanding_debt'
  return undefined
}

/** Refuses a call that needs more than a budget has left. */
function refusalByBudget(
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

/** @param plan_period_id the period of the plan that covers the call instead of the balance */
function openHold(
  book: Book,
  { account, key }: { account: AccountRow; key: KeyRow },
  operation: HoldOperation,
  nanos: Nanos,
  plan_period_id: number | null = null,
): HoldOutcome {
  const { request_id, now_ms, expires_at_ms, limits } = operation
  const opened: HoldRow = {
    id: book.takeHoldId(),
    account_id: account.id,
    key_id: key.id,
    request_id,
    amount_nanos: plan_period_id === null ? nanos : 0,
    state: 'pending',
    created_at_ms: now_ms,
    expires_at_ms,
    gateway_id: book.gateway_id,
    covered_nanos: plan_period_id === null ? 0 : nanos,
    plan_period_id,
  }
  addHold(book, account, key, opened)
  if (limits && book.counts) countRequest(book.counts, operation, limits)
  const outcome: Extract<HoldOutcome, { ok: true }> =
    plan_period_id === null
      ? { ok: true, hold_id: opened.id, held_nanos: nanos }
      : { ok: true, hold_id: opened.id, held_nanos: 0, covered_nanos: nanos, plan_period_id }
  if (operation.reports_spend_left) {
    const left = spendLeft(account, key, opened)
    if (left) outcome.spend_left = left
  }
  return outcome
}

/** Returns how much more a key may hold under its spend limit; negative if its calls cost more than their holds. */
const remainingIn = (limit_nanos: Nanos | null, used_nanos: Nanos): Nanos =>
  limit_nanos === null ? Infinity : limit_nanos - used_nanos
