// The overview of calls: its sums are those of the calls, read either way; its times those of the calls that were answered.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { failingRoutes } from '../../plugins/health/failing-routes.ts'
import { createOverviewMemory, type Overview, overviewOf } from '../../plugins/usage/overview/overview.ts'
import { quantile } from '../../plugins/usage/overview/totals.ts'
import { FIGURE_RANGES, type FigureRange } from '../../src/domain/ranges.ts'
import type { Db } from '../../src/store/db.ts'
import type { Call } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW_MS = Date.UTC(2026, 10, 22, 12, 34, 56, 789)
const LENGTH_MS: Record<FigureRange, number> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
}

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
        fc.integer({ min: 0, max: 2 * 3_600_000 }),
        fc.integer({ min: 0, max: 2 * 86_400_000 }),
        fc.integer({ min: 0, max: 61 * 86_400_000 }),
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

test('an hour has sixty points, the last of which is this minute', async () => {
  const now_ms = 2 * LENGTH_MS.hour
  const { points, from_ms } = await overviewOf(await recorded([]), 'hour', { account_id: undefined, now_ms })
  expect([points.length, from_ms, points.at(-1)?.start_ms]).toEqual([60, now_ms - 59 * 60_000, now_ms])
})

test('others have their turn between the times of many calls', async () => {
  /** In how many turns the overview of so many calls, over thirty minutes, is read. */
  async function turnsOf(calls: number): Promise<number> {
    const db = await recorded(
      Array.from({ length: calls }, (_, nth) => [1, 5, { started_at_ms: NOW_MS - (nth % 30) * 60_000 }]),
    )
    let turns = 0
    let is_over = false
    const overview = overviewOf(db, 'hour', { account_id: undefined, now_ms: NOW_MS }).finally(() => {
      is_over = true
    })
    for (; !is_over; turns += 1) await endOfTurn()
    expect((await overview).totals.calls).toBe(calls)
    return turns
  }
  expect(await turnsOf(1_600)).toBeGreaterThan(await turnsOf(30))
})

describe('sums', () => {
  test.each(FIGURE_RANGES)('over a %s are those of its calls, for all and for one account', async (range) => {
    await fc.assert(
      fc.asyncProperty(fc.array(aCall, { maxLength: 40 }), async (calls) => {
        const db = await recorded(calls)
        const memory = createOverviewMemory()
        // The second time days are known.
        for (const account_id of [undefined, 1, 2, undefined, 1]) {
          const overview = await overviewOf(db, range, { account_id, now_ms: NOW_MS, memory })
          const rows = (await rowsOf(db)).filter(
            (row) => account_id === undefined || row.account_id === account_id,
          )
          expectSums(overview, rows)
        }
        await db.close()
      }),
      { numRuns: 12 },
    )
  })

  test.each(['hour', 'day'] as const)(
    'over a %s with too many calls to read are those of its quarters',
    async (range) => {
      await fc.assert(
        fc.asyncProperty(fc.array(aCall, { minLength: 1, maxLength: 40 }), async (calls) => {
          const db = await recorded(calls)
          const overview = await overviewOf(db, range, {
            account_id: undefined,
            now_ms: NOW_MS,
            max_calls_read: 0,
          })
          const { points, totals, from_ms, until_ms, step_ms } = overview
          const rows = await rowsOf(db)
          expect(totals).toMatchObject(totalsOf(within(rows, from_ms, until_ms)))
          for (const { start_ms, ...point } of points)
            expect(point).toMatchObject(totalsOf(within(rows, start_ms, start_ms + step_ms)))
          await db.close()
        }),
        { numRuns: 12 },
      )
    },
  )

  function expectSums(overview: Overview, rows: readonly Call[]): void {
    const { points, totals, before, from_ms, until_ms, step_ms } = overview
    expect(totals).toMatchObject(totalsOf(within(rows, from_ms, until_ms)))
    for (const point of points) {
      const end_ms = Math.min(point.start_ms + step_ms, until_ms)
      expect(point).toMatchObject(totalsOf(within(rows, point.start_ms, end_ms)))
    }
    const length_ms = step_ms * points.length
    if (step_ms === 86_400_000) expectBefore(overview, rows)
    else expect(before).toMatchObject(totalsOf(within(rows, from_ms - length_ms, until_ms - length_ms)))
  }

  /** By days the range before ends with a quarter of an hour, which counts whole. */
  function expectBefore(
    { before, points, from_ms, until_ms, step_ms }: Overview,
    rows: readonly Call[],
  ): void {
    const length_ms = step_ms * points.length
    const end_ms = Math.ceil((until_ms - length_ms) / 900_000) * 900_000
    expect(before).toMatchObject(totalsOf(within(rows, from_ms - length_ms, end_ms)))
  }

  test('a day that is over is remembered for an hour, and today is not', async () => {
    const connection = memoryDatabase()
    const db = await recorded([[1, 10, { started_at_ms: NOW_MS - 5 * 86_400_000 }]], connection)
    const memory = createOverviewMemory()
    const callsAt = async (now_ms: number) =>
      (await overviewOf(db, 'week', { account_id: undefined, now_ms, memory })).totals.calls
    expect(await callsAt(NOW_MS)).toBe(1)
    const add = (id: number, ago_ms: number) => {
      const columns =
        'request_id, account_id, key_id, surface, model, provider, upstream_model, outcome, status, streamed, estimated, input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images, hold_nanos, cost_nanos, unpaid_nanos, price'
      connection.run(
        `INSERT INTO calls (id, ${columns}, started_at_ms, duration_ms) SELECT ?, ${columns}, ?, 1 FROM calls LIMIT 1`,
        [id, NOW_MS - ago_ms],
      )
    }
    add(50, 5 * 86_400_000)
    add(51, 60_000)
    expect(await callsAt(NOW_MS)).toBe(2)
    expect(await callsAt(NOW_MS + 3_600_000)).toBe(3)
  })

  test('a refund is seen at once, also of a day that is remembered', async () => {
    const connection = memoryDatabase()
    const db = await recorded([[1, 10, { started_at_ms: NOW_MS - 5 * 86_400_000 }]], connection)
    const memory = createOverviewMemory()
    const cost = async () =>
      (await overviewOf(db, 'week', { account_id: undefined, now_ms: NOW_MS, memory })).totals.cost_nanos
    expect(await cost()).toBe(10)
    connection.run('UPDATE calls SET refunded_nanos = 4 WHERE id = 1')
    connection.run(
      "INSERT INTO entries (account_id, kind, amount_nanos, call_id, note, created_at_ms) VALUES (1, 'refund', 4, 1, '', 0)",
    )
    expect(await cost()).toBe(6)
  })

  test.each(FIGURE_RANGES)(
    'a %s ends now, and has as many points as it says, without gaps',
    async (range) => {
      const db = await recorded([])
      const { from_ms, until_ms, step_ms, points, totals } = await overviewOf(db, range, {
        account_id: undefined,
        now_ms: NOW_MS,
      })
      expect(until_ms).toBe(NOW_MS + 1)
      expect(until_ms - from_ms).toBeLessThanOrEqual(LENGTH_MS[range])
      expect(until_ms - from_ms).toBeGreaterThan(LENGTH_MS[range] - step_ms)
      expect(points.map(({ start_ms }) => start_ms)).toEqual(
        Array.from({ length: LENGTH_MS[range] / step_ms }, (_, nth) => from_ms + nth * step_ms),
      )
      expect(totals).toMatchObject({ calls: 0, first_byte_p50_ms: null, duration_p50_ms: null })
    },
  )
})

