// `models` and `config check`: the catalogue as the operator sees it.
import { describe, expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createScene, sceneOfEachTest } from '../../app/commands/scene.ts'

const scene = sceneOfEachTest()

const MISTAKES = `
[[models]]
id = "sim-flash-2"
kind = "text"
routes = [{ provider = "nobody", model = "x" }]
price = { input = 1, output = 1 }

[[models]]
id = "sim-flash-3"
kind = "text"
routes = [{ provider = "nobody", model = "x" }]
price = { input = -1, output = 1 }
`

const RETIRED_IMAGE = `
[[models]]
id = "sim-old"
kind = "image"
retired = true
routes = [{ provider = "simulator", model = "image" }]
price = { per_image = 0.04, partial_image = 0.004, high_fidelity = 0.06, variants = [{ size = "1024x1024", per_image = 0.08 }] }
`

const WITH_EXTRAS = `
[[models]]
id = "sim-search"
kind = "text"
routes = [{ provider = "simulator-anthropic", model = "claude" }]
[models.price]
input = 1
output = 1
extras = { web_search = { per_unit = 0.01, max_units = 5 }, speed = 0.3, web_fetch = 0, request = { per_request = 0.005 }, code_execution = { per_unit = 0.05, max_units = 3, always = true } }
`

describe('models', () => {
  test('shows the price, the routes and whether a model can be used', async () => {
    appendFileSync(scene.path('tollgate.toml'), RETIRED_IMAGE)
    const { out, err } = await scene.run('models')
    const rows = out.split('\n').map((line) => line.split(/ {2,}/))
    expect(rows).toContainEqual(['sim-flash', 'text', 'yes', '0.30', '2.50', '-', 'simulator:flash'])
    // An embedding model has no output tokens.
    expect(rows).toContainEqual([
      'sim-embedding',
      'embedding',
      'yes',
      '0.02',
      '-',
      '-',
      'simulator-openai:embedding',
    ])
    expect(rows).toContainEqual(['sim-pro', 'text', 'yes', '1.25+', '10.00+', '-', 'simulator:pro'])
    expect(rows).toContainEqual([
      'sim-old',
      'image',
      'no: retired',
      '-',
      '-',
      '0.04 per image',
      'simulator:image',
    ])
    expect(rows).toContainEqual([
      'sim-whisper',
      'transcription',
      'yes',
      '-',
      '-',
      '0.006 per minute',
      'simulator-openai:whisper',
    ])
    expect(rows).toContainEqual([
      'sim-transcribe',
      'transcription',
      'yes',
      '2.50',
      '10.00',
      '6.00 per million audio tokens',
      'simulator-openai:transcribe',
    ])
    expect(err).toContain('+: costs more for larger prompts')
  })

  test('--json has every rate of every tier and variant, in nano-dollars and in USD', async () => {
    appendFileSync(scene.path('tollgate.toml'), RETIRED_IMAGE)
    const { models } = await scene.json('models')
    const byId = new Map(models.map((model: { id: string }) => [model.id, model]))
    expect(byId.get('sim-pro')).toMatchObject({
      usable: true,
      price: {
        unit: 'token',
        tiers: [
          { above_tokens: 0, usd_per_million: { input_tokens: '1.25', cache_read_tokens: '0.125' } },
          { above_tokens: 200_000, nanos_per_million: { output_tokens: 15_000_000_000 } },
        ],
      },
    })
    expect(byId.get('sim-old')).toMatchObject({
      usable: false,
      price: {
        unit: 'image',
        per_image_usd: '0.04',
        variants: [{ size: '1024x1024', quality: null, per_image_nanos: 80_000_000 }],
        partial_image_usd: '0.004',
        high_fidelity_usd: '0.06',
      },
    })
  })

  test('--json has the prices of service tiers', async () => {
    appendFileSync(
      scene.path('tollgate.toml'),
      `
[[models]]
id = "sim-tiers"
kind = "text"
routes = [{ provider = "simulator", model = "flash" }]
price = { input = 1, output = 4, service_tiers = { flex = 0.5 } }
`,
    )
    const { models } = await scene.json('models')
    const { price } = models.find(({ id }: { id: string }) => id === 'sim-tiers')
    expect(price.service_tiers).toMatchObject([
      { name: 'flex', tiers: [{ above_tokens: 0, usd_per_million: { input_tokens: '0.50' } }] },
    ])
  })

  test('--json has the rates of models that are priced by units', async () => {
    const { models } = await scene.json('models')
    const { price } = models.find(({ id }: { id: string }) => id === 'sim-rerank')
    expect(price).toEqual({
      unit: 'unit',
      rates: [{ name: 'per_thousand_searches', price_nanos: 2_000_000_000, price_usd: '2.00' }],
    })
  })

  test('shows the shutdown dates of models if one has any: its own, else the last of its routes', async () => {
    expect((await scene.run('models')).out).not.toContain('ENDS')
    const ending = (id: string, own: string, ...routes: string[]) => `
[[models]]
id = "${id}"
kind = "text"
price = { input = 1, output = 4 }
${own}
routes = [${routes.map((more) => `{ provider = "simulator", model = "flash"${more} }`)}]
`
    const [early, late] = [', shutdown_date = "2026-12-01"', ', shutdown_date = "2027-01-15"']
    appendFileSync(
      scene.path('tollgate.toml'),
      ending('sim-own', 'shutdown_date = "2027-03-31"', early) +
        ending('sim-routes', '', early, late) +
        ending('sim-one-route', '', early, '') +
        ending('sim-ended', 'shutdown_date = "2026-01-01"\nretired = true', ''),
    )
    const { out } = await scene.run('models')
    const last = (id: string) =>
      out
        .split('\n')
        .find((line) => line.startsWith(`${id} `))
        ?.split(/ +/)
        .at(-1)
    const ids = ['MODEL', 'sim-own', 'sim-routes', 'sim-one-route', 'sim-ended', 'sim-flash']
    expect(ids.map(last)).toEqual(['ENDS', '2027-03-31', '2027-01-15', '-', '2026-01-01', '-'])
    const { models } = await scene.json('models')
    const byId = new Map(models.map((model: { id: string }) => [model.id, model]))
    expect(byId.get('sim-routes')).toMatchObject({
      shutdown_date: '2027-01-15',
      routes: [{ shutdown_date: '2026-12-01' }, { shutdown_date: '2027-01-15' }],
    })
    expect(byId.get('sim-one-route')).toMatchObject({ shutdown_date: null })
  })

  test('shows the extras that models bill beyond tokens, if one has any', async () => {
    expect((await scene.run('models')).out).not.toContain('EXTRAS')
    appendFileSync(scene.path('tollgate.toml'), WITH_EXTRAS)
    const { out } = await scene.run('models')
    expect(out).toMatch(
      /^sim-search .*web_search 0\.01 per unit, at most 5, speed 0\.30 per call, web_fetch free, request 0\.005 per request, code_execution 0\.05 per unit, at most 3, always$/m,
    )
    expect(out).toMatch(/^sim-flash .* -$/m)
    const { models } = await scene.json('models')
    const { price } = models.find(({ id }: { id: string }) => id === 'sim-search')
    expect(price.extras[0]).toEqual({
      name: 'web_search',
      per: 'unit',
      price_nanos: 10_000_000,
      price_usd: '0.01',
      max_units: 5,
      always: false,
    })
  })

  test('lists the mistakes of a bad catalogue, and no models: status 1', async () => {
    appendFileSync(scene.path('tollgate.toml'), MISTAKES)
    const { status, out, err } = await scene.run('models')
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain('unknown provider "nobody"; allowed: ')
  })
})

