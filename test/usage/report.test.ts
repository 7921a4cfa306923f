// The report: by any group, its rows equal the test's own SQL over the calls, on both engines, and add up to its total.
import { describe, expect, test } from 'bun:test'
import {
  REPORT_COLUMNS,
  REPORT_GROUPS,
  type ReportGroup,
  type ReportOrder,
  type ReportRow,
  reportOf,
} from '../../plugins/usage/report/report.ts'
import type { ReportFilter } from '../../plugins/usage/report/sums.ts'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import { addTotals, NO_CALLS } from '../../src/money/ledger/totals.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import type { Db } from '../../src/store/db.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { refund } from '../money/ledger/world.ts'
import { copyTables } from '../support/copied-tables.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../support/postgres.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 10, 20, 12)
const RANGE = { from_ms: NOW_MS - 4 * DAY_MS, until_ms: NOW_MS + 900_000 }

const ROUTES = [
  ['acme', 'big'],
  ['acme', 'small'],
  ['backup', 'big'],
] as const

/** Calls of three keys on some days; some without a known cost, some that other routes took a part of, some that failed before any route. */
const CALLS = Array.from({ length: 120 }, (_, nth): [number, number, Partial<CallRecord>] => {
  const [provider, upstream_model] = nth % 20 === 19 ? ['', ''] : (ROUTES[nth % 3] ?? ROUTES[0])
  const outcome = nth % 10 === 9 ? 'failed' : nth % 15 === 7 ? 'broken' : 'completed'
  const cost_nanos = outcome === 'failed' ? 0 : 1_000 + 37 * nth
  const elsewhere =
    nth % 8 === 3
      ? [
          ['backup', 'big', 11 + nth],
          ['third', 'x', 5],
        ]
      : null
  const is_known = nth % 4 !== 0 && (outcome !== 'failed' || elsewhere !== null)
  return [
    1 + (nth % 3),
    cost_nanos,
    {
      ...{ provider, upstream_model, outcome, model: `m${nth % 5}`, images: nth % 2 },
      started_at_ms: NOW_MS - Math.floor((nth * 6 * DAY_MS) / 120),
      price: outcome === 'failed' ? '' : '{"unit":"token"}',
      provider_cost_nanos: is_known ? 900 + 50 * nth : null,
      costs_elsewhere: is_known && elsewhere ? JSON.stringify(elsewhere) : null,
    },
  ]
})

const connection = memoryDatabase()
const here = await recorded(CALLS, connection)
createWriter(connection).commit([refund(4, 500), refund(13, null)])
connection.run("UPDATE accounts SET price_group = 'resellers' WHERE id = 1")
const { db: there } = await databaseOfFile()
if (hasPostgres)
  await copyTables(here, there, ['accounts', 'keys', 'prices', 'holds', 'calls', 'call_sums', 'entries'])

const ENGINES: [string, Db][] = [
  ['SQLite', here],
  ...(hasPostgres ? [['PostgreSQL', there] as [string, Db]] : []),
]

/** The names of groups in the test's own SQL. */
const NAMES: Readonly<Record<ReportGroup, string>> = {
  model: 'calls.model',
  account: 'accounts.name',
  price_group: "coalesce(accounts.price_group, '(list prices)')",
  key: "keys.name || ' ' || keys.prefix",
  provider: "CASE WHEN provider = '' THEN 'no route answered' ELSE provider END",
  route: "CASE WHEN provider = '' THEN 'no route answered' ELSE provider || ': ' || upstream_model END",
  day: "substr(datetime(started_at_ms / 1000, 'unixepoch'), 1, 10)",
  month: "substr(datetime(started_at_ms / 1000, 'unixepoch'), 1, 7)",
}

interface Truth {
  name: string
  calls: number
  failed: number
  cost_nanos: number
  provider_cost_nanos: number
  known_revenue_nanos: number
  uncosted_calls: number
  tokens: number
}

