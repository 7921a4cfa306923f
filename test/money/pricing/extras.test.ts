// The cost of extras: their holds and charges, to the nano-dollar.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ExtraPrice, RequestedExtra } from '../../../src/domain/extras.ts'
import { chargeTokens } from '../../../src/money/pricing/charge.ts'
import { chargedExtras, extrasAt, extrasCeiling } from '../../../src/money/pricing/extras.ts'
import { affordableOutput, quote } from '../../../src/money/pricing/quote.ts'
import { anyPrice, anyUsage, PRO, SONNET, usageOf } from './prices.ts'

const PRICES = new Map<string, ExtraPrice>([
  ['search', { per: 'unit', nanos: 7, max_units: 5 }],
  ['tier', { per: 'call', nanos: 1_000, max_units: 1 }],
  ['free', { per: 'call', nanos: 0, max_units: 1 }],
])
/** Extras of which two are billed even if the request does not contain them. */
const ALWAYS = new Map<string, ExtraPrice>([
  ['request', { per: 'request', nanos: 100, max_units: 1, always: true }],
  ['search', { per: 'unit', nanos: 7, max_units: 5, always: true }],
  ['tier', { per: 'call', nanos: 1_000, max_units: 1 }],
])
const extra = (name: string, more: Partial<RequestedExtra> = {}): RequestedExtra => ({
  name,
  at: name,
  is_charged: true,
  ...more,
})
const countsOf = (units: number | undefined, complete = true) => ({ units: () => units, complete })

describe('an extra that is always billed', () => {
  test.each<[string, RequestedExtra[], number | undefined, boolean, number, number]>([
    ['not requested, and counted', [], 3, true, 135, 121],
    ['not requested, and not counted', [], undefined, true, 135, 100],
    ['not requested, and counted as 0', [], 0, true, 135, 100],
    ['not requested, in an answer without its end', [], undefined, false, 135, 107],
    ['not requested, and counted above its hold', [], 90, true, 135, 135],
    ['requested, and not counted', [extra('search')], undefined, true, 135, 107],
    [
      'requested with a limit: the provider searches by itself, too',
      [extra('search', { max_units: 1 })],
      3,
      true,
      135,
      121,
    ],
    ['beside a requested one', [extra('tier')], undefined, true, 1_135, 1_100],
  ])('%s', (_, requested, units, complete, held, charged) => {
    expect(extrasCeiling(ALWAYS, requested)).toBe(held)
    const counts = { units: (name: string) => (name === 'search' ? units : undefined), complete }
    expect(chargeTokens(SONNET, usageOf({}), chargedExtras(ALWAYS, requested, counts)).cost_nanos).toBe(
      charged,
    )
  })

  test('a cost includes the fee of a request, even if the price has none', () => {
    expect(extrasAt(ALWAYS, [])).toEqual([{ name: 'request', per: 'request', nanos: 100, units: 1 }])
    expect(extrasAt(PRICES, [])).toEqual([])
  })
})

describe('the hold and the charge', () => {
  test.each([
    ['without an extra', [], undefined, 0, 0],
    ['by the unit', [extra('search')], 3, 35, 21],
    ['by the unit, none used', [extra('search')], 0, 35, 0],
    ['by the unit, not counted: one', [extra('search')], undefined, 35, 7],
    ['with a limit of the caller’s', [extra('search', { max_units: 2 })], 2, 14, 14],
    ['with a limit beyond the model’s', [extra('search', { max_units: 9 })], 9, 35, 35],
    [
      'two tools, each with its limit',
      [extra('search', { max_units: 1 }), extra('search', { max_units: 2 })],
      3,
      21,
      21,
    ],
    ['counted above its hold', [extra('search')], 1_000_000_000, 35, 35],
    ['by the call, used often', [extra('tier')], 9, 1_000, 1_000],
    ['by the call, requested twice', [extra('tier'), extra('tier')], undefined, 1_000, 1_000],
    ['by the call, counted as not used', [extra('tier')], 0, 1_000, 0],
    ['only allowed', [extra('tier', { is_charged: false })], undefined, 0, 0],
    ['free', [extra('free')], undefined, 0, 0],
    ['without a price', [extra('other')], undefined, 0, 0],
    ['several', [extra('search'), extra('tier'), extra('free')], 2, 1_035, 1_014],
  ])('%s', (_, requested, units, held, charged) => {
    expect(extrasCeiling(PRICES, requested)).toBe(held)
    const extras = chargedExtras(PRICES, requested, countsOf(units))
    expect(chargeTokens(SONNET, usageOf({}), extras).cost_nanos).toBe(charged)
  })

  test.each([
    [0, 7],
    [1, 7],
    [4, 28],
    [undefined, 7],
  ])('for an answer without its end: %p counted, %d charged', (units, charged) => {
    const extras = chargedExtras(PRICES, [extra('search')], countsOf(units, false))
    expect(chargeTokens(SONNET, usageOf({}), extras).cost_nanos).toBe(charged)
  })
})

test('extras come on top of the tokens, whatever the tier, and are in the price that is kept', () => {
  const extras = chargedExtras(PRICES, [extra('search')], countsOf(2))
  const usage = usageOf({ input_tokens: 200_001, output_tokens: 1 })
  const { cost_nanos, snapshot } = chargeTokens(PRO, usage, extras)
  expect(cost_nanos).toBe(200_001 * 2_500 + 15_000 + 14)
  expect(JSON.parse(snapshot)).toEqual({
    ...JSON.parse(chargeTokens(PRO, usage).snapshot),
    extras: [{ name: 'search', per: 'unit', nanos: 7, units: 2 }],
  })
})

test('extras are whole nano-dollars: the sum is rounded up once, as without them', () => {
  const property = fc.property(anyPrice, anyUsage, fc.integer({ min: 0, max: 9 }), (price, usage, units) => {
    const extras = chargedExtras(PRICES, [extra('search'), extra('tier')], countsOf(units))
    const sum = Math.min(units, 5) * 7 + Math.min(units, 1) * 1_000
    expect(chargeTokens(price, usage, extras).cost_nanos).toBe(chargeTokens(price, usage).cost_nanos + sum)
  })
  fc.assert(property, { numRuns: 100 })
})

test('a quote holds for extras in its ceiling and in its floor, and output is afforded beside them', () => {
  const request = { input_bound_tokens: 10, candidates: 1, max_output_tokens: 1_000 }
  const plain = quote(SONNET, request)
  const extras_nanos = 1_035
  expect(quote(SONNET, { ...request, extras_nanos })).toEqual({
    ceiling_nanos: plain.ceiling_nanos + extras_nanos,
    floor_nanos: plain.floor_nanos + extras_nanos,
  })
  const held = plain.floor_nanos + extras_nanos
  expect(affordableOutput(SONNET, { ...request, extras_nanos }, held)).toBe(256)
  expect(affordableOutput(SONNET, { ...request, extras_nanos }, extras_nanos)).toBe(0)
})
