// `prices import` of image models that are priced by tokens, and of shutdown dates.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const CATALOGUE = `
[[providers]]
name = "openai"
protocol = "openai"
base_url = "https://api.openai.com/v1"
api_keys = ["k"]

[[models]]
id = "drawing"
kind = "image"
routes = [{ provider = "openai", model = "gpt-image-1.5" }]
price = { input = 5, image_output = 30 }   # ours

[[models]]
id = "by-image"
kind = "image"
routes = [{ provider = "openai", model = "gpt-image-1.5" }]
price = { per_image = 0.04 }

[[models]]
id = "writing"
kind = "text"
routes = [
  { provider = "openai", model = "gpt-5", shutdown_date = "2026-10-01" },
  { provider = "openai", model = "gpt-5.4", shutdown_date = "2027-05-05" },
]
price = { input = 1, output = 10 }
`
/** In the form of LiteLLM's list. */
const DRAWING = {
  litellm_provider: 'openai',
  mode: 'image_generation',
  input_cost_per_token: 5e-6,
  cache_read_input_token_cost: 1.25e-6,
  input_cost_per_image_token: 8e-6,
  output_cost_per_image_token: 3.2e-5,
  output_cost_per_token: 1e-5,
}
const WRITING = {
  litellm_provider: 'openai',
  mode: 'chat',
  input_cost_per_token: 1e-6,
  output_cost_per_token: 1e-5,
}

const scene = sceneOfEachTest((scene) => writeFileSync(scene.path('tollgate.toml'), CATALOGUE))
const text = () => readFileSync(scene.path('tollgate.toml'), 'utf8')
const list = (entries: object) => writeFileSync(scene.path('list.json'), JSON.stringify(entries))
const args = (...more: string[]) =>
  ['prices', 'import', scene.path('list.json'), '--markup', '0%', ...more] as const

describe('an image model that is priced by tokens', () => {
  test('has the rates of each sort of token, and a cost in the same form', async () => {
    list({ 'gpt-image-1.5': DRAWING })
    const { changes } = await scene.json(...args('--model', 'drawing', '--markup', '100%', '--yes'))
    const rates = (of: 'price' | 'cost') =>
      Object.fromEntries(
        changes
          .filter(({ cost_of }: { cost_of: object | null }) => (cost_of === null) === (of === 'price'))
          .map(({ rate, new_usd }: { rate: string; new_usd: string }) => [rate, new_usd]),
      )
    expect(rates('cost')).toEqual({
      input: '5.00',
      cache_read: '1.25',
      image_input: '8.00',
      image_output: '32.00',
      output: '10.00',
    })
    expect(rates('price')).toEqual({
      input: '10.00',
      cache_read: '2.50',
      image_input: '16.00',
      image_output: '64.00',
      output: '20.00',
    })
    expect(text()).toContain('# ours')
    expect((await scene.run('config', 'check')).status).toBe(0)
    expect((await scene.json(...args('--model', 'drawing', '--markup', '100%'))).changes).toEqual([])
  })

  test('stays unchanged if the list has no rate for its images, and a model priced by image has no price in such an entry', async () => {
    const { output_cost_per_image_token: _, ...without } = DRAWING
    list({ 'gpt-image-1.5': without })
    const { changes, left } = await scene.json(...args('--model', 'drawing', '--model', 'by-image', '--yes'))
    expect([changes, left]).toMatchObject([
      [],
      [
        { model: 'drawing', reason: 'no price' },
        { model: 'by-image', reason: 'no price' },
      ],
    ])
    expect(text()).toBe(CATALOGUE)
  })
})

describe('shutdown dates', () => {
  test('of each route become the list’s, and dates that the list lacks stay', async () => {
    list({ 'gpt-5': { ...WRITING, deprecation_date: '2026-12-11' }, 'gpt-5.4': WRITING })
    const { shutdown_dates } = await scene.json(...args('--model', 'writing', '--yes'))
    expect(shutdown_dates).toEqual([
      { model: 'writing', provider: 'openai', upstream: 'gpt-5', old: '2026-10-01', new: '2026-12-11' },
    ])
    expect(text()).toContain('model = "gpt-5", shutdown_date = "2026-12-11"')
    expect(text()).toContain('shutdown_date = "2027-05-05"')
    const { models } = await scene.json('models')
    expect(models).toContainEqual(expect.objectContaining({ id: 'writing', shutdown_date: '2027-05-05' }))
  })

  test('are printed if no price changes, too, without the table of prices', async () => {
    list({ 'gpt-5': WRITING })
    await scene.json(...args('--model', 'writing', '--yes'))
    list({ 'gpt-5': { ...WRITING, deprecation_date: '2026-12-11' } })
    const { out } = await scene.run(...args('--model', 'writing'))
    expect(out).toContain('Shutdown dates:\n  writing (openai:gpt-5): 2026-10-01 -> 2026-12-11')
    expect(out).not.toContain('Nothing to change.')
    expect(text()).toContain('2026-10-01')
  })

  test('that have passed cause a warning', async () => {
    list({ 'gpt-5': { ...WRITING, deprecation_date: '2020-01-01' } })
    expect((await scene.run(...args('--model', 'writing'))).err).toMatch(
      /Already shut down according to the list: writing\. .*retire the model/,
    )
  })

  test('are imported for a route without a price in the list, too', async () => {
    list({
      'gpt-image-1.5': {
        litellm_provider: 'openai',
        mode: 'image_generation',
        deprecation_date: '2026-12-01',
      },
    })
    const { shutdown_dates } = await scene.json(...args('--model', 'drawing', '--yes'))
    expect(shutdown_dates).toMatchObject([{ model: 'drawing', old: null, new: '2026-12-01' }])
  })

  const invalid = (date: string | number) =>
    `Invalid shutdown dates in the list, ignored: writing (deprecation_date "${date}").`
  test.each<[what: string, date: unknown, warning: string]>([
    ['a day that does not exist', '2027-02-30', invalid('2027-02-30')],
    ['words', 'soon', invalid('soon')],
    ['a time', '2026-12-11T00:00:00Z', invalid('2026-12-11T00:00:00Z')],
    ['a number', 20_261_211, invalid(20_261_211)],
    ['null', null, ''],
    ['an empty text', '', invalid('')],
    ['the same day', '2026-10-01', ''],
  ])('%s changes nothing, and an invalid date causes a warning', async (_, deprecation_date, warning) => {
    list({ 'gpt-5': { ...WRITING, deprecation_date } })
    const { out, err } = await scene.run(...args('--model', 'writing', '--yes', '--json'))
    expect(JSON.parse(out).shutdown_dates).toEqual([])
    expect(err === '' ? '' : JSON.parse(err).warning).toBe(warning)
    expect(text()).toContain('shutdown_date = "2026-10-01"')
  })
})
