// The queries of a page: two months of calls take as many as some days, since each may be a round trip to a server.
import type { Database, Statement } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { callsOfAnswer, findCall } from '../../../plugins/calls/one-call.ts'
import { overviewOf } from '../../../plugins/usage/report/overview.ts'
import { reportOf } from '../../../plugins/usage/report/report.ts'
import { reportTime } from '../../../src/domain/ranges.ts'
import { requestIdAt } from '../../../src/domain/request-id.ts'
import { UTC } from '../../../src/domain/zones.ts'
import type { CallRecord } from '../../../src/money/ledger/operations.ts'
import { dailySums } from '../../../src/money/ledger/sums.ts'
import type { Db } from '../../../src/store/db.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { recorded } from './recorded.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 10, 20, 12)
const REQUEST_ID = requestIdAt(NOW_MS)

/** Two calls on each of some days, the last of them today. */
const onDays = (days: number): Parameters<typeof recorded>[0] =>
  Array.from({ length: 2 * days }, (_, nth) => [
    1,
    5,
    { started_at_ms: NOW_MS - 60_000 - (days - 1 - (nth >> 1)) * DAY_MS },
  ])

/** The calls of one answer. */
const inParts = (parts: number): Parameters<typeof recorded>[0] =>
  Array.from({ length: parts }, (_, nth): [number, number, Partial<CallRecord>, string] => [
    1,
    5,
    { started_at_ms: NOW_MS + nth, duration_ms: 1 },
    nth === 0 ? REQUEST_ID : `${REQUEST_ID}-picture-${nth}`,
  ])

async function partsOf(db: Db): Promise<number> {
  const first = await findCall(db, REQUEST_ID)
  return first ? (await callsOfAnswer(db, first)).length : 0
}

test.each<
  [string, ReturnType<typeof onDays>, ReturnType<typeof onDays>, (db: Db) => Promise<unknown>, number]
>([
  [
    'a month',
    onDays(2),
    onDays(60),
    (db) => overviewOf(db, { filter: {}, time: reportTime('30', NOW_MS), zone: UTC, now_ms: NOW_MS }),
    2,
  ],
  [
    'a week',
    onDays(2),
    onDays(60),
    (db) =>
      overviewOf(db, { filter: { account_id: 1 }, time: reportTime('7', NOW_MS), zone: UTC, now_ms: NOW_MS }),
    2,
  ],
  [
    'the report of a month',
    onDays(2),
    onDays(60),
    (db) => reportOf(db, { ...reportTime('30', NOW_MS), filter: {}, by: 'model', zone: UTC }),
    2,
  ],
  ['sums by day', onDays(2), onDays(49), (db) => dailySums(db, {}, { zone: UTC, limit: 100 }), 2],
  ['the parts of an answer', inParts(2), inParts(40), partsOf, 0],
])('%s: many calls take hardly more queries than few', async (_, few, many, read, more) => {
  const queriesFor = async (calls: typeof few): Promise<number> => {
    const connection = memoryDatabase()
    const db = await recorded(calls, connection)
    const counted = countQueries(connection)
    await read(db)
    return counted()
  }
  expect(await queriesFor(many)).toBeLessThanOrEqual((await queriesFor(few)) + more)
})

test('of an answer with too many parts, the first 50 are found', async () => {
  expect(await partsOf(await recorded(inParts(60)))).toBe(50)
})

/** @returns a function that returns the number of statements carried out since */
function countQueries(connection: Database): () => number {
  let count = 0
  const counting = (statement: Statement) =>
    new Proxy(statement, {
      get(of, name) {
        const value = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (name === 'all' || name === 'get' || name === 'values') count += 1
          return value.apply(of, args)
        }
      },
    })
  for (const name of ['prepare', 'query'] as const) {
    const make = connection[name].bind(connection) as (text: string) => Statement
    connection[name] = ((text: string) => counting(make(text))) as never
  }
  return () => count
}