describe('times', () => {
  test('are those of answered calls alone', async () => {
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
    const { totals, is_sampled } = await overviewOf(db, 'hour', { account_id: 1, now_ms: NOW_MS })
    expect(totals).toMatchObject({ first_byte_p50_ms: 200, first_byte_p95_ms: 300, duration_p50_ms: 900 })
    expect(is_sampled).toBe(false)
  })

  test('of many calls are those of a sample that is spread over them', async () => {
    const db = await recorded(
      Array.from({ length: 1_000 }, (_, nth) => [
        1,
        10,
        { started_at_ms: NOW_MS - 1_000 + (nth >> 2), first_byte_ms: nth, duration_ms: nth },
      ]),
    )
    for (const account_id of [undefined, 1]) {
      const { totals, is_sampled } = await overviewOf(db, 'month', { account_id, now_ms: NOW_MS })
      expect(is_sampled).toBe(true)
      expect(totals.calls).toBe(1_000)
      expect(Math.abs((totals.first_byte_p50_ms ?? 0) - 500)).toBeLessThan(20)
      expect(Math.abs((totals.first_byte_p95_ms ?? 0) - 950)).toBeLessThan(20)
    }
  })
})

test('quantiles weigh each sample by what it stands for', () => {
  const samples = [
    { value: 10, weight: 1 },
    { value: 1, weight: 9 },
  ]
  expect([0, 0.5, 0.9, 0.95, 1].map((share) => quantile(samples, share))).toEqual([1, 1, 1, 10, 10])
  expect(quantile([], 0.5)).toBeNull()
})

test('routes that failed are told with their latest words, the worst first', async () => {
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
  const { routes, complete } = await failingRoutes(db, { from_ms: NOW_MS - 3_600_000, first_id: 0 })
  expect(complete).toBe(true)
  expect(routes).toEqual([
    {
      provider: 'bad',
      upstream_model: 'm',
      failures: 3,
      classes: { overloaded: 3 },
      last_at_ms: NOW_MS - 2_000 + 1,
      last_class: 'overloaded',
      last_words: 'third',
      last_request_id: 'r3',
    },
    {
      provider: 'good',
      upstream_model: 'g',
      failures: 1,
      classes: { broke_off: 1 },
      last_at_ms: expect.any(Number),
      last_class: 'broke_off',
      last_words: 'cut',
      last_request_id: 'r4',
    },
  ])
})
