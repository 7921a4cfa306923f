// Covered calls of an account in a month, by the time of their end, on both engines; paid calls are not among them.
import { describe, expect, test } from 'bun:test'
import { coveredOf } from '../../../src/money/ledger/covered.ts'
import type { Db } from '../../../src/store/db.ts'
import { copyTables } from '../../support/copied-tables.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { recorded } from './recorded.ts'

const DAY_MS = 86_400_000
const MONTH_MS = Date.UTC(2026, 10, 1)
const NEXT_MS = Date.UTC(2026, 11, 1)

/** Account, begin and duration from the begin of the month, list price. */
const CALLS: [account: number, model: string, start_ms: number, took_ms: number, covered: number][] = [
  [1, 'a', 0, 10, 100],
  [1, 'a', 9 * DAY_MS, 10, 30],
  [1, 'b', 9 * DAY_MS, 10, 500],
  [1, 'a', -10, 10, 7],
  [1, 'a', -10, 9, 1_000],
  [1, 'a', NEXT_MS - MONTH_MS - 1, 1, 2_000],
  [2, 'a', 0, 10, 3_000],
  // Paid from the balance.
  [1, 'a', 0, 10, 0],
]
const connection = memoryDatabase()
const here = await recorded(
  CALLS.map(([account, model, start_ms, duration_ms]) => [
    account,
    0,
    { model, started_at_ms: MONTH_MS + start_ms, duration_ms },
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
  test('the covered calls of a month are those that ended in it, from its first moment up to the next month', async () => {
    expect(await coveredOf(db, 1, { from_ms: MONTH_MS, until_ms: NEXT_MS })).toEqual([
      { model: 'b', calls: 1, covered_nanos: 500 },
      { model: 'a', calls: 3, covered_nanos: 137 },
    ])
    expect(await coveredOf(db, 3, { from_ms: MONTH_MS, until_ms: NEXT_MS })).toEqual([])
  })
})
