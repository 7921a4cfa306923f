// Quotes: the hold before a call is never less than the call can cost, and no more than necessary.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseUsd } from '../../../src/domain/money.ts'
import { TOKENS_PER_RATE, type TokenPrice, type TokenRates } from '../../../src/domain/prices.ts'
import {
  INPUT_FIELDS,
  type InputField,
  OUTPUT_FIELDS,
  promptTokens,
  type UsageField,
} from '../../../src/domain/usage.ts'
import { chargeImages, chargeTokens } from '../../../src/money/pricing/charge.ts'
import {
  affordableOutput,
  ESTIMATE_MARGIN,
  type QuotedRequest,
  quote,
  quoteImages,
  USEFUL_ANSWER_TOKENS,
} from '../../../src/money/pricing/quote.ts'
import { anyPrice, anyUsage, FLASH, imagePrice, PRO, SONNET, tokenPrice, usageOf } from './prices.ts'

const TEXT_ONLY: InputField[] = ['input_tokens', 'cache_read_tokens']
const ask = (
  input_bound_tokens: number,
  max_output_tokens: number,
  input_fields = TEXT_ONLY,
  candidates = 1,
) => ({ input_bound_tokens, max_output_tokens, candidates, input_fields })

describe('the ceiling is the most that the call can cost', () => {
  const EXPENSIVE_THINKING = tokenPrice({ input: 1, output: 2, thinking: 8 })
  test.each([
    ['the input and the output limit, each at its price', SONNET, ask(1_000, 1_000), '0.018'],
    ['each answer may be as long as the limit', SONNET, ask(1_000, 1_000, TEXT_ONLY, 4), '0.063'],
    ['output may be all thinking, if that costs more', EXPENSIVE_THINKING, ask(0, 1_000), '0.008'],
    ['output may be images, if the price has a rate for them', FLASH, ask(0, 1_000), '0.03'],
    ['input may be audio', FLASH, ask(1_000, 0, [...TEXT_ONLY, 'input_audio_tokens']), '0.001'],
    ['input may be written to a 5 minute cache', SONNET, ask(1_000, 0, ['cache_write_5m_tokens']), '0.00375'],
    [
      'input may be billed in any way, if none is excluded',
      SONNET,
      ask(1_000, 0, [...INPUT_FIELDS]),
      '0.006',
    ],
    ['no output is requested: the input alone', SONNET, ask(1_000_000, 0), '3'],
    ['an empty request costs nothing', SONNET, ask(0, 0), '0'],
  ])('%s', (_row, price, request, usd) => {
    expect(quote(price, request).ceiling_nanos).toBe(parseUsd(usd))
  })

  test('a request without input fields is quoted for all of them', () => {
    const request = { input_bound_tokens: 1_000, max_output_tokens: 0, candidates: 1 }
    expect(quote(SONNET, request)).toEqual(quote(SONNET, { ...request, input_fields: INPUT_FIELDS }))
  })

  test('a ceiling above the safe integers becomes the largest safe integer', () => {
    expect(quote(SONNET, ask(1, Number.MAX_SAFE_INTEGER)).ceiling_nanos).toBe(Number.MAX_SAFE_INTEGER)
  })

  test.each([
    ['far below the limit: the lower tier', 100_000, '0.125'],
    ['the limit is above the bound with its margin: still the lower', 160_000, '0.2'],
    ['the limit is within the margin of the bound: already the higher', 160_001, '0.4000025'],
    ['exactly at the limit: the real count may be above', 200_000, '0.5'],
    ['above it', 200_001, '0.5000025'],
  ])('near a tier, %s', (_row, input_tokens, usd) => {
    expect(160_000 * ESTIMATE_MARGIN).toBe(200_000)
    expect(quote(PRO, ask(input_tokens, 0)).ceiling_nanos).toBe(parseUsd(usd))
  })

  test('a tier that is cheaper than the one below it does not lower the ceiling', () => {
    const falling = tokenPrice({ input: 4, output: 4, tiers: [{ above: 1_000, input: 1, output: 1 }] })
    expect(quote(falling, ask(1_000_000, 0)).ceiling_nanos).toBe(parseUsd(4))
  })
})

