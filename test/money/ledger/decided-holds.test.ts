// Holds decided at once by the process that owns the ledger: their rows are written later, and nothing else changes.
import type { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { dayStart } from '../../../src/domain/ranges.ts'
import { openExecutor } from '../../../src/money/ledger/executor.ts'
import { groupCommit, openLedger } from '../../../src/money/ledger/ledger.ts'
import type { Ledger } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { eventually } from '../../support/eventually.ts'
import { MAX_BUSY_WAIT_MS, takeWriteLock } from '../../support/write-lock.ts'
import { onDisk } from './disk.ts'
import { charged, held, refused, withoutResets } from './steps.ts'
import { brokenInvariants, hold, NOW, post, stateOf, topUp, voided } from './world.ts'

/** Runs a test over a ledger that owns its database, with 100 on account 1; `db` is another connection. */
const owned = (run: (ledger: Ledger, db: Database, path: string) => Promise<void>) =>
  onDisk({ balance: 100 }, async (path, db) => {
    const ledger = openLedger({ path, gateway_id: 1 })
    await run(ledger, db, path)
    await ledger.close()
    expect(brokenInvariants(db)).toEqual([])
  })

const statesOf = (db: Database): string[] =>
  db
    .query<{ state: string }, []>('SELECT state FROM holds ORDER BY id')
    .all()
    .map(({ state }) => state)

describe('a hold', () => {
  test('is answered before anything is written, and its row follows by itself', () =>
    owned(async (ledger, db) => {
      expect(await ledger.submit(hold(60))).toEqual(held(1, 60))
      expect([statesOf(db), ledger.unwritten.size]).toEqual([[], 1])
      await eventually('the row is written', () => statesOf(db).length === 1)
      expect(ledger.unwritten.size).toBe(0)
      expect(stateOf(db)).toMatchObject({ held: 60, key_held: 60 })
    }))

  test('that is resolved before its row is written gets none: its call is written in the commit of its settlement', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      db.run("CREATE TRIGGER held BEFORE INSERT ON holds BEGIN SELECT RAISE (ABORT, 'written'); END")
      let commits = 0
      const ledger = openLedger({
        path,
        gateway_id: 1,
        probe: (point) => {
          if (point === 'batch.committed') commits += 1
        },
      })
      await ledger.submit(hold(60))
      expect(await ledger.submit(post(1, 25))).toEqual(charged(25))
      expect(commits).toBe(1)
      expect(db.query('SELECT id, cost_nanos FROM calls').all()).toEqual([{ id: 1, cost_nanos: 25 }])
      await ledger.close()
      expect(brokenInvariants(db)).toEqual([])
    }))

  test('is refused beside another in the same turn, if the balance covers only one', () =>
    owned(async (ledger) => {
      const outcomes = await Promise.all([ledger.submit(hold(60)), ledger.submit(hold(60))])
      expect(outcomes).toEqual([held(1, 60), refused('insufficient_balance')])
    }))

  test('is refused only after the operations submitted before it, which may free money for it', () =>
    owned(async (ledger) => {
      await ledger.submit(hold(100))
      const outcomes = [ledger.submit(hold(30)), ledger.submit(voided(1)), ledger.submit(hold(30))]
      expect(await Promise.all(outcomes)).toEqual([
        refused('insufficient_balance'),
        { ok: true, returned_nanos: 100 },
        held(2, 30),
      ])
    }))

  test('is written by a barrier at once, and when the ledger closes', () =>
    owned(async (ledger, db) => {
      await ledger.barrier()
      await ledger.submit(hold(10))
      await ledger.barrier()
      expect(statesOf(db)).toEqual(['pending'])
      await ledger.submit(hold(20))
      await ledger.close()
      expect(stateOf(db)).toMatchObject({ held: 30 })
    }))

  test('waits for its batch if the process does not own the ledger', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      const ledger = openLedger({ path })
      await ledger.submit(hold(60))
      expect([statesOf(db), ledger.unwritten.size]).toEqual([['pending'], 0])
      await ledger.close()
    }))
})

/** Longer than the least time between two looks of the book at other connections. */
const GLANCE_MS = 2

const DAY_LIMIT = `INSERT INTO budgets (account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos)
  VALUES (1, 1, 'day', 60, ${dayStart(NOW)}, 1, 60)`