/** The sums by a group, from the calls alone. */
async function truthOf(db: Db, by: ReportGroup, where = 'true'): Promise<Map<string, Truth>> {
  const rows = await db.rows<Truth>(
    `SELECT ${NAMES[by]} AS name, count(*) AS calls,
            count(*) FILTER (WHERE outcome IN ('failed', 'broken')) AS failed,
            CAST(sum(cost_nanos - refunded_nanos) AS BIGINT) AS cost_nanos,
            CAST(coalesce(sum(provider_cost_nanos), 0) AS BIGINT) AS provider_cost_nanos,
            CAST(coalesce(sum(cost_nanos - refunded_nanos) FILTER (WHERE provider_cost_nanos IS NOT NULL), 0) AS BIGINT) AS known_revenue_nanos,
            count(*) FILTER (WHERE provider_cost_nanos IS NULL AND price_id IS NOT NULL) AS uncosted_calls,
            CAST(sum(input_tokens + output_tokens) AS BIGINT) AS tokens
       FROM calls JOIN accounts ON accounts.id = calls.account_id JOIN keys ON keys.id = calls.key_id
      WHERE started_at_ms >= ${RANGE.from_ms} AND started_at_ms < ${RANGE.until_ms} AND ${where} GROUP BY 1`,
  )
  const found = new Map(rows.map((row) => [row.name, row]))
  if (by === 'provider' || by === 'route') await moveElsewhere(db, found, by, where)
  return found
}

/** Moves the cost that other routes took of a call to them. */
async function moveElsewhere(
  db: Db,
  found: Map<string, Truth>,
  by: 'provider' | 'route',
  where: string,
): Promise<void> {
  const rows = await db.rows<{ name: string; costs_elsewhere: string }>(
    `SELECT ${NAMES[by]} AS name, costs_elsewhere FROM calls WHERE costs_elsewhere IS NOT NULL
        AND started_at_ms >= ${RANGE.from_ms} AND started_at_ms < ${RANGE.until_ms} AND ${where}`,
  )
  const nothing = {
    calls: 0,
    failed: 0,
    cost_nanos: 0,
    provider_cost_nanos: 0,
    known_revenue_nanos: 0,
    uncosted_calls: 0,
    tokens: 0,
  }
  for (const { name, costs_elsewhere } of rows)
    for (const [provider, model, nanos] of JSON.parse(costs_elsewhere)) {
      const other = by === 'provider' ? provider : `${provider}: ${model}`
      const [from, to] = [found.get(name), found.get(other) ?? { ...nothing, name: other }]
      if (from) from.provider_cost_nanos -= nanos
      to.provider_cost_nanos += nanos
      found.set(other, to)
    }
}

const read = (db: Db, by: ReportGroup, filter: ReportFilter = {}, order?: ReportOrder) =>
  reportOf(db, { ...RANGE, filter, by, order, zone: 'UTC' })

const figures = ({ name, calls, failed, cost_nanos, provider_cost_nanos, ...rest }: ReportRow): Truth => ({
  ...{ name, calls, failed, cost_nanos, provider_cost_nanos },
  known_revenue_nanos: rest.known_revenue_nanos,
  uncosted_calls: rest.uncosted_calls,
  tokens: rest.input_tokens + rest.output_tokens,
})

