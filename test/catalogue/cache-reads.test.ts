// Cache reads where a price leaves them out: by the model's generation, never above a tenth; a written rate wins, and is compared.
import { describe, expect, test } from 'bun:test'
import { knownDivisor } from '../../src/catalogue/cache-reads.ts'
import { readGood } from './catalogues.ts'

test.each<[string, number | undefined]>([
  ['claude-fable-5', 10],
  ['claude-fable-5-1', 40],
  ['claude-fable-5-2-20261101', 40],
  ['claude-mythos-5-1', 40],
  ['claude-fable-6', 40],
  ['eu.anthropic.claude-fable-5-1-v1:0', 40],
  ['anthropic/claude-fable-5.1', 40],
  ['claude-opus-5', 10],
  ['claude-opus-5-5', 20],
  ['claude-opus-4-1-20250805', 10],
  ['claude-sonnet-5-5', 20],
  ['claude-haiku-5-5', 10],
  ['claude-haiku-4-5@20251001', 10],
  ['claude-3-7-sonnet-20250219', 10],
  ['gpt-4o-mini-2024-07-18', 2],
  ['openai/gpt-4o', 2],
  ['o1', 2],
  ['o3-mini', 2],
  ['o3', 4],
  ['o4-mini-2025-04-16', 4],
  ['gpt-4.1-nano', 4],
  ['gpt-5', 10],
  ['gpt-5.4-mini', 10],
  ['gpt-6-sol', 10],
  ['gpt-6.1-sol', 20],
  ['gemini-2.0-flash', 4],
  ['gemini-2.5-pro', 10],
  ['gemini-3.5-flash', 10],
  ['gemini-4-argon', 20],
  // Nothing is guessed.
  ['claude-fable-latest', undefined],
  ['gpt-4', undefined],
  ['gpt-3.5-turbo', undefined],
  ['gpt-oss-120b', undefined],
  ['gemini-pro-latest', undefined],
  ['grok-4.6', undefined],
  ['phi-o3', undefined],
  ['my-deployment', undefined],
])('%s: one part of %p', (model, divisor) => {
  expect(knownDivisor(model)).toBe(divisor)
})

const textOf = (routes: string, price: string) => `
[[providers]]
name = "p"
protocol = "anthropic"
base_url = "https://llm.example"
api_keys = ["k"]

[[models]]
id = "m"
kind = "text"
routes = [${routes}]
price = { ${price} }
`

function read(routes: string, price: string) {
  const { catalogue, warnings } = readGood(textOf(routes, price))
  const model = catalogue.models.get('m')
  if (model?.price.unit !== 'token') throw new Error('no price by tokens')
  const costs = model.routes.map(({ cost }) =>
    cost?.unit === 'token' ? cost.tiers[0].rates.cache_read_tokens / 1e9 : undefined,
  )
  return {
    rates: model.price.tiers.map(({ rates }) => rates.cache_read_tokens / 1e9),
    flex: model.price.service_tiers?.get('flex')?.tiers[0].rates.cache_read_tokens,
    costs,
    warnings: warnings.map(({ path, message }) => `${path} ${message}`),
  }
}

const route = (model: string, more = '') => `{ provider = "p", model = "${model}"${more} }`

describe('a price without cache_read', () => {
  test.each<[string, string, number[]]>([
    ['a fortieth for Fable 5.1', route('claude-fable-5-1'), [0.25]],
    ['a tenth for Fable 5', route('claude-fable-5'), [1]],
    ['a twentieth for Opus 5.5', route('claude-opus-5-5'), [0.5]],
    ['by the generation of a deployment', route('ours', ', generation = "claude-fable-5-1"'), [0.25]],
    ['of several routes the dearest', `${route('claude-fable-5-1')}, ${route('claude-opus-5-5')}`, [0.5]],
    ['a tenth where the model of a route is unknown', `${route('claude-fable-5-1')}, ${route('ours')}`, [1]],
    ['never above a tenth, as the specification has it', route('gpt-4o'), [1]],
  ])('%s', (_, routes, rates) => {
    expect(read(routes, 'input = 10, output = 50').rates).toEqual(rates)
  })

  test('each tier and service tier has the same share', () => {
    const price =
      'input = 10, output = 50, tiers = [{ above = 200000, input = 20, output = 75 }], service_tiers = { flex = { input = 4, output = 8 } }'
    expect(read(route('claude-fable-5-1'), price)).toMatchObject({ rates: [0.25, 0.5], flex: 100_000_000 })
  })

  test('a cost has the rate of its own provider, above a tenth, too', () => {
    const cost = ', cost = { input = 10, output = 50 }'
    const routes = `${route('gpt-4o', cost)}, ${route('claude-fable-5-1', cost)}, ${route('ours', cost)}`
    expect(read(routes, 'input = 10, output = 50, cache_read = 6').costs).toEqual([5, 0.25, 1])
  })
})

describe('config check', () => {
  test('a written rate wins over the known one', () => {
    expect(read(route('claude-fable-5-1'), 'input = 10, output = 50, cache_read = 3').rates).toEqual([3])
  })

  test.each([
    [
      'the rate of the generation before',
      'claude-fable-5-1',
      'cache_read = 1',
      'models[0].price.cache_read',
      '0.25',
    ],
    [
      'a rate below what the provider takes',
      'claude-fable-5',
      'cache_read = 0.25',
      'models[0].price.cache_read',
      '1',
    ],
    ['a default below what the provider takes', 'gpt-4o', '', 'models[0].price ', '5'],
  ])('warns of %s', (_, model, cache_read, path, wanted) => {
    const { warnings } = read(
      route(model),
      ['input = 10, output = 50', cache_read].filter(Boolean).join(', '),
    )
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toStartWith(path)
    expect(warnings[0]).toMatch(new RegExp(`write cache_read = ${wanted}(?:\\.00)? `))
  })

  test.each([
    ['the known rate', route('claude-fable-5-1'), 'cache_read = 0.25'],
    ['the known rate, rounded', route('claude-fable-5-1'), 'cache_read = 0.2525'],
    ['the default', route('claude-fable-5-1'), ''],
    ['a rate of an unknown model', route('ours'), 'cache_read = 9'],
    ['routes of which one is unknown', `${route('claude-fable-5-1')}, ${route('ours')}`, 'cache_read = 9'],
  ])('does not warn of %s', (_, routes, cache_read) => {
    expect(read(routes, ['input = 10, output = 50', cache_read].filter(Boolean).join(', ')).warnings).toEqual(
      [],
    )
  })
})