describe('a change by another process, once a millisecond has passed', () => {
  test.each([
    ['the key is revoked', `UPDATE keys SET revoked_at_ms = ${NOW}`, refused('key_revoked')],
    ['the account is suspended', "UPDATE accounts SET status = 'suspended'", refused('account_suspended')],
    ['the key gets a limit', 'UPDATE keys SET spend_limit_nanos = 60', refused('key_spend_limit')],
    ['the key gets a limit of the day', DAY_LIMIT, refused('key_daily_limit')],
    ['something else', "UPDATE accounts SET name = 'other'", held(2, 1)],
  ])('%s: decides the next hold, and the one before is charged', (_, sql, outcome) =>
    owned(async (ledger, db) => {
      await ledger.submit(hold(60))
      db.run(sql)
      await Bun.sleep(GLANCE_MS)
      expect(withoutResets([await ledger.submit(hold(1))])).toEqual([outcome])
      expect(await ledger.submit(post(1, 25))).toEqual(charged(25))
    }),
  )

  test('a top-up: counts beside the hold', () =>
    owned(async (ledger, db) => {
      await ledger.submit(hold(60))
      createWriter(db).commit([topUp(50)])
      await Bun.sleep(GLANCE_MS)
      expect(await ledger.submit(hold(91))).toEqual(refused('insufficient_balance'))
      expect(await ledger.submit(hold(90))).toEqual(held(2, 90))
      await ledger.barrier()
      expect(stateOf(db)).toMatchObject({ balance: 150, held: 150 })
    }))
})

test('a change by this process decides the next hold, however soon it comes: no suspended account pays once its suspension is answered', () =>
  owned(async (ledger, _db, path) => {
    await using own = openDb(path)
    const suspend = (status: string) =>
      own.write((by) => by.rows('UPDATE accounts SET status = $status', { status }), { durable: false })
    await ledger.submit(hold(1))
    // However quick the machine: no time passes.
    const clock = spyOn(performance, 'now').mockReturnValue(performance.now())
    try {
      await ledger.submit(hold(1))
      await suspend('suspended')
      expect(await ledger.submit(hold(1))).toEqual(refused('account_suspended'))
    } finally {
      clock.mockRestore()
    }
  }))

describe('when rows cannot be written', () => {
  test(
    'decided holds stay decided, new ones are refused, and later all rows are written',
    () =>
      onDisk({ balance: 100 }, async (path, db) => {
        const executor = openExecutor(path, { gateway_id: 1 })
        const reports: (string | undefined)[] = []
        const ledger = groupCommit(executor, {
          onChange: (failing) => reports.push(failing),
          max_busy_wait_ms: MAX_BUSY_WAIT_MS,
        })
        const unlock = await takeWriteLock(path)
        expect(await ledger.submit(hold(60))).toEqual(held(1, 60))
        await ledger.barrier()
        expect(ledger.failing).toBe("another process holds the database's write lock")
        const refused = async () => ledger.submit(hold(1))
        expect(await refused().catch(({ code }) => code)).toBe('ledger_unavailable')
        expect([...ledger.unwritten.values()]).toMatchObject([{ id: 1, amount_nanos: 60 }])
        await unlock()
        await eventually('it can commit', () => ledger.failing === undefined)
        expect(await ledger.submit(post(1, 25))).toEqual(charged(25))
        expect(stateOf(db)).toMatchObject({ balance: 75, held: 0 })
        await ledger.close()
        expect(brokenInvariants(db)).toEqual([])
      }),
    60_000,
  )

  test('a hold that the tables refuse is dropped and reported; all others are written', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      db.run(
        "CREATE TRIGGER refused BEFORE INSERT ON holds WHEN new.request_id = 'poison' BEGIN SELECT RAISE (ABORT, 'no'); END",
      )
      const lost: string[] = []
      const ledger = openLedger({ path, gateway_id: 1, onLost: ({ request_id }) => lost.push(request_id) })
      const requests = ['one', 'poison', 'two']
      await Promise.all(requests.map((request_id) => ledger.submit(hold(10, { request_id }))))
      expect(await ledger.submit(topUp(5))).toMatchObject({ ok: true, balance_nanos: 105 })
      expect([lost, statesOf(db)]).toEqual([['poison'], ['pending', 'pending']])
      expect(await ledger.submit(post(2, 5))).toEqual(refused('no_such_hold'))
      expect(await ledger.submit(post(3, 5))).toEqual(charged(5))
      expect(stateOf(db)).toMatchObject({ balance: 100, held: 10 })
      await ledger.close()
      expect(brokenInvariants(db)).toEqual([])
    }))

  test('the id of a dropped hold is not reused: its call would settle the hold of another', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      db.run(
        "CREATE TRIGGER refused BEFORE INSERT ON holds WHEN new.request_id = 'poison' BEGIN SELECT RAISE (ABORT, 'no'); END",
      )
      const ledger = openLedger({ path, gateway_id: 1 })
      await ledger.submit(hold(10, { request_id: 'poison' }))
      await ledger.barrier()
      expect(await ledger.submit(hold(20))).toEqual(held(2, 20))
      expect(await ledger.submit(post(1, 10))).toEqual(refused('no_such_hold'))
      expect(stateOf(db)).toMatchObject({ balance: 100, held: 20 })
      await ledger.close()
      expect(brokenInvariants(db)).toEqual([])
    }))
})
