// The shared catalogue of several gateways: all take a new version within a beat, one of two saves wins, and each machine keeps its own settings.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup_section } from '../../plugins/backups/settings.ts'
import { plugins } from '../../plugins/index.ts'
import { metrics_section } from '../../plugins/metrics/settings.ts'
import { type StartedGateway, startGateway } from '../../src/app/process/serve.ts'
import { listVersions } from '../../src/catalogue/past.ts'
import { newestShared } from '../../src/catalogue/past-queries.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { catalogueOf, MODEL } from '../support/catalogue.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { type MemoryLog, memoryLog } from '../support/memory-log.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'

const KEYS = ['env:FIRST_API_KEY']
const ENV = { FIRST_API_KEY: 'first-secret-of-all', METRICS: 'a-token-of-the-metrics' }
const TEXT = catalogueOf({ upstream_url: 'https://acme.example/api', api_keys: KEYS })
const priced = (input: string, text = TEXT) =>
  text.replace('price = { input = 1,', `price = { input = ${input},`)
const TOKEN = '[metrics]\ntoken = "env:METRICS"\n'

interface Running extends AsyncDisposable {
  started: StartedGateway
  folder: string
  log: MemoryLog
  console: ConsoleClient
  /** The price of the model's input, in dollars for a million tokens. */
  price(): number
}

/** Makes a database of its own, over which gateways are started. */
async function world() {
  const stack = new AsyncDisposableStack()
  const { name, url } = await makeDatabase()
  stack.defer(() => dropDatabase(name))
  const folder: TemporaryFolder = stack.use(temporary())
  const db = stack.use(await openPostgres(url))
  let count = 0
  const storage = `[storage]\ndatabase = "${url}"\n`
  return {
    db,
    storage,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
    /** @param machine the text of its file beside [storage] */
    async start(machine = TEXT, env: Record<string, string> = ENV, within?: string): Promise<Running> {
      count += 1
      const data_folder = within ?? folder.at(`gateway-${count}`)
      mkdirSync(data_folder, { recursive: true })
      writeFileSync(join(data_folder, 'tollgate.toml'), machine + storage)
      const log = memoryLog()
      let store: Db | undefined
      const started = await startGateway({
        data_folder,
        plugins,
        log: log.log,
        env,
        listen: '127.0.0.1:0',
        accepts_others: true,
        gateway_timing: { beat_every_ms: 30, silent_after_ms: 60_000 },
        atLast: async (step) => {
          store = step.db
        },
      })
      const made: Running = {
        started,
        folder: data_folder,
        log,
        console: await signedIn({ store: store as Db, url: started.url } as never, 'operator'),
        price: () => {
          const price = started.catalogue().models.get(MODEL)?.price
          return price?.unit === 'token' ? price.tiers[0].rates.input_tokens / 1e9 : Number.NaN
        },
        [Symbol.asyncDispose]: () => started.stop(),
      }
      return made
    },
    /** Runs commands on the folder of a gateway. */
    commands(of: Pick<Running, 'folder'>): Scene {
      const scene = createScene('nothing', of.folder)
      scene.env = { ...ENV }
      return scene
    },
  }
}

type World = Awaited<ReturnType<typeof world>>

async function apply(w: World, of: Running, text: string): Promise<void> {
  const scene = w.commands(of)
  writeFileSync(scene.path('new.toml'), text)
  const { status, err } = await scene.run('config', 'apply', scene.path('new.toml'), '--yes')
  if (status !== 0) throw new Error(err)
}

const save = async (of: Running, input: string, hash?: string) => {
  const read = hash ?? (await of.console.json('GET', '/catalogue')).hash
  const edits = [{ op: 'set', path: ['models', 0, 'price', 'input'], value: input }]
  return await of.console.send('POST', '/catalogue/save', { body: { hash: read, edits } })
}

