// Plans in reports on both engines: the sums of covered calls after an update from an older version, and the same totals by any group.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { overviewOf } from '../../plugins/usage/report/overview.ts'
import { PLANS, REPORT_GROUPS, reportOf } from '../../plugins/usage/report/report.ts'
import { marginOf } from '../../src/domain/margin.ts'
import { comparedTime } from '../../src/domain/ranges.ts'
import { INVARIANTS } from '../../src/money/ledger/invariants.ts'
import type { Db } from '../../src/store/db.ts'
import { Connection } from '../../src/store/engines/postgres/connection.ts'
import {
  migrate as migratePostgres,
  MIGRATIONS as ON_POSTGRES,
} from '../../src/store/engines/postgres/migrate.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { MIGRATIONS, migrate } from '../../src/store/engines/sqlite/migrate.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { hasPostgres, makeDatabase } from '../support/postgres.ts'

/** The last version without sums of covered calls. */
const BEFORE = 56
const DAY_MS = 86_400_000
const FIRST_MS = Date.UTC(2026, 10, 1)
const UNTIL_MS = FIRST_MS + 10 * DAY_MS
const TIME = { from_ms: FIRST_MS, until_ms: UNTIL_MS }

interface TestCall {
  day: number
  account: number
  model: string
  provider: string
  charge: number
  /** The list price of a covered call; 0: the balance pays. */
  covered: number
  cost: number | null
  elsewhere?: string
}
const CALLS: TestCall[] = [
  { day: 1, account: 1, model: 'a', provider: 'acme', charge: 1_000, covered: 0, cost: 700 },
  { day: 1, account: 1, model: 'a', provider: 'acme', charge: 0, covered: 900, cost: 600 },
  { day: 2, account: 1, model: 'b', provider: 'best', charge: 0, covered: 80, cost: null },
  // Another provider took a part of it.
  {
    ...{ day: 2, account: 2, model: 'b', provider: 'best', charge: 0, covered: 500, cost: 450 },
    elsewhere: '[["acme","b",50]]',
  },
  { day: 3, account: 2, model: 'b', provider: 'best', charge: 300, covered: 0, cost: null },
  { day: -1, account: 2, model: 'b', provider: 'best', charge: 0, covered: 5, cost: 4 },
]
/** The account, the day of its payment and the fee of a month; 0: it cost nothing. */
const MONTHS: [account: number, day: number, fee: number][] = [
  [1, 1, 2_000],
  [1, 9, 30],
  [2, 0, 0],
  // Pays for a plan, and has not called yet.
  [3, 4, 5_000],
  [3, -1, 7],
  [3, 10, 9],
]
const COVERED_COST = 600 + 450
const FEES = 2_000 + 30 + 5_000
const MARGIN = 1_000 - 700 + FEES - COVERED_COST

const momentOf = (day: number) => FIRST_MS + day * DAY_MS + 1

const callSql = (
  { day, account, model, provider, charge, covered, cost, elsewhere }: TestCall,
  nth: number,
) =>
  `INSERT INTO calls VALUES (${nth + 1}, 'r${nth}', ${account}, ${account}, 'chat', '${model}', '${provider}', '${model}', 'completed', 200,
     0, 0, 10, 0, 0, 0, 0, 5, 0, 0, 0, 9000, ${charge}, 0, '', ${momentOf(day)}, 5, 9, 0, 0, '', ${cost}, 1, '', NULL, NULL, 0,
     ${elsewhere ? `'${elsewhere}'` : 'NULL'}, ${covered}, ${covered > 0 ? account : 'NULL'})`

