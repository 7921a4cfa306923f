// Service tiers: their multipliers and rates, and the charge of a call at the tier that served it.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { tierApplied } from '../../../plugins/calls/price-lines.ts'
import { rerate } from '../../../plugins/prices/rerating/rerate.ts'
import { ratesBelowCost } from '../../../src/catalogue/costs.ts'
import type { TokenPrice } from '../../../src/domain/prices.ts'
import { USAGE_FIELDS, type Usage } from '../../../src/domain/usage.ts'
import { chargeTokens } from '../../../src/money/pricing/charge.ts'
import { comparePrices } from '../../../src/money/pricing/price-lines.ts'
import { providerCost } from '../../../src/money/pricing/provider-cost.ts'
import { quote } from '../../../src/money/pricing/quote.ts'
import { chargeAtTier, priceAt } from '../../../src/money/pricing/service-tiers.ts'
import { anyPrice, anyUsage, tokenPrice, usageOf } from './prices.ts'

/** 1,000 nano-dollars a token read, 4,000 written, a tenth read from a cache; above 100 tokens twice and 1.5 times as much. */
const PRICE = tokenPrice({
  input: 1,
  output: 4,
  image_output: 30,
  audio: 3,
  tiers: [{ above: 100, input: 2, output: 6 }],
  service_tiers: { priority: '2.0', flex: { input: 0.5, output: 1.5 }, odd: 1.3333333333 },
})
const at = (name: string): TokenPrice => {
  const price = priceAt(PRICE, name)
  if (!price) throw new Error(`no price for ${name}`)
  return price
}
const cost = (requested: string | undefined, served: string | undefined, usage: Usage): number =>
  chargeAtTier(PRICE, { requested, served }, usage, []).cost_nanos

const SMALL = usageOf({ input_tokens: 10, output_tokens: 5 })
const LARGE = usageOf({ input_tokens: 101, output_tokens: 1 })

describe('a multiplier applies to every token rate, of every prompt size', () => {
  test.each(USAGE_FIELDS)('%s', (field) => {
    for (const [index, { rates }] of at('priority').tiers.entries())
      expect(rates[field]).toBe(2 * (PRICE.tiers[index]?.rates[field] ?? Number.NaN))
  })
  test('a fraction of a nano-dollar is rounded up', () => {
    expect(at('odd').tiers[0].rates.input_tokens).toBe(1_333_333_334)
  })
})

describe('rates of its own', () => {
  test.each([
    ['cache_read_tokens', 50_000_000],
    ['cache_write_5m_tokens', 625_000_000],
    ['thinking_tokens', 1_500_000_000],
    ['output_image_tokens', 1_500_000_000],
    ['input_audio_tokens', 500_000_000],
  ] as const)('%s follows from them, not from the standard tier', (field, nanos) => {
    expect(at('flex').tiers[0].rates[field]).toBe(nanos)
  })
  test('without tiers of their own they hold for prompts of all sizes', () => {
    expect(cost('flex', undefined, LARGE)).toBe(101 * 500 + 1_500)
  })
  test('their own tiers apply by the size of the prompt', () => {
    const price = tokenPrice({
      input: 1,
      output: 1,
      service_tiers: { flex: { input: 0.5, output: 0.5, tiers: [{ above: 100, input: 0.7, output: 0.7 }] } },
    })
    expect(chargeAtTier(price, { requested: 'flex', served: undefined }, LARGE, []).cost_nanos).toBe(
      102 * 700,
    )
  })
})

const STANDARD_NANOS = 10 * 1_000 + 5 * 4_000
const FLEX_NANOS = 10 * 500 + 5 * 1_500

/** The requested tier, the tier in the answer, and the charge. */
const CHARGES: readonly (readonly [
  requested: string | undefined,
  served: string | undefined,
  nanos: number,
])[] = [
  [undefined, undefined, STANDARD_NANOS],
  [undefined, 'standard', STANDARD_NANOS],
  [undefined, 'priority', STANDARD_NANOS],
  [undefined, 'flex', FLEX_NANOS],
  [undefined, 'unheard-of', STANDARD_NANOS],
  ['priority', 'priority', 2 * STANDARD_NANOS],
  ['priority', undefined, 2 * STANDARD_NANOS],
  ['priority', 'unheard-of', 2 * STANDARD_NANOS],
  ['priority', 'standard', STANDARD_NANOS],
  ['priority', 'flex', FLEX_NANOS],
  ['flex', 'flex', FLEX_NANOS],
  ['flex', undefined, FLEX_NANOS],
  ['flex', 'standard', FLEX_NANOS],
  ['flex', 'priority', FLEX_NANOS],
]

