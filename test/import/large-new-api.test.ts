// A large new-api read from SQLite and PostgreSQL: all of it, streamed, with sums that equal those of SQL.
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openNewApi } from '../../plugins/import/new-api/open.ts'
import { openTables } from '../../plugins/import/source/open.ts'
import { IS_LONG } from '../support/long.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { NOW_MS } from './gateway-moments.ts'
import { LARGE, largePostgres, largeSqlite } from './large-new-api.ts'

const SIZE = IS_LONG ? LARGE : { users: 200, logs: 12_000 }
const folder = mkdtempSync(join(tmpdir(), 'tollgate-large-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SUMS = `SELECT (SELECT sum(quota) FROM users) AS balances, (SELECT count(*) FROM tokens) AS tokens,
  (SELECT sum(quota) FROM logs WHERE type = 2) AS charged, (SELECT count(*) FROM logs WHERE type = 2) AS calls`

async function compare(place: string, sums: Record<string, unknown>): Promise<void> {
  const started_ms = performance.now()
  await using source = await openNewApi(await openTables(place), 'new-api', { now_ms: NOW_MS })
  const { accounts } = await source.readMoveIn()
  const read_ms = performance.now()
  const found = { balances: 0, tokens: 0, charged: 0, calls: 0 }
  for (const { balance_nanos, keys } of accounts) {
    found.balances += (balance_nanos ?? 0) / 2_000
    found.tokens += keys.length
  }
  const days = new Set<number>()
  for await (const { charged_nanos, calls, day_s } of source.readHistory()) {
    found.charged += charged_nanos / 2_000
    found.calls += calls
    days.add(day_s)
  }
  const history_ms = performance.now()
  let lines = 0
  for await (const _ of source.readChargedLines(10_000)) lines += 1
  if (IS_LONG)
    process.stderr.write(
      `accounts and keys ${(read_ms - started_ms).toFixed(0)} ms, history ${(history_ms - read_ms).toFixed(0)} ms, ` +
        `lines ${(performance.now() - history_ms).toFixed(0)} ms\n`,
    )
  expect(found).toEqual(
    Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])) as typeof found,
  )
  expect(days.size).toBeGreaterThan(58)
  expect(lines).toBeGreaterThan(9_000)
}

test('a large SQLite database is read whole', async () => {
  const path = join(folder, 'large.db')
  let sums: Record<string, unknown>
  {
    using db = new Database(path, { create: true })
    db.transaction(() => {
      for (const statement of largeSqlite(SIZE)) db.run(statement)
    })()
    sums = db.query<Record<string, unknown>, []>(SUMS).get() ?? {}
  }
  await compare(path, sums)
})

test.skipIf(!hasPostgres)('a large PostgreSQL database is read whole', async () => {
  const { name, url } = await makeDatabase('template0')
  try {
    const sql = new SQL({ url, max: 1, idleTimeout: 0 })
    for (const statement of largePostgres(SIZE)) await sql.unsafe(statement)
    const [sums] = await sql.unsafe(SUMS)
    await sql.close()
    await compare(url, sums)
  } finally {
    await dropDatabase(name)
  }
})