describe.each(ENGINES)('on %s', (_, db) => {
  test.each(REPORT_GROUPS)('by %s its rows equal those of plain SQL, and add up to the total', async (by) => {
    const { rows, total } = await read(db, by)
    const some = rows.filter(({ calls, provider_cost_nanos }) => calls > 0 || provider_cost_nanos > 0)
    const truth = await truthOf(db, by)
    expect(new Map(some.map((row) => [row.name, figures(row)]))).toEqual(truth)
    expect(truth.size).toBeGreaterThan(by === 'month' ? 0 : 1)
    const added = { ...NO_CALLS }
    for (const row of rows) addTotals(added, row)
    expect(total).toEqual(added)
  })

  test('every group has the same total', async () => {
    const totals = await Promise.all(REPORT_GROUPS.map(async (by) => (await read(db, by)).total))
    for (const total of totals) expect(total).toEqual(totals[0] as typeof total)
  })

  test.each<[string, ReportFilter, string]>([
    ['an account', { account_id: 2 }, 'calls.account_id = 2'],
    ['a key', { account_id: 1, key_ids: [2] }, 'key_id = 2'],
    ['some keys', { account_id: 1, key_ids: [1, 2] }, 'calls.account_id = 1 AND key_id IN (1, 2)'],
    ['no key', { account_id: 1, key_ids: [] }, 'FALSE'],
    ['a model', { model: 'm1' }, "calls.model = 'm1'"],
    ['another key and a model', { key_ids: [3], model: 'm2' }, "key_id = 3 AND calls.model = 'm2'"],
    ['nothing', { model: 'none' }, "calls.model = 'none'"],
  ])('filtered by %s it has only their calls', async (__, filter, where) => {
    for (const by of ['model', 'key', 'route'] as const) {
      const { rows } = await read(db, by, filter)
      expect(new Map(rows.map((row) => [row.name, figures(row)]))).toEqual(await truthOf(db, by, where))
    }
  })

  test('filtered by a provider it has that provider’s calls, and its cost in calls that others answered', async () => {
    const { rows } = await read(db, 'provider', { provider: 'third' })
    expect(rows.map(figures)).toEqual([(await truthOf(db, 'provider')).get('third') as Truth])
    expect(rows[0]).toMatchObject({ calls: 0, provider_cost_nanos: expect.any(Number) })
  })

  test.each(REPORT_COLUMNS)(
    'is ordered by %s in both directions, with unknown values last',
    async (column) => {
      const up = (await read(db, 'route', {}, column)).rows
      const down = (await read(db, 'route', {}, `-${column}`)).rows
      expect(new Set(up.map(({ name }) => name))).toEqual(new Set(down.map(({ name }) => name)))
      const values = (rows: ReportRow[]) => rows.map((row) => VALUES[column]?.(row) ?? null)
      const known = values(up).filter((value) => value !== null)
      expect(known).toEqual(known.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)))
      expect(values(down).filter((value) => value !== null)).toEqual(known.toReversed())
      for (const rows of [values(up), values(down)])
        expect(rows.slice(known.length).every((value) => value === null)).toBe(true)
    },
  )

  test('days without calls are included, newest first', async () => {
    const { rows } = await reportOf(db, {
      ...{ from_ms: NOW_MS - 20 * DAY_MS, until_ms: NOW_MS + 1, filter: {}, by: 'day' },
      zone: 'UTC',
    })
    expect(rows).toHaveLength(21)
    expect([rows[0]?.name, rows.at(-1)?.name]).toEqual(['2026-11-20', '2026-10-31'])
  })
})

/** The values of a column, independent of the code's own. */
const VALUES: Readonly<Record<string, (row: ReportRow) => number | string | null>> = {
  name: ({ name }) => name,
  calls: ({ calls }) => calls,
  failed: ({ failed }) => failed,
  tokens: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  revenue: ({ cost_nanos }) => cost_nanos,
  cost: ({ provider_cost_nanos: taken, known_revenue_nanos: known }) => (taken || known ? taken : null),
  margin: ({ provider_cost_nanos: taken, known_revenue_nanos: known }) =>
    taken || known ? known - taken : null,
  margin_percent: ({ provider_cost_nanos: taken, known_revenue_nanos: known }) =>
    known > 0 ? (known - taken) / known : null,
  known: ({ calls, uncosted_calls }) => (calls > 0 ? (calls - uncosted_calls) / calls : null),
}

test('other work continues while a long period is read', async () => {
  let turns = 0
  let is_over = false
  const report = reportOf(here, {
    ...{ from_ms: NOW_MS - 300 * DAY_MS, until_ms: NOW_MS, filter: {}, by: 'account', zone: 'UTC' },
  }).finally(() => {
    is_over = true
  })
  for (; !is_over; turns += 1) await endOfTurn()
  expect((await report).rows.length).toBeGreaterThan(0)
  expect(turns).toBeGreaterThan(1)
})

test.each(['UTC', 'America/St_Johns'])('months are the sums of their days in %s', async (zone) => {
  const time = { from_ms: NOW_MS - 300 * DAY_MS, until_ms: NOW_MS, filter: {}, zone }
  const by_month = new Map<string, number>()
  for (const { name, cost_nanos } of (await reportOf(here, { ...time, by: 'day' })).rows)
    by_month.set(name.slice(0, 7), (by_month.get(name.slice(0, 7)) ?? 0) + cost_nanos)
  const { rows } = await reportOf(here, { ...time, by: 'month' })
  expect(rows.map(({ name, cost_nanos }) => [name, cost_nanos])).toEqual([...by_month])
})