describe('the floor is the input and the shortest useful output', () => {
  test.each([
    ['256 tokens', ask(1_000, 8_192), 256],
    ['the limit that the caller set, if that is less', ask(1_000, 100), 100],
    ['none if none is requested', ask(1_000, 0), 0],
  ])('%s', (_row, request, output_tokens) => {
    expect(USEFUL_ANSWER_TOKENS).toBe(256)
    const cost = chargeTokens(SONNET, usageOf({ input_tokens: 1_000, output_tokens }))
    expect(quote(SONNET, request).floor_nanos).toBe(cost.cost_nanos)
  })
})

describe('affordableOutput', () => {
  test.each([
    ['the rest after the input, in output tokens', 1_000, 1, '0.018', 1_000],
    ['shared among the candidates', 1_000, 4, '0.018', 250],
    ['rounded down', 1_000, 1, '0.018014999', 1_000],
    ['one more if it is covered in full', 1_000, 1, '0.018015', 1_001],
    ['nothing is left', 1_000, 1, '0.003', 0],
    ['not even the input is covered', 1_000, 1, '0.002', 0],
    ['nothing is held', 1_000, 1, '0', 0],
  ])('%s', (_row, input_tokens, candidates, held, limit) => {
    const input = { input_bound_tokens: input_tokens, candidates, input_fields: TEXT_ONLY }
    expect(affordableOutput(SONNET, input, parseUsd(held))).toBe(limit)
  })

  test('free output has no limit', () => {
    const free = tokenPrice({ input: 1, output: 0 })
    expect(affordableOutput(free, { input_bound_tokens: 1, candidates: 1 }, 2_000)).toBe(
      Number.MAX_SAFE_INTEGER,
    )
  })
})

const anyInput = fc.record({
  input_bound_tokens: fc.integer({ min: 0, max: 400_000 }),
  candidates: fc.integer({ min: 1, max: 8 }),
  input_fields: fc.option(fc.subarray([...INPUT_FIELDS], { minLength: 1 }), { nil: undefined }),
})

describe('for any price and request', () => {
  test('quote(affordable) <= held < quote(affordable + 1)', () => {
    fc.assert(
      fc.property(anyPrice, anyInput, fc.integer({ min: 0, max: 2 ** 50 }), (price, input, held) => {
        const limit = affordableOutput(price, input, held)
        const ceiling = (max_output_tokens: number) =>
          quote(price, { ...input, max_output_tokens }).ceiling_nanos
        fc.pre(limit < Number.MAX_SAFE_INTEGER && ceiling(0) <= held)
        expect(ceiling(limit)).toBeLessThanOrEqual(held)
        expect(ceiling(limit + 1)).toBeGreaterThan(held)
      }),
    )
  })

  test('a hold of the floor affords the shortest useful output', () => {
    fc.assert(
      fc.property(
        anyPrice,
        anyInput,
        fc.integer({ min: 0, max: 100_000 }),
        (price, input, max_output_tokens) => {
          const { floor_nanos, ceiling_nanos } = quote(price, { ...input, max_output_tokens })
          expect(floor_nanos).toBeLessThanOrEqual(ceiling_nanos)
          expect(affordableOutput(price, input, floor_nanos)).toBeGreaterThanOrEqual(
            Math.min(USEFUL_ANSWER_TOKENS, max_output_tokens),
          )
        },
      ),
    )
  })

  test('a call within its quote never costs more than the ceiling', () => {
    fc.assert(
      fc.property(
        anyPrice,
        anyUsage,
        fc.integer({ min: 1, max: 4 }),
        fc.nat({ max: 1_000 }),
        (price, usage, candidates, spare) => {
          const written = usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens
          const { ceiling_nanos } = quote(price, {
            input_bound_tokens: promptTokens(usage) + spare,
            max_output_tokens: Math.ceil(written / candidates) + spare,
            candidates,
            input_fields: INPUT_FIELDS.filter((field) => usage[field] > 0),
          })
          expect(chargeTokens(price, usage).cost_nanos).toBeLessThanOrEqual(ceiling_nanos)
        },
      ),
    )
  })
})

