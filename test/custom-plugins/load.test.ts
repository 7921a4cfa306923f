// The loading of custom plugins: files, their order, and errors that stop the start, with the file's name and advice.
import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPlugins } from '../../plugins/custom-plugins/files.ts'
import { loadPlugin, loadPlugins } from '../../plugins/custom-plugins/load.ts'
import { OWN_BEGINNINGS } from '../../src/domain/own-paths.ts'
import { createTally } from '../../src/observe/tally.ts'
import { tollgate } from '../backups/support.ts'
import { MODEL, PICTURE } from '../support/catalogue.ts'
import { startTestGateway } from '../support/gateway.ts'
import { memoryLog } from '../support/memory-log.ts'
import { gatewaySpy, routesOf } from '../support/plugins.ts'
import { commandOf } from '../support/programs.ts'
import { temporary } from '../support/temporary.ts'

/** A user that this machine does not have. */
const OTHER_USER = 54_321

const parent = temporary()
const parent_folder = parent.path
afterAll(() => parent[Symbol.dispose]())

/** Starts a gateway that has to be stopped. */
const startWith = (own_plugins: Record<string, string>, load_limit_ms = 10_000) =>
  startTestGateway({ parent_folder, own_plugins, plugin_limits: { load_limit_ms } })

/** The parts of a gateway that load plugins from this folder. */
const partsIn = (folder: string) => ({
  folder,
  log: memoryLog().log,
  catalogue: () => ({
    models: new Map(),
    sections: new Map([['plugins', { tables: {}, secrets: [] }]]),
    server: {},
  }),
  newRequestId: () => 'r',
  error_answers: createTally(),
})

/** The error of a start, which loads plugins before it opens anything else of the gateway. */
async function refusalOf(own_plugins: Record<string, string>, load_limit_ms?: number): Promise<string> {
  const folder = mkdtempSync(join(parent_folder, 'refused-'))
  mkdirSync(join(folder, 'plugins'))
  for (const [name, text] of Object.entries(own_plugins)) writeFileSync(join(folder, 'plugins', name), text)
  const { files } = findPlugins(join(folder, 'plugins'))
  return await loadPlugins(files, { ...partsIn(folder), load_limit_ms }).then(
    () => 'they were loaded',
    (thrown: Error) => thrown.message,
  )
}

const GOOD = 'export default () => {}'

test('a plugin that cannot be loaded stops the start of a gateway', async () => {
  const started = startWith({ 'a-good.ts': GOOD, 'bad.ts': '', 'c-good.ts': GOOD })
  await expect(started).rejects.toThrow('The plugin plugins/bad.ts cannot be loaded: ')
})

