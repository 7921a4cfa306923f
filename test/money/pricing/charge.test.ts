// Charges: the billing tables of the specification, to the nano-dollar.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseUsd } from '../../../src/domain/money.ts'
import { promptTokens, USAGE_FIELDS } from '../../../src/domain/usage.ts'
import { chargeImages, chargeTokens } from '../../../src/money/pricing/charge.ts'
import {
  anyPrice,
  anyUsage,
  FLASH,
  imagePrice,
  PRO,
  risingPrice,
  SONNET,
  tokenPrice,
  usageOf,
} from './prices.ts'

describe('spec.md, Token billing (native generation)', () => {
  test.each([
    ['promptTokenCount at the input price', FLASH, { input_tokens: 1_000_000 }, '0.30'],
    ['candidatesTokenCount at the output price', FLASH, { output_tokens: 1_000_000 }, '2.50'],
    ['thoughtsTokenCount at the output price', FLASH, { thinking_tokens: 1_000_000 }, '2.50'],
    ['cachedContentTokenCount at the cache-read price', FLASH, { cache_read_tokens: 1_000_000 }, '0.03'],
    ['promptTokensDetails IMAGE at the input price: 258 a tile', FLASH, { input_tokens: 258 }, '0.0000774'],
    ['audio read at its own price', FLASH, { input_audio_tokens: 32 * 60 }, '0.00192'],
    ['an image written at its own price', FLASH, { output_image_tokens: 1_290 }, '0.0387'],
    [
      'promptTokenCount 1200 with cachedContentTokenCount 1000, candidates 80, thoughts 45',
      FLASH,
      { input_tokens: 200, cache_read_tokens: 1_000, output_tokens: 80, thinking_tokens: 45 },
      '0.0004025', // 60_000 + 30_000 + 312_500 nanos
    ],
    [
      'toolUsePromptTokenCount 300 joins promptTokenCount 100',
      FLASH,
      { input_tokens: 400, output_tokens: 10 },
      '0.000145',
    ],
    ['nothing used costs nothing', FLASH, {}, '0'],
  ])('%s', (_row, price, usage, usd) => {
    expect(chargeTokens(price, usageOf(usage)).cost_nanos).toBe(parseUsd(usd))
  })
})

describe('spec.md, Messages-protocol request: caching', () => {
  test.each([
    ['a cache hit is charged at one tenth of the input rate', { cache_read_tokens: 1_000_000 }, '0.30'],
    ['a 5 minute write at 1.25 x', { cache_write_5m_tokens: 1_000_000 }, '3.75'],
    ['a 1 hour write at 2 x', { cache_write_1h_tokens: 1_000_000 }, '6'],
    [
      'input_tokens excludes the cache: all are added',
      {
        input_tokens: 21,
        cache_read_tokens: 188_086,
        cache_write_5m_tokens: 456,
        cache_write_1h_tokens: 100,
        output_tokens: 393,
      },
      '0.0646938', // 63_000 + 56_425_800 + 1_710_000 + 600_000 + 5_895_000 nanos
    ],
  ])('%s', (_row, usage, usd) => {
    expect(chargeTokens(SONNET, usageOf(usage)).cost_nanos).toBe(parseUsd(usd))
  })
})

describe('the size of the prompt selects the tier, which prices the whole request', () => {
  test.each([
    ['exactly at the limit: the lower tier', { input_tokens: 200_000, output_tokens: 1_000 }, '0.26'],
    [
      'one above it: everything at the higher tier',
      { input_tokens: 200_001, output_tokens: 1_000 },
      '0.5150025',
    ],
    [
      'cached tokens count towards it',
      { input_tokens: 1, cache_read_tokens: 200_000, output_tokens: 1_000 },
      '0.0650025',
    ],
    ['audio counts towards it', { input_tokens: 200_000, input_audio_tokens: 1 }, '0.5000025'],
    ['output does not count towards it', { input_tokens: 10, output_tokens: 300_000 }, '3.0000125'],
    ['an empty prompt: the first tier', { output_tokens: 1 }, '0.00001'],
  ])('%s', (_row, usage, usd) => {
    expect(chargeTokens(PRO, usageOf(usage)).cost_nanos).toBe(parseUsd(usd))
  })

  test('the price stored with the call is that of the tier applied', () => {
    const { snapshot } = chargeTokens(PRO, usageOf({ input_tokens: 200_001 }))
    expect(JSON.parse(snapshot)).toMatchObject({
      unit: 'token',
      above_tokens: 200_000,
      nanos_per_million_tokens: { input_tokens: 2_500_000_000, output_tokens: 15_000_000_000 },
    })
  })
})

