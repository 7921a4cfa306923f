// Price groups in the catalogue file: the factors that apply, the prices that they make, mistakes and warnings.
import { describe, expect, test } from 'bun:test'
import { type Catalogue, isServed, type Model } from '../../src/domain/catalogue.ts'
import { modelsFor } from '../../src/domain/price-groups.ts'
import { priceLines } from '../../src/money/pricing/price-lines.ts'
import { catalogueOf, mistakesOf, PROVIDER, readGood } from './catalogues.ts'

const model = (id: string, price: string, kind = 'text', route = '') => `
[[models]]
id = "${id}"
kind = "${kind}"
routes = [{ provider = "openai", model = "x"${route} }]
${price}
`
const OPENAI = `${PROVIDER}
[[providers]]
name = "openai"
protocol = "openai"
base_url = "https://openai.example/v1"
api_keys = ["key-2"]
`
const PLAIN = 'price = { input = 1, output = 2 }'
const MODELS = ['gpt-5', 'gpt-5-mini', 'gpt-image', 'claude'].map((id) => model(id, PLAIN)).join('')

/** A group "resellers" with the lines below its name. */
const group = (lines: string, models = MODELS) => `${OPENAI}${models}
[[price_groups]]
name = "resellers"
${lines}
`

const inGroup = (text: string): Catalogue['models'] => modelsFor(catalogueOf(text), 'resellers')
const inputOf = (found: Model | undefined) =>
  found?.price.unit === 'token' ? found.price.tiers[0].rates.input_tokens : undefined

describe('the factor of a model is', () => {
  test.each<[string, string, Record<string, number>]>([
    ['1 where the group has none', '', { 'gpt-5': 1_000_000_000, claude: 1_000_000_000 }],
    ['the group’s', 'factor = 0.8', { 'gpt-5': 800_000_000, claude: 800_000_000 }],
    ['written as text', 'factor = "1.25"', { 'gpt-5': 1_250_000_000 }],
    ['0, so that calls are free', 'factor = 0', { 'gpt-5': 0 }],
    ['as fine as it is written', 'factor = "0.000000001"', { 'gpt-5': 1 }],
    ['with an exponent', 'factor = 1e-9', { 'gpt-5': 1 }],
    [
      'its own in place of the group’s',
      'factor = 0.8\n[price_groups.models."gpt-5"]\nfactor = 0.5',
      { 'gpt-5': 500_000_000, 'gpt-5-mini': 800_000_000 },
    ],
    [
      'that of a pattern',
      'factor = 2\n[price_groups.models."gpt-*"]\nfactor = 0.5',
      { 'gpt-5': 500_000_000, claude: 2_000_000_000 },
    ],
    [
      'that of the longest pattern, whatever their order',
      'models = { "gpt-5*" = { factor = 0.5 }, "*" = { factor = 0.7 }, "gpt-*" = { factor = 0.6 } }',
      { 'gpt-5': 500_000_000, 'gpt-5-mini': 500_000_000, 'gpt-image': 600_000_000, claude: 700_000_000 },
    ],
    [
      'that of its id before a longer pattern',
      'models = { "gpt-5*********" = { factor = 0.5 }, "gpt-5" = { factor = 0.9 } }',
      { 'gpt-5': 900_000_000, 'gpt-5-mini': 500_000_000 },
    ],
  ])('%s', (_, lines, expected) => {
    const models = inGroup(group(lines))
    for (const [id, nanos] of Object.entries(expected))
      expect([id, inputOf(models.get(id))]).toEqual([id, nanos])
  })
})

test('an account without a group, or of a removed group, pays the list price', () => {
  const catalogue = catalogueOf(group('factor = 0.5'))
  expect(modelsFor(catalogue, null)).toBe(catalogue.models)
  expect(modelsFor(catalogue, 'gone')).toBe(catalogue.models)
  expect(modelsFor(catalogue, 'resellers')).not.toBe(catalogue.models)
})

