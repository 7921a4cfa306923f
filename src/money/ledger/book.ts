// The book: the rows that the ledger's operations touch, with all changes applied so far. Pure; the writer loads and stores them.

import type { Action, ActionContext } from '../../domain/actions.ts'
import { type Budget, countOpened, countResolved, NO_BUDGETS } from '../../domain/budgets.ts'
import type { Nanos } from '../../domain/money.ts'
import type { Account, Call, Entry, Hold, Key, OpeningDebt } from '../../store/schema.ts'
import type { StateChangeRow } from '../../store/state-changes.ts'
import type { TextMatcher } from '../../utilities/glob.ts'
import { type Counts, countPending } from './call-limits.ts'
import type { KeyedEntry, Refusal, Refused } from './operations.ts'

export type BookBudget = Budget & { readonly id: number }
interface WithBudgets {
  /** The shortest period first; most accounts and keys have none. */
  readonly budgets: readonly BookBudget[]
}
/** An account's plan, in its paid period. */
export interface PlanInForce {
  readonly period_id: number
  readonly covers_until_ms: number
  readonly hasModel: TextMatcher
  /** Whether the balance pays for calls that the plan does not cover. */
  readonly overflow: boolean
  readonly concurrent_calls: number | null
  /** The number of its running calls. */
  running: number
  readonly budgets: readonly BookBudget[]
}

export type AccountRow = Pick<
  Account,
  'id' | 'status' | 'balance_nanos' | 'held_nanos' | 'debt_nanos' | 'plan_period_id'
> &
  WithBudgets & {
    /** Null if the account has no plan, or no operation of the batch needs it. */
    readonly plan: PlanInForce | null
  }
export type KeyRow = Pick<
  Key,
  | 'id'
  | 'account_id'
  | 'person_id'
  | 'person_from_hold_id'
  | 'spend_limit_nanos'
  | 'spent_nanos'
  | 'held_nanos'
  | 'expires_at_ms'
  | 'revoked_at_ms'
> &
  WithBudgets & {
    /** The budgets of the key's person: one list for all keys of that person in the account. */
    readonly person_budgets: readonly BookBudget[]
  }
export type NewEntry = Omit<Entry, 'id'>
/** A hold. The hold of a recorded call has no row of its own. */
export type HoldRow = Omit<Hold, 'state'> & { state: Hold['state'] | 'settled' }

/** The call of a refund. */
export type RefundedCall = Pick<
  Call,
  'id' | 'account_id' | 'key_id' | 'request_id' | 'cost_nanos' | 'refunded_nanos'
>

/** A row whose state changes together with a movement. */
export interface RowState {
  readonly table: string
  readonly id: number
  /** Null: the row belongs to no account. */
  account_id: number | null
  state: string
  changed_at_ms: number
}

/** Rows with all operations applied so far, and the changes that must be written. */
export interface Book {
  readonly accounts: Map<number, AccountRow>
  readonly keys: Map<number, KeyRow>
  /** The budgets of the people whose keys are loaded, by `personKey`. */
  readonly person_budgets: Map<string, readonly BookBudget[]>
  readonly holds: Map<number, HoldRow>
  /** The calls of the batch's refunds. */
  readonly calls: Map<number, RefundedCall>
  /** Entries and opening debts by `entryKey`, if the batch's operations need them. */
  readonly keyed_entries: Map<string, KeyedEntry>
  /** The credits of people with an allowance by `allowanceKey`, if the batch's operations need them. */
  readonly credited: Map<string, Nanos>
  /** Rows by `stateKey`, if the batch's operations change them. */
  readonly row_states: Map<string, RowState>
  /** Returns the number of a new hold, greater than all before. */
  readonly takeHoldId: () => number
  /** The gateway that opens the holds; null: none. */
  readonly gateway_id: number | null
  readonly changed_accounts: Set<AccountRow>
  readonly changed_keys: Set<KeyRow>
  readonly changed_budgets: Set<BookBudget>
  /** Holds whose row is not written yet; some are already resolved. */
  readonly new_holds: Set<HoldRow>
  readonly resolved_holds: HoldRow[]
  readonly new_entries: NewEntry[]
  readonly new_opening_debts: Omit<OpeningDebt, 'id'>[]
  readonly new_calls: Call[]
  /** Calls with further refunds, and the amounts of these. */
  readonly new_refunds: Map<number, Nanos>
  readonly changed_rows: Set<RowState>
  readonly new_state_changes: Omit<StateChangeRow, 'id'>[]
  readonly new_actions: { action: Action; by: ActionContext }[]
  /** Counts for the limits of calls; absent if a single gateway counts in memory. */
  readonly counts?: Counts | undefined
}

export function emptyBook(takeHoldId: () => number, gateway_id: number | null, counts?: Counts): Book {
  return {
    accounts: new Map(),
    keys: new Map(),
    person_budgets: new Map(),
    holds: new Map(),
    calls: new Map(),
    keyed_entries: new Map(),
    credited: new Map(),
    row_states: new Map(),
    takeHoldId,
    gateway_id,
    changed_accounts: new Set(),
    changed_keys: new Set(),
    changed_budgets: new Set(),
    new_holds: new Set(),
    resolved_holds: [],
    new_entries: [],
    new_opening_debts: [],
    new_calls: [],
    new_refunds: new Map(),
    changed_rows: new Set(),
    new_state_changes: [],
    new_actions: [],
    counts,
  }
}

