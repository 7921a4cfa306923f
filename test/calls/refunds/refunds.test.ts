// Refunds of the calls of a filter, on both engines: the counted calls are refunded once, whatever arrives meanwhile.
import { describe, expect, test } from 'bun:test'
import { MAX_CALLS, refundableCalls, refundCalls } from '../../../plugins/calls/refunds/refunds.ts'
import { setBudgets } from '../../../src/access/budgets.ts'
import type { Ledger, Operation } from '../../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { postgresWorld } from '../../money/ledger/postgres-world.ts'
import { brokenInvariants, hold, NOW, post, refund, voided, world } from '../../money/ledger/world.ts'
import { hasPostgres } from '../../support/postgres.ts'

const USD = 1_000_000_000
const DAY_MS = 86_400_000
/** The first day of a month. */
const TODAY_MS = Date.UTC(2026, 10, 1, 12)
const YESTERDAY_MS = TODAY_MS - DAY_MS

interface Place extends AsyncDisposable {
  db: Db
  submit: Ledger['submit']
  /** Submits from another gateway on the same database, where that is possible. */
  other: Ledger['submit']
  broken(): Promise<string[]>
  /** Sets limits by day and month for account 1 and for key 1. */
  limit(nanos: number): Promise<void>
}

const limitBoth = (db: Db, nanos: number) =>
  db.begin(async (tx) => {
    for (const key_id of [null, 1])
      await setBudgets(tx, { account_id: 1, key_id }, { day: nanos, month: nanos }, TODAY_MS)
  })