describe('a cost is rounded up once, to a nano-dollar', () => {
  const TINY = tokenPrice({ input: '0.000000001', output: '0.000000003' }) // nanos per million: 1 and 3
  const ODD = tokenPrice({ input: '0.075', output: '0.0375' }) // 75 nanos a token, 37.5 nanos a token
  test.each([
    ['one token at one nano a million costs a whole nano', TINY, { input_tokens: 1 }, 1],
    ['a million tokens cost the same nano', TINY, { input_tokens: 1_000_000 }, 1],
    ['a million and one cost two', TINY, { input_tokens: 1_000_001 }, 2],
    ['parts that are each less than a nano are added first', TINY, { input_tokens: 1, output_tokens: 1 }, 1],
    ['half a nano is rounded up', ODD, { output_tokens: 1 }, 38],
    ['two halves are exact', ODD, { output_tokens: 1, thinking_tokens: 1 }, 75],
    ['a tenth of an odd rate is itself rounded up: 7.5 a token', ODD, { cache_read_tokens: 3 }, 23],
  ])('%s', (_row, price, usage, nanos) => {
    expect(chargeTokens(price, usageOf(usage)).cost_nanos).toBe(nanos)
  })

  test('a cost above the safe integers is refused, not rounded', () => {
    const expensive = tokenPrice({ input: 1_000_000, output: 1_000_000 })
    expect(() => chargeTokens(expensive, usageOf({ output_tokens: 10_000_000 }))).toThrow(RangeError)
  })

  test.each([1.5, Number.NaN, Number.POSITIVE_INFINITY])('a count of %p is refused', (input_tokens) => {
    expect(() => chargeTokens(FLASH, usageOf({ input_tokens }))).toThrow(RangeError)
  })
})

describe('for any price and usage', () => {
  test('the cost is the exact sum, rounded up to a nano-dollar', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const tier = price.tiers.findLast(
          ({ above_tokens }, index) => index === 0 || promptTokens(usage) > above_tokens,
        )
        const exact = USAGE_FIELDS.map(
          (field) => BigInt(usage[field]) * BigInt(tier?.rates[field] ?? -1),
        ).reduce((sum, part) => sum + part)
        const { cost_nanos, snapshot } = chargeTokens(price, usage)
        const over = BigInt(cost_nanos) * 1_000_000n - exact
        expect(over >= 0n && over < 1_000_000n).toBe(true)
        expect(snapshot).toBe(tier?.snapshot ?? '')
      }),
    )
  })

  test('more of anything never costs less, if higher tiers are not cheaper', () => {
    fc.assert(
      fc.property(
        risingPrice,
        anyUsage,
        fc.constantFrom(...USAGE_FIELDS),
        fc.integer({ min: 1, max: 100_000 }),
        (price, usage, field, more) => {
          const larger = { ...usage, [field]: usage[field] + more }
          expect(chargeTokens(price, larger).cost_nanos).toBeGreaterThanOrEqual(
            chargeTokens(price, usage).cost_nanos,
          )
        },
      ),
    )
  })
})

describe('spec.md, Image billing', () => {
  const PRICE = imagePrice({
    per_image: '0.04',
    variants: [
      { size: '1024x1024', quality: 'low', per_image: '0.011' },
      { size: '1024x1024', per_image: '0.042' },
      { quality: 'high', per_image: '0.167' },
    ],
  })
  const order = (count: number, size?: string, quality?: string) => ({ count, size, quality })

  test.each([
    ['price per call = actualCount x price_per_image', order(3), '0.12'],
    ['no image, no charge', order(0), '0'],
    ['by size and quality', order(1, '1024x1024', 'low'), '0.011'],
    ['the first variant that matches: by size, whatever the quality', order(1, '1024x1024', 'high'), '0.042'],
    ['by size, without a quality', order(2, '1024x1024'), '0.084'],
    ['by quality, whatever the size', order(1, '1536x1024', 'high'), '0.167'],
    ['by quality, without a size', order(1, undefined, 'high'), '0.167'],
    ['no variant matches', order(1, '1536x1024', 'low'), '0.04'],
    ['auto is a size like any other', order(1, 'auto', 'auto'), '0.04'],
  ])('%s', (_row, images, usd) => {
    expect(chargeImages(PRICE, images).cost_nanos).toBe(parseUsd(usd))
  })

  const ADDED = { ...PRICE, partial_image_nanos: 4_000_000, high_fidelity_nanos: 60_000_000 }

  test.each([
    ['partial images, each at its price', { ...order(1), partial_images: 3 }, '0.052'],
    ['partial images of an image that did not arrive', { ...order(0), partial_images: 2 }, '0.008'],
    ['no partial images', { ...order(1), partial_images: 0 }, '0.04'],
    ['high fidelity, for each image', { ...order(2), high_fidelity: true }, '0.2'],
    [
      'high fidelity, on top of the variant',
      { ...order(1, '1024x1024', 'low'), high_fidelity: true },
      '0.071',
    ],
    ['high fidelity of no image', { ...order(0), high_fidelity: true }, '0'],
    ['all of it', { ...order(1), high_fidelity: true, partial_images: 3 }, '0.112'],
  ])('additions of a price: %s', (_row, images, usd) => {
    expect(chargeImages(ADDED, images).cost_nanos).toBe(parseUsd(usd))
  })

  test('the price stored with the call has the additions and their number', () => {
    const { snapshot } = chargeImages(ADDED, { ...order(1), high_fidelity: true, partial_images: 3 })
    expect(JSON.parse(snapshot)).toEqual({
      unit: 'image',
      per_image_nanos: 40_000_000,
      high_fidelity_nanos: 60_000_000,
      partial_images: 3,
      partial_image_nanos: 4_000_000,
    })
  })

  test('the price stored with the call is that of the variant applied', () => {
    expect(JSON.parse(chargeImages(PRICE, order(2, '1024x1024', 'low')).snapshot)).toEqual({
      unit: 'image',
      size: '1024x1024',
      quality: 'low',
      per_image_nanos: 11_000_000,
    })
  })
})
