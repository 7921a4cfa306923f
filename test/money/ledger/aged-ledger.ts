// A ledger that ages by random operations, minute by minute, on either engine: for audits from a mark.
import { Database } from 'bun:sqlite'
import type { Result } from '../../../src/money/ledger/failure.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { inOne, postgresWorld } from './postgres-world.ts'
import type { Random } from './random.ts'
import { expire, hold, openDebt, post, refund, topUp, voided, withdraw, world } from './world.ts'

const MINUTE_MS = 60_000
const FIRST_MS = 1_790_000_000_000
/** The keys of each account. */
const KEYS = { 1: [1, 3], 2: [2] } as const

interface Rows extends AsyncDisposable {
  db: Db
  commit(operations: Operation[]): Promise<Result[]> | Result[]
  /** Damages rows, which no program does, and does some work on the result. */
  withDamage(sql: string, work: (db: Db) => Promise<void>): Promise<void>
}

const GUARDS = ['entries_are_never_changed', 'entries_are_never_deleted', 'calls_refunds_are_summed']

export function onSqlite(): Rows {
  const db = world({ balance: 1_000 })
  const writer = createWriter(db)
  return {
    db: dbOver(db),
    commit: (operations) => writer.commit(operations),
    async withDamage(sql, work) {
      const copy = Database.deserialize(db.serialize(), { strict: true })
      copy.run('PRAGMA ignore_check_constraints = ON')
      copy.run('PRAGMA foreign_keys = OFF')
      for (const guard of GUARDS) copy.run(`DROP TRIGGER ${guard}`)
      copy.run(sql)
      await work(dbOver(copy))
      copy.close()
    },
    async [Symbol.asyncDispose]() {
      db.close()
    },
  }
}

/** Its damage is not undone. */
export async function onPostgres(without_checks: string): Promise<Rows> {
  const there = await postgresWorld()
  await there.run(without_checks)
  await there.begin({ balance: 1_000 })
  return {
    db: there.db,
    commit: (operations) => there.commit(operations),
    async withDamage(sql, work) {
      await there.run(inOne([sql]))
      await work(there.db)
    },
    [Symbol.asyncDispose]: () => there[Symbol.asyncDispose](),
  }
}

interface Made {
  id: number
  account_id: 1 | 2
  key_id: number
  started_at_ms: number
}

export class AgedLedger {
  now_ms = FIRST_MS
  /** The number of holds settled after they had expired. */
  settled_late = 0
  readonly #rows: Rows
  readonly #random: Random
  readonly #pending: Made[] = []
  readonly #expired: Made[] = []
  readonly #posted: Made[] = []

  constructor(rows: Rows, random: Random) {
    this.#rows = rows
    this.#random = random
  }

  /** Commits some operations at once, up to some minutes after the last; now and then hours. */
  async goOn(): Promise<void> {
    const random = this.#random
    this.now_ms += random.chance(0.03) ? random.below(30 * 60) * MINUTE_MS : random.below(4 * MINUTE_MS)
    const operations = Array.from({ length: 1 + random.below(6) }, () => this.#next())
    const results = await this.#rows.commit(operations)
    for (const [at, operation] of operations.entries()) {
      const result = results[at]
      if (operation.op !== 'hold' || !result || !('hold_id' in result)) continue
      const { account_id, key_id, now_ms } = operation
      this.#pending.push({
        id: result.hold_id,
        account_id: account_id as 1 | 2,
        key_id,
        started_at_ms: now_ms,
      })
    }
  }

  #next(): Operation {
    const random = this.#random
    const { now_ms } = this
    const account_id = random.pick<1 | 2>([1, 1, 2])
    const kind = random.below(100)
    if (kind < 42) {
      // The request may have come some time before.
      const began_ms = now_ms - random.below(20 * MINUTE_MS)
      const key_id = random.pick<number>(KEYS[account_id])
      return hold(1 + random.below(60), { account_id, key_id, now_ms: began_ms })
    }
    if (kind < 80) return this.#resolution()
    if (kind < 86) return { ...this.#refund(), now_ms }
    if (kind < 88) return { ...openDebt(1 + random.below(40), account_id), now_ms }
    if (kind < 97) return { ...topUp(1 + random.below(400), account_id), now_ms }
    return { ...withdraw(1 + random.below(200), account_id), now_ms }
  }

  #resolution(): Operation {
    const random = this.#random
    // Mostly the oldest; some last for hours, and an expired one may be settled after all.
    const from = random.chance(0.04) && this.#expired.length > 0 ? this.#expired : this.#pending
    const [made] = from.splice(random.chance(0.8) ? 0 : random.below(from.length), 1)
    if (!made) return { ...topUp(5), now_ms: this.now_ms }
    const call = {
      started_at_ms: made.started_at_ms,
      model: random.pick(['sim-text', 'sim-other']),
      provider_cost_nanos: random.chance(0.5) ? null : random.below(9),
    }
    if (from === this.#expired) this.settled_late += 1
    else if (random.chance(0.05)) {
      this.#expired.push(made)
      return { ...expire(made.id), now_ms: this.now_ms }
    }
    if (random.chance(0.15)) {
      const { op, hold_id, call: record } = voided(made.id)
      return { op, hold_id, call: { ...record, ...call }, now_ms: this.now_ms } as Operation
    }
    this.#posted.push(made)
    return { ...post(made.id, random.below(90), call), now_ms: this.now_ms }
  }

  #refund(): Operation {
    const made = this.#posted[this.#random.below(this.#posted.length)]
    if (!made) return topUp(7)
    const { account_id, key_id, id } = made
    return refund(id, this.#random.chance(0.4) ? null : 1 + this.#random.below(20), { account_id, key_id })
  }
}
