// Rows of accounts, keys and holds as this process's last batches left them. Later changes by others are unknown.
import { NO_BUDGETS } from '../../../domain/budgets.ts'
import {
  type AccountRow,
  type Book,
  type BookBudget,
  emptyBook,
  type HoldRow,
  type KeyRow,
  personKey,
} from '../book.ts'
import type { HoldOperation, Operation, PostOperation, VoidOperation } from '../operations.ts'

/** More rows than are in use at a time. Beyond it all are dropped and read again. */
const MAX_ROWS = 20_000
/** The most batches for which a shared account's rows are not kept. The number doubles each time that others changed them. */
const MAX_PAUSE = 32

/** The known rows that decide a batch of calls. */
export interface BatchRows {
  readonly accounts: readonly AccountRow[]
  readonly keys: readonly KeyRow[]
  /** Pending holds. */
  readonly holds: readonly HoldRow[]
}

export class KnownRows {
  readonly #accounts = new Map<number, AccountRow>()
  readonly #keys = new Map<number, KeyRow>()
  /** Budgets by `personKey`: all keys of a person in an account share them. */
  readonly #of_people = new Map<string, readonly BookBudget[]>()
  /** Pending holds that this process opened. */
  readonly #holds = new Map<number, HoldRow>()
  /** Accounts that other processes change, too. */
  readonly #shared = new Map<number, { pause: number; left: number }>()
  readonly #all = [this.#accounts, this.#keys, this.#of_people, this.#holds, this.#shared]

  /** Returns the rows that operations name; undefined if one is unknown, or if an operation needs other rows. */
  rowsFor(operations: readonly Operation[]): BatchRows | undefined {
    if (operations.length === 0) return undefined
    const accounts = new Set<AccountRow>()
    const keys = new Set<KeyRow>()
    const holds = new Set<HoldRow>()
    for (const operation of operations) {
      const hold = isPlainSettlement(operation) ? this.#holds.get(operation.hold_id) : undefined
      const { account_id, key_id } = hold ?? (isPlainHold(operation) ? operation : NO_IDS)
      const [account, key] = [this.#accounts.get(account_id), this.#keys.get(key_id)]
      if (!account || !key) return undefined
      accounts.add(account)
      keys.add(key)
      if (hold) holds.add(hold)
    }
    return { accounts: [...accounts], keys: [...keys], holds: [...holds] }
  }

  /** Makes a book of copies of these rows, which a batch may change. */
  bookOf({ accounts, keys, holds }: BatchRows, takeHoldId: () => number, gateway_id: number | null): Book {
    const book = emptyBook(takeHoldId, gateway_id)
    for (const row of accounts) book.accounts.set(row.id, { ...row, budgets: copied(row.budgets) })
    for (const row of holds) book.holds.set(row.id, { ...row })
    for (const row of keys) {
      const person_budgets = this.#copiedOfPerson(book, row)
      book.keys.set(row.id, { ...row, budgets: copied(row.budgets), person_budgets })
    }
    return book
  }

  #copiedOfPerson(book: Book, row: KeyRow): readonly BookBudget[] {
    if (row.person_id === null) return NO_BUDGETS
    const name = personKey(row.account_id, row.person_id)
    const budgets = book.person_budgets.get(name) ?? copied(this.personBudgetsOf(row))
    book.person_budgets.set(name, budgets)
    return budgets
  }

  /** Returns the budgets of a key's person, as the last batch with any of their keys left them. */
  personBudgetsOf({ account_id, person_id }: KeyRow): readonly BookBudget[] {
    if (person_id === null) return NO_BUDGETS
    return this.#of_people.get(personKey(account_id, person_id)) ?? NO_BUDGETS
  }

  /** Keeps the rows of a committed batch. An account's budgets are known only if one of its keys was read. */
  keep(book: Book): void {
    if (this.#all.reduce((sum, { size }) => sum + size, 0) > MAX_ROWS) this.forget()
    const paused = new Set([...book.accounts.keys()].filter((id) => this.#usePause(id)))
    for (const id of book.accounts.keys()) this.#accounts.delete(id)
    for (const key of book.keys.values()) {
      const account = book.accounts.get(key.account_id)
      this.#keys.delete(key.id)
      // A plan is read only if an operation needs it.
      if (!account || account.plan_period_id !== null || paused.has(account.id)) continue
      this.#accounts.set(account.id, account)
      this.#keys.set(key.id, key)
      if (key.person_id !== null)
        this.#of_people.set(personKey(key.account_id, key.person_id), key.person_budgets)
    }
    for (const { id } of book.resolved_holds) this.#holds.delete(id)
    for (const hold of book.new_holds)
      if (hold.state === 'pending' && hold.plan_period_id === null) this.#holds.set(hold.id, hold)
  }

  /** Records that others have changed one of these rows, or data that they depend on. */
  markChanged({ accounts, keys, holds }: BatchRows): void {
    for (const { id } of accounts) {
      this.#accounts.delete(id)
      const pause = Math.min(2 * (this.#shared.get(id)?.pause ?? 0.5), MAX_PAUSE)
      this.#shared.set(id, { pause, left: pause })
    }
    for (const { id } of keys) this.#keys.delete(id)
    for (const { id } of holds) this.#holds.delete(id)
  }

  /** Records that others have not changed these rows. */
  markUnchanged({ accounts }: BatchRows): void {
    for (const { id } of accounts) this.#shared.delete(id)
  }

  /** Uses up one batch of an account's pause. @returns whether the account was paused */
  #usePause(account_id: number): boolean {
    const shared = this.#shared.get(account_id)
    if (!shared || shared.left === 0) return false
    shared.left -= 1
    return true
  }

  forget(): void {
    for (const rows of this.#all) rows.clear()
  }
}

const NO_IDS = { account_id: 0, key_id: 0 }

/** Whether a hold needs only known rows. Limits are counted over all gateways, so they must be read. */
const isPlainHold = (operation: Operation): operation is HoldOperation =>
  operation.op === 'hold' && operation.limits === undefined

function isPlainSettlement(operation: Operation): operation is PostOperation | VoidOperation {
  if (operation.op === 'void') return operation.lost === undefined
  return operation.op === 'post' && operation.lost === undefined && operation.limits === undefined
}

const copied = (budgets: readonly BookBudget[]): readonly BookBudget[] =>
  budgets.length === 0 ? NO_BUDGETS : budgets.map((budget) => ({ ...budget }))
