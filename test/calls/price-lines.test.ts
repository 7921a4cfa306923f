// The lines of a charge: they add up to it to the nano-dollar, for any counts and prices.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { priceLines } from '../../plugins/calls/price-lines.ts'
import { readTokenPrice } from '../../src/catalogue/prices.ts'
import { NO_UNITS } from '../../src/domain/units.ts'
import { NO_USAGE, USAGE_FIELDS, type Usage } from '../../src/domain/usage.ts'
import { chargeImages, chargeTokens } from '../../src/money/pricing/charge.ts'
import { chargeImageTokens } from '../../src/money/pricing/image-tokens.ts'
import { chargeUnits } from '../../src/money/pricing/units.ts'
import { anyImageTokenPrice, anyImageTokens } from '../money/pricing/prices.ts'

const rate = fc.integer({ min: 0, max: 9_999_999 }).map((micros) => (micros / 1_000_000).toFixed(6))
const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000_000 }))
const usage: fc.Arbitrary<Usage> = fc.record(
  Object.fromEntries(USAGE_FIELDS.map((field) => [field, count])) as Record<
    keyof Usage,
    fc.Arbitrary<number>
  >,
)
const sum = (lines: { amount_nanos: number }[]) => lines.reduce((total, line) => total + line.amount_nanos, 0)
const refuse = () => {
  throw new Error('the price is none')
}

describe('the lines of a charge add up to it', () => {
  test('by tokens, with extras', () => {
    const extra = fc.record({
      name: fc.constantFrom('web_search', 'long_context'),
      per: fc.constant('unit' as const),
      nanos: fc.integer({ min: 0, max: 1_000_000_000 }),
      units: fc.integer({ min: 0, max: 50 }),
    })
    fc.assert(
      fc.property(
        fc.tuple(rate, rate, rate),
        usage,
        fc.array(extra, { maxLength: 2 }),
        ([input, output, thinking], used, extras) => {
          const price = readTokenPrice(
            { input, output, thinking, tiers: [{ above: 1_000, input: output, output: input }] },
            [],
            refuse,
          )
          const { cost_nanos, snapshot } = chargeTokens(price, used, extras)
          const lines = priceLines({
            ...used,
            images: 0,
            outcome: 'completed',
            cost_nanos,
            price: snapshot,
            covered_nanos: 0,
          })
          expect(sum(lines)).toBe(cost_nanos)
          const rounding = lines.find(({ what }) => what === 'rounding')?.amount_nanos ?? 0
          expect(rounding).toBeGreaterThanOrEqual(0)
          expect(rounding).toBeLessThanOrEqual(USAGE_FIELDS.length)
        },
      ),
    )
  })

  test('of images by their tokens', () => {
    fc.assert(
      fc.property(anyImageTokenPrice, anyImageTokens, (price, tokens) => {
        const { cost_nanos, snapshot } = chargeImageTokens(price, tokens)
        const lines = priceLines({
          ...tokens.usage,
          images: 1,
          outcome: 'completed',
          cost_nanos,
          covered_nanos: 0,
          price: snapshot,
        })
        expect(sum(lines)).toBe(cost_nanos)
        const read = lines.find(({ what }) => what === 'input_image_tokens')?.count ?? 0
        expect(price.rates.image_input === 0 || read === tokens.image_input_tokens).toBe(true)
      }),
    )
  })

  test('by image, with partial images and high fidelity', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 })
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.nat(10),
        fc.nat(3),
        fc.boolean(),
        (each, partial, high, images, partials, is_high) => {
          const { cost_nanos, snapshot } = chargeImages(
            {
              unit: 'image',
              per_image_nanos: each,
              variants: [],
              partial_image_nanos: partial,
              high_fidelity_nanos: high,
            },
            {
              count: images,
              size: undefined,
              quality: undefined,
              partial_images: partials,
              high_fidelity: is_high,
            },
          )
          const lines = priceLines({
            ...NO_USAGE,
            images,
            outcome: 'completed',
            cost_nanos,
            price: snapshot,
            covered_nanos: 0,
          })
          expect(sum(lines)).toBe(cost_nanos)
          expect(lines.map(({ what }) => what)).not.toContain('rounding')
        },
      ),
    )
  })

  test('by units, some without an even price', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000_000),
        fc.nat(1_000_000_000),
        fc.nat(10_000_000),
        fc.nat(100_000),
        (minute, million, audio_ms, characters) => {
          const { cost_nanos, snapshot } = chargeUnits(
            {
              unit: 'unit',
              rates: [
                { name: 'per_minute', nanos: minute },
                { name: 'per_million_characters', nanos: million },
              ],
            },
            { ...NO_UNITS, audio_ms, characters },
          )
          const lines = priceLines({
            ...NO_USAGE,
            images: 0,
            outcome: 'completed',
            cost_nanos,
            covered_nanos: 0,
            price: snapshot,
          })
          expect(sum(lines)).toBe(cost_nanos)
          expect(lines.find(({ what }) => what === 'rounding')?.amount_nanos ?? 0).toBeLessThanOrEqual(2)
        },
      ),
    )
  })
})

test('zero counts have no line, and a call without a charge has none', () => {
  const price = readTokenPrice({ input: 1, output: 4 }, [], refuse)
  const used = { ...NO_USAGE, input_tokens: 10, output_tokens: 5 }
  const { cost_nanos, snapshot } = chargeTokens(price, used)
  expect(
    priceLines({ ...used, images: 0, outcome: 'completed', cost_nanos, price: snapshot, covered_nanos: 0 }),
  ).toEqual([
    { what: 'input_tokens', count: 10, rate_nanos: 1_000_000_000, per: 1_000_000, amount_nanos: 10_000 },
    { what: 'output_tokens', count: 5, rate_nanos: 4_000_000_000, per: 1_000_000, amount_nanos: 20_000 },
  ])
  expect(
    priceLines({ ...used, images: 0, outcome: 'completed', cost_nanos: 0, price: '', covered_nanos: 0 }),
  ).toEqual([])
})
