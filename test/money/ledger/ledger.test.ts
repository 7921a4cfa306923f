// The ledger on a real file, with many operations at once.
import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../src/domain/errors.ts'
import { openLedger } from '../../../src/money/ledger/ledger.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { onDisk } from './disk.ts'
import { postgresWorld } from './postgres-world.ts'
import { brokenInvariants, hold, openDebt, post, stateOf, topUp, voided } from './world.ts'

describe('a ledger', () => {
  test('admits of 1,000 holds at once exactly those that the balance covers', () =>
    onDisk({ balance: 1_379 }, async (path, db) => {
      const ledger = openLedger({ path })
      const outcomes = await Promise.all(Array.from({ length: 1_000 }, () => ledger.submit(hold(10))))
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(137)
      expect(
        outcomes.filter((outcome) => !outcome.ok && outcome.refusal === 'insufficient_balance'),
      ).toHaveLength(863)
      expect(stateOf(db)).toMatchObject({ balance: 1_379, held: 1_370 })
      expect(brokenInvariants(db)).toEqual([])
      await ledger.close()
    }))

  test('a call is held and charged, and another connection sees each step as soon as it is answered', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      const ledger = openLedger({ path })
      const held = await ledger.submit(hold(60))
      expect(held).toEqual({ ok: true, hold_id: 1, held_nanos: 60 })
      expect(stateOf(db)).toMatchObject({ held: 60 })
      expect(await ledger.submit(post(1, 25))).toEqual({ ok: true, charged_nanos: 25, unpaid_nanos: 0 })
      expect(stateOf(db)).toMatchObject({ balance: 75, held: 0, spent: 25 })
      expect(await ledger.submit(voided(1))).toEqual({ ok: false, refusal: 'already_resolved' })
      await ledger.close()
    }))

  test('operations take effect in the order in which they were submitted', () =>
    onDisk({ balance: 10 }, async (path) => {
      const ledger = openLedger({ path })
      const outcomes = await Promise.all([
        ledger.submit(hold(11)),
        ledger.submit(topUp(1)),
        ledger.submit(hold(11)),
        ledger.submit(hold(1)),
      ])
      expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, true, false])
      await ledger.close()
    }))

  test('in a batch with one operation that the tables refuse, only that one fails, and its hold stays pending', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      const ledger = openLedger({ path })
      await Promise.all([ledger.submit(hold(10)), ledger.submit(hold(10))])
      const [before, poison, after] = await Promise.allSettled([
        ledger.submit(topUp(5)),
        ledger.submit(post(1, 7, { input_tokens: -1 })),
        ledger.submit(post(2, 7)),
      ])
      expect(before).toMatchObject({ status: 'fulfilled', value: { ok: true, balance_nanos: 105 } })
      expect(after).toMatchObject({ status: 'fulfilled', value: { ok: true, charged_nanos: 7 } })
      expect(poison).toMatchObject({ status: 'rejected', reason: { kind: 'internal' } })
      expect(stateOf(db)).toMatchObject({ balance: 98, held: 10 })
      expect(brokenInvariants(db)).toEqual([])
      expect(await ledger.submit(post(1, 7))).toMatchObject({ ok: true })
      await ledger.close()
    }))

  test('amounts that are not safe, non-negative integers are refused', () =>
    onDisk({ balance: 100 }, async (path) => {
      const ledger = openLedger({ path })
      for (const amount of [Number.NaN, Infinity, 2 ** 53, 0.5, -1]) {
        expect(await ledger.submit(hold(amount))).toEqual({ ok: false, refusal: 'amount_out_of_range' })
      }
      await ledger.close()
    }))

  test('closing commits the operations under way, and refuses later ones', () =>
    onDisk({ balance: 100 }, async (path, db) => {
      const ledger = openLedger({ path })
      const under_way = ledger.submit(hold(60))
      await ledger.close()
      expect(await under_way).toMatchObject({ ok: true })
      expect(stateOf(db)).toMatchObject({ held: 60 })
      await expect(ledger.submit(hold(1))).rejects.toMatchObject({ kind: 'overloaded' })
      await ledger.close()
    }))

  test('a database of a newer program is refused, with the reason', () =>
    onDisk({}, (path, db) => {
      db.run('PRAGMA user_version = 999')
      expect(() => openLedger({ path })).toThrow(/version 999.*newer program/)
    }))

  test('a failure tells the caller nothing about the database', () =>
    onDisk({ balance: 100 }, async (path) => {
      const ledger = openLedger({ path })
      await ledger.submit(hold(10))
      const error = await ledger.submit(post(1, 7, { images: -1 })).catch((thrown: unknown) => thrown)
      if (!(error instanceof GatewayError)) throw new Error('no GatewayError')
      expect(error.message).not.toMatch(/sqlite|constraint|check|images/i)
      expect(String(error.cause)).toMatch(/SQLITE_CONSTRAINT/)
      await ledger.close()
    }))
})