describe('a call is charged at the tier that served it, never above the requested one', () => {
  test.each(CHARGES)('requested %p, served %p', (requested, served, nanos) => {
    expect(cost(requested, served, SMALL)).toBe(nanos)
  })

  test('above a prompt size the multiplier applies to the rates of that size', () => {
    expect(cost('priority', 'priority', LARGE)).toBe(2 * (101 * 2_000 + 6_000))
    expect(cost('priority', 'standard', LARGE)).toBe(101 * 2_000 + 6_000)
  })

  const NAMES = [undefined, 'standard', 'priority', 'flex', 'other', 'unheard-of'] as const
  const anyTiered = fc
    .tuple(anyPrice, anyPrice, anyPrice, anyPrice)
    .map(([standard, priority, flex, other]): TokenPrice => {
      const tiers = Object.entries({ priority, flex, other }).map(
        ([service_tier, price]) => [service_tier, { ...price, service_tier }] as const,
      )
      return { ...standard, service_tiers: new Map(tiers) }
    })

  test('the charge is never above the hold, for any price, usage and tiers', () => {
    fc.assert(
      fc.property(
        anyTiered,
        anyUsage,
        fc.constantFrom(undefined, 'priority', 'flex', 'other'),
        fc.constantFrom(...NAMES),
        (price, usage, requested, served) => {
          const { input_tokens, output_tokens } = sumsOf(usage)
          const held = quote(priceAt(price, requested) ?? price, {
            input_bound_tokens: input_tokens,
            candidates: 1,
            max_output_tokens: output_tokens,
          })
          const { cost_nanos } = chargeAtTier(price, { requested, served }, usage, [])
          expect(cost_nanos).toBeLessThanOrEqual(held.ceiling_nanos)
          expect(cost_nanos).toBeLessThanOrEqual(
            chargeTokens(priceAt(price, requested) ?? price, usage).cost_nanos,
          )
        },
      ),
    )
  })
})

const sumsOf = ({ output_tokens, thinking_tokens, output_image_tokens, ...input }: Usage) => ({
  input_tokens: Object.values(input).reduce((sum, count) => sum + count, 0),
  output_tokens: output_tokens + thinking_tokens + output_image_tokens,
})

describe('the cost at the provider follows the tier that served, whatever was charged', () => {
  const COST = tokenPrice({ input: 0.5, output: 2, service_tiers: { priority: 3, flex: 0.5 } })
  const UNIT_NANOS = 10 * 500 + 5 * 2_000
  test.each([
    [undefined, undefined, UNIT_NANOS],
    [undefined, 'priority', 3 * UNIT_NANOS],
    ['priority', 'priority', 3 * UNIT_NANOS],
    ['priority', 'standard', UNIT_NANOS],
    ['flex', 'standard', UNIT_NANOS],
    ['flex', undefined, UNIT_NANOS / 2],
    ['priority', 'unheard-of', null],
  ] as const)('requested %p, served %p', (requested, served, nanos) => {
    expect(providerCost(COST, SMALL, chargeAtTier(PRICE, { requested, served }, SMALL, []))).toBe(nanos)
  })
  test('the cost is unknown if it does not have the tier', () => {
    const charge = chargeAtTier(PRICE, { requested: 'priority', served: 'priority' }, SMALL, [])
    expect(providerCost(tokenPrice({ input: 1, output: 1 }), SMALL, charge)).toBeNull()
  })
})

describe('a recorded call at other prices', () => {
  const recorded = (requested: string | undefined, served: string | undefined) => ({
    ...SMALL,
    images: 0,
    price: chargeAtTier(PRICE, { requested, served }, SMALL, []).snapshot,
  })
  const NEXT = tokenPrice({ input: 2, output: 2, service_tiers: { priority: 10 } })
  test.each([
    ['at its own price', 'priority', 'priority', PRICE, 2 * STANDARD_NANOS],
    ['the tier at its next price', 'priority', 'priority', NEXT, 10 * 15 * 2_000],
    ['a charge at the standard tier stays one', 'priority', 'standard', NEXT, 15 * 2_000],
    ['its tier no longer has a price', 'flex', 'flex', NEXT, undefined],
  ] as const)('%s', (_, requested, served, next, nanos) => {
    expect(rerate(recorded(requested, served), next, PRICE)).toBe(nanos)
  })
})

describe('a call’s page names the tier whose price was applied', () => {
  test.each([
    ['priority', 'priority', 'priority'],
    ['priority', 'standard', null],
    ['flex', 'standard', 'flex'],
    [undefined, 'priority', null],
    [undefined, undefined, null],
  ] as const)('requested %p, served %p: %p', (requested, served, tier) => {
    expect(tierApplied({ price: chargeAtTier(PRICE, { requested, served }, SMALL, []).snapshot })).toBe(tier)
  })
  test('none if nothing was charged, or the price is by image', () => {
    for (const price of ['', JSON.stringify({ unit: 'image', per_image_nanos: 1 })])
      expect(tierApplied({ price })).toBeNull()
  })
})

describe('descriptions of prices', () => {
  const two = tokenPrice({ input: 1, output: 1, service_tiers: { priority: 2 } })
  test('show a changed multiplier as a change of each rate of its tier', () => {
    const next = tokenPrice({ input: 1, output: 1, service_tiers: { priority: 3 } })
    const changes = comparePrices(two, next)
    expect(new Set(changes.map(({ of }) => of))).toEqual(new Set(['priority tier']))
    expect(changes.find(({ name }) => name === 'output')).toMatchObject({
      before_nanos: 2_000_000_000,
      after_nanos: 3_000_000_000,
    })
  })
  test('name the service tier, the prompt size, or both', () => {
    const words = comparePrices(tokenPrice({ input: 1, output: 4 }), PRICE).map(({ of }) => of)
    expect(words).toContain('priority tier, prompts above 100 tokens')
    expect(words).toContain('prompts above 100 tokens')
  })
  test('name the rates of a tier that are below its cost', () => {
    const cost = tokenPrice({ input: 1, output: 1, service_tiers: { priority: 2.5 } })
    expect(ratesBelowCost(two, cost)).toContain('priority input')
    expect(ratesBelowCost(two, two)).toEqual([])
  })
})
