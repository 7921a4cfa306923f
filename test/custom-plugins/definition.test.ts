// Plugins by their parts: the complete example of the guide, settings that are wrong or change, checks, events and commands.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sceneOfFile } from '../app/commands/scene.ts'
import { endedHere } from '../backups/support.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { startUpstream, whole } from '../support/upstream.ts'

const GUIDE = readFileSync(join(import.meta.dir, '../../plugins/custom-plugins/README.md'), 'utf8')
const [, EXAMPLE = ''] = /```ts\n(import \{ Database \}.*?)```/s.exec(GUIDE) ?? []
const TODAY = new Date().toISOString().slice(0, 10)

const scene = sceneOfFile()
const write = (name: string, text: string) => {
  mkdirSync(scene.path('plugins'), { recursive: true })
  writeFileSync(scene.path(`plugins/${name}`), text)
}

test('the complete example of the guide: settings, hooks, a route, a sweep, a check and a command', async () => {
  await using upstream = await startUpstream(whole(answer()))
  await using gateway = await startTestGateway({
    upstream,
    catalogue: catalogueOf({
      upstream_url: upstream.url,
      more: '[plugins.call-budget]\ndaily_usd = 0.000000001',
    }),
    own_plugins: { 'call-budget.ts': EXAMPLE },
    sweep_every_ms: 50,
  })
  const key = await gateway.caller()
  const prefix = key.slice(0, 10)
  expect((await gateway.call(wholePath(), ask('Hi'), { key })).status).toBe(200)
  await eventually('the call is counted', async () => {
    const response = await gateway.call('/call-budget', undefined, { key })
    const { nanos } = (await response.json()) as { nanos: number }
    return nanos === ANSWER_NANOS
  })
  const refused = await gateway.call(wholePath(), ask('Hi'), { key })
  expect([refused.status, await refused.text()]).toEqual([
    429,
    expect.stringContaining('has spent its budget of today'),
  ])
  using db = new Database(join(gateway.data_folder, 'plugins/call-budget.db'))
  db.run("INSERT INTO spent VALUES ('2020-01-01', 'x', 1)")
  const count = () =>
    db.query<{ count: number }, []>("SELECT count(*) AS count FROM spent WHERE day < '2021'").get()?.count
  await eventually('the sweep deletes what is old', async () => count() === 0)
  const of_gateway = ['--data', gateway.data_folder]
  const { status, out } = await endedHere(['x', 'call-budget', 'report', TODAY, ...of_gateway])
  expect([status, out]).toEqual([0, `${prefix} ${ANSWER_NANOS / 1_000_000_000} USD`])
  const checked = await endedHere(['plugin', 'check', '--json', ...of_gateway])
  expect(JSON.parse(checked.out).findings).toEqual([
    {
      check: 'call-budget budgets',
      found: `keys that have spent their budget of today: ${prefix}`,
      advice: 'Raise daily_usd, or wait.',
    },
  ])
})

const WITH_SETTINGS = `export default {
  settings: (t) => t.Object({ days: t.Integer({ minimum: 1, default: 3 }), token: t.Optional(t.String()) }),
  open: (_, settings) => settings,
  routes: (settings, { app }) => void app.get('/settings', () => settings()),
}`

const withMore = (more: string) => catalogueOf({ upstream_url: 'simulator', more })

