// The prices of extras in the catalogue file, and the two settings of text models that belong to them.
import { describe, expect, test } from 'bun:test'
import { mistakesOf, textModelIn } from './catalogues.ts'

const text = (extras: string, { protocol = 'anthropic', more = '' } = {}) => `[[providers]]
name = "p"
protocol = "${protocol}"
base_url = "https://acme.example/api"
api_keys = ["key-1"]
[[models]]
id = "m"
kind = "text"
routes = [{ provider = "p", model = "x" }]
${more}
[models.price]
input = 1
output = 2
[models.price.extras]
${extras}
`

describe('an extra is priced', () => {
  test.each([
    ['by the call', 'web_search = 0.01', { per: 'call', nanos: 10_000_000, max_units: 1 }],
    [
      'by the call, in words',
      'web_search = { per_call = "0.01" }',
      { per: 'call', nanos: 10_000_000, max_units: 1 },
    ],
    ['free', 'web_search = 0', { per: 'call', nanos: 0, max_units: 1 }],
    [
      'by the unit',
      'web_search = { per_unit = 0.000000001, max_units = 7 }',
      { per: 'unit', nanos: 1, max_units: 7 },
    ],
  ] as const)('%s', (_, extras, price) => {
    expect([...(textModelIn(text(extras)).price.extras ?? [])]).toEqual([['web_search', price]])
  })
  test.each([
    [
      'by the unit, always',
      'web_search = { per_unit = 0.01, max_units = 7, always = true }',
      { per: 'unit', nanos: 10_000_000, max_units: 7, always: true },
    ],
    [
      'by the unit, not always',
      'web_search = { per_unit = 0.01, max_units = 7, always = false }',
      { per: 'unit', nanos: 10_000_000, max_units: 7 },
    ],
    [
      'by the call, always',
      'web_search = { per_call = 0.01, always = true }',
      { per: 'call', nanos: 10_000_000, max_units: 1, always: true },
    ],
    [
      'by the request',
      'request = { per_request = 0.005 }',
      { per: 'request', nanos: 5_000_000, max_units: 1, always: true },
    ],
  ] as const)('%s', (_, extras, price) => {
    for (const protocol of ['anthropic', 'openai'])
      expect([...(textModelIn(text(extras, { protocol })).price.extras?.values() ?? [])]).toEqual([price])
  })
  test('tiers keep their snapshots: extras are in that of a call that used them', () => {
    const { price } = textModelIn(text('web_search = 0.01'))
    expect(JSON.parse(price.tiers[0].snapshot)).not.toHaveProperty('extras')
  })
})

describe('a mistake says what to write', () => {
  const MUST =
    'must be USD per call, such as 0.03 (0 is free), { per_call = 0.03 }, { per_request = 0.005 } or { per_unit = 0.01, max_units = 5 } (max_units: the most units of one call, from 1 to 1000000; always: billed to calls that do not ask for it, too; per_request: to every call)'
  test.each([
    [
      'a longer context, which earlier versions had as an extra',
      'long_context = 0',
      '.long_context: is no extra: leave it out. Longer prompts pass where tiers, or a context above 200000, price them',
    ],
    ['a misspelt name', 'web_serch = 1', '.web_serch: unknown extra; did you mean "web_search"?'],
    [
      'an extra of no provider of the model',
      'google_maps = 1',
      /\.google_maps: unknown extra; allowed: web_search, /,
    ],
    ['a name that every object has', 'constructor = 1', /\.constructor: unknown extra; allowed: /],
    [
      'units of an extra that has none',
      'speed = { per_unit = 1, max_units = 2 }',
      '.speed: must be a price per call: its providers count no units of it',
    ],
    [
      'a request fee under another name',
      'web_search = { per_request = 1 }',
      /\.web_search: must be request = /,
    ],
    ['a request fee in another form', 'request = 0.005', /\.request: must be request = /],
    ['a request fee with always', 'request = { per_request = 1, always = true }', `.request: ${MUST}`],
    ['always, in words', 'web_search = { per_call = 1, always = "yes" }', `.web_search: ${MUST}`],
    ['no limit of units', 'web_search = { per_unit = 1 }', `.web_search: ${MUST}`],
    ['too many units', 'web_search = { per_unit = 0, max_units = 1000001 }', `.web_search: ${MUST}`],
    ['two prices', 'web_search = { per_unit = 1, max_units = 1, per_call = 1 }', `.web_search: ${MUST}`],
    ['a negative price', 'web_search = -1', `.web_search: ${MUST}`],
    ['too much', 'web_search = 1000.1', '.web_search: must be between 0 and 1000 USD'],
    [
      'too much for all units',
      'web_search = { per_unit = 1.1, max_units = 1000000 }',
      '.web_search: must not come to more than 1000000 USD for 1000000 units',
    ],
    [
      'words',
      'web_search = "free"',
      '.web_search: must be an amount in USD of at most nine decimals, such as 0.30',
    ],
  ])('%s', (_, extras, message) => {
    const [found = '', ...rest] = mistakesOf(text(extras))
    expect(rest).toEqual([])
    expect(found).toStartWith('15 models[0].price.extras.')
    if (typeof message === 'string') expect(found).toEndWith(message)
    else expect(found).toMatch(message)
  })
  test('extras in a tier', () => {
    const tier = 'tiers = [{ above = 1, input = 1, output = 2, extras = {} }]'
    const [found] = mistakesOf(text('').replace('output = 2', `output = 2\n${tier}`))
    expect(found).toContain('tiers[0].extras: unknown field')
  })
})

describe('unknown fields and cached content', () => {
  test('pass by default', () => {
    expect(textModelIn(text(''))).toMatchObject({ unknown_fields: 'pass', cached_content: 'pass' })
  })
  test('may be refused', () => {
    for (const setting of ['false', '"refuse"']) {
      const more = `unknown_fields = "refuse"\ncached_content = ${setting}`
      expect(textModelIn(text('', { more }))).toMatchObject({
        unknown_fields: 'refuse',
        cached_content: 'refuse',
      })
    }
  })
  test('take no other value', () => {
    expect(mistakesOf(text('', { more: 'unknown_fields = "drop"' }))).toEqual([
      '10 models[0].unknown_fields: must be one of "pass" or "refuse" (request fields that the protocol does not define)',
    ])
  })
})