test('prices are computed once for a catalogue, and a model of factor 1 is the catalogue’s own', () => {
  const catalogue = catalogueOf(group('factor = 0.5\n[price_groups.models.claude]\nfactor = "1.00"'))
  const own = modelsFor(catalogue, 'resellers')
  expect(modelsFor(catalogue, 'resellers').get('gpt-5')).toBe(own.get('gpt-5') as Model)
  expect(own.get('claude')).toBe(catalogue.models.get('claude') as Model)
  expect([...own.keys()]).toEqual([...catalogue.models.keys()])
})

describe('the factor applies to every amount of a price, each rounded up to a nano-dollar:', () => {
  const RICH = `[models.price]
input = 1.000000001
output = 2
cache_read = 0.000000001
audio = 3.3
tiers = [{ above = 200_000, input = 3, output = 4 }]
extras = { web_search = { per_unit = 0.010000001, max_units = 5 }, request = { per_request = 0.003 } }
[models.price.service_tiers]
priority = 2
flex = { input = 0.3, output = 0.7 }`
  const IMAGES = `price = { per_image = 0.04, partial_image = 0.001, high_fidelity = 0.000000003, variants = [{ size = "1024x1024", quality = "high", per_image = 0.167 }] }`
  const TOKENS = 'price = { input = 5, image_input = 10, image_output = 40.000000001 }'
  test.each<[string, string, string]>([
    ['tokens with tiers, extras and service tiers', 'text', RICH],
    ['images with variants', 'image', IMAGES],
    ['images by tokens', 'image', TOKENS],
    ['embeddings', 'embedding', 'price = { input = 0.020000001 }'],
    ['speech', 'speech', 'price = { per_million_characters = 15.1 }'],
    ['transcriptions', 'transcription', 'price = { per_minute = 0.006 }'],
    ['moderations', 'moderation', 'price = { input = 0.000000001 }'],
    ['reranks', 'rerank', 'price = { per_search = 0.002 }'],
  ])('%s', (_, kind, price) => {
    for (const factor of ['0.8', '1.1', '0.333333333', '0.000000001', '3', '0']) {
      const catalogue = catalogueOf(group(`factor = "${factor}"`, model('m', price, kind)))
      const lines = [catalogue.models, modelsFor(catalogue, 'resellers')].map((models) => {
        const found = models.get('m')
        return found ? priceLines(found.price) : []
      })
      const [list = [], own = []] = lines
      expect(list.length).toBeGreaterThan(0)
      expect(own).toEqual(list.map((line) => ({ ...line, nanos: timesUp(line.nanos, factor) })))
    }
  })
  test('the text that is stored with a call has the group’s rates', () => {
    const found = inGroup(group('factor = 0.5', model('m', RICH))).get('m')
    if (found?.price.unit !== 'token') throw new Error('not by tokens')
    const prices = [found.price, ...(found.price.service_tiers?.values() ?? [])]
    for (const { tiers, service_tier } of prices)
      for (const { above_tokens, rates, snapshot } of tiers)
        expect(JSON.parse(snapshot)).toEqual({
          unit: 'token',
          above_tokens,
          ...(service_tier === undefined ? {} : { service_tier }),
          nanos_per_million_tokens: rates,
        })
  })
})

/** The product in whole billionths, computed in another way than in the program. */
function timesUp(nanos: number, factor: string): number {
  const [whole = '0', fraction = ''] = factor.split('.')
  const billionths = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
  const product = BigInt(nanos) * billionths
  return Number(product / 1_000_000_000n) + (product % 1_000_000_000n === 0n ? 0 : 1)
}