describe('a file that cannot be loaded', () => {
  test.each<[what: string, text: string, words: string]>([
    ['a syntax error, with its line', '\n\nexport default ({ app } => app', 'bad.ts:3:'],
    ['no default export', 'export const plugin = () => {}', 'no default export that is a function'],
    ['an empty file', '', 'no default export that is a function'],
    ['a default export that is not a function', 'export default { name: "x" }', 'no default export'],
    ['a module that throws, with its line', '\nthrow new Error("no word list")', 'no word list'],
    ['a function that throws', 'export default () => { throw new Error("no word list") }', 'no word list'],
    ['a function that throws a text', 'export default () => { throw "no word list" }', 'no word list'],
    [
      'a promise that rejects',
      'export default async () => { throw new Error("no word list") }',
      'no word list',
    ],
    ['a missing package', 'import x from "left-right"\nexport default () => x', 'bun add left-right'],
    ['a missing file', 'import x from "./words.ts"\nexport default () => x', './words.ts'],
    [
      'a module that never ends',
      'await new Promise(() => {})\nexport default () => {}',
      'took longer than 0.2 s',
    ],
    ['a function that never ends', 'export default () => new Promise(() => {})', 'took longer than 0.2 s'],
    ['a returned value that is not an application', 'export default () => 7', 'something else'],
    [
      'a hook that is not a function',
      'export default ({ gateway }) => gateway.beforeCall({})',
      'takes a function',
    ],
    ['process.exit in the module', 'process.exit(0)\nexport default () => {}', 'it called process.exit(0)'],
    [
      'process.exit that it catches itself',
      'export default () => { try { process.exit(3) } catch {} }',
      'it called process.exit(3)',
    ],
    [
      'process.exit in a timer while it is loaded',
      'export default () => new Promise(() => setTimeout(() => { try { process.exit(0) } catch {} }, 1))',
      'it called process.exit(0)',
    ],
    [
      'a caller while it is loaded',
      'export default ({ gateway }) => gateway.authenticate(new Request("http://x"))',
      'in a route',
    ],
    ['an unknown hook', 'export default ({ gateway }) => gateway.onCall(() => {})', 'onCall'],
    [
      'a route of the gateway',
      'export default ({ app }) => app.post("/v1/messages", "x")',
      '/v1/messages is under /v1',
    ],
    ['a route beside it', 'export default ({ app }) => app.get("/v1/mine", "x")', 'is under /v1'],
    ['one in other letters', 'export default ({ app }) => app.get("/Console/x", "x")', 'is under /Console'],
    ['a route without a slash', 'export default ({ app }) => app.get("healthz", "x")', 'is under /healthz'],
    ['a route for any path', 'export default ({ app }) => app.all("/*", "x")', 'ALL /*'],
    ['a route whose first part is open', 'export default ({ app }) => app.get("/:any/x", "x")', '/:any/x'],
    ['the root', 'export default ({ app }) => app.get("/", "x")', 'begin it with a name'],
    [
      'an escaped route',
      'export default ({ app }) => app.get("/%76%31/messages", "x")',
      'begin it with a name',
    ],
    ['a WebSocket', 'export default ({ app }) => app.ws("/live", { message() {} })', 'WebSocket'],
    [
      'an application whose routes are the gateway’s',
      'export default ({ Elysia }) => new Elysia().get("/docs/x", "x")',
      '/docs',
    ],
  ])('%s', async (_what, text, words) => {
    const limit_ms = words.includes('took longer') ? 200 : undefined
    const message = await refusalOf({ 'a-good.ts': GOOD, 'bad.ts': text, 'c-good.ts': GOOD }, limit_ms)
    expect(message).toStartWith('The plugin plugins/bad.ts cannot be loaded: ')
    expect(message).toContain(words)
    expect(message).toEndWith('`tollgate plugin check` tries all plugins without a start.')
  })

  test('the same route in two plugins: the second, which names the first', async () => {
    const route = (name: string) => `export default ({ app }) => app.get("/hello/:${name}", "x")`
    const message = await refusalOf({ '1.ts': route('id'), '2.ts': route('name') })
    expect(message).toContain('plugins/2.ts cannot be loaded')
    expect(message).toContain('is also one of the plugin 1.ts')
  })

  test('a route for all methods, beside one of another plugin for one of them', async () => {
    const route = (method: string) => `export default ({ app }) => app.${method}("/hello", "x")`
    for (const methods of [
      ['all', 'get'],
      ['post', 'all'],
    ]) {
      const [first = '', second = ''] = methods.map(route)
      expect(await refusalOf({ '1.ts': first, '2.ts': second })).toContain('is also one of the plugin 1.ts')
    }
  })

  /** A plugin that can be loaded by itself. */
  function loadable(name: string) {
    const folder = mkdtempSync(join(parent_folder, name))
    mkdirSync(join(folder, 'plugins'))
    writeFileSync(join(folder, 'plugins/open.ts'), GOOD)
    const [file] = findPlugins(join(folder, 'plugins')).files
    if (!file) throw new Error('there is no file')
    return { load: () => loadPlugin(file, partsIn(folder)), pathOf: (path: string) => join(folder, path) }
  }

  test.each(['plugins', 'plugins/open.ts'])('%s that everybody may write', async (open) => {
    const { load, pathOf } = loadable('open-')
    expect(await load()).toMatchObject({ name: 'open' })
    chmodSync(pathOf(open), 0o777)
    await expect(load()).rejects.toThrow(`run \`chmod o-w ${pathOf(open)}\``)
  })

  test.skipIf(process.geteuid?.() !== 0)(
    'a plugin or folder that belongs neither to root nor to the running user',
    async () => {
      for (const owned of ['plugins', 'plugins/open.ts']) {
        const { load, pathOf } = loadable('owned-')
        chownSync(pathOf(owned), OTHER_USER, 0)
        await expect(load()).rejects.toThrow(
          `${pathOf(owned)} belongs to user ${OTHER_USER}, who could change what runs here as user 0; run \`chown 0 ${pathOf(owned)}\``,
        )
      }
    },
  )

  test.skipIf(process.geteuid?.() !== 0)(
    'for a service user, except its own plugin or one of root',
    async () => {
      const checked = async (owner: number) => {
        const { pathOf } = loadable('service-')
        for (const path of ['', 'plugins']) chownSync(pathOf(path), OTHER_USER, OTHER_USER)
        chownSync(pathOf('plugins/open.ts'), owner, 0)
        chmodSync(pathOf('plugins/open.ts'), 0o644)
        const args = ['plugin', 'check', '--json', '--data', pathOf('')]
        const child = Bun.spawn([...commandOf('as-user'), String(OTHER_USER), ...args], {
          stdout: 'pipe',
          stderr: 'ignore',
        })
        const { plugins } = JSON.parse(await child.stdout.text())
        return [await child.exited, plugins[0].problem]
      }
      chmodSync(parent_folder, 0o755)
      expect(await checked(OTHER_USER)).toEqual([0, null])
      expect(await checked(0)).toEqual([0, null])
      expect(await checked(OTHER_USER + 1)).toEqual([
        1,
        expect.stringContaining(`belongs to user ${OTHER_USER + 1}`),
      ])
    },
  )

  test('a folder that is a file', async () => {
    const path = join(parent_folder, 'plugins')
    writeFileSync(path, '')
    expect(() => findPlugins(path)).toThrow(`${path} is a file`)
  })
})