const OLD_ROWS = [
  ...[1, 2, 3].flatMap((id) => [
    `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (${id}, 'account-${id}', 'active', 0, 0, 0, 0)`,
  ]),
  "UPDATE accounts SET price_group = 'friends' WHERE id = 3",
  ...MONTHS.flatMap(([account, day, fee], nth) => [
    `INSERT INTO plan_periods VALUES (${nth + 1}, ${account}, 'ended', 'pro', 'Pro', ${fee}, ${fee}, '["*"]', '{}', NULL, 0, NULL, 0, 1, 0, 9, 9, 0, NULL, 0, 9)`,
    `INSERT INTO state_changes VALUES (${nth + 1}, 'plan_periods', ${nth + 1}, ${account}, 'open', 'paid', 'page', '{}', ${momentOf(day)})`,
  ]),
]
const hex = (id: number) => String(id).padStart(64, '0')
const keySql = (bytes: (text: string) => string) =>
  [1, 2].map(
    (id) =>
      `INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms) VALUES (${id}, ${id}, 'k', 'tg_${id}', ${bytes(hex(id))}, 0, 0, 0)`,
  )

const old = new Database(':memory:', { strict: true })
migrate(old, MIGRATIONS.slice(0, BEFORE))
const PRICE = (bytes: string) => `INSERT INTO prices VALUES (1, ${bytes}, '{"unit":"token"}')`
for (const statement of [
  ...OLD_ROWS,
  ...keySql((text) => `x'${text}'`),
  PRICE(`x'${hex(0)}'`),
  ...CALLS.map(callSql),
])
  old.run(statement)

/** Rows that triggers write on SQLite; PostgreSQL has none. */
const oldSums = (): string[] =>
  (old.query('SELECT * FROM call_sums').all() as Record<string, string | number>[]).map(
    (row) =>
      `INSERT INTO call_sums VALUES (${Object.values(row)
        .map((value) => (typeof value === 'string' ? `'${value}'` : value))
        .join()})`,
  )

async function onPostgres(): Promise<Db> {
  const { url } = await makeDatabase('template0')
  const connection = await Connection.open(url)
  await migratePostgres(
    connection,
    ON_POSTGRES.filter(({ version }) => version <= BEFORE),
  )
  const rows = [
    ...OLD_ROWS,
    ...keySql((text) => `decode('${text}', 'hex')`),
    PRICE(`decode('${hex(0)}', 'hex')`),
    ...CALLS.map(callSql),
    ...oldSums(),
  ]
  await connection.script(`SET search_path = tollgate; ${rows.join(';\n')}`)
  await migratePostgres(connection)
  await connection.close()
  return await openPostgres(url)
}
const on_postgres: [string, Db][] = hasPostgres ? [['PostgreSQL', await onPostgres()]] : []
migrate(old)

