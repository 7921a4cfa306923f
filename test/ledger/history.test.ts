// GET /api/v1/usage and `tollgate usage` (silent.md, Account surface): "calls, filtered and paged; daily sums by model and key".
import type { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { openDatabase } from '../../src/db/open.ts'
import { type CallFilter, dailySums, listCalls } from '../../src/ledger/history.ts'
import type { CallRecord } from '../../src/ledger/operations.ts'
import { callQueriesOfAccount } from '../../src/ledger/queries.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { hold, NOW, post, topUp, voided } from './world.ts'

const DAY_MS = 86_400_000
const MIDNIGHT_MS = Date.UTC(2026, 11, 31)

const SETTINGS = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }

/** Accounts `anna` (keys 1 and 2) and `bert` (key 3), with these calls: [key, cost, fields that differ]. */
function database(
  calls: readonly [key_id: number, cost_nanos: number, call: Partial<CallRecord>][],
): Database {
  const db = openDatabase(':memory:')
  let seed = 0
  const issuing = { now_ms: NOW, randomBytes: (length: number) => new Uint8Array(length).fill(seed++) }
  createAccount(db, { name: 'anna', now_ms: NOW })
  createAccount(db, { name: 'bert', now_ms: NOW })
  createKey(db, 'anna', { ...SETTINGS, name: 'phone' }, issuing)
  createKey(db, 'anna', { ...SETTINGS, name: 'desk' }, issuing)
  createKey(db, 'bert', { ...SETTINGS, name: 'phone' }, issuing)
  const writer = createWriter(db)
  writer.commit([topUp(1_000_000_000, 1), topUp(1_000_000_000, 2)])
  for (const [index, [key_id, cost, call]] of calls.entries()) {
    const account_id = key_id === 3 ? 2 : 1
    writer.commit([hold(100_000, { account_id, key_id, request_id: `r${index + 1}` })])
    writer.commit([post(index + 1, cost, call)])
  }
  return db
}

describe('calls', () => {
  let db: Database
  beforeAll(() => {
    db = database([
      [1, 10, { model: 'sim-flash', started_at_ms: 1_000 }],
      [2, 20, { model: 'sim-pro', started_at_ms: 2_000 }],
      [3, 30, { model: 'sim-flash', started_at_ms: 3_000 }],
      [1, 40, { model: 'sim-flash', started_at_ms: 4_000 }],
    ])
  })

  const ids = (filter: CallFilter) => listCalls(db, filter, { limit: 10 }).calls.map(({ id }) => id)

  const cases: [name: string, filter: CallFilter, ids: number[]][] = [
    ['all, the newest first', {}, [4, 3, 2, 1]],
    ['of one account', { account_id: 1 }, [4, 2, 1]],
    ['of one key', { key_id: 1 }, [4, 1]],
    ['of one model', { model: 'sim-pro' }, [2]],
    ['of one outcome', { outcome: 'completed' }, [4, 3, 2, 1]],
    ['of an outcome that none has', { outcome: 'broken' }, []],
    ['of a prefix that no key has', { key_prefix: 'tg_nobody0' }, []],
    ['since a time, inclusive', { since_ms: 3_000 }, [4, 3]],
    ['until a time, exclusive', { until_ms: 3_000 }, [2, 1]],
    [
      'by all of them together',
      { account_id: 1, key_id: 1, model: 'sim-flash', since_ms: 1, until_ms: 4_000 },
      [1],
    ],
    ['of an account and a key of another account: none', { account_id: 2, key_id: 1 }, []],
    ['of a pattern of models: none', { model: 'sim-%' }, []],
    ['of an unknown account: none', { account_id: 9 }, []],
    ['until before the first: none', { until_ms: 1_000 }, []],
  ]
  test.each(cases)('%s', (_, filter, expected) => {
    expect(ids(filter)).toEqual(expected)
  })

  test('have the names of their account and key', () => {
    const [call] = listCalls(db, { key_id: 3 }, { limit: 1 }).calls
    expect(call).toMatchObject({
      account_name: 'bert',
      key_name: 'phone',
      request_id: 'r3',
      cost_nanos: 30,
      hold_nanos: 100_000,
    })
    expect(call?.key_prefix).toStartWith('tg_')
    expect(ids({ key_prefix: call?.key_prefix })).toEqual([3])
  })

  test('are the same calls, each once and in the same order, with any page size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom<CallFilter>({}, { account_id: 1 }),
        (limit, filter) => {
          const seen: number[] = []
          let cursor: number | undefined
          do {
            const page = listCalls(db, filter, { limit, cursor })
            expect(page.calls.length).toBeLessThanOrEqual(limit)
            seen.push(...page.calls.map(({ id }) => id))
            cursor = page.next_cursor
          } while (cursor !== undefined)
          expect(seen).toEqual(ids(filter))
        },
      ),
    )
  })

  test('that are recorded between two pages move no call from one page to the other', () => {
    const moving = database([
      [1, 1, {}],
      [1, 2, {}],
      [1, 3, {}],
    ])
    const first = listCalls(moving, {}, { limit: 2 })
    const writer = createWriter(moving)
    writer.commit([hold(5)])
    writer.commit([voided(4)])
    const second = listCalls(moving, {}, { limit: 2, cursor: first.next_cursor })
    expect([...first.calls, ...second.calls].map(({ id }) => id)).toEqual([3, 2, 1])
    expect(second.next_cursor).toBeUndefined()
  })
})