const race = async (database: string): Promise<number> => {
  const racer = Bun.spawn([process.execPath, `${import.meta.dir}/racer.ts`, database, '300'], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const printed = await new Response(racer.stdout).text()
  expect(await racer.exited).toBe(0)
  return Number(printed)
}

describe('two processes on one database', () => {
  test('together get exactly the holds that the balance covers', () =>
    onDisk({ balance: 4_000 }, async (path, db) => {
      const admitted = await Promise.all([race(path), race(path)])
      expect(admitted[0] + admitted[1]).toBe(400)
      expect(stateOf(db)).toMatchObject({ balance: 4_000, held: 4_000 })
      expect(brokenInvariants(db)).toEqual([])
    }))

  test.if(hasPostgres)('together get exactly those holds on PostgreSQL, too', async () => {
    await using there = await postgresWorld()
    await there.begin({ balance: 4_000 })
    const admitted = await Promise.all([race(there.url), race(there.url)])
    expect(admitted[0] + admitted[1]).toBe(400)
    expect(await there.stateOf()).toMatchObject({ balance: 4_000, held: 4_000 })
    expect(await there.brokenInvariants()).toEqual([])
  })
})

const ORDER = `
  INSERT INTO orders (id, account_id, kind, provider, currency, amount_minor, rate_nanos, credit_nanos, bonus_nanos, state, created_at_ms,
    changed_at_ms, expires_at_ms, is_live)
  VALUES (1, 1, 'top_up', 'stripe', 'EUR', 8, 1, 8, 0, 'disputed', 0, 0, 9, 1)`

describe('a process killed during a commit', () => {
  test.each([
    ['batch.started', { balance: 100, held: 90 }],
    ['batch.written', { balance: 100, held: 90 }],
    ['batch.committed', { balance: 42, held: 35 }],
  ])(
    'at %s has written all of it or nothing, the state of an order with its debt; the same debt opened again exists once',
    (point, after) =>
      onDisk({ balance: 100 }, async (path, db) => {
        db.run(ORDER)
        const killed = Bun.spawn([process.execPath, `${import.meta.dir}/killed.ts`, path, point], {
          stdout: 'pipe',
        })
        expect(await new Response(killed.stdout).text()).toBe('')
        await killed.exited
        expect(killed.signalCode).toBe('SIGKILL')
        const { length } = db.query('SELECT 1 FROM opening_debts').all()
        expect(db.query('SELECT state FROM orders').values()).toEqual([[length === 0 ? 'disputed' : 'lost']])
        expect(db.query('SELECT 1 FROM state_changes').values()).toHaveLength(length)
        expect(stateOf(db)).toMatchObject(after)
        expect(brokenInvariants(db)).toEqual([])
        const reopened = openDatabase(path)
        expect(reopened.query('PRAGMA quick_check').all()).toEqual([{ quick_check: 'ok' }])
        createWriter(reopened).commit([openDebt(8, 1, 'user 1')])
        expect(db.query('SELECT amount_nanos FROM opening_debts').all()).toEqual([{ amount_nanos: 8 }])
        expect(brokenInvariants(db)).toEqual([])
        reopened.close()
      }),
  )
})
