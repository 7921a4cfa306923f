// GET /api/v1/usage and `tollgate usage` (silent.md, Account surface): "calls, filtered and paged; daily sums by model and key".
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { listCalls, listCallsInTurns } from '../../../plugins/calls/listing.ts'
import { callQueries } from '../../../plugins/calls/queries.ts'
import { type CallFilter, sumQueries } from '../../../src/money/ledger/queries.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { recorded } from '../../money/ledger/recorded.ts'
import { hold, voided } from '../../money/ledger/world.ts'
import { memoryDatabase } from '../../support/empty-database.ts'

describe('calls', () => {
  let db: Db
  beforeAll(async () => {
    db = await recorded([
      [1, 10, { model: 'sim-flash', started_at_ms: 1_000 }],
      [2, 20, { model: 'sim-pro', started_at_ms: 2_000 }],
      [3, 30, { model: 'sim-flash', started_at_ms: 3_000 }],
      [1, 40, { model: 'sim-flash', started_at_ms: 4_000 }],
    ])
  })

  const ids = async (filter: CallFilter) => {
    const { rows: calls } = await listCalls(db, filter, { limit: 10 })
    return calls.map(({ id }) => id)
  }

  const cases: [name: string, filter: CallFilter, ids: number[]][] = [
    ['all, newest first', {}, [4, 3, 2, 1]],
    ['of one account', { account_id: 1 }, [4, 2, 1]],
    ['of one key', { key_ids: [1] }, [4, 1]],
    ['of one model', { model: 'sim-pro' }, [2]],
    ['of one outcome', { outcomes: ['completed'] }, [4, 3, 2, 1]],
    ['of an outcome without calls', { outcomes: ['broken'] }, []],
    ['of an unknown key prefix', { key_prefix: 'tg_nobody0' }, []],
    ['since a time, inclusive', { since_ms: 3_000 }, [4, 3]],
    ['until a time, exclusive', { until_ms: 3_000 }, [2, 1]],
    [
      'by all of them together',
      { account_id: 1, key_ids: [1], model: 'sim-flash', since_ms: 1, until_ms: 4_000 },
      [1],
    ],
    ['of an account and a key of another account: none', { account_id: 2, key_ids: [1] }, []],
    ['of a pattern of models: none', { model: 'sim-%' }, []],
    ['of an unknown account: none', { account_id: 9 }, []],
    ['until before the first: none', { until_ms: 1_000 }, []],
  ]
  test.each(cases)('%s', async (_, filter, expected) => {
    expect(await ids(filter)).toEqual(expected)
  })

  test('that fit on one page have no next page', async () => {
    expect((await listCalls(db, {}, { limit: 4 })).next_cursor).toBeUndefined()
    expect((await listCalls(db, { account_id: 1 }, { limit: 3 })).next_cursor).toBeUndefined()
  })

  test('have the names of their account and key', async () => {
    const [call] = (await listCalls(db, { key_ids: [3] }, { limit: 1 })).rows
    expect(call).toMatchObject({
      account_name: 'bert',
      key_name: 'phone',
      request_id: 'r3',
      cost_nanos: 30,
      hold_nanos: 100_000,
    })
    expect(call?.key_prefix).toStartWith('tg_')
    expect(await ids({ key_prefix: call?.key_prefix })).toEqual([3])
  })

  test('are the same calls, each once and in the same order, with any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom<CallFilter>({}, { account_id: 1 }),
        async (limit, filter) => {
          const seen: number[] = []
          let cursor: number | undefined
          do {
            const page = await listCalls(db, filter, { limit, cursor })
            expect(page.rows.length).toBeLessThanOrEqual(limit)
            seen.push(...page.rows.map(({ id }) => id))
            cursor = page.next_cursor
          } while (cursor !== undefined)
          expect(seen).toEqual(await ids(filter))
        },
      ),
    )
  })

  test('that are recorded between two pages move no call from one page to the other', async () => {
    const connection = memoryDatabase()
    const of_three: Parameters<typeof recorded>[0] = [
      [1, 1, {}],
      [1, 2, {}],
      [1, 3, {}],
    ]
    const moving = await recorded(of_three, connection)
    const first = await listCalls(moving, {}, { limit: 2 })
    const writer = createWriter(connection)
    writer.commit([hold(5)])
    writer.commit([voided(4)])
    const second = await listCalls(moving, {}, { limit: 2, cursor: first.next_cursor })
    expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual([3, 2, 1])
    expect(second.next_cursor).toBeUndefined()
  })
})

/** The time between two calls: 3,000 calls take eight days. */
const STEP_MS = 240_000

/** Thousands of calls of account 1, which alternate between two models except that a few, far apart, are of a third. */
async function many(count: number, rare: readonly number[]): Promise<Db> {
  const db = memoryDatabase()
  const store = await recorded([], db)
  const insert = db.prepare(
    `INSERT INTO calls SELECT ?1, 'r', 1, 1 + ?1 % 2, 's', ?2, 'p', 'u', 'completed', 200, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,
            1, 1, 0, '', ?3, 1, 1, 0, 0, '', NULL, NULL, '', NULL, NULL, 0, NULL, 0, NULL`,
  )
  db.transaction(() => {
    for (let id = 1; id <= count; id++) {
      insert.run(id, rare.includes(id) ? 'rare' : id % 3 ? 'often' : 'thirds', id * STEP_MS)
    }
  })()
  return store
}

const COUNT = 3_000
const RARE = [3, 700, 701, 1_500, 2_999]
const many_calls = await many(COUNT, RARE)