describe('loaded files', () => {
  test('are the files that end with .ts, in the order of their names: no types, no hidden files, no folders', () => {
    const folder = join(parent_folder, 'names')
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    mkdirSync(join(folder, 'folder.ts'))
    for (const name of ['b.ts', 'a.ts', 'B.ts', '10.ts', '9.ts', '.hidden.ts', 'tollgate.d.ts', 'words.txt'])
      writeFileSync(join(folder, name), '')
    for (const name of ['old.js', 'page.tsx', 'other.mts', 'package.json', 'b.ts.off'])
      writeFileSync(join(folder, name), '')
    symlinkSync('words.txt', join(folder, 'link.ts'))
    symlinkSync('nothing', join(folder, 'dangling.ts'))
    const { files, skipped } = findPlugins(folder)
    expect(files.map(({ name }) => name)).toEqual(['10', '9', 'B', 'a', 'b', 'link'])
    expect(skipped).toEqual(['old.js', 'other.mts', 'page.tsx'])
  })

  test('are none without a folder', () => {
    expect(findPlugins(join(parent_folder, 'absent'))).toEqual({ files: [], skipped: [] })
  })

  test('leave out a file with another ending, which is logged', async () => {
    await using gateway = await startWith({ 'hook.js': 'throw new Error("loaded")' })
    const line = gateway.log.lines().find(({ skipped }) => skipped !== undefined)
    expect(line).toMatchObject({ level: 'warn', skipped: ['hook.js'] })
  })
})

