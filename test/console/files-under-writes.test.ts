// Lists as files while rows are written between their parts, on both engines: each row of the beginning is in the file once, and balances add up.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { account_list } from '../../plugins/accounts/list.ts'
import { allCalls } from '../../plugins/calls/listing.ts'
import { allWithBalances } from '../../plugins/entries/running-balance.ts'
import { listRefusals } from '../../plugins/refusals/listing.ts'
import { allPages } from '../../src/app/surface/console/list-csv.ts'
import type { Operation } from '../../src/money/ledger/operations.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { postgresWorld } from '../money/ledger/postgres-world.ts'
import { hold, post, topUp, withdraw, world } from '../money/ledger/world.ts'
import { hasPostgres } from '../support/postgres.ts'

interface Place extends AsyncDisposable {
  db: Db
  commit(operations: Operation[]): Promise<unknown>
}

/** Accounts 1 and 2 with a key each. */
async function sqlitePlace(): Promise<Place> {
  const database = world()
  return {
    db: dbOver(database),
    commit: async (operations) => createWriter(database).commit(operations),
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

async function postgresPlace(): Promise<Place> {
  const database = await postgresWorld()
  await database.begin({})
  return database
}

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 24, 12)
const at = (minute: number) => START_MS + minute * MINUTE_MS

/** All parts together; `write` runs after the first. */
async function readWhile<Row>(
  parts: AsyncGenerator<readonly Row[]>,
  write: () => Promise<unknown>,
): Promise<Row[]> {
  const rows: Row[] = []
  let is_first = true
  for await (const part of parts) {
    rows.push(...part)
    if (is_first) await write()
    is_first = false
  }
  return rows
}

const run = (db: Db, sql: string) => db.write((within) => within.rows(sql))
const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

describe.each([
  ['SQLite', sqlitePlace, true],
  ['PostgreSQL', postgresPlace, hasPostgres],
] as const)('on %s', (engine, open, is_available) => {
  let place: Place
  beforeAll(async () => {
    if (is_available) place = await open()
  })
  afterAll(async () => {
    if (is_available) await place[Symbol.asyncDispose]()
  })

  test.if(is_available)(
    'entries of an account, with balances that add up although clocks of gateways differ',
    async () => {
      const of = (minute: number, amount_nanos: number) => ({ ...topUp(amount_nanos), now_ms: at(minute) })
      await place.commit(Array.from({ length: 600 }, (_, nth) => of(nth, nth + 1)))
      await place.commit([{ ...withdraw(5), now_ms: at(300) }])
      const filter = { account_id: 1 }
      const [stored] = await place.db.rows<{ entries: number }>('SELECT count(*) AS entries FROM entries')
      for (const kind of [undefined, 'top_up'] as const) {
        const rows = await readWhile(allWithBalances(place.db, { ...filter, kind }), () =>
          // A later entry, one of a slow clock, and one of another account.
          place.commit([of(9_000, 7_000), of(10, 90_000), { ...topUp(3, 2), now_ms: at(20) }]),
        )
        const expected = await place.db.rows<{ id: number; balance_nanos: number }>(
          `SELECT id, balance_nanos FROM (
           SELECT id, kind, created_at_ms, sum(amount_nanos) OVER (ORDER BY created_at_ms, id) AS balance_nanos
             FROM entries WHERE account_id = 1 AND id <= ${Math.max(...ids(rows))}) AS added
          WHERE kind = 'top_up' OR ${kind === undefined} ORDER BY created_at_ms DESC, id DESC`,
        )
        expect(rows.map(({ id, balance_nanos }) => ({ id, balance_nanos }))).toEqual(
          expected.map(({ id, balance_nanos }) => ({ id, balance_nanos: Number(balance_nanos) })),
        )
        expect(rows.some(({ amount_nanos }) => amount_nanos === 90_000)).toBe(kind !== undefined)
        if (kind === undefined) expect(rows).toHaveLength(stored?.entries ?? 0)
      }
    },
  )

  test.if(is_available && engine === 'PostgreSQL')(
    'entries of an account, while another gateway is about to commit one',
    async () => {
      const [inserted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await place.commit(
        Array.from({ length: 300 }, (_, nth) => ({ ...topUp(nth + 1), now_ms: at(1_000 + nth) })),
      )
      const committed = place.db.begin(async (tx) => {
        await tx.rows('UPDATE accounts SET balance_nanos = balance_nanos + 11 WHERE id = 1')
        await tx.rows(
          `INSERT INTO entries (account_id, kind, amount_nanos, note, created_at_ms) VALUES (1, 'top_up', 11, '', ${at(900)})`,
        )
        inserted.resolve()
        await released.promise
      })
      await inserted.promise
      await place.commit([{ ...topUp(3, 2), now_ms: at(2_000) }])
      const rows = await readWhile(allWithBalances(place.db, { account_id: 1 }), async () => {
        released.resolve()
        await committed
      })
      const oldest = rows.at(-1)
      expect(oldest?.balance_nanos).toBe(oldest?.amount_nanos ?? 0)
    },
  )

  test.if(is_available)('calls, also while others are recorded', async () => {
    const makeCall = async (minute: number, model: string) => {
      const opened = { now_ms: at(minute), expires_at_ms: at(minute + 60) }
      await place.commit([hold(10, opened)])
      const [newest] = await place.db.rows<{ id: number }>('SELECT max(id) AS id FROM holds')
      await place.commit([post(newest?.id ?? 0, 1, { started_at_ms: at(minute), model })])
    }
    for (let nth = 0; nth < 6; nth++) await makeCall(nth, nth % 2 ? 'odd' : 'even')
    const before = await place.db.rows<{ id: number; model: string }>(
      'SELECT id, model FROM calls ORDER BY id DESC',
    )
    for (const model of [undefined, 'odd']) {
      const matching = before.filter((call) => model === undefined || call.model === model)
      const calls = allCalls(place.db, { account_id: 1, model, until_ms: at(100) })
      // The first part is read while another call is recorded.
      const first = calls.next()
      await makeCall(50, 'odd')
      const rows = [...((await first).value ?? []), ...(await readWhile(calls, () => makeCall(60, 'odd')))]
      const known = new Set(ids(before))
      expect(ids(rows).filter((id) => known.has(id))).toEqual(ids(matching))
      expect(new Set(ids(rows)).size).toBe(rows.length)
    }
  })

  test.if(is_available)('refused requests, though two gateways write them out of order', async () => {
    const refused = (id: number, second: number) =>
      `INSERT INTO refusals VALUES (${id}, 1, 1, 'req_${id}', ${START_MS + second * 1_000}, 'chat', NULL, 402, 'no', 'no')`
    for (const [id, second] of [
      [1, 10],
      [2, 30],
      [3, 20],
      [4, 30],
      [5, 15],
      [6, 40],
    ] as const)
      await run(place.db, refused(id, second))
    const pages = allPages(2, (page) => listRefusals(place.db, { account_id: 1 }, page))
    const rows = await readWhile(pages, () => run(place.db, refused(7, 50)))
    expect(ids(rows)).toEqual([6, 4, 2, 3, 5, 1])
  })

  test.if(is_available)('accounts by their balances, while they pay for calls', async () => {
    await run(
      place.db,
      "INSERT INTO accounts SELECT 10 + CAST(value AS bigint), 'more-' || value, 'active', CAST(value AS bigint), 0, 0, 0, NULL, NULL FROM json_each('[1,2,3,4,5,6]')",
    )
    const filter = { account_id: undefined, key_ids: undefined, since_ms: undefined, until_ms: undefined }
    const query = {
      ...filter,
      search: 'more-',
      status: undefined,
      price_group: undefined,
      low: undefined,
      zone: undefined,
      order: '-balance' as const,
    }
    const pages = allPages(2, async (page) => {
      const found = await account_list.read(place.db, query, page, { now_ms: START_MS })
      return found ?? { rows: [], next_cursor: undefined }
    })
    const rows = await readWhile(pages, () =>
      run(place.db, "UPDATE accounts SET balance_nanos = 100 - balance_nanos WHERE name LIKE 'more-%'"),
    )
    expect(rows.map(({ name }) => name)).toEqual([6, 5, 4, 3, 2, 1].map((value) => `more-${value}`))
  })
})