describe('sums by day', () => {
  const at = (days: number, ms = 0) => ({ started_at_ms: MIDNIGHT_MS + days * DAY_MS + ms })

  test('group by day, account, key and model: the newest day first, within a day the most expensive first', () => {
    const db = database([
      [1, 10, { model: 'a', ...at(0) }],
      [1, 20, { model: 'a', ...at(0, DAY_MS - 1) }],
      [1, 500, { model: 'b', ...at(0) }],
      [2, 40, { model: 'a', ...at(0) }],
      [3, 50, { model: 'a', ...at(1) }],
    ])
    const rows = dailySums(db, {}, 'utc').map((sum) => [
      sum.day,
      sum.account_name,
      sum.key_name,
      sum.model,
      sum.calls,
      sum.cost_nanos,
    ])
    expect(rows).toEqual([
      ['2027-01-01', 'bert', 'phone', 'a', 1, 50],
      ['2026-12-31', 'anna', 'phone', 'b', 1, 500],
      ['2026-12-31', 'anna', 'desk', 'a', 1, 40],
      ['2026-12-31', 'anna', 'phone', 'a', 2, 30],
    ])
  })

  test('add up every field of the usage', () => {
    const usage = {
      input_tokens: 1,
      input_audio_tokens: 2,
      cache_read_tokens: 4,
      cache_write_5m_tokens: 8,
      cache_write_1h_tokens: 16,
      output_tokens: 32,
      thinking_tokens: 64,
      output_image_tokens: 128,
      images: 256,
    }
    const db = database([
      [1, 0, { ...usage, ...at(0) }],
      [1, 0, { ...usage, ...at(0) }],
    ])
    const doubled = Object.fromEntries(Object.entries(usage).map(([field, count]) => [field, count * 2]))
    expect(dailySums(db, {}, 'utc')).toMatchObject([doubled])
  })

  test('add up what was left unpaid', () => {
    const db = database([[1, 2_000_000_000, at(0)]])
    expect(dailySums(db, {}, 'utc')).toMatchObject([
      { cost_nanos: 2_000_000_000, unpaid_nanos: 1_000_000_000 },
    ])
  })

  test('are filtered like calls, and empty where nothing matches', () => {
    const db = database([
      [1, 10, at(0)],
      [3, 20, at(0)],
    ])
    expect(dailySums(db, { account_id: 2 }, 'utc')).toMatchObject([{ account_id: 2, cost_nanos: 20 }])
    expect(dailySums(db, { model: 'none' }, 'utc')).toEqual([])
  })

  test('agree with the calls themselves, for any calls', () => {
    const call = fc.record({
      key: fc.integer({ min: 1, max: 3 }),
      cost: fc.integer({ min: 0, max: 50_000 }),
      model: fc.constantFrom('a', 'b'),
      started_at_ms: fc.integer({ min: MIDNIGHT_MS, max: MIDNIGHT_MS + 3 * DAY_MS }),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 20 }), (made) => {
        const db = database(made.map(({ key, cost, ...rest }) => [key, cost, rest]))
        const sums = dailySums(db, {}, 'utc')
        const expected = Map.groupBy(made, ({ key, model, started_at_ms }) =>
          [new Date(started_at_ms).toISOString().slice(0, 10), key, model].join(),
        )
        expect(new Map(sums.map((sum) => [[sum.day, sum.key_id, sum.model].join(), sum.cost_nanos]))).toEqual(
          new Map(
            [...expected].map(([group, calls]) => [
              group,
              calls.reduce((total, { cost }) => total + cost, 0),
            ]),
          ),
        )
        db.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('the calls of an account are found by its index, not by reading those of all accounts', () => {
  const db = openDatabase(':memory:')
  const { page, utcSums, localSums } = callQueriesOfAccount(db)
  const planOf = (query: { getQuery(): { sql: string } }) =>
    db
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query.getQuery().sql}`)
      .all()
      .map(({ detail }) => detail)

  test.each([
    ['a page of calls', page, 'account_id=? AND id<?'],
    ['daily sums in UTC', utcSums, 'account_id=?'],
    ['daily sums in local time', localSums, 'account_id=?'],
  ])('%s', (_, query, columns) => {
    expect(planOf(query)).toContain(`SEARCH calls USING INDEX calls_by_account (${columns})`)
  })
})