describe.if(hasPostgres)('gateways over one database', () => {
  let w: World
  let one: Running
  let other: Running
  beforeAll(async () => {
    w = await world()
    one = await w.start(`${TOKEN}${TEXT}`)
    other = await w.start(TEXT.replace('[server]', '[server]\nshutdown_timeout_ms = 5'))
  })
  afterAll(async () => {
    await one?.started.stop()
    await other?.started.stop()
    await w?.[Symbol.asyncDispose]()
  })

  test('have one catalogue: the database takes over the file of the first', async () => {
    expect((await newestShared(w.db))?.text.trimEnd()).toBe(`${TOKEN}${TEXT}`.trimEnd())
    expect([one.price(), other.price()]).toEqual([1, 1])
    expect(other.started.catalogue().server.shutdown_timeout_ms).toBe(30_000)
    expect(String(other.started.warnings)).toContain('not used: server.shutdown_timeout_ms')
    expect((await save(one, '1.5')).status).toBe(200)
    await eventually('both have it', () => one.price() === 1.5 && other.price() === 1.5)
  })

  test('take a new text within a beat, and warn of the settings in their files that it replaces', async () => {
    await apply(w, one, `${priced('2')}[metrics]\nlisten = "127.0.0.1:9"\n[backup]\nkeep = 3\n`)
    await eventually('both have it', () => one.price() === 2 && other.price() === 2)
    await one.log.waitForLine(({ warnings }) =>
      /not used: metrics\.token, server\.log_level, providers, models\./.test(String(warnings)),
    )
    await other.log.waitForLine(({ warnings }) =>
      /not used: server\.shutdown_timeout_ms, server\.log_level, providers, models\./.test(String(warnings)),
    )
    expect(other.started.catalogue()).toMatchObject({
      server: { shutdown_timeout_ms: 30_000 },
      storage: { database: expect.stringContaining('postgres://') },
    })
    expect(metrics_section.of(other.started.catalogue())).toEqual({ token: undefined, listen: undefined })
  })

  test('take from their edited file only the settings of the machine', async () => {
    writeFileSync(
      join(one.folder, 'tollgate.toml'),
      `[backup]\nfolder = "elsewhere"\n${priced('7')}${w.storage}`,
    )
    await one.started.reload()
    expect(one.price()).toBe(2)
    expect(backup_section.of(one.started.catalogue()).place).toMatchObject({ folder: 'elsewhere' })
  })

  test('show and save one text for all in the console', async () => {
    const [seen, same] = [
      await one.console.json('GET', '/catalogue'),
      await other.console.json('GET', '/catalogue'),
    ]
    expect(seen.hash).toBe(same.hash)
    expect(seen.text).not.toContain('[storage]')
    expect(seen.mistakes).toEqual([])
    // Reads at one and saves at the other, as behind a load balancer.
    const draft = seen.text.replace('price = { input = 2,', 'price = { input = 3,')
    const saved = await other.console.send('POST', '/catalogue/save', {
      body: { hash: seen.hash, text: draft },
    })
    expect([saved.status, await saved.json()]).toEqual([200, expect.objectContaining({ warnings: [] })])
    await eventually('both have it', () => one.price() === 3 && other.price() === 3)
    const { rows } = await listVersions(w.db, { limit: 1 })
    expect(rows[0]?.made_by).toStartWith('session:')
    expect(
      await w.db.rows(
        "SELECT action, subject, actor FROM actions WHERE action = 'price.changed' ORDER BY id DESC LIMIT 1",
      ),
    ).toMatchObject([{ subject: MODEL, actor: 'operator' }])
  })

  test('let one of two simultaneous saves win, and refuse the other with 409', async () => {
    const { hash } = await one.console.json('GET', '/catalogue')
    const before = (await newestShared(w.db))?.version ?? 0
    const answers = await Promise.all([save(one, '4', hash), save(other, '5', hash)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const lost = answers.find(({ status }) => status === 409)
    expect(await lost?.json()).toMatchObject({ error: { code: 'configuration_changed' } })
    const won = answers[0].status === 200 ? 4 : 5
    await eventually('both have the winner', () => one.price() === won && other.price() === won)
    expect((await newestShared(w.db))?.version).toBe(before + 1)
  })

  test('save a form of settings for all beside another form, and refuse a value that changed meanwhile', async () => {
    const [mine, theirs] = ['reads_per_minute', 'images_per_minute'].map((name) => ['limits', name])
    const set = (of: Running, ...values: object[]) =>
      of.console.send('POST', '/catalogue/values', { body: { values } })
    const { version } = await one.console.json('GET', '/catalogue')
    const both = await Promise.all([
      set(one, { path: mine, value: 41 }),
      set(other, { path: theirs, value: 42 }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const limits = { reads_per_minute: 41, images_per_minute: 42 }
    await eventually('both have both', () =>
      [one, other].every(({ started }) => Bun.deepMatch(limits, started.catalogue().limits)),
    )
    expect((await newestShared(w.db))?.version).toBe(version + 2)
    const late = await set(other, { path: mine, value: 43, was: 40 })
    expect([late.status, await late.json()]).toMatchObject([
      409,
      { error: { changed: [{ field: 'limits.reads_per_minute', was: 40, is: 41 }] } },
    ])
    const { sections } = await other.console.json('GET', '/catalogue/settings')
    const fixed = Object.fromEntries(
      (sections as { name: string; fields: { path: string[]; fixed: string | null }[] }[]).flatMap(
        ({ name, fields }) => fields.map((field) => [[name, ...field.path].join('.'), field.fixed]),
      ),
    )
    expect(fixed).toMatchObject({
      'server.listen': 'each machine has its own',
      'metrics.listen': 'each machine has its own',
      'server.log_level': null,
      'backup.at': null,
    })
  })

  test.each<[setting: string, edit: object, path: string, message: string]>([
    [
      'a key',
      { op: 'set', path: ['providers', 0, 'api_keys'], value: ['typed-key-12345'] },
      'providers[0].api_keys[0]',
      'no key is written to the database',
    ],
    [
      'a setting of the machine',
      { op: 'set', path: ['server', 'listen'], value: '127.0.0.1:1' },
      'server.listen',
      'must be set in tollgate.toml of each machine',
    ],
    [
      'a database',
      { op: 'set', path: ['storage', 'database'], value: 'postgres://a@b/c' },
      'storage',
      'must be set in tollgate.toml of each machine',
    ],
    [
      'the settings of backups',
      { op: 'set', path: ['backup', 'keep'], value: 9 },
      'backup',
      'must be changed by `tollgate config apply` on a server',
    ],
  ])('refuse %s in the console', async (_, edit, path, message) => {
    const { hash } = await one.console.json('GET', '/catalogue')
    const { mistakes } = await one.console.json('POST', '/catalogue/check', { edits: [edit] })
    expect(mistakes.find((mistake: { path: string }) => mistake.path === path)?.message).toContain(message)
    const refused = await one.console.send('POST', '/catalogue/save', { body: { hash, edits: [edit] } })
    expect(refused.status).toBe(422)
    expect((await newestShared(w.db))?.text).not.toContain('typed-key-12345')
  })

  test('keep the last good text if they cannot take the new one, say why, and take the next', async () => {
    await using poor = await w.start('', { ...ENV, METRICS: 'short' })
    const was = poor.price()
    await apply(w, one, `${TOKEN}${priced('6')}`)
    await eventually('the others have it', () => one.price() === 6 && other.price() === 6)
    const line = await poor.log.waitForLine(
      ({ message }) => message === 'catalogue has mistakes: the last good version stays in use',
    )
    expect(String(line.mistakes)).toMatch(
      /^version \d+ of the catalogue:2: metrics\.token: must have at least 16/,
    )
    expect(poor.price()).toBe(was)
    await apply(w, one, priced('8'))
    await eventually('all have it', () => [one, other, poor].every((each) => each.price() === 8))
    expect(
      poor.log.lines().filter(({ message }) => String(message).startsWith('catalogue has mistakes')),
    ).toHaveLength(1)
  })

  test('without a variable serve the other providers, and warn', async () => {
    const SECOND = `\n[[providers]]\nname = "second"\nprotocol = "gemini"\nbase_url = "https://b.example/api"\napi_keys = ["env:SECOND_API_KEY"]\n
[[models]]\nid = "of-second"\nkind = "text"\nroutes = [{ provider = "second", model = "m" }]\nprice = { input = 1, output = 2 }\n`
    await using rich = await w.start('', { ...ENV, SECOND_API_KEY: 'second-secret-of-all' })
    await apply(w, one, priced('9') + SECOND)
    await eventually('all have it', () => [one, other, rich].every((each) => each.price() === 9))
    const unavailable = (of: Running) => of.started.catalogue().models.get('of-second')?.unavailable
    expect([unavailable(one), unavailable(rich)]).toEqual([expect.anything(), undefined])
    expect(one.log.text()).toContain('SECOND_API_KEY')
    await apply(w, one, priced('9'))
  })

  test('take the current text at a start and after a restart, with only [storage] in their file', async () => {
    const third = await w.start('')
    expect(third.price()).toBe(9)
    expect(third.started.warnings).toEqual([])
    await third.started.stop()
    await using again = await w.start('', ENV, third.folder)
    expect(again.price()).toBe(9)
  })

  test('refuse to start without a text in the database and without a catalogue in their file', async () => {
    await using bare = await world()
    await expect(bare.start('')).rejects.toThrow(
      'put a catalogue into the database by `tollgate config apply FILE`',
    )
  })

  test('refuse to start with a key in their file if the database would take that catalogue over', async () => {
    await using bare = await world()
    const text = TEXT.replace('env:FIRST_API_KEY', 'a-key-typed-here')
    await expect(bare.start(text)).rejects.toThrow('no key is written to the database')
    expect(await newestShared(bare.db)).toBeUndefined()
    await using corrected = await bare.start(TEXT)
    expect(corrected.price()).toBe(1)
  })
})
