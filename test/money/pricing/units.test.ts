// Prices by units: costs exact to the nano-dollar, rounded up once, and possible and impossible reports of providers.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseUsd } from '../../../src/domain/money.ts'
import type { UnitPrice } from '../../../src/domain/prices.ts'
import { NO_UNITS, RATES, type RateName, type ReportedUnits, type Units } from '../../../src/domain/units.ts'
import { billUnits, chargeUnits, isFreePrice, quoteUnits } from '../../../src/money/pricing/units.ts'
import { textModelIn } from '../../catalogue/catalogues.ts'

const priceOf = (rates: Partial<Record<RateName, number | string>>): UnitPrice => ({
  unit: 'unit',
  rates: Object.entries(rates).map(([name, usd]) => ({ name: name as RateName, nanos: parseUsd(usd) })),
})
const units = (some: Partial<Units>): Units => ({ ...NO_UNITS, ...some })

test.each<[name: string, price: Partial<Record<RateName, string>>, used: Partial<Units>, cost_nanos: number]>(
  [
    ['characters', { per_million_characters: '15' }, { characters: 3 }, 45_000],
    ['a part of a nano-dollar is rounded up', { per_million_characters: '0.000001' }, { characters: 1 }, 1],
    ['minutes of audio', { per_minute: '0.006' }, { audio_ms: 61_000 }, 6_100_000],
    ['one millisecond of a minute', { per_minute: '0.000000001' }, { audio_ms: 1 }, 1],
    ['seconds of audio', { per_second: '0.0001' }, { audio_ms: 2_500 }, 250_000],
    ['searches', { per_search: '0.002' }, { searches: 3 }, 6_000_000],
    ['thousands of searches', { per_thousand_searches: '2' }, { searches: 3 }, 6_000_000],
    [
      'tokens, each kind at its rate',
      { input: '2.5', audio: '6', output: '10' },
      { input_tokens: 3, input_audio_tokens: 5, output_tokens: 7 },
      107_500,
    ],
    [
      'parts that make a whole nano-dollar together',
      { input: '0.0003', output: '0.0007' },
      { input_tokens: 1, output_tokens: 1 },
      1,
    ],
    ['units without a rate', { per_minute: '1' }, { characters: 1_000, input_tokens: 1_000 }, 0],
    ['nothing', { per_minute: '1' }, {}, 0],
  ],
)('%s', (_name, rates, used, cost_nanos) => {
  const price = priceOf(rates)
  expect(chargeUnits(price, units(used)).cost_nanos).toBe(cost_nanos)
  expect(quoteUnits(price, units(used))).toEqual({ ceiling_nanos: cost_nanos, floor_nanos: cost_nanos })
})

test('a cost is the exact sum, rounded up once: never below it, and less than one nano-dollar above', () => {
  const rate = fc.tuple(fc.constantFrom(...(Object.keys(RATES) as RateName[])), fc.nat(10 ** 9))
  const count = fc.nat(10 ** 6)
  const used = fc.record({
    characters: count,
    audio_ms: count,
    searches: count,
    input_tokens: count,
    input_audio_tokens: count,
    output_tokens: count,
  })
  fc.assert(
    fc.property(fc.uniqueArray(rate, { selector: ([name]) => name }), used, (rates, some) => {
      const price: UnitPrice = { unit: 'unit', rates: rates.map(([name, nanos]) => ({ name, nanos })) }
      const scale = 3_000_000n
      const exact = rates.reduce(
        (sum, [name, nanos]) =>
          sum + (BigInt(some[RATES[name].unit]) * BigInt(nanos) * scale) / BigInt(RATES[name].per),
        0n,
      )
      const cost = BigInt(chargeUnits(price, some).cost_nanos) * scale
      return cost >= exact && cost - exact < scale
    }),
  )
})

test('a hold above the safe integers becomes the largest safe integer', () => {
  const price = priceOf({ per_search: 1_000_000 })
  expect(quoteUnits(price, units({ searches: 10 ** 6 })).ceiling_nanos).toBe(Number.MAX_SAFE_INTEGER)
})

test('the stored price has the applied rates and the counted units', () => {
  const { snapshot } = chargeUnits(priceOf({ per_minute: '0.006' }), units({ audio_ms: 7, characters: 9 }))
  expect(JSON.parse(snapshot)).toEqual({
    unit: 'unit',
    nanos: { per_minute: 6_000_000 },
    units: { audio_ms: 7 },
  })
})

describe('the report of a provider', () => {
  const price = priceOf({ per_minute: '1', input: '1' })
  const bounds = {
    estimate: units({ audio_ms: 100, input_tokens: 10 }),
    most: units({ audio_ms: 1_000, input_tokens: 50 }),
  }
  test.each<
    [name: string, reported: ReportedUnits | undefined, audio_ms: number, tokens: number, estimated: boolean]
  >([
    ['is billed as it is', { audio_ms: 90, input_tokens: 9 }, 90, 9, false],
    ['of zeros is billed as zeros', { audio_ms: 0, input_tokens: 0 }, 0, 0, false],
    ['at its bounds is billed as it is', { audio_ms: 1_000, input_tokens: 50 }, 1_000, 50, false],
    ['is estimated if it is missing', undefined, 100, 10, true],
    ['is completed by an estimate if a part is missing', { audio_ms: 90 }, 90, 10, true],
    ['is estimated as a whole if one count is negative', { audio_ms: 90, input_tokens: -1 }, 100, 10, true],
    ['is estimated if a count is not a number', { audio_ms: Number.NaN, input_tokens: 9 }, 100, 10, true],
    ['is estimated if a count is a fraction', { audio_ms: 0.5, input_tokens: 9 }, 100, 10, true],
    ['is estimated if a count is above its bound', { audio_ms: 1_001, input_tokens: 9 }, 100, 10, true],
    [
      'is estimated if a free count is above its bound',
      { audio_ms: 90, input_tokens: 9, output_tokens: 1 },
      100,
      10,
      true,
    ],
  ])('%s', (_name, reported, audio_ms, input_tokens, estimated) => {
    const billed = billUnits(price, reported, bounds)
    expect(billed).toMatchObject({ units: { audio_ms, input_tokens }, estimated })
  })

  test('does not matter for units that the gateway itself counts', () => {
    const by_characters = priceOf({ per_million_characters: '1' })
    const exact = {
      estimate: units({ characters: 7 }),
      most: units({ characters: 10 }),
      exact: ['characters'] as const,
    }
    expect(billUnits(by_characters, { characters: 3 }, exact)).toMatchObject({
      units: { characters: 7 },
      estimated: false,
    })
  })
})

test('a price of zeros is free', () => {
  expect(isFreePrice(priceOf({ input: 0 }))).toBe(true)
  expect(isFreePrice(priceOf({ input: 0, per_minute: '0.000000001' }))).toBe(false)
  const { price } = textModelIn(`[[providers]]
name = "a"
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = ["k"]
[[models]]
id = "m"
kind = "text"
routes = [{ provider = "a", model = "m" }]
price = { input = 0, output = 0, extras = { request = { per_request = 0.01 }, web_search = 0.03 } }`)
  expect(isFreePrice(price)).toBe(false)
  expect(isFreePrice({ ...price, extras: new Map([...(price.extras ?? [])].slice(1)) })).toBe(true)
})
