// Rows of accounts, keys and holds as the last batches of this process left them: what others have changed since is not known.
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

/** More than are in use at a time; when there are more, they are read anew. */
const MAX_ROWS = 20_000
/** Batches in which the rows of an account are not known after others changed them: twice as many each time, at most so many. */
const MAX_PAUSE = 32

/** Rows that a batch of calls is decided by, as they are known. */
export interface KnownOfBatch {
  readonly accounts: readonly AccountRow[]
  readonly keys: readonly KeyRow[]
  /** Pending ones. */
  readonly holds: readonly HoldRow[]
}

export class KnownRows {
  readonly #accounts = new Map<number, AccountRow>()
  readonly #keys = new Map<number, KeyRow>()
  /** By `personKey`: all keys of a person in an account have the same. */
  readonly #of_people = new Map<string, readonly BookBudget[]>()
  /** Pending ones that this process has opened. */
  readonly #holds = new Map<number, HoldRow>()
  /** Accounts that others change as well. */
  readonly #shared = new Map<number, { pause: number; left: number }>()
  readonly #all = [this.#accounts, this.#keys, this.#of_people, this.#holds, this.#shared]

  /** The rows that operations name; undefined where one is not known, or an operation depends on more than these. */
  rowsFor(operations: readonly Operation[]): KnownOfBatch | undefined {
    if (operations.length === 0) return undefined
    const accounts = new Set<AccountRow>()
    const keys = new Set<KeyRow>()
    const holds = new Set<HoldRow>()
    for (const operation of operations) {
      const hold = isPlainSettlement(operation) ? this.#holds.get(operation.hold_id) : undefined
      const { account_id, key_id } = hold ?? (isPlainHold(operation) ? operation : NOBODY)
      const [account, key] = [this.#accounts.get(account_id), this.#keys.get(key_id)]
      if (!account || !key) return undefined
      accounts.add(account)
      keys.add(key)
      if (hold) holds.add(hold)
    }
    return { accounts: [...accounts], keys: [...keys], holds: [...holds] }
  }

  /** A book of copies of them, which a batch may change. */
  bookOf({ accounts, keys, holds }: KnownOfBatch, takeHoldId: () => number, gateway_id: number | null): Book {
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

  /** The budgets of a key's person, as the last batch left them, with whichever of their keys. */
  personBudgetsOf({ account_id, person_id }: KeyRow): readonly BookBudget[] {
    if (person_id === null) return NO_BUDGETS
    return this.#of_people.get(personKey(account_id, person_id)) ?? NO_BUDGETS
  }

  /** Keeps the rows of a batch that was committed. An account's budgets are known only if a key of it was read. */
  keep(book: Book): void {
    if (this.#all.reduce((sum, { size }) => sum + size, 0) > MAX_ROWS) this.forget()
    const paused = new Set([...book.accounts.keys()].filter((id) => this.#isPaused(id)))
    for (const id of book.accounts.keys()) this.#accounts.delete(id)
    for (const key of book.keys.values()) {
      const account = book.accounts.get(key.account_id)
      this.#keys.delete(key.id)
      // A plan is read only where an operation asks for it.
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

  /** Others have changed one of these rows, or what they depend on. */
  markChanged({ accounts, keys, holds }: KnownOfBatch): void {
    for (const { id } of accounts) {
      this.#accounts.delete(id)
      const pause = Math.min(2 * (this.#shared.get(id)?.pause ?? 0.5), MAX_PAUSE)
      this.#shared.set(id, { pause, left: pause })
    }
    for (const { id } of keys) this.#keys.delete(id)
    for (const { id } of holds) this.#holds.delete(id)
  }

  /** None of these has been changed by others. */
  markUnchanged({ accounts }: KnownOfBatch): void {
    for (const { id } of accounts) this.#shared.delete(id)
  }

  /** Counts the batches in which it is. */
  #isPaused(account_id: number): boolean {
    const shared = this.#shared.get(account_id)
    if (!shared || shared.left === 0) return false
    shared.left -= 1
    return true
  }

  forget(): void {
    for (const rows of this.#all) rows.clear()
  }
}

const NOBODY = { account_id: 0, key_id: 0 }

/** Limits are counted over all gateways. */
const isPlainHold = (operation: Operation): operation is HoldOperation =>
  operation.op === 'hold' && operation.limits === undefined

function isPlainSettlement(operation: Operation): operation is PostOperation | VoidOperation {
  if (operation.op === 'void') return operation.lost === undefined
  return operation.op === 'post' && operation.lost === undefined && operation.limits === undefined
}

const copied = (budgets: readonly BookBudget[]): readonly BookBudget[] =>
  budgets.length === 0 ? NO_BUDGETS : budgets.map((budget) => ({ ...budget }))