describe.each([['SQLite', dbOver(old)] as [string, Db], ...on_postgres])('on %s', (_, db) => {
  test.each(INVARIANTS.filter(({ name }) => name.endsWith('_sums_are_of_calls')))(
    'after the update, $name',
    async ({ sql }) => {
      expect(await db.rows(sql)).toEqual([])
    },
  )

  const read = (by: (typeof REPORT_GROUPS)[number], filter = {}) =>
    reportOf(db, { ...TIME, filter, by, zone: 'UTC', with_plans: true })

  test.each(REPORT_GROUPS)('by %s the total has charges, fees and all costs', async (by) => {
    const { rows, total } = await read(by)
    expect(total).toMatchObject({
      calls: 5,
      cost_nanos: 1_300 + FEES,
      covered_calls: 3,
      covered_nanos: 1_480,
    })
    expect(marginOf(total)).toEqual({
      margin_nanos: MARGIN,
      known_revenue_nanos: 1_000 + FEES,
      provider_cost_nanos: 700 + COVERED_COST,
    })
    expect(rows.reduce((sum, row) => sum + row.cost_nanos, 0)).toBe(total.cost_nanos)
    expect(rows.reduce((sum, row) => sum + row.provider_cost_nanos, 0)).toBe(total.provider_cost_nanos)
  })

  test.each(['model', 'key', 'provider', 'route'] as const)(
    'by %s plans have a row of their own, the last one in any order',
    async (by) => {
      const { rows } = await read(by)
      expect(rows.at(-1)).toMatchObject({
        ...{
          name: PLANS,
          calls: 0,
          cost_nanos: FEES,
          provider_cost_nanos: COVERED_COST,
          covered_cost_nanos: 0,
        },
      })
      expect(rows.filter(({ name }) => name === PLANS)).toHaveLength(1)
    },
  )

  test('a provider has its cost of covered calls beside that of the others', async () => {
    const { rows } = await read('provider')
    const costs = Object.fromEntries(
      rows.map((row) => [row.name, [row.provider_cost_nanos, row.covered_cost_nanos]]),
    )
    expect(costs).toEqual({ acme: [700, 650], best: [0, 400], [PLANS]: [COVERED_COST, 0] })
  })

  test('an account and a price group have their own fees, even without calls', async () => {
    const figures = async (by: 'account' | 'price_group') =>
      Object.fromEntries(
        (await read(by)).rows.map(({ name, calls, cost_nanos, provider_cost_nanos }) => [
          name,
          [calls, cost_nanos, provider_cost_nanos],
        ]),
      )
    expect(await figures('account')).toEqual({
      'account-1': [3, 3_030, 1_300],
      'account-2': [2, 300, 450],
      'account-3': [0, 5_000, 0],
    })
    expect(await figures('price_group')).toEqual({
      '(list prices)': [5, 3_330, 1_750],
      friends: [0, 5_000, 0],
    })
  })

  test('a day has the fees that were paid on it, in its time zone', async () => {
    const days = async (zone: string) =>
      (await reportOf(db, { ...TIME, filter: {}, by: 'day', zone, with_plans: true })).rows
        .filter(({ cost_nanos }) => cost_nanos > 0)
        .map(({ name, cost_nanos }) => `${name} ${cost_nanos}`)
    expect(await days('UTC')).toEqual([
      ...['2026-11-10 30', '2026-11-05 5000', '2026-11-04 300', '2026-11-02 3000'],
    ])
    expect(await days('America/St_Johns')).toEqual([
      ...['2026-11-09 30', '2026-11-04 5000', '2026-11-03 300', '2026-11-01 3000'],
    ])
  })

  test.each([
    ['a model', { model: 'a' }, 700],
    ['a key', { account_id: 1, key_ids: [1] }, 700],
    ['a provider', { provider: 'best' }, null],
  ] as const)('a report of %s has no fee and no cost of covered calls', async (_what, filter, cost) => {
    for (const by of ['model', 'day'] as const) {
      const { rows, total } = await read(by, filter)
      expect(rows.some(({ name }) => name === PLANS)).toBe(false)
      expect(marginOf(total)?.provider_cost_nanos ?? null).toBe(cost)
    }
  })

  test('a report of one account has its own fees', async () => {
    const { total } = await read('model', { account_id: 1 })
    expect(total).toMatchObject({ calls: 3, cost_nanos: 3_030, provider_cost_nanos: 1_300 })
    expect((await read('model', { account_id: 3 })).rows).toMatchObject([{ name: PLANS, cost_nanos: 5_000 }])
  })

  test('without plans, as accounts see it, a report has only the amounts that balances paid', async () => {
    const { rows, total } = await reportOf(db, { ...TIME, filter: {}, by: 'model', zone: 'UTC' })
    expect(rows.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(total).toMatchObject({ cost_nanos: 1_300, provider_cost_nanos: 700 })
  })

  test('the Overview has the same total, its points add up to it, and the period before has its own fees', async () => {
    const request = { filter: {}, time: comparedTime(TIME), zone: 'UTC', now_ms: UNTIL_MS }
    const { totals, points, before } = await overviewOf(db, { ...request, with_plans: true })
    expect(totals).toMatchObject((await read('day')).total)
    const added = points.reduce((sum, point) => sum + (marginOf(point)?.margin_nanos ?? 0), 0)
    expect(added).toBe(MARGIN)
    expect(before).toMatchObject({ calls: 1, cost_nanos: 7, provider_cost_nanos: 4 })
  })
})

test('calls that are recorded later are added to the sums', () => {
  old.run(callSql({ ...(CALLS[3] as TestCall), day: 5 }, 50))
  old.run(callSql({ ...(CALLS[1] as TestCall), day: 5 }, 51))
  for (const { name, sql } of INVARIANTS)
    if (name.endsWith('_sums_are_of_calls')) expect(old.query(sql).all()).toEqual([])
})
