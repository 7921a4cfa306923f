// Recorded calls at other prices: by the rules that charge calls, or not at all.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { rerate } from '../../plugins/prices/rerating/rerate.ts'
import type { UnitPrice } from '../../src/domain/prices.ts'
import { NO_UNITS } from '../../src/domain/units.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'
import { chargeImages, chargeTokens } from '../../src/money/pricing/charge.ts'
import { chargeImageTokens } from '../../src/money/pricing/image-tokens.ts'
import { comparePrices } from '../../src/money/pricing/price-lines.ts'
import { chargeUnits, tokensOf } from '../../src/money/pricing/units.ts'
import {
  anyImageTokenPrice,
  anyImageTokens,
  anyPrice,
  anyUsage,
  FLASH,
  imagePrice,
  imageTokenPrice,
  PRO,
  tokenPrice,
  usageOf,
} from '../money/pricing/prices.ts'

describe('by tokens', () => {
  test('any call costs what it would have been charged', () => {
    fc.assert(
      fc.property(anyPrice, anyPrice, anyUsage, (was, next, usage) => {
        const call = { ...usage, images: 0, price: JSON.stringify({ unit: 'token' }) }
        expect(rerate(call, was, was)).toBe(chargeTokens(was, usage).cost_nanos)
        expect(rerate(call, next, was)).toBe(chargeTokens(next, usage).cost_nanos)
      }),
    )
  })

  test('a call that was not charged stays free', () => {
    expect(rerate({ ...usageOf({ input_tokens: 5 }), images: 0, price: '' }, PRO, FLASH)).toBe(0)
  })

  test('extras cost their new price, and without one the call cannot be rated', () => {
    const was = tokenPrice({
      input: 1,
      output: 1,
      extras: { web_search: { per_unit: '0.01', max_units: 5 } },
    })
    const next = tokenPrice({
      input: 1,
      output: 1,
      extras: { web_search: { per_unit: '0.02', max_units: 5 } },
    })
    const extra = { name: 'web_search', per: 'unit', nanos: 10_000_000, units: 3 } as const
    const usage = usageOf({ input_tokens: 1_000 })
    const call = { ...usage, images: 0, price: chargeTokens(was, usage, [extra]).snapshot }
    expect(rerate(call, next, was)).toBe(1_000_000 + 60_000_000)
    expect(rerate(call, tokenPrice({ input: 1, output: 1 }), was)).toBeUndefined()
  })
})

describe('by units', () => {
  const perMinute: UnitPrice = { unit: 'unit', rates: [{ name: 'per_minute', nanos: 6_000_000 }] }
  const perSecond: UnitPrice = { unit: 'unit', rates: [{ name: 'per_second', nanos: 200_000 }] }
  const perCharacter: UnitPrice = { unit: 'unit', rates: [{ name: 'per_million_characters', nanos: 1 }] }
  const units = { ...NO_UNITS, audio_ms: 90_500, input_tokens: 7 }
  const call = { ...tokensOf(units), images: 0, price: chargeUnits(perMinute, units).snapshot }

  test('another rate of the same unit applies', () => {
    expect(rerate(call, perSecond, perMinute)).toBe(chargeUnits(perSecond, units).cost_nanos)
  })

  test('a price by tokens applies, since every call records them', () => {
    const byTokens: UnitPrice = { unit: 'unit', rates: [{ name: 'input', nanos: 1_000_000_000 }] }
    expect(rerate(call, byTokens, perMinute)).toBe(7_000)
  })

  test('a unit that was not counted cannot be rated', () => {
    expect(rerate(call, perCharacter, perMinute)).toBeUndefined()
  })
})