async function sqlitePlace(): Promise<Place> {
  const database = world({ balance: USD })
  let writer = createWriter(database)
  const submit = (async (operation: Operation) => writer.commit([operation])[0]) as Ledger['submit']
  const db = dbOver(database)
  return {
    ...{ db, submit, other: submit },
    async limit(nanos) {
      await limitBoth(db, nanos)
      // A writer notices only writes of other connections, and this one used its own: a new writer reads it.
      writer = createWriter(database)
    },
    broken: async () => brokenInvariants(database),
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

async function postgresPlace(): Promise<Place> {
  const there = await postgresWorld()
  await there.begin({ balance: USD })
  const ledgers = [openSharedLedger(there.url), openSharedLedger(there.url)] as const
  return {
    db: there.db,
    submit: (operation) => ledgers[0].submit(operation),
    other: (operation) => ledgers[1].submit(operation),
    broken: there.brokenInvariants,
    limit: (nanos) => limitBoth(there.db, nanos),
    async [Symbol.asyncDispose]() {
      for (const ledger of ledgers) await ledger.close()
      await there[Symbol.asyncDispose]()
    },
  }
}

/** @returns the id of its call */
async function call(
  { submit }: Pick<Place, 'submit'>,
  cost_nanos: number | null,
  outcome: 'completed' | 'broken' | 'failed' = 'completed',
): Promise<number> {
  const opened = await submit(hold(1_000))
  const hold_id = opened.ok ? opened.hold_id : 0
  const settled =
    cost_nanos === null
      ? { ...voided(hold_id), call: { ...voided(hold_id).call, outcome } }
      : post(hold_id, cost_nanos, { outcome, provider_cost_nanos: 3 })
  expect(await submit(settled)).toMatchObject({ ok: true })
  return hold_id
}

const BROKEN = { outcomes: ['broken'] } as const
const requested = { reason: 'outage', by: undefined, now_ms: NOW, request_key: 'bulk 1' }

const sumsOf = async (db: Db) =>
  (
    await db.rows<{ cost_nanos: number; known_revenue_nanos: number }>(
      'SELECT sum(cost_nanos) AS cost_nanos, sum(known_revenue_nanos) AS known_revenue_nanos FROM call_sums WHERE span_s = 86400',
    )
  )[0]

describe.each([
  ['SQLite', sqlitePlace, true],
  ['PostgreSQL', postgresPlace, hasPostgres],
] as const)('on %s', (_, open, is_available) => {
  test.if(is_available)(
    '46 interrupted calls among others are counted, then refunded once by two gateways at the same time, without later calls',
    async () => {
      await using place = await open()
      for (let nth = 0; nth < 46; nth++) {
        await call(place, 100 + nth, 'broken')
        if (nth % 10 === 0) await call(place, 50)
      }
      await call(place, null, 'failed')
      const free_id = await call(place, 0, 'broken')
      const partly_id = await call(place, 400, 'broken')
      await place.submit(refund(partly_id, 399))
      const found = await refundableCalls(place.db, BROKEN)
      const expected = 46 * 100 + (45 * 46) / 2 + 1
      expect([found.calls.length, found.amount_nanos, found.has_more]).toEqual([47, expected, false])
      const ids = found.calls.map(({ id }) => id)
      expect(ids).not.toContain(free_id)

      const later_id = await call(place, 777, 'broken')
      const before = await sumsOf(place.db)
      const both = await Promise.all([
        refundCalls({ db: place.db, refund: place.submit }, ids, requested),
        refundCalls({ db: place.db, refund: place.other }, ids, requested),
      ])
      for (const done of both) expect(done).toMatchObject({ calls: 47, amount_nanos: expected, skipped: 0 })
      expect(await refundCalls({ db: place.db, refund: place.submit }, ids, requested)).toEqual({
        ...{ calls: 47, amount_nanos: expected, skipped: 0, again: true },
      })
      const elsewhere = { ...requested, request_key: 'bulk 2' }
      expect(await refundCalls({ db: place.db, refund: place.submit }, ids, elsewhere)).toEqual({
        ...{ calls: 0, amount_nanos: 0, skipped: 47, again: false },
      })
      expect((await refundableCalls(place.db, BROKEN)).calls.map(({ id }) => id)).toEqual([later_id])
      const after = await sumsOf(place.db)
      expect((before?.cost_nanos ?? 0) - (after?.cost_nanos ?? 0)).toBe(expected)
      expect((before?.known_revenue_nanos ?? 0) - (after?.known_revenue_nanos ?? 0)).toBe(expected)
      const [entries] = await place.db.rows<{ refunds: number; nanos: number }>(
        "SELECT count(*) AS refunds, sum(amount_nanos) AS nanos FROM entries WHERE kind = 'refund' AND request_key IS NOT NULL",
      )
      expect(entries).toEqual({ refunds: 47, nanos: expected })
      expect(await place.broken()).toEqual([])
    },
  )

  test.if(is_available)(
    'a limit set in the middle of its period gets back the refunds of earlier calls of the period, and no others',
    async () => {
      await using place = await open()
      const openHold = async (amount_nanos: number, now_ms: number) => {
        const held = await place.submit(hold(amount_nanos, { now_ms, expires_at_ms: now_ms + DAY_MS }))
        return held.ok ? held.hold_id : 0
      }
      const makeCall = async (cost_nanos: number, started_at_ms: number) => {
        const hold_id = await openHold(1_000, started_at_ms)
        await place.submit(post(hold_id, cost_nanos, { started_at_ms }))
        return hold_id
      }
      const old_id = await makeCall(300, YESTERDAY_MS)
      const [first_id, second_id] = [await makeCall(100, TODAY_MS), await makeCall(40, TODAY_MS)]
      // Its time is yesterday's, but its id follows that of today's first call, so it counts as today's.
      const late_id = await openHold(500, YESTERDAY_MS)
      await place.limit(10_000)
      const used = async () =>
        (await place.db.rows<{ used_nanos: number }>('SELECT used_nanos FROM budgets ORDER BY id')).map(
          ({ used_nanos }) => used_nanos,
        )
      const all = (nanos: number) => [nanos, nanos, nanos, nanos]
      expect(await used()).toEqual(all(640))
      await place.submit(post(late_id, 7, { started_at_ms: YESTERDAY_MS }))
      expect(await used()).toEqual(all(147))
      await place.submit(refund(first_id, 60))
      expect(await used()).toEqual(all(87))
      await place.submit(refund(second_id))
      await place.submit(refund(old_id))
      expect(await used()).toEqual(all(47))
      await makeCall(5, TODAY_MS)
      expect(await used()).toEqual(all(52))
      expect(await place.broken()).toEqual([])
    },
  )

  test.if(is_available)('unknown ids and ids of free calls are skipped', async () => {
    await using place = await open()
    const id = await call(place, 10, 'broken')
    const free_id = await call(place, 0)
    const done = await refundCalls({ db: place.db, refund: place.submit }, [id, free_id, 9_999], requested)
    expect(done).toEqual({ calls: 1, amount_nanos: 10, skipped: 2, again: false })
  })
})

test('the newest calls are selected if there are more than one refund can cover', async () => {
  await using place = await sqlitePlace()
  for (let nth = 0; nth <= MAX_CALLS; nth++) await call(place, 1)
  const { calls, amount_nanos, has_more } = await refundableCalls(place.db, {})
  expect([calls.length, amount_nanos, has_more]).toEqual([MAX_CALLS, MAX_CALLS, true])
  expect(calls.map(({ id }) => id)).not.toContain(1)
})

test('an undefined filter, as in a list of refused requests alone, selects no calls', async () => {
  await using place = await sqlitePlace()
  await call(place, 5)
  expect(await refundableCalls(place.db, undefined)).toEqual({ calls: [], amount_nanos: 0, has_more: false })
})
