// Provider costs: the cost of a call's route, applied to what was charged, or unknown.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ImagePrice, UnitPrice } from '../../../src/domain/prices.ts'
import { NO_UNITS } from '../../../src/domain/units.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { chargeImages, chargeTokens } from '../../../src/money/pricing/charge.ts'
import { chargeImageTokens } from '../../../src/money/pricing/image-tokens.ts'
import { marginLines } from '../../../src/money/pricing/price-lines.ts'
import { providerCost } from '../../../src/money/pricing/provider-cost.ts'
import { chargeUnits } from '../../../src/money/pricing/units.ts'
import {
  anyImageTokenPrice,
  anyImageTokens,
  anyPrice,
  anyUsage,
  imagePrice,
  imageTokenPrice,
  PRO,
  tokenPrice,
  usageOf,
} from './prices.ts'

describe('tokens', () => {
  test('any usage costs its charge at the cost instead of the price', () => {
    fc.assert(
      fc.property(anyPrice, anyPrice, anyUsage, (price, cost, usage) => {
        expect(providerCost(cost, usage, chargeTokens(price, usage))).toBe(
          chargeTokens(cost, usage).cost_nanos,
        )
      }),
    )
  })

  const search = (per_unit: string) => ({ web_search: { per_unit, max_units: 5 } })
  const extra = { name: 'web_search', per: 'unit', nanos: 20_000_000, units: 3 } as const
  const usage = usageOf({ input_tokens: 1_000 })
  const charge = chargeTokens(tokenPrice({ input: 2, output: 2, extras: search('0.02') }), usage, [extra])

  test('an extra costs its rate in the cost', () => {
    const cost = tokenPrice({ input: 1, output: 1, extras: search('0.01') })
    expect(providerCost(cost, usage, charge)).toBe(1_000_000 + 3 * 10_000_000)
  })

  test.each([
    ['the cost has none', tokenPrice({ input: 1, output: 1 })],
    [
      'the cost has it by the call',
      tokenPrice({ input: 1, output: 1, extras: { web_search: { per_call: '0.01' } } }),
    ],
  ])('the cost of a charged extra is unknown if %s', (_row, cost) => {
    expect(providerCost(cost, usage, charge)).toBeNull()
  })

  test('a cost above the safe integers is unknown', () => {
    const dear = tokenPrice({ input: 1_000_000, output: 1 })
    expect(providerCost(dear, usageOf({ input_tokens: 2 ** 52 }), {})).toBeNull()
  })
})

describe('units', () => {
  const perMinute: UnitPrice = { unit: 'unit', rates: [{ name: 'per_minute', nanos: 6_000_000 }] }
  const perCharacter: UnitPrice = {
    unit: 'unit',
    rates: [{ name: 'per_million_characters', nanos: 15_000_000_000 }],
  }
  const units = { ...NO_UNITS, audio_ms: 90_000, characters: 1_000 }

  test.each([
    ['by another unit than the price', perCharacter, 15_000_000],
    ['by the same unit', perMinute, 9_000_000],
    ['without a rate', { unit: 'unit', rates: [] } satisfies UnitPrice, 0],
  ])('a cost %s', (_row, cost, nanos) => {
    expect(providerCost(cost, NO_USAGE, chargeUnits(perMinute, units))).toBe(nanos)
  })
})

describe('images', () => {
  const flat = imagePrice({ per_image: '0.10' })
  const bySize = imagePrice({ per_image: '0.04', variants: [{ size: '4K', per_image: '0.08' }] })
  const order = { count: 3, size: '4K', quality: undefined }
  const rich = imagePrice({ per_image: '0.10', partial_image: '0.01', high_fidelity: '0.05' })

  test('the requested size counts, even if the price is the same for all sizes', () => {
    expect(providerCost(bySize, NO_USAGE, chargeImages(flat, order))).toBe(3 * 80_000_000)
    expect(providerCost(bySize, NO_USAGE, chargeImages(flat, { ...order, size: '1K' }))).toBe(3 * 40_000_000)
  })

  test.each([
    ['partial images', { ...order, partial_images: 2 }],
    ['high fidelity', { ...order, high_fidelity: true }],
  ])('%s cost their rate in the cost; without one the cost is unknown', (_row, order) => {
    expect(providerCost(rich, NO_USAGE, chargeImages(rich, order))).toBe(chargeImages(rich, order).cost_nanos)
    expect(providerCost(flat, NO_USAGE, chargeImages(rich, order))).toBeNull()
  })
})

describe('images by their tokens', () => {
  test('any tokens cost their charge at the cost instead of the price', () => {
    fc.assert(
      fc.property(anyImageTokenPrice, anyImageTokenPrice, anyImageTokens, (price, cost, tokens) => {
        expect(providerCost(cost, tokens.usage, chargeImageTokens(price, tokens))).toBe(
          chargeImageTokens(cost, tokens).cost_nanos,
        )
      }),
    )
  })

  test('their cost is unknown if the price is by image, which does not count them', () => {
    const cost = imageTokenPrice({ input: 5, image_output: 30 })
    const order = { count: 1, size: undefined, quality: undefined }
    expect(providerCost(cost, NO_USAGE, chargeImages(imagePrice({ per_image: 1 }), order))).toBeNull()
  })
})

test('margins have, line by line, a tier of the price beside the cost of such a prompt', () => {
  const cost = tokenPrice({ input: 1, output: 12, cache_read: 0.1 })
  const lines = marginLines(PRO, cost).map(({ name, of, price_nanos, cost_nanos }) => [
    name + of,
    price_nanos,
    cost_nanos,
  ])
  expect(lines).toContainEqual(['input', 1_250_000_000, 1_000_000_000])
  expect(lines).toContainEqual(['output', 10_000_000_000, 12_000_000_000])
  expect(lines).toContainEqual(['inputprompts above 200,000 tokens', 2_500_000_000, 1_000_000_000])
  const without_cost = marginLines(PRO, undefined)
  expect(without_cost.map(({ cost_nanos }) => cost_nanos)).toEqual(without_cost.map(() => null))
  expect(without_cost).toHaveLength(lines.length)
})

test('margins have prompt sizes at which only the cost changes, and a service tier without a cost', () => {
  const price = tokenPrice({ input: 1.5, output: 12, service_tiers: { priority: 2 } })
  const lines = marginLines(price, PRO)
  expect(
    lines
      .filter(({ name }) => name === 'input')
      .map(({ of, ...line }) => [of, line.price_nanos, line.cost_nanos]),
  ).toEqual([
    ['', 1_500_000_000, 1_250_000_000],
    ['prompts above 200,000 tokens', 1_500_000_000, 2_500_000_000],
    ['priority tier', 3_000_000_000, null],
  ])
})

test('margins have image sizes with a rate in the cost alone, or in the price alone', () => {
  const hd = { size: '4K', per_image: '0.08' }
  const linesOf = (price: ImagePrice, cost: ImagePrice) =>
    marginLines(price, cost).map(({ of, price_nanos, cost_nanos }) => [of, price_nanos, cost_nanos])
  const [flat, sized] = [imagePrice({ per_image: '0.05' }), imagePrice({ per_image: '0.04', variants: [hd] })]
  expect(linesOf(flat, sized)).toEqual([
    ['', 50_000_000, 40_000_000],
    ['4K', 50_000_000, 80_000_000],
  ])
  expect(linesOf(sized, flat)).toEqual([
    ['', 40_000_000, 50_000_000],
    ['4K', 80_000_000, 50_000_000],
  ])
})