test('property: any price times any factor is the product in whole billionths', () => {
  let seed = 20_261_129
  const below = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % limit
  }
  const amount = () => `${below(1_000)}.${String(below(1_000_000_000)).padStart(9, '0')}`
  for (let run = 0; run < 150; run++) {
    const factor = `${below(4)}.${String(below(1_000_000_000))
      .padStart(below(2) === 0 ? 9 : 1, '0')
      .slice(0, 9)}`
    const price = `price = { input = "${amount()}", output = "${amount()}", audio = "${amount()}" }`
    const catalogue = catalogueOf(group(`factor = "${factor}"`, model('m', price)))
    const of = (models: Catalogue['models']) => {
      const found = models.get('m')
      return found ? priceLines(found.price).map(({ nanos }) => nanos) : []
    }
    expect([factor, of(modelsFor(catalogue, 'resellers'))]).toEqual([
      factor,
      of(catalogue.models).map((nanos) => timesUp(nanos, factor)),
    ])
  }
})

test('a group changes the price alone: the cost of routes and all other fields stay', () => {
  const text = group('factor = 0.5', model('m', PLAIN, 'text', ', cost = { input = 0.1, output = 0.2 }'))
  const catalogue = catalogueOf(text)
  const [list, own] = [catalogue.models.get('m'), modelsFor(catalogue, 'resellers').get('m')]
  expect(own?.routes).toBe(list?.routes as Model['routes'])
  expect({ ...own, price: undefined }).toEqual({ ...list, price: undefined } as never)
})

test('a model out of service is out of service in every group', () => {
  const text = group('factor = 0.5').replaceAll('"key-2"', '"env:MISSING"')
  const own = modelsFor(readGood(text).catalogue, 'resellers').get('gpt-5')
  expect(own && isServed(own)).toBe(false)
})

describe('a mistake says what to write', () => {
  const NAME = 'must be a name of at most 64 letters, digits, spaces and . _ + @ -, such as "resellers"'
  const FACTOR = 'must be a factor of list prices from 0 to 100, such as 0.8'
  const groups = (lines: string) => `${OPENAI}${MODELS}\n${lines}`
  test.each<[string, string, string]>([
    [
      'one table in place of a list',
      '[price_groups]\nname = "a"',
      'price_groups: must be [[price_groups]] blocks',
    ],
    [
      'no name',
      '[[price_groups]]\nfactor = 1',
      `price_groups[0].name: is missing: it must be ${NAME.slice(8)}`,
    ],
    ['an empty name', '[[price_groups]]\nname = ""', `price_groups[0].name: ${NAME}`],
    ['a name with a line break', '[[price_groups]]\nname = "a\\nb"', `price_groups[0].name: ${NAME}`],
    ['a name that ends in a space', '[[price_groups]]\nname = "a "', `price_groups[0].name: ${NAME}`],
    [
      'a name that is too long',
      `[[price_groups]]\nname = "${'a'.repeat(65)}"`,
      `price_groups[0].name: ${NAME}`,
    ],
    [
      'a name that no group may have',
      '[[price_groups]]\nname = "(list prices)"',
      `price_groups[0].name: ${NAME}`,
    ],
    [
      'a name twice',
      '[[price_groups]]\nname = "a"\n[[price_groups]]\nname = "a"',
      'price_groups[1].name: must be unique: there is already a price group "a"',
    ],
    [
      'another field',
      '[[price_groups]]\nname = "a"\nfaktor = 1',
      'price_groups[0].faktor: unknown field; did you mean "factor"?',
    ],
    ['a negative factor', '[[price_groups]]\nname = "a"\nfactor = -0.1', `price_groups[0].factor: ${FACTOR}`],
    [
      'too high a factor',
      '[[price_groups]]\nname = "a"\nfactor = 100.1',
      `price_groups[0].factor: ${FACTOR}`,
    ],
    ['no number', '[[price_groups]]\nname = "a"\nfactor = "half"', `price_groups[0].factor: ${FACTOR}`],
    ['per cent', '[[price_groups]]\nname = "a"\nfactor = "80%"', `price_groups[0].factor: ${FACTOR}`],
    [
      'not a number',
      '[[price_groups]]\nname = "a"\nfactor = nan',
      `price_groups[0].factor: ${FACTOR} (the factor by which list prices are multiplied)`,
    ],
    [
      'a factor in place of its table',
      '[[price_groups]]\nname = "a"\nmodels = { "gpt-5" = 0.5 }',
      'price_groups[0].models.gpt-5: must be a table',
    ],
    [
      'a model without a factor',
      '[[price_groups]]\nname = "a"\n[price_groups.models.gpt-5]',
      `price_groups[0].models.gpt-5.factor: is missing: it must be ${FACTOR.slice(8)}`,
    ],
    [
      'a factor of a model below 0',
      '[[price_groups]]\nname = "a"\nmodels = { "gpt-5" = { factor = -1 } }',
      `price_groups[0].models.gpt-5.factor: ${FACTOR}`,
    ],
    [
      'a pattern with other signs',
      '[[price_groups]]\nname = "a"\nmodels = { "gpt-?" = { factor = 1 } }',
      'price_groups[0].models."gpt-?": must be the id of a model, or a pattern such as "gpt-*"',
    ],
    [
      'two equally long patterns for one model',
      '[[price_groups]]\nname = "a"\nmodels = { "gpt-*" = { factor = 1 }, "*gpt-" = { factor = 2 }, "gp*-5" = { factor = 2 } }',
      'price_groups[0].models."gp*-5": is as long as "gpt-*", and both match gpt-5: give that model a factor of its own',
    ],
  ])('%s', (_, lines, expected) => {
    expect(mistakesOf(groups(lines)).map((line) => line.replace(/^\d+ /, ''))).toEqual([expected])
  })
  test('a price above the maximum', () => {
    const text = group('factor = 100', model('m', 'price = { input = 10_001, output = 1 }'))
    expect(mistakesOf(text).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      'price_groups[0].factor: makes a price of more than 1000000 USD for m: lower it',
    ])
  })
  test('an extra whose units cost more than the maximum', () => {
    const price =
      '[models.price]\ninput = 1\noutput = 1\nextras = { web_search = { per_unit = 500, max_units = 2000 } }'
    expect(mistakesOf(group('factor = 1', model('m', price)))).toEqual([])
    expect(mistakesOf(group('factor = 1.1', model('m', price)))).toHaveLength(1)
  })
  test('more groups than a catalogue may have', () => {
    const many = Array.from({ length: 51 }, (_, at) => `[[price_groups]]\nname = "g${at}"`).join('\n')
    expect(mistakesOf(groups(many)).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      'price_groups: must be at most 50 groups, and are 51',
    ])
  })
})