/** The quote in integers of any size: the definition with which the sums of plain numbers are compared. */
function inBigInts(price: TokenPrice, request: QuotedRequest, held_nanos: number) {
  const highest = (rates: TokenRates, fields: readonly UsageField[]) =>
    BigInt(Math.max(...fields.map((field) => rates[field])))
  const costs = price.tiers
    .filter((tier, index) => index === 0 || tier.above_tokens < request.input_bound_tokens * ESTIMATE_MARGIN)
    .map(({ rates }) => ({
      input:
        BigInt(request.input_bound_tokens) * highest(rates, request.input_fields ?? INPUT_FIELDS) +
        BigInt(request.extras_nanos ?? 0) * TOKENS_PER_RATE,
      output: BigInt(request.candidates) * highest(rates, OUTPUT_FIELDS),
    }))
  const capped = (value: bigint) => Math.min(Number(value), Number.MAX_SAFE_INTEGER)
  const nanos = (tokens: number) => {
    const all = costs.map(({ input, output }) => input + BigInt(tokens) * output)
    return Math.max(...all.map((cost) => capped((cost + TOKENS_PER_RATE - 1n) / TOKENS_PER_RATE)))
  }
  const held = BigInt(held_nanos) * TOKENS_PER_RATE
  const affordable = costs.map(({ input, output }) =>
    input > held ? 0 : output === 0n ? Number.MAX_SAFE_INTEGER : capped((held - input) / output),
  )
  return {
    ceiling_nanos: nanos(request.max_output_tokens),
    floor_nanos: nanos(Math.min(USEFUL_ANSWER_TOKENS, request.max_output_tokens)),
    affordable: Math.min(...affordable),
  }
}

test('plain numbers and integers of any size give the same, on both sides of what a number holds', () => {
  const count = fc.oneof(
    fc.nat({ max: 2_000_000 }),
    fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    // With rates of some 10^9 to 10^10, products of these are about as large as safe integers.
    fc.integer({ min: 800_000, max: 10_000_000 }),
  )
  const any_request = fc.record({
    input_bound_tokens: count,
    max_output_tokens: count,
    candidates: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 2 ** 50 })),
    extras_nanos: fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 34 }), fc.nat({ max: 2 ** 52 })),
  })
  fc.assert(
    fc.property(anyPrice, any_request, count, (price, request, held_nanos) => {
      const { affordable, ...quoted } = inBigInts(price, request, held_nanos)
      expect(quote(price, request)).toEqual(quoted)
      expect(affordableOutput(price, request, held_nanos)).toBe(affordable)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['tokens of the input', { input_bound_tokens: 1.5 }],
  ['tokens of the output', { max_output_tokens: 0.5 }],
  ['candidates', { candidates: 1.5 }],
  ['nano-dollars of extras', { extras_nanos: 0.5 }],
])('a fraction is refused: %s', (_, part) => {
  const whole = { input_bound_tokens: 2, max_output_tokens: 2, candidates: 2 }
  expect(() => quote(SONNET, { ...whole, ...part })).toThrow(RangeError)
})

describe('spec.md, Image billing 2: the balance for the requested n is frozen', () => {
  const PRICE = imagePrice({ per_image: '0.04', variants: [{ size: '512x512', per_image: '0.018' }] })

  test.each([
    [{ count: 1, size: undefined, quality: undefined }, '0.04'],
    [{ count: 10, size: '512x512', quality: 'high' }, '0.18'],
  ])('%p', (order, usd) => {
    expect(quoteImages(PRICE, order)).toEqual({ ceiling_nanos: parseUsd(usd), floor_nanos: parseUsd(usd) })
  })

  test('fewer images than requested never cost more than the hold', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 }), fc.nat({ max: 10 }), (one, other) => {
        const [received, requested] = one < other ? [one, other] : [other, one]
        const order = { size: '512x512', quality: undefined }
        expect(chargeImages(PRICE, { ...order, count: received }).cost_nanos).toBeLessThanOrEqual(
          quoteImages(PRICE, { ...order, count: requested }).ceiling_nanos,
        )
      }),
    )
  })
})