/** Clears the changes after they were written, and forgets holds that can never change again. */
export function closeBatch(book: Book): void {
  for (const { id } of book.resolved_holds) book.holds.delete(id)
  book.calls.clear()
  book.keyed_entries.clear()
  book.credited.clear()
  book.row_states.clear()
  book.changed_accounts.clear()
  book.changed_keys.clear()
  book.changed_budgets.clear()
  book.new_holds.clear()
  book.resolved_holds.length = 0
  book.new_entries.length = 0
  book.new_opening_debts.length = 0
  book.new_calls.length = 0
  book.new_refunds.clear()
  book.changed_rows.clear()
  book.new_state_changes.length = 0
  book.new_actions.length = 0
}

/** Opens a hold: its amount is no longer free in its account and key. A hold that a plan covers counts only against the plan. */
export function addHold(book: Book, account: AccountRow, key: KeyRow, opened: HoldRow): void {
  book.holds.set(opened.id, opened)
  book.new_holds.add(opened)
  if (book.counts) countPending(book.counts, opened, 1)
  if (opened.plan_period_id !== null) {
    countCovered(book, account, opened)
    return
  }
  account.held_nanos += opened.amount_nanos
  key.held_nanos += opened.amount_nanos
  countHold(book, account.budgets, opened)
  countHold(book, key.budgets, opened)
  countHold(book, personBudgets(key, opened.id), opened)
  book.changed_accounts.add(account)
  book.changed_keys.add(key)
}

/** Returns the key of a person's budgets in `Book.person_budgets`. */
export const personKey = (account_id: number, person_id: number): string => `${account_id} ${person_id}`

/** Returns the budgets of a key's person that a hold counts against: none if the key belonged to another person at that time. */
export const personBudgets = (
  { person_budgets, person_from_hold_id }: KeyRow,
  hold_id: number,
): readonly BookBudget[] => (hold_id >= person_from_hold_id ? person_budgets : NO_BUDGETS)

/** Counts a covered hold against its plan. When the rows are loaded again, the plan may have ended. */
function countCovered(book: Book, { plan }: AccountRow, opened: HoldRow): void {
  if (!plan) return
  plan.running += 1
  countHold(book, plan.budgets, opened, opened.covered_nanos)
}

/** Counts a new hold against budgets. */
function countHold(
  book: Book,
  budgets: readonly BookBudget[],
  opened: HoldRow,
  nanos = opened.amount_nanos,
): void {
  for (const budget of budgets) {
    countOpened(budget, opened.id, nanos, opened.created_at_ms)
    book.changed_budgets.add(budget)
  }
}

/** Starts the periods of a lost hold that gets its number only now. It counts from its opening, unless a later period has started. */
export function countLost(book: Book, budgets: readonly BookBudget[], lost: HoldRow): void {
  for (const budget of budgets) {
    countOpened(budget, lost.id, 0, Math.max(lost.created_at_ms, budget.started_ms ?? 0))
    book.changed_budgets.add(budget)
  }
}

/** Replaces the hold's amount in its budgets by the cost of its call. */
export function countCost(
  book: Book,
  budgets: readonly BookBudget[],
  hold_id: number,
  change_nanos: Nanos,
): void {
  for (const budget of budgets)
    if (countResolved(budget, hold_id, change_nanos)) book.changed_budgets.add(budget)
}

/** Returns the key of a row in `Book.row_states`. */
export const stateKey = (table: string, id: number): string => `${table} ${id}`

/** Returns the key of a request's entry in `Book.keyed_entries`. */
export const entryKey = (account_id: number, request_key: string): string => `${account_id} ${request_key}`

export type Movement = Omit<NewEntry, 'account_id' | 'created_at_ms'> & { now_ms: number }

/** Changes a balance and adds the entry that explains it. A movement of 0 adds no entry. */
export function move(book: Book, account: AccountRow, movement: Movement): void {
  const { kind, amount_nanos, call_id, note, request_key, now_ms } = movement
  if (amount_nanos === 0) return
  account.balance_nanos += amount_nanos
  book.changed_accounts.add(account)
  const entry = {
    account_id: account.id,
    kind,
    amount_nanos,
    call_id,
    note,
    request_key,
    created_at_ms: now_ms,
  }
  book.new_entries.push(entry)
  if (entry.request_key !== null) book.keyed_entries.set(entryKey(account.id, entry.request_key), entry)
}

/** Pays debt from the free balance, so that no account ever has both. */
export function payDebt(book: Book, account: AccountRow, now_ms: number): void {
  const paid = Math.min(account.debt_nanos, freeOf(account))
  account.debt_nanos -= paid
  move(book, account, {
    kind: 'debt_payment',
    amount_nanos: -paid,
    call_id: null,
    note: '',
    request_key: null,
    now_ms,
  })
}

/** Returns the part of a balance that is not held. */
export const freeOf = (account: AccountRow): Nanos => account.balance_nanos - account.held_nanos

export const isAmount = (nanos: number): boolean => Number.isSafeInteger(nanos) && nanos >= 0
export const refused = (refusal: Refusal): Refused => ({ ok: false, refusal })
