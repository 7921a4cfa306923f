// The rules of movements without a call: top-ups, withdrawals and opening debts, each made once for its request key. Pure.
import type { ActionName, Fields } from '../../domain/actions.ts'
import { formatUsd } from '../../domain/money.ts'
import { allowanceOf, overAllowance } from './allowances.ts'
import {
  type AccountRow,
  type Book,
  entryKey,
  freeOf,
  isAmount,
  type Movement,
  move,
  payDebt,
  refused,
} from './book.ts'
import type {
  KeyedEntry,
  MoneyOperation,
  MoneyOutcome,
  OpenDebtOperation,
  Share,
  TopUpOperation,
  WithdrawOperation,
} from './operations.ts'
import { changeRows, wrongState } from './row-states.ts'

/** Adds to a balance and pays debt from it, or takes from the part of the balance that is not held. */
export function topUpOrWithdraw(book: Book, operation: TopUpOperation | WithdrawOperation): MoneyOutcome {
  const { op, account_id, amount_nanos, note, request_key = null, now_ms } = operation
  const account = book.accounts.get(account_id)
  if (!isAmount(amount_nanos) || amount_nanos === 0) return refused('amount_out_of_range')
  if (!account) return refused('no_such_account')
  const moved = { call_id: null, note, request_key }
  const requested: Omit<Movement, 'now_ms'> =
    op === 'top_up'
      ? { kind: 'top_up', amount_nanos, ...moved }
      : { kind: 'withdrawal', amount_nanos: -amount_nanos, ...moved }
  const first = earlierMovement(book, account_id, request_key)
  if (first) return repeatedOutcome(account, first, requested)
  const wrong = wrongState(book, account, operation)
  if (wrong) return wrong
  if (op === 'withdraw' && freeOf(account) < amount_nanos) return refused('insufficient_balance')
  if (!isAmount(account.balance_nanos + requested.amount_nanos)) return refused('amount_out_of_range')
  const over = overAllowance(book, allowanceOf(operation), amount_nanos)
  if (over) return over
  const before = balanceFields(account)
  changeRows(book, account, operation)
  move(book, account, { ...requested, now_ms })
  payDebt(book, account, now_ms)
  recordMovement(book, account, operation, before)
  if (operation.op === 'top_up') {
    for (const share of operation.shares ?? []) creditShare(book, share, operation)
    const { purchase, by } = operation
    if (purchase) topUpOrWithdraw(book, { op: 'withdraw', account_id, ...purchase, by, now_ms })
  }
  return moneyOf(account)
}

/** Credits a share of a top-up. If the share is not possible, it is left out, and the top-up is still made. */
function creditShare(book: Book, share: Share, { by, now_ms }: TopUpOperation): void {
  const { account_id, amount_nanos, note, request_key } = share
  const account = book.accounts.get(account_id)
  if (!account || earlierMovement(book, account_id, request_key)) return
  if (!isAmount(amount_nanos) || amount_nanos === 0 || !isAmount(account.balance_nanos + amount_nanos)) return
  const before = balanceFields(account)
  move(book, account, { kind: 'top_up', amount_nanos, call_id: null, note, request_key, now_ms })
  payDebt(book, account, now_ms)
  recordMovement(book, account, { ...share, op: 'top_up', by, now_ms }, before)
}

/** Adds to a debt, which the free balance pays at once: no account has both. */
export function openDebt(book: Book, operation: OpenDebtOperation): MoneyOutcome {
  const { account_id, amount_nanos, note, request_key, now_ms } = operation
  const account = book.accounts.get(account_id)
  if (!isAmount(amount_nanos) || amount_nanos === 0) return refused('amount_out_of_range')
  if (!account) return refused('no_such_account')
  const requested = { kind: 'opening_debt', amount_nanos: -amount_nanos, call_id: null, note } as const
  const first = earlierMovement(book, account_id, request_key)
  if (first) return repeatedOutcome(account, first, requested)
  const wrong = wrongState(book, account, operation)
  if (wrong) return wrong
  if (!isAmount(account.debt_nanos + amount_nanos)) return refused('amount_out_of_range')
  const before = balanceFields(account)
  changeRows(book, account, operation)
  account.debt_nanos += amount_nanos
  book.changed_accounts.add(account)
  book.new_opening_debts.push({ account_id, amount_nanos, note, request_key, created_at_ms: now_ms })
  book.keyed_entries.set(entryKey(account_id, request_key), { ...requested, created_at_ms: now_ms })
  payDebt(book, account, now_ms)
  recordMovement(book, account, operation, before)
  return moneyOf(account)
}

const ACTIONS = {
  top_up: 'balance.topped_up',
  withdraw: 'balance.debited',
  open_debt: 'balance.debt_opened',
} as const satisfies Record<MoneyOperation['op'], ActionName>

/** Adds a movement to the audit log, together with its entry. */
function recordMovement(
  book: Book,
  account: AccountRow,
  { op, amount_nanos, note, by, now_ms }: MoneyOperation,
  before: Fields,
): void {
  book.new_actions.push({
    action: {
      action: ACTIONS[op],
      account_id: account.id,
      before,
      after: {
        ...balanceFields(account),
        amount_usd: formatUsd(amount_nanos),
        ...(note === '' ? {} : { note }),
      },
    },
    by: by ?? { actor: { kind: 'system' }, now_ms },
  })
}

export const balanceFields = ({ balance_nanos, debt_nanos }: AccountRow): Fields => ({
  balance_usd: formatUsd(balance_nanos),
  ...(debt_nanos === 0 ? {} : { debt_usd: formatUsd(debt_nanos) }),
})

/** Returns the earlier movement with this request key. */
export const earlierMovement = (
  book: Book,
  account_id: number,
  request_key: string | null,
): KeyedEntry | undefined =>
  request_key === null ? undefined : book.keyed_entries.get(entryKey(account_id, request_key))

/** Returns the outcome of a movement whose key was used before: nothing moves. */
function repeatedOutcome(
  account: AccountRow,
  first: KeyedEntry,
  requested: Omit<KeyedEntry, 'created_at_ms'>,
): MoneyOutcome {
  return isSame(first, requested) ? { ...moneyOf(account), first } : { ...refused('request_key_used'), first }
}

export const isSame = (first: KeyedEntry, requested: Omit<KeyedEntry, 'created_at_ms'>): boolean =>
  first.kind === requested.kind &&
  first.amount_nanos === requested.amount_nanos &&
  first.call_id === requested.call_id &&
  first.note === requested.note

export const moneyOf = (account: AccountRow) => ({
  ok: true as const,
  balance_nanos: account.balance_nanos,
  debt_nanos: account.debt_nanos,
})