describe('a search looks at a bounded number of calls, and its pages together find every call that matches', () => {
  const MAX_SCANNED = 100
  const db = many_calls

  /** All calls that the pages of a search show, and how many pages they took. */
  async function searchAll(filter: CallFilter, limit: number): Promise<{ ids: number[]; pages: number }> {
    const ids: number[] = []
    let pages = 0
    let cursor: number | undefined
    do {
      const page = await listCalls(db, filter, { limit, cursor }, MAX_SCANNED)
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      if (cursor !== undefined && page.next_cursor !== undefined)
        expect(page.next_cursor).toBeLessThan(cursor)
      ids.push(...page.rows.map(({ id }) => id))
      cursor = page.next_cursor
      pages++
    } while (cursor !== undefined)
    return { ids, pages }
  }
  const matching = (test: (id: number) => boolean) =>
    Array.from({ length: COUNT }, (_, index) => COUNT - index).filter(test)
  const isThird = (id: number) => id % 3 === 0 && !RARE.includes(id)

  test.each<[name: string, filter: CallFilter, matches: (id: number) => boolean]>([
    ['a model of few calls', { model: 'rare' }, (id) => RARE.includes(id)],
    ['a model of many', { account_id: 1, model: 'thirds' }, isThird],
    [
      'a model of many, by one key',
      { account_id: 1, model: 'thirds', key_ids: [2] },
      (id) => isThird(id) && id % 2 === 1,
    ],
    [
      'a stretch of time',
      { since_ms: 500 * STEP_MS, until_ms: 900 * STEP_MS },
      (id) => id >= 500 && id < 900,
    ],
    ['an outcome of all', { outcomes: ['completed'] }, () => true],
  ])('%s', async (_, filter, matches) => {
    const ids = matching(matches)
    // Pages of one call only where they are not thousands.
    for (const limit of ids.length > 100 ? [50, 1_000] : [1, 7, 50, 1_000])
      expect((await searchAll(filter, limit)).ids).toEqual(ids)
  })

  test.each<[name: string, filter: CallFilter, matches: (id: number) => boolean]>([
    ['a model of few calls', { model: 'rare' }, (id) => RARE.includes(id)],
    ['a model of many', { model: 'thirds' }, isThird],
    [
      'a stretch of time',
      { since_ms: 500 * STEP_MS, until_ms: 900 * STEP_MS },
      (id) => id >= 500 && id < 900,
    ],
    ['a model without calls', { model: 'none' }, () => false],
  ])('%s, of all accounts, some days in a turn', async (_, filter, matches) => {
    const ids: number[] = []
    let cursor: number | undefined
    do {
      const page = await listCallsInTurns(db, filter, { limit: 50, cursor })
      ids.push(...page.rows.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(ids).toEqual(matching(matches))
  })

  test.each<[name: string, filter: CallFilter]>([
    ['a model without calls', { account_id: 1, model: 'none' }],
    ['an outcome without calls', { outcomes: ['broken'] }],
    ['a key of another account', { account_id: 1, key_ids: [3] }],
    ['an unknown key prefix', { key_prefix: 'tg_0000000' }],
    ['a time without calls', { since_ms: 10 * COUNT * STEP_MS }],
  ])('%s gives one empty page, without reading a call', async (_, filter) => {
    expect(await listCalls(db, filter, { limit: 50 }, 0)).toEqual({ rows: [], next_cursor: undefined })
  })

  test('a page that ends early says where the next one begins', async () => {
    const page = await listCalls(db, { model: 'thirds', key_ids: [1] }, { limit: 90 }, MAX_SCANNED)
    expect(page.rows.length).toBeWithin(1, 89)
    expect(page.next_cursor).toBeGreaterThan(0)
  })

  test('calls whose clock was wrong are found in their place', async () => {
    const odd = await recorded([
      [1, 1, { started_at_ms: 9e11, model: 'a' }],
      [1, 2, { started_at_ms: 1, model: 'a' }],
      [1, 3, { started_at_ms: 5e11, model: 'b' }],
      [1, 4, { started_at_ms: 8e11, model: 'a' }],
    ])
    const request = { limit: 10, cursor: undefined }
    for (const page of [
      await listCalls(odd, { model: 'a' }, request),
      await listCallsInTurns(odd, { model: 'a' }, request),
    ])
      expect(page.rows.map(({ id }) => id)).toEqual([4, 2, 1])
  })
})

describe('queries of one account use its index, instead of a scan of all accounts', () => {
  const db = memoryDatabase()
  const { page, step, ranges } = callQueries(dbOver(db), 1)
  const { days, sums } = sumQueries(dbOver(db), 1)
  const planOf = (query: object) =>
    db
      .query<{ detail: string }, []>(
        `EXPLAIN QUERY PLAN ${(query as { getQuery(): { sql: string } }).getQuery().sql}`,
      )
      .all()
      .map(({ detail }) => detail)

  test.each([
    ['a page of calls', page, 'calls USING INDEX calls_by_account (account_id=? AND id>? AND id<?)'],
    [
      'a step of a search',
      step,
      'calls USING COVERING INDEX calls_by_account (account_id=? AND id>? AND id<?)',
    ],
    [
      'the ranges that have calls',
      ranges,
      'call_sums USING INDEX call_sums_by_day (account_id=? AND start_s>? AND start_s<?)',
    ],
    [
      'the days with calls',
      days,
      'call_sums USING COVERING INDEX call_sums_by_day (account_id=? AND start_s>? AND start_s<?)',
    ],
    ['sums', sums, 'call_sums USING PRIMARY KEY (span_s=? AND start_s=? AND account_id=?)'],
  ])('%s', (_, query, index) => {
    expect(planOf(query)).toContain(`SEARCH ${index}`)
  })
})