test('models names the models that cannot be used because a key is missing', async () => {
  appendFileSync(
    scene.path('tollgate.toml'),
    '\n[[providers]]\nname = "g"\nprotocol = "gemini"\nbase_url = "https://g.example"\napi_keys = ["env:G_KEY"]\n' +
      '[[models]]\nid = "g"\nkind = "text"\nroutes = [{ provider = "g", model = "x" }]\nprice = { input = 1, output = 1 }\n',
  )
  expect((await scene.run('models')).out).toMatch(/^g +text +no: no key /m)
  const { models } = await scene.json('models')
  expect(models.at(-1)).toMatchObject({ usable: false, unavailable: expect.stringContaining('G_KEY') })
  scene.env = { G_KEY: 'k' }
  expect((await scene.run('models')).out).toMatch(/^g +text +yes /m)
})

describe('config check', () => {
  test('exits with status 0 for a file without mistakes', async () => {
    const { status, out } = await scene.run('config', 'check')
    const good = `${scene.path('tollgate.toml')} has no mistakes: models `
    expect([status, out]).toEqual([0, expect.stringMatching(/: models \d+, providers \d+\.$/)])
    expect(out).toStartWith(good)
  })

  test('prints each mistake as file:line: path: what to write; status 1', async () => {
    const file = scene.path('other.toml')
    writeFileSync(file, MISTAKES)
    const { status, err } = await scene.run('config', 'check', file)
    expect(status).toBe(1)
    const lines = err.split('\n')
    expect(lines).toContainEqual(
      expect.stringContaining(`${file}:5: models[0].routes[0].provider: unknown provider`),
    )
    expect(lines).toContainEqual(expect.stringContaining(`${file}:12: models[1].price.input: `))
  })

  test('--json has the same as data, and nothing else on either output', async () => {
    const file = scene.path('other.toml')
    writeFileSync(file, MISTAKES)
    const { status, out, err } = await scene.run('config', 'check', file, '--json')
    expect([status, err]).toEqual([1, ''])
    const { ok, mistakes } = JSON.parse(out)
    expect(ok).toBeFalse()
    expect(mistakes).toContainEqual({
      path: 'models[0].routes[0].provider',
      line: 5,
      message: expect.stringContaining('"nobody"'),
    })
  })

  test('reads secrets from its environment', async () => {
    appendFileSync(
      scene.path('tollgate.toml'),
      '\n[[providers]]\nname = "g"\nprotocol = "gemini"\nbase_url = "https://g.example"\napi_keys = ["env:G_KEY"]\n',
    )
    const without = await scene.run('config', 'check')
    expect([without.status, without.out]).toEqual([0, expect.stringContaining('; warnings 1.')])
    expect(without.err).toStartWith(`warning: ${scene.path('tollgate.toml')}:`)
    expect(without.err).toContain('needs the environment variable G_KEY')
    expect(await scene.json('config', 'check')).toMatchObject({
      ok: true,
      mistakes: [],
      warnings: [{ path: 'providers[3].api_keys[0]', message: expect.stringContaining('"g" is disabled') }],
    })
    scene.env = { G_KEY: 'the-secret' }
    const withKey = await scene.run('config', 'check', '--json')
    expect(withKey.status).toBe(0)
    expect(withKey.out).not.toContain('the-secret')
  })

  test('needs no database', async () => {
    using empty = createScene('nothing')
    writeFileSync(empty.path('tollgate.toml'), '')
    expect((await empty.run('config', 'check')).err).not.toContain('database')
  })
})
