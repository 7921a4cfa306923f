// The overview of calls: sums of the calls in any time zone, beside the period before; times of the calls that were answered.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { lastFailures } from '../../plugins/health/last-failures.ts'
import { createOverviewCache, type OverviewCache, overviewOf } from '../../plugins/usage/report/overview.ts'
import { quantile } from '../../plugins/usage/report/totals.ts'
import { DAY_MS, HOUR_MS, REPORT_RANGES, type ReportRange, reportTime } from '../../src/domain/ranges.ts'
import { daysIn } from '../../src/domain/zones.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import type { Db } from '../../src/store/db.ts'
import type { Call } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { refund } from '../money/ledger/world.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW_MS = Date.UTC(2026, 10, 22, 12, 34, 56, 789)
/** A quarter of an hour counts in full. */
const QUARTER_MS = 900_000
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'] as const

interface OverviewOptions {
  account_id?: number | undefined
  now_ms?: number
  zone?: string
  memory?: OverviewCache
}

const overviewIn = (
  db: Db,
  range: ReportRange,
  { account_id, now_ms = NOW_MS, zone = 'UTC', memory }: OverviewOptions = {},
) =>
  overviewOf(db, {
    filter: { account_id },
    time: reportTime(range, now_ms, zone),
    zone,
    now_ms,
    ...(memory && { memory }),
  })

const rowsOf = (db: Db) => db.rows<Call>('SELECT * FROM calls')
const totalsOf = (rows: readonly Call[]) => ({
  calls: rows.length,
  failed: rows.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken').length,
  cost_nanos: rows.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0),
})
const within = (rows: readonly Call[], from_ms: number, until_ms: number) =>
  rows.filter(({ started_at_ms }) => started_at_ms >= from_ms && started_at_ms < until_ms)

const aCall = fc.tuple(
  fc.integer({ min: 1, max: 3 }),
  fc.integer({ min: 0, max: 50_000 }),
  fc.record({
    started_at_ms: fc
      .oneof(
        fc.integer({ min: 0, max: 2 * HOUR_MS }),
        fc.integer({ min: 0, max: 2 * DAY_MS }),
        fc.integer({ min: 0, max: 61 * DAY_MS }),
      )
      .map((ago_ms) => NOW_MS - ago_ms),
    outcome: fc.constantFrom(
      'completed' as const,
      'cancelled' as const,
      'broken' as const,
      'failed' as const,
    ),
    model: fc.constantFrom('a', 'b'),
    first_byte_ms: fc.option(fc.nat(5_000)),
    duration_ms: fc.nat(9_000),
  }),
)

test('other work gets its turn while the times of many calls are read', async () => {
  /** The turns of the event loop in which the overview of a number of calls over thirty days is read. */
  async function turnsOf(calls: number): Promise<number> {
    const db = await recorded(
      Array.from({ length: calls }, (_, nth) => [1, 5, { started_at_ms: NOW_MS - (nth % 30) * DAY_MS }]),
    )
    let turns = 0
    let is_over = false
    const overview = overviewIn(db, '30').finally(() => {
      is_over = true
    })
    for (; !is_over; turns += 1) await endOfTurn()
    expect((await overview).totals.calls).toBe(calls)
    return turns
  }
  expect(await turnsOf(1_600)).toBeGreaterThan(await turnsOf(30))
})

describe('sums', () => {
  test.each(REPORT_RANGES)('over %s equal those of its calls, for all and for one account', async (range) => {
    await fc.assert(
      fc.asyncProperty(fc.array(aCall, { maxLength: 40 }), fc.constantFrom(...ZONES), async (calls, zone) => {
        const db = await recorded(calls)
        const memory = createOverviewCache()
        const all = await rowsOf(db)
        // The second time, days are cached.
        for (const account_id of [undefined, 1, 2, undefined, 1]) {
          const { points, totals, before } = await overviewIn(db, range, { account_id, zone, memory })
          const rows = all.filter((row) => account_id === undefined || row.account_id === account_id)
          const time = reportTime(range, NOW_MS, zone)
          expect(totals).toMatchObject(totalsOf(within(rows, time.from_ms, time.until_ms)))
          for (const [at, point] of points.entries()) {
            const end_ms = points[at + 1]?.start_ms ?? time.until_ms
            expect(point).toMatchObject(totalsOf(within(rows, point.start_ms, end_ms)))
          }
          const before_end_ms = Math.ceil(time.before.until_ms / QUARTER_MS) * QUARTER_MS
          expect(before).toMatchObject(totalsOf(within(rows, time.before.from_ms, before_end_ms)))
        }
        await db.close()
      }),
      { numRuns: 5 },
    )
  })

  test.each(ZONES)(
    'a range has a point for each of its days in %s, and today one for each of its hours',
    async (zone) => {
      const db = await recorded([])
      for (const range of ['7', '30', '90', 'mtd'] as const) {
        const days = daysIn(reportTime(range, NOW_MS, zone), zone)
        const { points, step_ms, totals } = await overviewIn(db, range, { zone })
        expect([step_ms, points.map(({ start_ms }) => start_ms)]).toEqual([
          DAY_MS,
          days.map(({ start_ms }) => start_ms),
        ])
        expect(totals).toMatchObject({ calls: 0, first_byte_p50_ms: null, duration_p50_ms: null })
      }
      const { points, step_ms } = await overviewIn(db, 'today', { zone })
      const { from_ms } = reportTime('today', NOW_MS, zone)
      expect(step_ms).toBe(HOUR_MS)
      expect(points).toHaveLength(Math.ceil((NOW_MS + 1 - from_ms) / HOUR_MS))
    },
  )

  test('a day that is over is cached for an hour, and today is not', async () => {
    const connection = memoryDatabase()
    const db = await recorded([[1, 10, { started_at_ms: NOW_MS - 5 * DAY_MS }]], connection)
    const memory = createOverviewCache()
    const callsAt = async (now_ms: number) => (await overviewIn(db, '7', { now_ms, memory })).totals.calls
    expect(await callsAt(NOW_MS)).toBe(1)
    const add = (id: number, ago_ms: number) => {
      const columns =
        'request_id, account_id, key_id, surface, model, provider, upstream_model, outcome, status, streamed, estimated, input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images, hold_nanos, cost_nanos, unpaid_nanos, price'
      connection.run(
        `INSERT INTO calls (id, ${columns}, started_at_ms, duration_ms) SELECT ?, ${columns}, ?, 1 FROM calls LIMIT 1`,
        [id, NOW_MS - ago_ms],
      )
    }
    add(50, 5 * DAY_MS)
    add(51, 60_000)
    expect(await callsAt(NOW_MS)).toBe(2)
    expect(await callsAt(NOW_MS + HOUR_MS)).toBe(3)
  })

  test('a refund is taken from the day of its call at once', async () => {
    const connection = memoryDatabase()
    const db = await recorded([[1, 100, { started_at_ms: NOW_MS - 5 * DAY_MS }]], connection)
    const memory = createOverviewCache()
    const revenue = async () => (await overviewIn(db, '7', { memory })).totals.cost_nanos
    expect(await revenue()).toBe(100)
    createWriter(connection).commit([refund(1, 30)])
    expect(await revenue()).toBe(70)
  })
})

