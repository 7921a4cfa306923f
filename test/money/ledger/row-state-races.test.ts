// Races for the state of a row, on both engines: one side wins, its money moves once, and no two wait for each other for ever.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openLedger } from '../../../src/money/ledger/ledger.ts'
import type { Ledger, MoneyOutcome, Operation } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor, openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import type { Db } from '../../../src/store/db.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { changeState, type StateChangeRow, stateChangesOf } from '../../../src/store/state-changes.ts'
import { eventually } from '../../support/eventually.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { onDisk } from './disk.ts'
import { inOne, type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { change, THINGS } from './rows-with-states.ts'
import { money, refused } from './steps.ts'
import { addAccount, brokenInvariants, NOW, topUp } from './world.ts'

const ROWS = 20
/** A statement that adds open rows of an account, or without one. */
const rowsText = (account_id: number | null) =>
  `INSERT INTO things VALUES ${Array.from({ length: ROWS }, (_, at) => `(${at + 1}, ${account_id}, 'open', 5)`)}`
const ids = Array.from({ length: ROWS }, (_, at) => at + 1)

const credit = (id: number, account_id = 1) => ({
  ...topUp(10, account_id),
  request_key: `thing:${id}`,
  changes: [change(id)],
})
const cancel = (db: Db, id: number) =>
  db.begin((tx) => changeState(tx, change(id, { to: 'cancelled', source: 'page' }), NOW))

interface Rivals {
  db: Db
  ledgers: readonly [Ledger, Ledger]
}

/** Expects that one side has won each row, and that the account has the credits of the rows won by movements. */
async function expectOneEach(db: Db, account_id: number, won: readonly boolean[]): Promise<void> {
  const rows = await db.rows<{ state: string; account_id: number }>('SELECT * FROM things ORDER BY id')
  expect(rows.map(({ state }) => state)).toEqual(won.map((is) => (is ? 'paid' : 'cancelled')))
  const kept = await Promise.all(ids.map(async (id) => await stateChangesOf(db, 'things', id)))
  expect(kept.map((lines) => lines.map(({ to_state }) => to_state))).toEqual(rows.map(({ state }) => [state]))
  const credits = await db.rows<{ sum: number }>(
    `SELECT count(*) AS sum FROM entries WHERE request_key LIKE 'thing:%' AND account_id = ${account_id}`,
  )
  expect(credits).toEqual([{ sum: won.filter(Boolean).length }])
}

const CASES: [name: string, of: number | null][] = [
  ['of its account', 1],
  ['without an account', null],
]

/** Specifies races over accounts 1 and 2. @param inPlace adds the rows by a statement, and runs the race */
function specify(inPlace: (rows: string, race: (rivals: Rivals) => Promise<void>) => Promise<void>): void {
  test.each(CASES)('a movement or a change without money wins a row %s, not both', (_, of) =>
    inPlace(rowsText(of), async ({ db, ledgers: [ledger] }) => {
      const raced = ids.map(async (id) => {
        if (id % 3 === 0) await Bun.sleep(1)
        const cancelled = cancel(db, id)
        const [outcome, is_cancelled] = await Promise.all([ledger.submit(credit(id)), cancelled])
        expect([outcome.ok, is_cancelled]).toContain(true)
        expect(outcome.ok && is_cancelled).toBeFalse()
        if (!outcome.ok) expect(outcome).toEqual({ ...refused('wrong_state'), state: 'cancelled' })
        return outcome.ok
      })
      await expectOneEach(db, 1, await Promise.all(raced))
    }),
  )

  test('two ledgers credit a voucher once, to one of two accounts', () =>
    inPlace(rowsText(null), async ({ db, ledgers: [one, other] }) => {
      const raced = ids.map((id) => Promise.all([one.submit(credit(id, 1)), other.submit(credit(id, 2))]))
      const outcomes: [MoneyOutcome, MoneyOutcome][] = await Promise.all(raced)
      for (const pair of outcomes) {
        expect(pair.filter(({ ok }) => ok)).toHaveLength(1)
        expect(pair.filter(({ ok }) => !ok)).toEqual([{ ...refused('wrong_state'), state: undefined }])
      }
      const owners = await db.rows<{ account_id: number }>('SELECT account_id FROM things ORDER BY id')
      expect(owners.map(({ account_id }) => account_id)).toEqual(
        outcomes.map(([first]) => (first.ok ? 1 : 2)),
      )
      const balances = await db.rows<{ sum: number }>('SELECT sum(balance_nanos) AS sum FROM accounts')
      expect(balances).toEqual([{ sum: 100 + 10 * ROWS }])
    }))

  test('two ledgers give the welcome credit of an account once, with the first of twenty payments', () =>
    inPlace(rowsText(1), async ({ db, ledgers }) => {
      const shares = [{ account_id: 1, amount_nanos: 3, note: 'welcome', request_key: 'welcome:1' }]
      await Promise.all(ids.map((id) => ledgers[id % 2 === 0 ? 0 : 1].submit({ ...credit(id), shares })))
      const entries = await db.rows<{ request_key: string }>(
        "SELECT request_key FROM entries WHERE request_key >= 'thing:' ORDER BY id",
      )
      expect(entries).toHaveLength(ROWS + 1)
      expect(entries[1]?.request_key).toBe('welcome:1')
      const balances = await db.rows<{ sum: number }>('SELECT sum(balance_nanos) AS sum FROM accounts')
      expect(balances).toEqual([{ sum: 103 + 10 * ROWS }])
    }))

  test('a change that accepts the state before and after a movement is made, whichever is first', () =>
    inPlace(rowsText(null), async ({ db, ledgers: [ledger] }) => {
      const refunded = { from: ['open', 'paid'], to: 'refunded' }
      const raced = ids.map((id) =>
        Promise.all([
          ledger.submit(credit(id)),
          db.begin((tx) => changeState(tx, change(id, refunded), NOW)),
        ]),
      )
      for (const [outcome, is_refunded] of await Promise.all(raced)) {
        expect(is_refunded).toBeTrue()
        if (!outcome.ok) expect(outcome).toEqual({ ...refused('wrong_state'), state: 'refunded' })
      }
      const rows = await db.rows<{ state: string }>('SELECT state FROM things')
      expect(rows).toEqual(ids.map(() => ({ state: 'refunded' })))
    }))

  test('of two changes without money of one row one is made', () =>
    inPlace(rowsText(null), async ({ db }) => {
      const raced = ids.map((id) => Promise.all([cancel(db, id), cancel(db, id)]))
      for (const pair of await Promise.all(raced)) expect(pair.toSorted()).toEqual([false, true])
      await expectOneEach(
        db,
        1,
        ids.map(() => false),
      )
    }))
}

describe('on SQLite', () => {
  specify((rows, race) =>
    onDisk({ balance: 100 }, async (path, file) => {
      addAccount(file, 2)
      file.run(`${THINGS}; ${rows}`)
      const ledgers = [openLedger({ path }), openLedger({ path })] as const
      {
        await using db = openDb(path)
        await race({ db, ledgers })
      }
      for (const ledger of ledgers) await ledger.close()
      expect(brokenInvariants(file)).toEqual([])
    }),
  )
})

describe.if(hasPostgres)('on PostgreSQL', () => {
  let there: PostgresWorld
  let stranger: SQL
  beforeAll(async () => {
    there = await postgresWorld()
    await there.run(THINGS)
    stranger = new SQL({ url: there.url, max: 1, idleTimeout: 0 })
  })
  beforeEach(async () => {
    await there.begin({ balance: 100 })
    await there.run(inOne(['DELETE FROM things']))
  })
  afterAll(async () => {
    await stranger.close()
    await there[Symbol.asyncDispose]()
  })

  specify(async (rows, race) => {
    await there.run(rows)
    const ledgers = [openSharedLedger(there.url), openSharedLedger(there.url)] as const
    await race({ db: there.db, ledgers })
    for (const ledger of ledgers) await ledger.close()
    expect(await there.brokenInvariants()).toEqual([])
  })

  const stateOf = async (id: number) =>
    (await there.db.rows<{ state: string }>(`SELECT state FROM things WHERE id = ${id}`))[0]?.state
  const deadlocks = async () => {
    const [found] = await there.db.rows<{ deadlocks: number }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    )
    return Number(found?.deadlocks)
  }
  const waits = async () => {
    const found = await there.db.rows(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return found.length > 0
  }
  const sharing = (): Operation => ({
    ...credit(1),
    shares: [{ account_id: 2, amount_nanos: 3, note: 'referral', request_key: 'referral:1' }],
  })

  test('a share of a locked account sets the whole top-up aside, which is made once the account is free', async () => {
    await there.run(rowsText(1))
    const executor = openPostgresExecutor(there.url)
    await stranger.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM tollgate.accounts WHERE id = 2 FOR UPDATE')
      // The first time it learns of the lock by waiting, then it knows.
      for (const _ of [1, 2]) {
        const found = await executor.commit([sharing(), topUp(1)], 5_000)
        expect(found).toMatchObject([{ failure: { is_set_aside: true } }, { ok: true }])
      }
      expect([await stateOf(1), (await there.stateOf())?.balance]).toEqual(['open', 102])
    })
    await eventually('account 2 is free again', async () => {
      const [made] = await executor.commit([sharing()], 5_000)
      return made !== undefined && 'ok' in made && made.ok
    })
    expect([await stateOf(1), (await there.stateOf())?.balance, (await there.stateOf(2))?.balance]).toEqual([
      'paid',
      112,
      3,
    ])
    await executor.close()
  })

  test('a ledger makes such a top-up by itself as soon as the account of the share is free', async () => {
    await there.run(rowsText(1))
    const ledger = openSharedLedger(there.url)
    let made: Promise<MoneyOutcome> | undefined
    await stranger.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM tollgate.accounts WHERE id = 2 FOR UPDATE')
      made = ledger.submit(sharing()) as Promise<MoneyOutcome>
      await eventually('the ledger waits for the account', waits)
      expect(await stateOf(1)).toBe('open')
    })
    expect(await made).toEqual(money(110))
    await ledger.close()
  })

  test('a movement, or a transaction that changes a row without an account and then locks the account, is made, without a deadlock', async () => {
    await there.run(rowsText(null))
    const before = await deadlocks()
    const ledger = openSharedLedger(there.url)
    let made: Promise<MoneyOutcome> | undefined
    // A transaction that has to wait is done again from its beginning: then the movement was faster.
    const is_cancelled = await there.db.begin(async (tx) => {
      const is_changed = await changeState(tx, change(1, { to: 'cancelled' }), NOW)
      made ??= ledger.submit({ ...topUp(10), changes: [change(2), change(1)] }) as Promise<MoneyOutcome>
      await tx.rows('SELECT pg_sleep(0.05)')
      await tx.lock(1)
      return is_changed
    })
    const outcome = await made
    expect(outcome).toEqual(is_cancelled ? { ...refused('wrong_state'), state: 'cancelled' } : money(110))
    expect(await stateOf(1)).toBe(is_cancelled ? 'cancelled' : 'paid')
    expect(await stateOf(2)).toBe(is_cancelled ? 'open' : 'paid')
    expect(await deadlocks()).toBe(before)
    await ledger.close()
  })

  test('batches that name the same rows in opposite orders, beside other changes, end without a deadlock', async () => {
    await there.run(rowsText(null))
    const before = await deadlocks()
    const ledgers = [openSharedLedger(there.url), openSharedLedger(there.url)] as const
    const turned = (order: readonly number[], account_id: number, ledger: Ledger) =>
      Promise.all(
        order.map((id) =>
          ledger.submit({ ...topUp(1, account_id), changes: [change(id), change(ROWS + 1 - id)] }),
        ),
      )
    const [one, other] = await Promise.all([
      turned(ids, 1, ledgers[0]),
      turned(ids.toReversed(), 2, ledgers[1]),
      ...ids.map((id) => cancel(there.db, id)),
    ])
    const made = [...one, ...other].filter(({ ok }) => ok).length
    const kept: StateChangeRow[] = await there.db.rows("SELECT * FROM state_changes WHERE to_state = 'paid'")
    expect(kept).toHaveLength(2 * made)
    const states = await there.db.rows("SELECT 1 FROM things WHERE state = 'open'")
    expect(states).toEqual([])
    expect(await deadlocks()).toBe(before)
    for (const ledger of ledgers) await ledger.close()
  })
})
