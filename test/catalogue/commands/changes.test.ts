// `models add` and `delete`, `providers add`, `rename` and `delete`: the changes of the console's pages; the file keeps its comments and keys.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { sceneOfEachTest } from '../../app/commands/scene.ts'
import { acmeText } from '../catalogues.ts'

const TEXT = `# my catalogue
${acmeText('secret-of-acme-1')}
[[models]]
id = "both"
kind = "text"
routes = [{ provider = "acme", model = "b" }, { provider = "other", model = "b" }, { provider = "acme", model = "c" }]
price = { input = 1, output = 2 }

[[providers]]
name = "other"
protocol = "openai"
base_url = "https://other.example/v1"
api_keys = ["secret-of-other-1"]
`
const scene = sceneOfEachTest((scene) => {
  writeFileSync(scene.path('tollgate.toml'), TEXT)
  scene.columns = 80
  return Promise.resolve()
})
const file = () => readFileSync(scene.path('tollgate.toml'), 'utf8')
const run = (line: string) => scene.run(...line.split(' '))
const add = (more: string) =>
  run(`models add fast --route acme:fast-1 --price input=0.50,output=2 ${more}`.trim())

describe('a model', () => {
  test('is added with its price, cost and further fields, and the command prints the margin of each rate', async () => {
    await run('config set server.log_level=warn')
    const { status, out } = await add('--cost input=0.10,output=2 --set max_output_tokens=4096')
    expect(status).toBe(0)
    expect(out).toMatch(/^input +million tokens +0\.50 +0\.10 +80 %$/m)
    expect(out).toMatch(/^output +million tokens +2\.00 +2\.00 +0 %$/m)
    expect(out).toContain('fast added.')
    expect(file()).toContain(TEXT.slice(0, TEXT.indexOf('[[providers]]\nname = "other"')))
    expect(file()).toContain('secret-of-acme-1')
    const { models } = await scene.json('models')
    expect(models.at(-1)).toMatchObject({
      id: 'fast',
      kind: 'text',
      routes: [{ provider: 'acme', model: 'fast-1' }],
    })
    const { versions } = await scene.json('config', 'history')
    expect(versions[0]?.changed).toMatchObject([{ kind: 'model', name: 'fast', change: 'added' }])
  })

  test('priced below its cost is not added without a confirmation', async () => {
    const refused = await add('--cost input=0.60,output=1')
    expect([refused.status, refused.err]).toEqual([
      1,
      expect.stringContaining('fast sells below its cost. Nothing was changed.'),
    ])
    expect(file()).toBe(TEXT)
    scene.ask = () => Promise.resolve('n')
    expect((await add('--cost input=0.60,output=1')).status).toBe(1)
    expect(file()).toBe(TEXT)
    expect((await add('--cost input=0.60,output=1 --yes')).status).toBe(0)
  })

  test('is deleted once the operator agrees', async () => {
    expect((await run('models delete both')).err).toContain('Add --yes')
    expect(file()).toBe(TEXT)
    expect((await run('models delete both --yes')).out).toContain('both deleted.')
    expect(file()).not.toContain('"both"')
    expect(file()).toContain('price = { input = 1, output = 2 } # ours')
  })
})