describe('a plugin gets', () => {
  const asPlugin = (body: string) => `export default async ({ app, Elysia, t, gateway }) => { ${body} }`

  test('a gateway with seven members that cannot be changed: no database, no ledger, no secret', async () => {
    await using gateway = await startWith({
      'look.ts': asPlugin(`
        app.get('/look', () => ({
          names: Object.keys(gateway).sort(),
          frozen: Object.isFrozen(gateway) && Object.isFrozen(gateway.log),
          folder: gateway.folder,
          models: gateway.models().slice(0, 1),
        }))
        gateway.log.info('hello from the plugin', { words: 3, plugin: 'another' })`),
    })
    const look = await (await gateway.call('/look')).json()
    expect(look).toEqual({
      names: ['afterSettle', 'authenticate', 'beforeCall', 'folder', 'log', 'models', 'version'],
      frozen: true,
      folder: join(gateway.data_folder, 'plugins'),
      models: [{ id: 'test-model', display_name: 'test-model', kind: 'text' }],
    })
    const line = gateway.log.lines().find(({ message }) => message === 'hello from the plugin')
    expect(line).toMatchObject({ level: 'info', plugin: 'look', words: 3 })
  })

  test('no more hooks after its function has ended', async () => {
    await using gateway = await startWith({
      'late.ts': asPlugin(`app.get('/late', () => gateway.beforeCall(() => {}))`),
    })
    expect((await gateway.call('/late')).status).toBe(500)
    expect(gateway.log.text()).toContain('was called after the start')
  })

  test('relative modules, JSON and types, because it may have several files', async () => {
    await using gateway = await startWith({
      'main.ts': `
        import words from './words.json'
        import { joined } from './lib.helper.mts'
        import type { TollgatePlugin } from './tollgate.d.ts'
        enum Mark { End = '!' }
        const plugin: TollgatePlugin = ({ app }) => app.get('/joined', () => joined(words) + Mark.End)
        export default plugin satisfies TollgatePlugin`,
      'words.json': '["tides","rise"]',
      'lib.helper.mts': 'export const joined = (words: readonly string[]): string => words.join(" ")',
    })
    expect(await (await gateway.call('/joined')).text()).toBe('tides rise!')
  })
})

test('the example of the manual is loaded unchanged, and works as described', async () => {
  const manual = await Bun.file(join(import.meta.dir, '../../plugins/custom-plugins/README.md')).text()
  const [, example = ''] = /```ts\n(import type \{ TollgatePlugin \}.*?)```/s.exec(manual) ?? []
  await using gateway = await startWith({ 'hello.ts': example })
  expect(await (await gateway.call('/hello')).json()).toMatchObject({ models: expect.any(Number) })
  const key = await gateway.caller('1', { name: 'trial' })
  const refused = await gateway.call('/v1/images/generations', { model: PICTURE, prompt: 'x' }, { key })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('Trial keys make no images')
  const chat = { model: MODEL, messages: [{ role: 'user', content: 'Hello.' }] }
  expect((await gateway.call('/v1/chat/completions', chat, { key })).status).toBe(200)
  await gateway.log.waitForLine(({ message, plugin }) => message === 'a call was paid' && plugin === 'hello')
})

