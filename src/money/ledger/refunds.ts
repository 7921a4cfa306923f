// The rule of refunds: a call's charge is returned at most once in total. Pure.
import { countResolved } from '../../domain/budgets.ts'
import { formatUsd, type Nanos } from '../../domain/money.ts'
import { overAllowance } from './allowances.ts'
import {
  type AccountRow,
  type Book,
  isAmount,
  type KeyRow,
  move,
  payDebt,
  personBudgets,
  type RefundedCall,
  refused,
} from './book.ts'
import { balanceFields, earlierMovement, isSame, moneyOf } from './movements.ts'
import type { KeyedEntry, RefundOperation, RefundOutcome } from './operations.ts'

/** Refunds the rest of a call's charge or a part of it. The balance receives it, and pays debt from it. */
export function refund(book: Book, operation: RefundOperation): RefundOutcome {
  const { account_id, amount_nanos: requested_nanos, note, request_key = null, now_ms } = operation
  if (requested_nanos !== null && (!isAmount(requested_nanos) || requested_nanos === 0))
    return refused('amount_out_of_range')
  const account = book.accounts.get(account_id)
  if (!account) return refused('no_such_account')
  const call = callOf(book, operation)
  const key = call && book.keys.get(call.key_id)
  if (!call || !key) return refused('no_such_call')
  const first = earlierMovement(book, account_id, request_key)
  if (first) return repeatedOutcome(account, first, operation)
  const left_nanos = call.cost_nanos - call.refunded_nanos
  const amount_nanos = requested_nanos ?? left_nanos
  if (left_nanos === 0) return refused('nothing_to_refund')
  if (amount_nanos > left_nanos) return refused('more_than_charged')
  if (!isAmount(account.balance_nanos + amount_nanos)) return refused('amount_out_of_range')
  const over = overAllowance(book, operation.allowance, amount_nanos)
  if (over) return over
  const before = balanceFields(account)
  takeFromSpending(book, { account, key, call }, amount_nanos)
  move(book, account, { kind: 'refund', amount_nanos, call_id: call.id, note, request_key, now_ms })
  payDebt(book, account, now_ms)
  book.new_actions.push({
    action: {
      action: 'call.refunded',
      account_id,
      key_id: key.id,
      subject: call.request_id,
      before,
      after: {
        ...balanceFields(account),
        amount_usd: formatUsd(amount_nanos),
        ...(note === '' ? {} : { note }),
      },
    },
    by: operation.by ?? { actor: { kind: 'system' }, now_ms },
  })
  return { ...moneyOf(account), refunded_nanos: amount_nanos }
}

/** Finds a refund's call, which may be recorded in the same batch. */
function callOf(
  { calls, new_calls }: Book,
  { account_id, key_id, call_id }: RefundOperation,
): RefundedCall | undefined {
  const recorded = new_calls.find(({ id }) => id === call_id)
  if (recorded && !calls.has(call_id)) calls.set(call_id, { ...recorded })
  const call = calls.get(call_id)
  return call?.account_id === account_id && call.key_id === key_id ? call : undefined
}

/** Subtracts a refund from the key's spend, and from budgets whose current period contains the call. */
function takeFromSpending(
  book: Book,
  { account, key, call }: { account: AccountRow; key: KeyRow; call: RefundedCall },
  amount_nanos: Nanos,
): void {
  call.refunded_nanos += amount_nanos
  book.new_refunds.set(call.id, (book.new_refunds.get(call.id) ?? 0) + amount_nanos)
  key.spent_nanos -= amount_nanos
  book.changed_keys.add(key)
  for (const budgets of [account.budgets, key.budgets, personBudgets(key, call.id)])
    for (const budget of budgets)
      if (countResolved(budget, call.id, -amount_nanos)) book.changed_budgets.add(budget)
}

/** Returns the outcome of a refund whose key was used before: nothing moves. A refund of the whole rest matches any amount. */
function repeatedOutcome(
  account: AccountRow,
  first: KeyedEntry,
  { amount_nanos, call_id, note }: RefundOperation,
): RefundOutcome {
  const requested = {
    kind: 'refund',
    amount_nanos: amount_nanos ?? first.amount_nanos,
    call_id,
    note,
  } as const
  if (!isSame(first, requested)) return { ...refused('request_key_used'), first }
  return { ...moneyOf(account), refunded_nanos: first.amount_nanos, first }
}
