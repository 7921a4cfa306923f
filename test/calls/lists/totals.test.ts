// Sums of filtered calls: they equal the sums over the calls in the list, however they are computed.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { allCalls, listCalls, type RecordedCall } from '../../../plugins/calls/listing.ts'
import { callTotals } from '../../../plugins/calls/totals.ts'
import { reportOf } from '../../../plugins/usage/report/report.ts'
import { FAILED_OUTCOMES, hasFailed, OUTCOMES } from '../../../src/domain/outcomes.ts'
import { outputTokens, promptTokens } from '../../../src/domain/usage.ts'
import { UTC } from '../../../src/domain/zones.ts'
import type { CallFilter } from '../../../src/money/ledger/queries.ts'
import { recorded } from '../../money/ledger/recorded.ts'

const HOUR_MS = 3_600_000
const START = Date.UTC(2026, 10, 1)
const MODELS = ['m1', 'm2']

/** Some of the failed calls, which a provider failed to answer. */
const isUnanswered = (nth: number): boolean => nth % 8 === 3

/** Sixty different calls of three keys, over ten days. */
const db = await recorded(
  Array.from({ length: 60 }, (_, nth) => [
    1 + (nth % 3),
    nth % 7 === 0 ? 0 : 10 + nth,
    {
      model: MODELS[nth % 2] ?? 'm1',
      outcome: OUTCOMES[nth % 4] ?? 'completed',
      provider: isUnanswered(nth) ? '' : `p${nth % 5}`,
      trace: isUnanswered(nth) ? JSON.stringify({ tried: [{ provider: `p${nth % 5}` }] }) : '',
      status: nth % 4 === 3 ? 502 : 200,
      started_at_ms: START + nth * 4 * HOUR_MS + nth,
      images: nth % 2,
      provider_cost_nanos: nth % 3 === 0 ? null : nth,
    },
  ]),
)

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 3 })
const moment = fc.oneof(
  fc.integer({ min: 0, max: 250 }).map((hours) => START + hours * HOUR_MS),
  fc.integer({ min: START, max: START + 250 * HOUR_MS }),
)
const filters: fc.Arbitrary<CallFilter> = fc.record({
  account_id: maybe(fc.constantFrom(1, 2, 9)),
  key_id: maybe(fc.constantFrom(1, 2, 3)),
  model: maybe(fc.constantFrom(...MODELS, 'none')),
  outcomes: maybe(fc.constantFrom(FAILED_OUTCOMES, ['completed'] as const, ['cancelled'] as const)),
  provider: maybe(fc.constantFrom('p1', 'none')),
  answered: maybe(fc.constant(true)),
  status: maybe(fc.constant({ from: 500, to: 599 })),
  min_cost_nanos: maybe(fc.constantFrom(0, 40)),
  since_ms: maybe(moment),
  until_ms: maybe(moment),
})

const sum = (calls: readonly RecordedCall[], of: (call: RecordedCall) => number) =>
  calls.reduce((total, call) => total + of(call), 0)

test('counts, sums, and the file cover the calls of the list', async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { rows: calls } = await listCalls(db, filter, { limit: 1_000 })
      const known = calls.filter(({ provider_cost_nanos }) => provider_cost_nanos !== null)
      expect(await callTotals(db, filter)).toEqual({
        calls: calls.length,
        failed: calls.filter(hasFailed).length,
        input_tokens: sum(calls, promptTokens),
        output_tokens: sum(calls, outputTokens),
        images: sum(calls, ({ images }) => images),
        cost_nanos: sum(calls, ({ cost_nanos }) => cost_nanos),
        provider_cost_nanos: sum(known, ({ provider_cost_nanos }) => provider_cost_nanos ?? 0),
        known_revenue_nanos: sum(known, ({ cost_nanos }) => cost_nanos),
        uncosted_calls: calls.filter((call) => call.provider_cost_nanos === null && call.price !== '').length,
        covered_calls: 0,
        covered_nanos: 0,
        covered_cost_nanos: 0,
      })
      const parts: RecordedCall[] = []
      for await (const part of allCalls(db, filter)) parts.push(...part)
      expect(parts).toEqual(calls)
    }),
    { numRuns: 300 },
  )
})

test('sums by provider count the calls that the provider answered; a filter by provider also finds calls that it failed to answer', async () => {
  const time = { from_ms: START, until_ms: START + 10 * 24 * HOUR_MS }
  const { rows } = await reportOf(db, { ...time, filter: {}, by: 'provider', zone: UTC })
  for (const provider of ['p1', 'p3']) {
    const filter = { provider, since_ms: time.from_ms, until_ms: time.until_ms }
    const { calls, failed } = await callTotals(db, { ...filter, answered: true })
    expect(rows.find((row) => row.name === provider)).toMatchObject({ calls, failed })
    expect((await callTotals(db, filter)).calls).toBeGreaterThan(calls)
  }
  expect((await callTotals(db, { answered: true })).calls).toBe(60 - 8)
})