describe('routes of plugins', () => {
  test('have schemas, parameters and bodies; failures have the plain shape, with the cause in the log alone', async () => {
    await using gateway = await startWith({
      'shop.ts': `export default ({ app, Elysia, t }) => {
        app.post('/shop/orders/:id', ({ params, body }) => ({ id: params.id, count: body.count }), {
          body: t.Object({ count: t.Integer() }),
        })
        app.get('/shop/broken', () => { throw new Error('the shelf fell down') })
        return new Elysia({ prefix: '/shop' }).get('/open', 'yes')
      }`,
    })
    const order = (body: object) => gateway.call('/shop/orders/7', body)
    expect(await (await order({ count: 2 })).json()).toEqual({ id: '7', count: 2 })
    const refused = await order({ count: 'two' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('count')
    expect(await (await gateway.call('/shop/open')).text()).toBe('yes')
    const broken = await gateway.call('/shop/broken')
    expect(broken.status).toBe(500)
    expect(await broken.text()).not.toContain('shelf')
    expect(gateway.log.text()).toContain('the shelf fell down')
    expect((await gateway.call('/shop/nothing')).status).toBe(404)
  })

  test('have hooks that reach no route of the gateway, nor of another plugin', async () => {
    await using gateway = await startWith({
      '1-greedy.ts': `export default ({ app }) => app
        .onRequest(() => new Response('taken'))
        .onAfterHandle({ as: 'global' }, () => 'taken')
        .get('/greedy', 'x')`,
      '2-quiet.ts': `export default ({ app }) => app.get('/quiet', 'quiet')`,
    })
    expect(await (await gateway.call('/greedy')).text()).toBe('taken')
    expect(await (await gateway.call('/quiet')).text()).toBe('quiet')
    expect(await (await gateway.call('/healthz')).text()).not.toContain('taken')
    expect((await gateway.call('/v1/messages', {})).status).toBe(401)
  })

  test('are not in the reference, which describes the routes of every gateway', async () => {
    await using gateway = await startWith({ 'a.ts': `export default ({ app }) => app.get('/mine', 'x')` })
    const document = (await (await gateway.call('/docs/openapi.json')).json()) as { paths: object }
    expect(Object.keys(document.paths)).not.toContain('/mine')
    expect(Object.keys(document.paths).length).toBeGreaterThan(10)
  })
})

// An imported `exit` is bound by the first import of a process, so that each has a process of its own.
test.each([
  ['at its top', 'process.exit(0)', 'it called process.exit(0)'],
  [
    'by a name that it imports',
    'import { exit } from "node:process"\nexport default async () => { await Bun.sleep(1); exit() }',
    'it called process.exit()',
  ],
])('process.exit %s ends the start with status 1, and the plugin is named', async (_, source, words) => {
  using folder = temporary()
  mkdirSync(folder.at('plugins'))
  writeFileSync(folder.at('plugins/quits.ts'), source)
  const { status, err } = await tollgate(['serve', '--listen', '127.0.0.1:0', '--data', folder.path])
  expect([status, err]).toEqual([
    1,
    expect.stringContaining(`error: The plugin plugins/quits.ts cannot be loaded: ${words}`),
  ])
})

test('an exit that was bound before plugins are loaded does not end the process either', async () => {
  using folder = temporary()
  writeFileSync(folder.at('quits.ts'), 'import { exit } from "node:process"\nexport default () => exit(3)')
  const at = (module: string) => JSON.stringify(join(import.meta.dir, '../..', module))
  const script = `
    import { exit } from 'node:process'
    import { loadPlugins } from ${at('plugins/custom-plugins/load.ts')}
    const file = { name: 'quits', file: 'quits.ts', path: ${JSON.stringify(folder.at('quits.ts'))} }
    const parts = { log: {}, catalogue: () => ({ models: new Map(), sections: new Map(), server: {} }) }
    await loadPlugins([file], parts).catch(({ message }) => console.log(message))
    exit(7)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
  expect(await child.stdout.text()).toContain('it called process.exit(3), which would end the gateway')
  expect(await child.exited).toBe(7)
})

test('every route of the gateway begins with a name that plugins may not use', async () => {
  const { plugins } = await import('../../plugins/index.ts')
  const beginnings = new Set<string>()
  const spy = gatewaySpy()
  const gateway = await startTestGateway({
    parent_folder,
    plugins: [...plugins, spy.plugin],
  })
  for (const { path } of await routesOf(spy.gateway(), plugins)) beginnings.add(path.split('/')[1] ?? '')
  await gateway.stop()
  expect(beginnings.size).toBeGreaterThan(5)
  // The root has no name, and no plugin gets it.
  expect([...beginnings].filter((name) => name !== '' && !OWN_BEGINNINGS.has(name))).toEqual([])
})