describe('settings', () => {
  const start = (more: string, env: Record<string, string> = {}) =>
    startTestGateway({ catalogue: withMore(more), env, own_plugins: { 'mine.ts': WITH_SETTINGS } })

  test.each([
    ['days = 0', 'plugins.mine.days: must be'],
    ['dayz = 3', 'plugins.mine.dayz: unknown field; did you mean "days"?'],
  ])('%s refuses the start', async (line, says) => {
    await expect(start(`[plugins.mine]\n${line}`)).rejects.toThrow(says)
  })

  test('a value that is not a table is a mistake of the catalogue', async () => {
    await expect(start('[plugins]\nmine = 3')).rejects.toThrow('plugins.mine: must be a table')
  })

  test('defaults, variables, and the last good ones after a mistake', async () => {
    await using gateway = await start('[plugins.mine]\ntoken = "env:MY_TOKEN"', {
      MY_TOKEN: 'a-token-of-mine',
    })
    const readSettings = async () => await (await gateway.call('/settings')).json()
    expect(await readSettings()).toEqual({ days: 3, token: 'a-token-of-mine' })
    await gateway.recatalogue(withMore('[plugins.mine]\ndays = 9'))
    expect(await readSettings()).toEqual({ days: 9 })
    await gateway.recatalogue(withMore('[plugins.mine]\ndays = "x"'))
    expect(await readSettings()).toEqual({ days: 9 })
    expect(gateway.log.lines().some(({ mistakes }) => String(mistakes).includes('plugins.mine.days'))).toBe(
      true,
    )
  })
})

describe('checks', () => {
  const withCheck = (when: string) => `export default {
  checks: [{ name: 'disk', when: ['${when}'], look: () => ({ found: 'no tape is in the drive', advice: 'Insert one.' }) }],
}`

  test('a check of the start refuses it', async () => {
    await expect(startTestGateway({ own_plugins: { 'tape.ts': withCheck('start') } })).rejects.toThrow(
      'its check disk found: no tape is in the drive. Insert one.',
    )
  })

  test('a check of readyz makes the gateway not ready', async () => {
    await using gateway = await startTestGateway({ own_plugins: { 'tape.ts': withCheck('ready') } })
    await eventually('the gateway is not ready', async () => (await gateway.call('/readyz')).status === 503)
    expect(await (await gateway.call('/readyz')).json()).toMatchObject({ reason: 'no tape is in the drive' })
  })
})

test('events of the start, of refused requests and of the stop; the running part is closed', async () => {
  const gateway = await startTestGateway({
    own_plugins: {
      'ears.ts': `export default {
        open: ({ gateway }) => gateway.log,
        on: {
          started: (log) => log.info('heard: started'),
          refused: (log, { code, status }) => log.info('heard: refused', { code, status }),
          stopping: (log) => log.info('heard: stopping'),
        },
        close: (log) => log.info('heard: the end'),
      }`,
    },
  })
  const key = await gateway.caller('1', { name: 'k' })
  await gateway.call(wholePath('no-such-model'), ask('Hi'), { key })
  const hasLogged = (what: string) => gateway.log.lines().some(({ message }) => message === `heard: ${what}`)
  await eventually('both events came', async () => hasLogged('started') && hasLogged('refused'))
  await gateway.stop()
  expect([hasLogged('stopping'), hasLogged('the end')]).toEqual([true, true])
})

describe('commands', () => {
  test('run without a gateway, and load their own plugin alone', async () => {
    write('broken.ts', 'throw new Error("it was loaded")')
    write(
      'tools.ts',
      `export default { commands: { add: { summary: 'adds numbers', run: ({ args }) => ({ sum: args.reduce((sum, each) => sum + Number(each), 0) }) } } }`,
    )
    expect(await scene.json('x', 'tools', 'add', '1', '2')).toEqual({ sum: 3 })
    expect((await scene.run('x', 'tools')).out).toBe('tollgate x tools add: adds numbers')
    expect((await scene.run('x', 'tools', 'sub')).err).toContain(
      'tools has no command sub. Its commands: add.',
    )
    expect((await scene.run('x', 'nothing')).err).toContain('No plugin nothing in')
    expect((await scene.run('x', 'broken')).err).toContain('it was loaded')
  })
})

test('texts of settings that may be secrets are hidden', async () => {
  const text = catalogueOf({
    upstream_url: 'simulator',
    more: '[plugins.mine]\nname = "Anna"\napi_token = "a-token-of-mine"\nhook = "https://x.example/a/b"',
  })
  writeFileSync(scene.path('tollgate.toml'), text)
  const { out } = await scene.run('config', 'show')
  expect(out).toContain('name = "Anna"')
  expect(out).toMatch(/api_token = "hidden:[\w-]{8}"\nhook = "hidden:[\w-]{8}"/)
})
