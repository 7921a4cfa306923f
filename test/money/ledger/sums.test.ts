// Sums of calls by day (silent.md, Account surface: "daily sums by model and key"), in UTC and in other time zones.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOf, UTC } from '../../../src/domain/zones.ts'
import { periodsOf, QUARTER_S } from '../../../src/money/ledger/days.ts'
import type { CallRecord } from '../../../src/money/ledger/operations.ts'
import { dailySums } from '../../../src/money/ledger/sums.ts'
import { recorded } from './recorded.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MIDNIGHT_MS = Date.UTC(2026, 11, 31)

describe('sums by day', () => {
  const at = (days: number, ms = 0) => ({ started_at_ms: MIDNIGHT_MS + days * DAY_MS + ms })

  test('group by day, account, key and model: the newest day first, within a day the most expensive first', async () => {
    const db = await recorded([
      [1, 10, { model: 'a', ...at(0) }],
      [1, 20, { model: 'a', ...at(0, DAY_MS - 1) }],
      [1, 500, { model: 'b', ...at(0) }],
      [2, 40, { model: 'a', ...at(0) }],
      [3, 50, { model: 'a', ...at(1) }],
    ])
    const { sums } = await dailySums(db, {}, { zone: UTC })
    const rows = sums.map((sum) => [
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

  test('add up every field of the usage', async () => {
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
    const db = await recorded([
      [1, 0, { ...usage, ...at(0) }],
      [1, 0, { ...usage, ...at(0) }],
    ])
    const doubled = Object.fromEntries(Object.entries(usage).map(([field, count]) => [field, count * 2]))
    expect((await dailySums(db, {}, { zone: UTC })).sums).toMatchObject([doubled])
  })

  test('add up what was left unpaid', async () => {
    const db = await recorded([[1, 2_000_000_000, at(0)]])
    expect((await dailySums(db, {}, { zone: UTC })).sums).toMatchObject([
      { cost_nanos: 2_000_000_000, unpaid_nanos: 1_000_000_000 },
    ])
  })

  test('are filtered like calls, and empty if nothing matches', async () => {
    const db = await recorded([
      [1, 10, at(0)],
      [3, 20, at(0)],
    ])
    expect((await dailySums(db, { account_id: 2 }, { zone: UTC })).sums).toMatchObject([
      { account_id: 2, cost_nanos: 20 },
    ])
    expect((await dailySums(db, { model: 'none' }, { zone: UTC })).sums).toEqual([])
  })

  test('agree with the calls themselves, for any calls', async () => {
    const call = fc.record({
      key: fc.integer({ min: 1, max: 3 }),
      cost: fc.integer({ min: 0, max: 50_000 }),
      model: fc.constantFrom('a', 'b'),
      started_at_ms: fc.integer({ min: MIDNIGHT_MS, max: MIDNIGHT_MS + 3 * DAY_MS }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (made) => {
        const db = await recorded(made.map(({ key, cost, ...rest }) => [key, cost, rest]))
        const { sums } = await dailySums(db, {}, { zone: UTC })
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
        await db.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('days in a time zone', () => {
  /** Zones with offsets of quarters and halves of hours, around their clock changes; one changes by half an hour. */
  test.each([
    ['UTC', Date.UTC(2026, 5, 1)],
    ['America/New_York', Date.UTC(2026, 10, 1)],
    ['America/New_York', Date.UTC(2026, 2, 8)],
    ['America/St_Johns', Date.UTC(2026, 2, 8)],
    ['Asia/Kathmandu', Date.UTC(2026, 11, 31)],
    ['Asia/Kolkata', Date.UTC(2026, 11, 31)],
    ['Asia/Tokyo', Date.UTC(2026, 1, 28)],
    ['Australia/Lord_Howe', Date.UTC(2026, 3, 4)],
    ['Pacific/Chatham', Date.UTC(2026, 8, 26)],
    ['Pacific/Kiritimati', Date.UTC(2026, 0, 1)],
    ['Africa/Cairo', Date.UTC(2026, 3, 23)],
  ])('%s around %d: the sums are those of the calls', async (zone, around_ms) => {
    const times = Array.from(
      { length: 400 },
      (_, index) => around_ms - 2 * DAY_MS + index * 13 * 60_000 + index,
    )
    const db = await recorded(
      times.map((started_at_ms, index) => [1 + (index % 3), index, { started_at_ms }]),
    )
    const expected = new Map<string, number>()
    for (const [index, time_ms] of times.entries()) {
      const name = `${dayOf(time_ms, zone).name} ${1 + (index % 3)}`
      expected.set(name, (expected.get(name) ?? 0) + index)
    }
    const { sums } = await dailySums(db, {}, { zone })
    expect(new Map(sums.map(({ day, key_id, cost_nanos }) => [`${day} ${key_id}`, cost_nanos]))).toEqual(
      expected,
    )
    await db.close()
  })

  test.each(['America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
    '%s: a day is that of the calendar',
    (zone) => {
      for (let time_ms = Date.UTC(2026, 0, 1); time_ms < Date.UTC(2027, 0, 1); time_ms += 7 * HOUR_MS) {
        const day = dayOf(time_ms, zone)
        expect(day.name).toBe(new Date(time_ms).toLocaleDateString('sv', { timeZone: zone }))
        expect(day.start_ms).toBeLessThanOrEqual(time_ms)
        expect(day.end_ms).toBeGreaterThan(time_ms)
        expect(dayOf(day.end_ms, zone).start_ms).toBe(day.end_ms)
      }
    },
  )
})

test('the periods of a stretch of time cover each of its quarters once, and nothing else', () => {
  const moment = fc.integer({ min: MIDNIGHT_MS - 3 * DAY_MS, max: MIDNIGHT_MS + 3 * DAY_MS })
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      const [from_ms, until_ms] = one < other ? [one, other] : [other, one + 1]
      const covered = new Map<number, number>()
      for (const { sign, span_s, starts } of periodsOf(from_ms, until_ms))
        for (const start_s of starts)
          for (let quarter_s = start_s; quarter_s < start_s + span_s; quarter_s += QUARTER_S)
            covered.set(quarter_s, (covered.get(quarter_s) ?? 0) + sign)
      const quarters: number[] = []
      for (let s = Math.floor(from_ms / 1_000 / QUARTER_S) * QUARTER_S; s * 1_000 < until_ms; s += QUARTER_S)
        quarters.push(s)
      expect([...covered].filter(([, times]) => times !== 0).sort(([a], [b]) => a - b)).toEqual(
        quarters.map((quarter_s) => [quarter_s, 1]),
      )
    }),
  )
})

const PAGED = Array.from({ length: 60 }, (_, index): [number, number, Partial<CallRecord>] => [
  1 + (index % 3),
  index,
  { model: index % 2 ? 'a' : 'b', started_at_ms: MIDNIGHT_MS - (index % 20) * 9 * HOUR_MS },
])
const paged = await recorded(PAGED)
const { sums: all } = await dailySums(paged, {}, { zone: UTC })

describe('pages of sums', () => {
  test.each([1, 5, 7, 1_000])('of at most %d have each sum once, whole days at a time', async (limit) => {
    const seen: typeof all = []
    let cursor: number | undefined
    do {
      const page = await dailySums(paged, {}, { zone: UTC, limit, cursor })
      const days = new Set(page.sums.map(({ day }) => day))
      expect(page.sums.length <= limit || days.size === 1).toBe(true)
      expect(seen.some(({ day }) => days.has(day))).toBe(false)
      seen.push(...page.sums)
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(all)
  })

  test('count from and up to whole quarters of an hour', async () => {
    const at = (minutes: number) => ({ started_at_ms: MIDNIGHT_MS + minutes * 60_000 })
    const minutes = await recorded([
      [1, 1, at(14)],
      [1, 10, at(15)],
      [1, 100, at(44)],
      [1, 1_000, at(45)],
    ])
    const within = { since_ms: MIDNIGHT_MS + 20 * 60_000, until_ms: MIDNIGHT_MS + 40 * 60_000 }
    expect((await dailySums(minutes, within, { zone: UTC })).sums).toMatchObject([
      { calls: 2, cost_nanos: 110 },
    ])
  })
})
