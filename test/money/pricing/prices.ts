// Prices for tests: read like those of the catalogue, or random.
import fc from 'fast-check'
import type { ImagePriceText, TokenPriceText } from '../../../src/catalogue/price-schema.ts'
import { readImagePrice, readTokenPrice } from '../../../src/catalogue/prices.ts'
import { IMAGE_TOKEN_RATES, type ImageTokens } from '../../../src/domain/image-tokens.ts'
import type { ImagePrice, ImageTokenPrice, TokenPrice, TokenRates } from '../../../src/domain/prices.ts'
import { NO_USAGE, USAGE_FIELDS, type Usage } from '../../../src/domain/usage.ts'

const refuse = (path: readonly unknown[], message: string): never => {
  throw new Error(`${path.join('.')} ${message}`)
}

export const tokenPrice = (text: TokenPriceText): TokenPrice => readTokenPrice(text, [], refuse)
export function imagePrice(text: ImagePriceText): ImagePrice {
  const price = readImagePrice(text, [], refuse)
  if (price.unit !== 'image') throw new Error('the price is by tokens')
  return price
}

export function imageTokenPrice(text: ImagePriceText): ImageTokenPrice {
  const price = readImagePrice(text, [], refuse)
  if (price.unit !== 'image_token') throw new Error('the price is by image')
  return price
}

/** A usage with these fields, and 0 for the others. */
export const usageOf = (fields: Partial<Usage>): Usage => ({ ...NO_USAGE, ...fields })

/** List prices, USD per million tokens. */
export const FLASH = tokenPrice({
  input: '0.30',
  output: '2.50',
  cache_read: '0.03',
  audio: '1.00',
  image_output: '30',
})
export const PRO = tokenPrice({
  input: 1.25,
  output: 10,
  cache_read: 0.125,
  tiers: [{ above: 200_000, input: 2.5, output: 15, cache_read: 0.25 }],
})
export const SONNET = tokenPrice({ input: 3, output: 15 })

const rate = fc.integer({ min: 0, max: 100_000_000_000 })
const ratesOf = (values: readonly number[]): TokenRates => {
  const rates = { ...NO_USAGE }
  USAGE_FIELDS.forEach((field, index) => {
    rates[field] = values[index] ?? 0
  })
  return rates
}

const rates = fc.array(rate, { minLength: USAGE_FIELDS.length, maxLength: USAGE_FIELDS.length }).map(ratesOf)

const priceOf = (tiers: readonly { above_tokens: number; rates: TokenRates }[]): TokenPrice => {
  const [first, ...rest] = tiers.map((tier) => ({ ...tier, snapshot: JSON.stringify(tier) }))
  if (!first) throw new Error('a price needs a tier')
  return { unit: 'token', tiers: [{ ...first, above_tokens: 0 }, ...rest] }
}

/** Any price; a higher tier may be cheaper, too. */
export const anyPrice = fc
  .uniqueArray(fc.record({ above_tokens: fc.integer({ min: 1, max: 300_000 }), rates }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ above_tokens }) => above_tokens,
  })
  .map((tiers) => priceOf(tiers.toSorted((one, other) => one.above_tokens - other.above_tokens)))

/** A price whose higher tiers are never cheaper, as with all providers. */
export const risingPrice = anyPrice.map((price) => {
  let below = ratesOf([])
  return priceOf(
    price.tiers.map(({ above_tokens, rates }) => {
      below = ratesOf(USAGE_FIELDS.map((field) => Math.max(rates[field], below[field])))
      return { above_tokens, rates: below }
    }),
  )
})

/** Any price of images by their tokens. */
export const anyImageTokenPrice: fc.Arbitrary<ImageTokenPrice> = fc
  .array(rate, { minLength: IMAGE_TOKEN_RATES.length, maxLength: IMAGE_TOKEN_RATES.length })
  .map((values) => {
    const [input = 0, image_input = 0, cache_read = 0, image_cache_read = 0, output = 0, image_output = 0] =
      values
    const rates = { input, image_input, cache_read, image_cache_read, output, image_output }
    return { unit: 'image_token', rates }
  })

const tokens = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 150_000 }))

export const anyUsage: fc.Arbitrary<Usage> = fc.record({
  input_tokens: tokens,
  input_audio_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_5m_tokens: tokens,
  cache_write_1h_tokens: tokens,
  output_tokens: tokens,
  thinking_tokens: tokens,
  output_image_tokens: tokens,
})

/** Tokens of images, with the input tokens that are of images. */
export const anyImageTokens: fc.Arbitrary<ImageTokens> = fc
  .record({ usage: anyUsage, of_input: fc.nat(100), of_cached: fc.nat(100) })
  .map(({ usage, of_input, of_cached }) => ({
    usage: { ...usage, input_audio_tokens: 0, cache_write_5m_tokens: 0, cache_write_1h_tokens: 0 },
    image_input_tokens: Math.floor((usage.input_tokens * of_input) / 100),
    image_cache_read_tokens: Math.floor((usage.cache_read_tokens * of_cached) / 100),
  }))