describe('a warning says what looks wrong', () => {
  const warningsOf = (text: string) =>
    readGood(text).warnings.map(({ path, message }) => `${path}: ${message}`)
  const COSTLY = ', cost = { input = 0.9, output = 0.5 }'
  const costly = ['a', 'b'].map((id) => model(id, PLAIN, 'text', COSTLY)).join('')
  const BELOW = 'so that these calls lose money. Raise it, or give these models a factor of their own'
  test.each<[string, string, string, string[]]>([
    [
      'a pattern of no model',
      'models = { "gemini-*" = { factor = 1 } }',
      MODELS,
      ['price_groups[0].models."gemini-*": matches no model: correct it, or leave it out'],
    ],
    [
      'models below cost, once for each factor',
      'factor = 0.8\nmodels = { b = { factor = 0.5 } }',
      costly,
      [
        `price_groups[0].factor: sells "a" below cost, ${BELOW}`,
        `price_groups[0].models.b.factor: sells "b" below cost, ${BELOW}`,
      ],
    ],
    [
      'a list price below cost, at the route alone',
      'factor = 0.95',
      model('a', 'price = { input = 0.5, output = 2 }', 'text', COSTLY),
      [
        "models[0].routes[0].cost: is above the model's price, so that its calls lose money: input, audio, cache_read, cache_write_5m, cache_write_1h. Raise the price, or correct the cost",
      ],
    ],
    ['nothing if the price covers the cost', 'factor = 0.9', costly, []],
  ])('%s', (_, lines, models, expected) => {
    expect(warningsOf(group(lines, models))).toEqual(expected)
  })
})
