// A ledger in memory with limits of calls: a test commits batches of one or more operations at times of its choice.
import { type Book, emptyBook } from '../../../src/money/ledger/book.ts'
import {
  type CountedSecond,
  type Counts,
  isCountedAt,
  noCounts,
  type Scope,
} from '../../../src/money/ledger/call-limits.ts'
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { apply } from '../../../src/money/ledger/rules.ts'

const KEY = {
  spend_limit_nanos: null,
  spent_nanos: 0,
  held_nanos: 0,
  expires_at_ms: null,
  revoked_at_ms: null,
  budgets: [],
  person_id: null,
  person_from_hold_id: 0,
  person_budgets: [],
}

/** Accounts 1 and 2 with much money; keys 1 and 3 of account 1, key 2 of account 2. Holds are numbered from 1. */
export class LimitedLedger {
  readonly #book: Book
  readonly #rows = new Map<string, CountedSecond & { scope: Scope; id: number }>()

  constructor() {
    let newest = 0
    this.#book = emptyBook(() => ++newest, null)
    const money = {
      status: 'active',
      balance_nanos: 1e12,
      held_nanos: 0,
      debt_nanos: 0,
      budgets: [],
      plan_period_id: null,
      plan: null,
    } as const
    for (const id of [1, 2]) this.#book.accounts.set(id, { id, ...money })
    for (const id of [1, 2, 3]) this.#book.keys.set(id, { id, account_id: id === 2 ? 2 : 1, ...KEY })
  }

  /** Applies operations as one batch. @param now_s the database's clock */
  commit(operations: readonly Operation[], now_s: number): Outcome[] {
    const counts = this.#countsAt(now_s)
    const book: Book = { ...this.#book, counts }
    const outcomes = operations.map((operation) => apply(book, operation))
    for (const { scope, id, at_s, requests, tokens } of counts.added.values()) {
      const name = `${scope} ${id} ${at_s}`
      const known = this.#rows.get(name)
      const sum = { requests: (known?.requests ?? 0) + requests, tokens: (known?.tokens ?? 0) + tokens }
      this.#rows.set(name, { scope, id, at_s, ...sum })
    }
    return outcomes
  }

  #countsAt(now_s: number): Counts {
    const counts = noCounts(now_s)
    for (const scope of ['account', 'key'] as const)
      for (const id of [1, 2, 3]) {
        const pending = [...this.#book.holds.values()].filter(
          (hold) => hold.state === 'pending' && hold[`${scope}_id`] === id,
        ).length
        const seconds = [...this.#rows.values()]
          .filter((row) => row.scope === scope && row.id === id && isCountedAt(row, now_s))
          .map(({ at_s, requests, tokens }) => ({ at_s, requests, tokens }))
        counts[scope].set(id, { pending, seconds })
      }
    return counts
  }
}
