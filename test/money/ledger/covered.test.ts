// Sums of covered calls on both engines: those of one account by when they ended, those of all by when they began; paid calls are in neither.
import { describe, expect, test } from 'bun:test'
import { coveredIn, coveredOf, planFees } from '../../../src/money/ledger/covered.ts'
import type { Db } from '../../../src/store/db.ts'
import { copyTables } from '../../support/copied-tables.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { recorded } from './recorded.ts'

const DAY_MS = 86_400_000
const MONTH_MS = Date.UTC(2026, 10, 1)
const NEXT_MS = Date.UTC(2026, 11, 1)

/** Account, begin and duration from the begin of the month, list price, what the provider takes; null: not known. */
const CALLS: [
  account: number,
  model: string,
  start_ms: number,
  took_ms: number,
  covered: number,
  cost: number | null,
][] = [
  [1, 'a', 0, 10, 100, 40],
  [1, 'a', 9 * DAY_MS, 10, 30, null],
  [1, 'b', 9 * DAY_MS, 10, 500, 600],
  [1, 'a', -10, 10, 7, 1],
  [1, 'a', -10, 9, 1_000, 1],
  [1, 'a', NEXT_MS - MONTH_MS - 1, 1, 2_000, 1],
  [2, 'a', 0, 10, 3_000, 2],
  // Paid from the balance.
  [1, 'a', 0, 10, 0, 9_000],
]
const connection = memoryDatabase()
const here = await recorded(
  CALLS.map(([account, model, start_ms, duration_ms, , provider_cost_nanos]) => [
    account,
    0,
    { model, started_at_ms: MONTH_MS + start_ms, duration_ms, provider_cost_nanos },
  ]),
  connection,
)
CALLS.forEach(([account, , , , covered], nth) => {
  const period = covered > 0 ? 1 : null
  connection.run('UPDATE calls SET account_id = ?, covered_nanos = ?, plan_period_id = ? WHERE id = ?', [
    account,
    covered,
    period,
    nth + 1,
  ])
})
const { db: there } = await databaseOfFile()
if (hasPostgres) await copyTables(here, there, ['accounts', 'keys', 'prices', 'holds', 'calls'])
const ENGINES: [string, Db][] = [
  ['SQLite', here],
  ...(hasPostgres ? [['PostgreSQL', there] as [string, Db]] : []),
]

describe.each(ENGINES)('on %s', (_, db) => {
  test('of an account, by when they ended: from the first moment of the month, up to the next', async () => {
    expect(await coveredOf(db, 1, { from_ms: MONTH_MS, until_ms: NEXT_MS })).toEqual([
      { model: 'b', calls: 1, covered_nanos: 500, provider_cost_nanos: 600 },
      { model: 'a', calls: 3, covered_nanos: 137, provider_cost_nanos: 41 },
    ])
    expect(await coveredOf(db, 3, { from_ms: MONTH_MS, until_ms: NEXT_MS })).toEqual([])
  })

  test('of all accounts, by when they began, over as many days as there are', async () => {
    expect(await coveredIn(db, { from_ms: MONTH_MS, until_ms: NEXT_MS })).toEqual([
      { model: 'a', calls: 4, covered_nanos: 5_130, provider_cost_nanos: 43 },
      { model: 'b', calls: 1, covered_nanos: 500, provider_cost_nanos: 600 },
    ])
    const ever = await coveredIn(db, { from_ms: 0, until_ms: MONTH_MS + 1 })
    expect(ever).toEqual([{ model: 'a', calls: 4, covered_nanos: 4_107, provider_cost_nanos: 44 }])
    expect(await coveredIn(db, { from_ms: 0, until_ms: MONTH_MS - 10 })).toEqual([])
    const of_one = await coveredIn(db, { from_ms: 0, until_ms: NEXT_MS }, { account_id: 2 })
    expect(of_one).toMatchObject([{ calls: 1, covered_nanos: 3_000 }])
    expect(await coveredIn(db, { from_ms: 0, until_ms: NEXT_MS }, { key_ids: [99] })).toEqual([])
  })

  test('nobody paid for a plan', async () => {
    expect(await planFees(db, { from_ms: 0, until_ms: NEXT_MS })).toBe(0)
    expect(await planFees(db, { from_ms: 0, until_ms: NEXT_MS }, 1)).toBe(0)
  })
})