describe('a provider', () => {
  test('is added with a key from the environment, or without a key', async () => {
    scene.env.NEW_API_KEY = 'secret-of-new-1'
    expect((await run('providers add new --server openai --key env:NEW_API_KEY')).status).toBe(0)
    expect(
      (await run('providers add local --protocol openai --base-url http://127.0.0.1:8000/v1')).status,
    ).toBe(0)
    expect(file()).toContain('api_keys = ["env:NEW_API_KEY"]')
    expect(file()).not.toContain('secret-of-new-1')
    expect(file()).toMatch(/name = "local"[^[]*api_keys = \[\]/)
  })

  test('is renamed in all routes, and keeps its key', async () => {
    const { status, out } = await run('providers rename acme acme-eu')
    expect([status, out]).toEqual([0, expect.stringContaining('acme is acme-eu now.')])
    expect(file().match(/acme-eu/g)).toHaveLength(4)
    expect(file()).not.toMatch(/"acme"/)
    expect(file()).toContain('secret-of-acme-1')
  })

  test('is deleted with its routes and the models without another route', async () => {
    const unconfirmed = await run('providers delete acme')
    expect(unconfirmed.err).toContain('Deleted with it, because they have no other route: flash.')
    expect(file()).toBe(TEXT)
    expect(await scene.json('providers', 'delete', 'acme', '--yes')).toMatchObject({
      models_deleted: ['flash'],
    })
    expect(file()).not.toMatch(/acme|flash/)
    expect(file()).toContain('routes = [{ provider = "other", model = "b" }]')
  })
})

describe('refused changes write nothing', () => {
  test.each([
    ['models add flash --route acme:x --price input=1,output=1', 1, /has a model "flash" already/],
    ['models add x --route nobody:x --price input=1,output=1', 1, /models\[2\]\.routes\[0\]/],
    ['models add x --route acme:x --price input=1', 1, /output/],
    ['models add x --route acme:x --price input=1,output=1 --kind song', 1, /kind/],
    ['models add x --route acme:x --price input=1,output=1 --set nothing=1', 1, /nothing/],
    ['models add x --route acme:x', 2, /--price/],
    ['models add x --price input=1,output=1', 2, /--route/],
    ['models add x --route acme --price input=1,output=1', 2, /PROVIDER:MODEL/],
    ['models add x --route acme:x --price free', 2, /input=0\.30/],
    ['models add x --route acme:x --price input=1,output=1 --set nothing', 2, /max_output_tokens=8192/],
    ['models delete nobody --yes', 1, /Model "nobody" not found\. Models of the catalogue: flash, both\./],
    ['models remove flash', 2, /./],
    ['providers add acme --server openai', 1, /has a provider "acme" already/],
    ['providers add new --server nobody', 1, /server/],
    ['providers add New! --server openai', 1, /name/],
    ['providers rename nobody new', 1, /Provider "nobody" not found/],
    ['providers rename acme other', 1, /has a provider "other" already/],
    ['providers rename acme NEW', 1, /name/],
    ['providers delete nobody --yes', 1, /Provider "nobody" not found/],
  ])('%s', async (line, status, words) => {
    const ran = await run(line)
    expect(ran.err).toMatch(words)
    expect(ran.status).toBe(status)
    expect(file()).toBe(TEXT)
  })

  test('the only model and the only provider, and the provider of all models', async () => {
    await run('models delete both --yes')
    await run('providers delete other --yes')
    const left = file()
    expect(left).toContain('"flash"')
    for (const [line, words] of [
      ['models delete flash', '"flash" is the only model, and the catalogue needs at least one.'],
      ['providers delete acme', '"acme" is the only provider, and the catalogue needs at least one.'],
    ] as const)
      expect((await run(`${line} --yes`)).err).toContain(words)
    expect(file()).toBe(left)
    expect(
      (await run('providers add other --protocol openai --base-url http://127.0.0.1:8000/v1')).status,
    ).toBe(0)
    const added = file()
    expect((await run('providers delete acme --yes')).err).toContain(
      'No model has a route to another provider than "acme"',
    )
    expect(file()).toBe(added)
  })

  test('the mistakes of a catalogue are reported', async () => {
    const broken = `${TEXT}\n[server]\nlisten = 1\n`
    writeFileSync(scene.path('tollgate.toml'), broken)
    expect((await run('models delete flash --yes')).err).toContain('server.listen')
    expect(file()).toBe(broken)
  })
})

test('fields of models and providers change by `config set`, by their names', async () => {
  const set = (...settings: string[]) => scene.run('config', 'set', ...settings)
  const { status } = await set(
    'models.flash.price.input=0.75',
    'models.both.routes.1.cost.input=0.5',
    'models.both.routes.1.cost.output=1',
  )
  expect(status).toBe(0)
  expect(file()).toContain('price = { input = 0.75, output = 2 } # ours')
  expect(file()).toContain('{ provider = "other", model = "b", cost = { input = 0.5, output = 1 } }')
  await set(
    'providers.other.base_url=https://eu.other.example/v1',
    'providers.other.api_keys.0=secret-of-other-2',
  )
  expect(file()).toContain('base_url = "https://eu.other.example/v1"\napi_keys = ["secret-of-other-2"]')
})