describe('by images', () => {
  const was = imagePrice({
    per_image: '0.04',
    variants: [
      { size: '2048x2048', quality: 'high', per_image: '0.12' },
      { size: '2048x2048', per_image: '0.08' },
    ],
    partial_image: '0.004',
    high_fidelity: '0.06',
  })
  const dearer = imagePrice({
    per_image: '0.05',
    variants: [
      { size: '2048x2048', quality: 'high', per_image: '0.20' },
      { size: '2048x2048', per_image: '0.10' },
    ],
    partial_image: '0.005',
    high_fidelity: '0.07',
  })
  const orders = [
    { size: '2048x2048', quality: 'high' },
    { size: '2048x2048', quality: 'low' },
    { size: '1024x1024', quality: 'high' },
    { size: undefined, quality: undefined },
  ].flatMap((variant) => [
    { ...variant, count: 2 },
    { ...variant, count: 1, partial_images: 2, high_fidelity: true },
  ])
  const recorded = (order: (typeof orders)[number]) => ({
    ...NO_USAGE,
    images: order.count,
    price: chargeImages(was, order).snapshot,
  })

  test.each(orders)('%j costs the charge at the other price', (order) => {
    expect(rerate(recorded(order), dearer, was)).toBe(chargeImages(dearer, order).cost_nanos)
  })

  test('a price by size cannot rate a record without a size, but one with another size', () => {
    const other = imagePrice({ per_image: '0.05', variants: [{ size: '512x512', per_image: '0.01' }] })
    expect(rerate(recorded({ size: '1024x1024', quality: 'high', count: 1 }), other, was)).toBeUndefined()
    expect(rerate(recorded({ size: '2048x2048', quality: 'high', count: 1 }), other, was)).toBe(50_000_000)
  })

  test('a price by tokens cannot rate them', () => {
    expect(rerate(recorded({ size: undefined, quality: undefined, count: 1 }), FLASH, was)).toBeUndefined()
  })
})

describe('images by their tokens', () => {
  test('any call costs what it would have been charged', () => {
    fc.assert(
      fc.property(anyImageTokenPrice, anyImageTokenPrice, anyImageTokens, (was, next, tokens) => {
        const { cost_nanos, snapshot } = chargeImageTokens(was, tokens)
        const call = { ...tokens.usage, images: 1, price: snapshot }
        expect(rerate(call, was, was)).toBe(cost_nanos)
        expect(rerate(call, next, was)).toBe(chargeImageTokens(next, tokens).cost_nanos)
      }),
    )
  })

  test('they cannot be rated from or to a price by image, or to one of text', () => {
    const by_tokens = imageTokenPrice({ input: 5, image_output: 30 })
    const by_image = imagePrice({ per_image: '0.04' })
    const tokens = { usage: usageOf({ input_tokens: 5 }), image_input_tokens: 0, image_cache_read_tokens: 0 }
    const call = { ...tokens.usage, images: 1, price: chargeImageTokens(by_tokens, tokens).snapshot }
    expect(rerate(call, by_image, by_tokens)).toBeUndefined()
    expect(rerate(call, FLASH, by_tokens)).toBeUndefined()
    const order = { count: 1, size: undefined, quality: undefined }
    const by_image_call = { ...NO_USAGE, images: 1, price: chargeImages(by_image, order).snapshot }
    expect(rerate(by_image_call, by_tokens, by_image)).toBeUndefined()
  })

  test('a comparison of two prices has only the differences', () => {
    const before = imageTokenPrice({ input: 5, image_input: 8, image_output: 30 })
    const after = imageTokenPrice({ input: 5, image_input: 10, image_output: 30 })
    expect(comparePrices(before, after)).toMatchObject([
      { name: 'image_input', before_nanos: 8e9, after_nanos: 10e9 },
      { name: 'image_cache_read', before_nanos: 8e9, after_nanos: 10e9 },
    ])
  })
})

describe('a comparison of two prices', () => {
  test('has only the differences', () => {
    const before = tokenPrice({ input: 1, output: 4, thinking: 3 })
    const after = tokenPrice({
      input: 1,
      output: 5,
      thinking: 3,
      tiers: [{ above: 1_000, input: 2, output: 8 }],
    })
    const changes = comparePrices(before, after)
    expect(changes.filter(({ of }) => of === '')).toEqual([
      { name: 'output', of: '', per: 'million tokens', before_nanos: 4e9, after_nanos: 5e9 },
      { name: 'image_output', of: '', per: 'million tokens', before_nanos: 4e9, after_nanos: 5e9 },
    ])
    expect(
      changes.find(({ of, name }) => of === 'prompts above 1,000 tokens' && name === 'input'),
    ).toMatchObject({ before_nanos: null, after_nanos: 2e9 })
    expect(
      comparePrices(after, before).every(({ of, after_nanos }) => of === '' || after_nanos === null),
    ).toBe(true)
    expect(comparePrices(after, after)).toEqual([])
  })
})
