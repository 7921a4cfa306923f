// `plugin`: writes the types, lists plugins and checks them; and a start that a plugin stops.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createScene, sceneOfFile } from '../app/commands/scene.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { commandOf } from '../support/programs.ts'

const GOOD = `export default ({ app, gateway }) => {
  app.get('/hello', 'x').post('/hello', 'x')
  gateway.beforeCall(() => {})
  gateway.log.info('there are models', { models: gateway.models().length })
}`

const scene = sceneOfFile()
scene.columns = 80

const write = (name: string, text: string) => {
  mkdirSync(scene.path('plugins'), { recursive: true })
  writeFileSync(scene.path(`plugins/${name}`), text)
}

describe('without plugins', () => {
  test.each(['list', 'check'])('%s says where they belong', async (command) => {
    const { status, out } = await scene.run('plugin', command)
    expect(status).toBe(0)
    expect(out).toContain(`No plugins in ${scene.path('plugins')}.`)
  })
})

/** The type files of the program itself, joined without imports. */
const TYPES = ['plugin-api.ts', 'payment-api.ts']
  .map((name) => readFileSync(join(import.meta.dir, '../../src', name), 'utf8').replace(/^import .*\n/m, ''))
  .join('\n')

test('types writes the types of the program itself, and overwrites them', async () => {
  for (const _ of [1, 2]) {
    const { file } = await scene.json('plugin', 'types')
    expect(file).toBe(scene.path('plugins/tollgate.d.ts'))
    expect(readFileSync(file, 'utf8')).toBe(TYPES)
  }
})

test('the built program writes the same types', async () => {
  const child = Bun.spawn([...commandOf('gateway'), 'plugin', 'types', '--data', scene.dir], {
    stdout: 'pipe',
  })
  expect(await child.stdout.text()).toBe(`Written: ${scene.path('plugins/tollgate.d.ts')}\n`)
  expect(await child.exited).toBe(0)
  expect(readFileSync(scene.path('plugins/tollgate.d.ts'), 'utf8')).toBe(TYPES)
})

test('its types need nothing else: neither an import nor a package', () => {
  const text = readFileSync(scene.path('plugins/tollgate.d.ts'), 'utf8')
  expect(text).not.toMatch(/^import |from '|require\(/m)
  expect(text).toContain('export type TollgatePlugin')
})

test('list runs no plugin, and warns of files that are not loaded', async () => {
  write('20-good.ts', GOOD)
  write('10-throws.ts', 'throw new Error("was run")')
  write('old.js', '')
  const { plugins, skipped } = await scene.json('plugin', 'list')
  expect(plugins).toEqual([
    { name: '10-throws', file: '10-throws.ts' },
    { name: '20-good', file: '20-good.ts' },
  ])
  expect(skipped).toEqual(['old.js'])
  const { status, out, err } = await scene.run('plugin', 'list')
  expect({ status, lines: out.split('\n').length }).toEqual({ status: 0, lines: 3 })
  expect(err).toBe('warning: not loaded, because the name does not end with .ts: old.js')
})

test('check loads each plugin, lists its registrations, and says why others cannot be loaded; status 1', async () => {
  const { status, out, err } = await scene.run('plugin', 'check')
  expect(status).toBe(1)
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    'NAME       RESULT            BEFORE CALL  AFTER SETTLE  ROUTES',
    '10-throws  cannot be loaded',
    '20-good    ok                          1             0  GET /hello, POST /hello',
  ])
  expect(err).toContain('The plugin plugins/10-throws.ts cannot be loaded: was run (line 1).')
  expect(err).toContain('"plugin":"20-good","message":"there are models"')
})

test('check of good plugins: status 0, and the same as JSON', async () => {
  rmSync(scene.path('plugins/10-throws.ts'))
  write('30-after.ts', 'export default ({ gateway }) => gateway.afterSettle(() => {})')
  expect(await scene.json('plugin', 'check')).toEqual({
    ok: true,
    folder: scene.path('plugins'),
    plugins: [
      {
        name: '20-good',
        ok: true,
        routes: ['GET /hello', 'POST /hello'],
        before_call: 1,
        after_settle: 0,
        problem: null,
        payments: [],
      },
      {
        name: '30-after',
        ok: true,
        routes: [],
        before_call: 0,
        after_settle: 1,
        problem: null,
        payments: [],
      },
    ],
    skipped: ['old.js'],
  })
})

test('check loads what a start loads: imports and packages from beside the folder, and linked plugins', async () => {
  using own = createScene('nothing')
  const at = own.path
  for (const path of ['plugins/node_modules', 'lib', 'node_modules/words', 'elsewhere'])
    mkdirSync(at(path), { recursive: true })
  writeFileSync(at('lib/x.ts'), "export const path = '/x'")
  writeFileSync(at('node_modules/words/index.js'), "export const words = '/words'")
  writeFileSync(
    at('plugins/outside.ts'),
    "import { path } from '../lib/x.ts'\nimport { words } from 'words'\nexport default ({ app }) => app.get(path + words, '')",
  )
  writeFileSync(at('elsewhere/beside.ts'), "export const path = '/linked'")
  writeFileSync(
    at('elsewhere/linked.ts'),
    "import { path } from './beside.ts'\nexport default ({ app }) => app.get(path, '')",
  )
  symlinkSync(at('elsewhere/linked.ts'), at('plugins/linked.ts'))
  symlinkSync('nothing', at('plugins/dangling'))
  symlinkSync('.', at('plugins/node_modules/cycle'))
  const runCheck = async () => {
    const { status, out } = await own.run('plugin', 'check', '--json')
    return [status, JSON.parse(out).plugins.flatMap(({ routes }: { routes: string[] }) => routes)]
  }
  expect(await runCheck()).toEqual([0, ['GET /linked', 'GET /x/words']])
  renameSync(at('plugins'), at('own'))
  symlinkSync('own', at('plugins'))
  expect(await runCheck()).toEqual([0, ['GET /linked', 'GET /x/words']])
})

test.concurrent.each<[what: string, text: string, words: string]>([
  ['a plugin with a mistake', 'export default ({ app } => app', 'Expected'],
  ['a plugin without a default export', 'export const x = 1', 'no default export that is a function'],
  ['a slow one, after 10 seconds', 'export default () => new Promise(() => {})', 'it took longer than 10 s'],
])(
  'serve with %s ends with status 1 and its name, and releases the folder',
  async (_what, text, words) => {
    using folder = await prepareDataFolder(catalogueOf({ upstream_url: 'simulator' }))
    mkdirSync(join(folder.path, 'plugins'))
    const path = join(folder.path, 'plugins/mine.ts')
    const serve = (...command: string[]) =>
      Bun.spawn([...commandOf('gateway'), ...command, '--data', folder.path], {
        stdout: 'pipe',
        stderr: 'pipe',
      })
    writeFileSync(path, text)
    const child = serve('serve', '--listen', '127.0.0.1:0')
    const [err, status] = await Promise.all([child.stderr.text(), child.exited])
    expect(status).toBe(1)
    expect(err).toStartWith('error: The plugin plugins/mine.ts cannot be loaded: ')
    expect(err).toContain(words)
    const audit = serve('audit')
    expect(await audit.exited).toBe(0)
  },
  30_000,
)
