// Service tiers in the catalogue file: multipliers, rates of their own, and mistakes.
import { describe, expect, test } from 'bun:test'
import { catalogueOf, mistakesOf, PROVIDER, textModelIn } from './catalogues.ts'

const text = (tiers: string, cost = '') => `${PROVIDER}
[[models]]
id = "m"
kind = "text"
routes = [{ provider = "acme", model = "x"${cost} }]
[models.price]
input = 1
output = 2
[models.price.service_tiers]
${tiers}
`

const priceOf = (content: string) => textModelIn(content).price

describe('a tier is priced', () => {
  test.each([
    ['by a multiplier', 'priority = 2.0', 'priority', 2_000_000_000, 4_000_000_000],
    ['by a multiplier as text', 'flex = "0.5"', 'flex', 500_000_000, 1_000_000_000],
    [
      'by rates of its own',
      'priority = { input = 3, output = "7.5" }',
      'priority',
      3_000_000_000,
      7_500_000_000,
    ],
    ['free', 'flex = { input = 0, output = 0 }', 'flex', 0, 0],
  ])('%s', (_, tiers, name, input_tokens, output_tokens) => {
    const own = priceOf(text(tiers)).service_tiers?.get(name)
    expect(own?.tiers[0].rates).toMatchObject({ input_tokens, output_tokens })
    expect(JSON.parse(own?.tiers[0].snapshot ?? '')).toMatchObject({ unit: 'token', service_tier: name })
  })
  test('the snapshot of the standard tier names no tier', () => {
    expect(JSON.parse(priceOf(text('priority = 2')).tiers[0].snapshot)).not.toHaveProperty('service_tier')
  })
  test('in the cost of a route, too', () => {
    const model = catalogueOf(
      text('', ', cost = { input = 1, output = 1, service_tiers = { flex = 0.5 } }'),
    ).models.get('m')
    const cost = model?.routes[0].cost
    expect(cost?.unit === 'token' && [...(cost.service_tiers?.keys() ?? [])]).toEqual(['flex'])
  })
})

describe('a mistake says what to write', () => {
  const SHAPE =
    'must be a multiplier of the token rates, such as 2.0, or rates of its own, such as { input = 2.50, output = 15 }'
  const NAME = 'must be the name of a tier in lower case, such as priority or flex, and not the standard one'
  const MULTIPLIER = 'must be a multiplier above 0 and at most 100, such as 2.0, or rates of its own'
  test.each([
    ['the standard tier', 'default = 1', `.default: ${NAME}`],
    ['the standard tier of another provider', 'on_demand = 1', `.on_demand: ${NAME}`],
    ['auto, which leaves the choice to the provider', 'auto = 2', `.auto: ${NAME}`],
    ['a name in capitals', 'Priority = 2', `.Priority: ${NAME}`],
    ['zero', 'priority = 0', `.priority: ${MULTIPLIER}`],
    ['too much', 'priority = 101', `.priority: ${MULTIPLIER}`],
    ['no number', 'priority = "twice"', `.priority: ${MULTIPLIER}`],
    ['a negative number', 'priority = -2', SHAPE],
    ['a list', 'priority = [2]', SHAPE],
    ['rates without output', 'priority = { input = 2 }', SHAPE],
    ['an unknown rate', 'priority = { input = 2, output = 2, inptu = 1 }', SHAPE],
    [
      'an invalid rate',
      'priority = { input = "x", output = 2 }',
      '.priority.input: must be an amount in USD',
    ],
    [
      'tiers that do not rise',
      'priority = { input = 1, output = 1, tiers = [{ above = 0, input = 1, output = 1 }] }',
      /tiers/,
    ],
  ])('%s', (_, tiers, message) => {
    const [mistake = ''] = mistakesOf(text(tiers))
    if (typeof message === 'string') expect(mistake).toContain(message)
    else expect(mistake).toMatch(message)
  })

  test('a multiplier that makes a rate above the maximum', () => {
    const dear = text('priority = 100').replace('input = 1', 'input = 1000000')
    expect(mistakesOf(dear).join()).toContain('makes a rate of more than 1000000 USD: lower it')
  })

  test('a tier among the extras, where earlier versions had it', () => {
    const old = text('').replace('[models.price.service_tiers]', '[models.price.extras]\nservice_tier = 0.5')
    expect(mistakesOf(old).join()).toContain(
      'price.extras.service_tier: is priced by tier: write [models.price.service_tiers], such as priority = 2.0',
    )
  })
})