describe('times', () => {
  test('are only those of answered calls', async () => {
    const at = (first_byte_ms: number | null, outcome: Call['outcome']) =>
      [1, 10, { started_at_ms: NOW_MS - 1_000, first_byte_ms, duration_ms: 900, outcome }] as const
    const db = await recorded(
      [
        at(100, 'completed'),
        at(300, 'completed'),
        at(200, 'completed'),
        at(9_000, 'failed'),
        at(null, 'failed'),
      ].map((one) => [...one]),
    )
    const { totals, is_sampled } = await overviewIn(db, 'today', { account_id: 1 })
    expect(totals).toMatchObject({ first_byte_p50_ms: 200, first_byte_p95_ms: 300, duration_p50_ms: 900 })
    expect(is_sampled).toBe(false)
  })

  test('of many calls come from a sample that is spread over them', async () => {
    const db = await recorded(
      Array.from({ length: 1_000 }, (_, nth) => [
        1,
        10,
        { started_at_ms: NOW_MS - 1_000 + (nth >> 2), first_byte_ms: nth, duration_ms: nth },
      ]),
    )
    for (const account_id of [undefined, 1]) {
      const { totals, is_sampled } = await overviewIn(db, '30', { account_id })
      expect(is_sampled).toBe(true)
      expect(totals.calls).toBe(1_000)
      expect(Math.abs((totals.first_byte_p50_ms ?? 0) - 500)).toBeLessThan(20)
      expect(Math.abs((totals.first_byte_p95_ms ?? 0) - 950)).toBeLessThan(20)
    }
  })
})

test('quantiles count each sample by its weight', () => {
  const samples = [
    { value: 10, weight: 1 },
    { value: 1, weight: 9 },
  ]
  expect([0, 0.5, 0.9, 0.95, 1].map((share) => quantile(samples, share))).toEqual([1, 1, 1, 10, 10])
  expect(quantile([], 0.5)).toBeNull()
})

test('routes that failed are listed with their latest message, newest first', async () => {
  const tried = (provider: string, at_ms: number, words: string) => ({
    provider,
    model: 'm',
    key: `${provider}#1`,
    at_ms,
    took_ms: 1,
    failure_class: 'overloaded',
    words,
  })
  const call = (ago_ms: number, fields: object) =>
    [
      1,
      10,
      { started_at_ms: NOW_MS - ago_ms, failed_tries: 1, provider: 'good', upstream_model: 'g', ...fields },
    ] as [number, number, object]
  const db = await recorded([
    call(9_000_000, { trace: JSON.stringify({ tried: [tried('old', 0, 'long ago')] }) }),
    call(3_000, {
      trace: JSON.stringify({ tried: [tried('bad', 0, 'first'), tried('bad', 5, 'second')] }),
      failed_tries: 2,
    }),
    call(2_000, { trace: JSON.stringify({ tried: [tried('bad', 0, 'third')] }) }),
    call(1_000, {
      outcome: 'broken',
      trace: JSON.stringify({ failure: { kind: 'upstream_failed', cause: 'cut' } }),
    }),
    [1, 10, { started_at_ms: NOW_MS, trace: '{"held_ms":1}' }],
  ])
  expect(await lastFailures(db, { from_ms: NOW_MS - 3_600_000, first_id: 0 })).toEqual([
    {
      provider: 'good',
      upstream_model: 'g',
      failure_class: 'broke_off',
      at_ms: expect.any(Number),
      words: 'cut',
      request_id: 'r4',
    },
    {
      provider: 'bad',
      upstream_model: 'm',
      failure_class: 'overloaded',
      at_ms: NOW_MS - 2_000 + 1,
      words: 'third',
      request_id: 'r3',
    },
  ])
})
