// `config apply` and `config show`: the catalogue moves into the database by commands; refused files; other commands afterwards.
import { beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { startGateway } from '../../../src/app/process/serve.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { newestShared } from '../../../src/catalogue/past-queries.ts'
import { applyShared } from '../../../src/catalogue/shared.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { createScene, sceneOfEachTest } from '../../app/commands/scene.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { databaseOfFile, dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { acmeText } from '../catalogues.ts'

const SECRET = 'secret-of-acme-1'
const TEXT = acmeText('env:ACME_API_KEY')
const priced = (input: number) => TEXT.replace('input = 1', `input = ${input}`)
const STORAGE = '[storage]\ndatabase = "env:DATABASE_URL"\n'
const LITERAL = TEXT.replace('env:ACME_API_KEY', SECRET)

const { url, db } = await databaseOfFile()
const scene = sceneOfEachTest()
const put = (text: string, name = 'new.toml') => {
  writeFileSync(scene.path(name), text)
  return scene.path(name)
}
const own = () => readFileSync(scene.path('tollgate.toml'), 'utf8')

describe('without a server', () => {
  test('apply is refused, and says where the catalogue is', async () => {
    const { status, err } = await scene.run('config', 'apply', put(TEXT), '--yes')
    expect(status).toBe(1)
    expect(err).toBe(
      `error: This gateway has no PostgreSQL database that others could share: its catalogue is the file ${scene.path('tollgate.toml')}, which you can edit. \`tollgate migrate --to\` moves its database to PostgreSQL.`,
    )
  })

  test.each(['config check', 'models'])(
    '%s reports the missing variable alone for a file with only a database',
    async (command) => {
      put(STORAGE, 'tollgate.toml')
      const { status, err } = await scene.run(...command.split(' '))
      expect(status).toBe(1)
      expect(err.split('\n').at(-1)).toBe(
        `${scene.path('tollgate.toml')}:2: storage.database: needs the environment variable DATABASE_URL, which is not set: set it, or write the address itself`,
      )
      expect(err).not.toContain('providers')
    },
  )

  test('show prints the file without its keys', async () => {
    put(LITERAL, 'tollgate.toml')
    const { out } = await scene.run('config', 'show')
    expect(out).toMatch(/^api_keys = \["hidden:[\w-]{8}"\]$/m)
    expect(out).toEndWith('# ours')
    expect(await scene.json('config', 'show')).toEqual({
      file: scene.path('tollgate.toml'),
      version: null,
      text: expect.stringContaining('hidden:'),
    })
  })

  test('show prints nothing of a file that is not TOML', async () => {
    put(`${LITERAL}x = `, 'tollgate.toml')
    const { status, out, err } = await scene.run('config', 'show')
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain('is not TOML, and is not shown')
    expect(err).not.toContain(SECRET)
  })
})

describe.if(hasPostgres)('with a server', () => {
  beforeEach(async () => {
    await db.write((db) => db.rows('TRUNCATE catalogues RESTART IDENTITY'))
    scene.env = { DATABASE_URL: url, ACME_API_KEY: SECRET }
    put(TEXT + STORAGE, 'tollgate.toml')
  })

  const inForce = () => newestShared(db)
  const apply = async (text: string, ...args: string[]) =>
    await scene.run('config', 'apply', put(text), '--yes', ...args)

  test.each<[what: string, text: string, words: RegExp]>([
    [
      'a literal key',
      LITERAL,
      /new\.toml:5: providers\[0\]\.api_keys\[0\]: must name a variable, as "env:NAME": no key is/,
    ],
    ['a key in a comment', `# api_keys = ["${SECRET}"]\n${TEXT}`, /new\.toml:1: has what looks like a key/],
    ['mistakes', TEXT.replace('kind', 'knid'), /new\.toml:7: models\[0\]\.kind: must be "text"/],
    ['text that is not TOML', `${TEXT}x = `, /new\.toml:\d+: is not TOML/],
    ['nothing', '', /new\.toml:1: providers: is missing/],
  ])('a file with %s is refused whole', async (_, text, words) => {
    const { status, out, err } = await apply(text)
    expect([status, out]).toEqual([1, ''])
    expect(err).toStartWith('error: Nothing was written.')
    expect(err).toMatch(words)
    expect(err).not.toContain(SECRET)
    expect(await inForce()).toBeUndefined()
  })

  test.each<[what: string, args: string[], ask: string | undefined, status: number, words: string]>([
    ['a missing file', ['missing.toml', '--yes'], undefined, 1, 'file or folder not found'],
    ['no terminal to ask at', ['new.toml'], undefined, 1, 'running now: 0. Nothing was changed. Add --yes'],
    ['the answer no', ['new.toml'], 'n', 1, 'Nothing was changed.'],
  ])('%s: nothing is written', async (_, [file = '', ...args], answer, status, words) => {
    put(TEXT)
    if (answer !== undefined) scene.ask = async () => answer
    const ran = await scene.run('config', 'apply', scene.path(file), ...args)
    expect(ran.status).toBe(status)
    expect(ran.err).toContain(words)
    expect(await inForce()).toBeUndefined()
  })

  test('apply is refused if the catalogue changes while it asks', async () => {
    put(priced(3))
    scene.ask = async () => {
      const version = { text: priced(9), made_at_ms: 0, made_by: 'session:1' } as const
      await db.begin((tx) => applyShared(tx, version, undefined))
      return 'y'
    }
    const { status, err } = await scene.run('config', 'apply', scene.path('new.toml'))
    expect(status).toBe(1)
    expect(err).toContain('The catalogue has changed since you read it.')
    expect((await inForce())?.text).toBe(priced(9))
  })

  test('apply shows the lines, asks, leaves out the settings of the machine, and warns of sections that are not used any more', async () => {
    const questions: string[] = []
    scene.ask = async (question) => {
      questions.push(question)
      return 'y'
    }
    put(`[server]\nlisten = "0.0.0.0:80"\nlog_level = "warn"\n\n${priced(3)}${STORAGE}`)
    const { status, out, err } = await scene.run('config', 'apply', scene.path('new.toml'))
    expect(status).toBe(0)
    expect(out).toContain(
      '-price = { input = 1, output = 2 } # ours\n+price = { input = 3, output = 2 } # ours',
    )
    expect(out).not.toContain('storage')
    expect(questions).toEqual(['Put it in force? [y/N] '])
    const { host, pathname } = new URL(url)
    expect(err.split('\n')).toEqual([
      'Left out, because each machine has its own in tollgate.toml: server.listen, storage.',
      `This puts ${scene.path('new.toml')} in force for all gateways over postgres://${host}${pathname}; running now: 0.`,
      'Version 1 of the catalogue is in force. Running gateways use it within seconds.',
      `warning: ${scene.path('tollgate.toml')}: not used: providers, models. The catalogue is in the database, for all gateways: change it by \`tollgate config apply\`, or in the console`,
    ])
    expect((await inForce())?.text).toBe(`[server]\nlog_level = "warn"\n\n${priced(3)}`)
    expect(own()).toBe(TEXT + STORAGE)
  })

  test('apply works before the first start, for machines with only [storage]; a text already in force is not written again', async () => {
    const empty = await makeDatabase('template0')
    try {
      scene.env = { DATABASE_URL: empty.url }
      put(STORAGE, 'tollgate.toml')
      expect(await scene.run('config', 'check')).toMatchObject({
        status: 1,
        out: expect.stringMatching(/^Mistakes: 1\./),
        err: expect.stringContaining('tollgate config apply FILE'),
      })
      // The first start would put it into the database.
      put(LITERAL + STORAGE, 'tollgate.toml')
      expect((await scene.run('config', 'check')).err).toContain('no key is written to the database')
      put(STORAGE, 'tollgate.toml')
      const applied = await apply(TEXT)
      expect([applied.status, applied.err]).toEqual([0, expect.stringContaining('warning: ')])
      expect(applied.err).toContain('ACME_API_KEY')
      expect(await scene.json('config', 'apply', scene.path('new.toml'), '--yes')).toMatchObject({
        version: 1,
        written: false,
      })
      const started = await startGateway({
        data_folder: scene.dir,
        plugins: [],
        log: memoryLog().log,
        env: { DATABASE_URL: empty.url, ACME_API_KEY: SECRET },
        listen: '127.0.0.1:0',
      })
      expect([...started.catalogue().models.keys()]).toEqual(['flash'])
      await started.stop()
    } finally {
      await dropDatabase(empty.name)
    }
  })

  describe('with the catalogue in the database', () => {
    beforeEach(async () => {
      expect((await apply(priced(3))).status).toBe(0)
      scene.env.ACME_API_KEY = SECRET
    })

    test('commands use it', async () => {
      put(STORAGE, 'tollgate.toml')
      expect((await scene.json('models')).models).toMatchObject([{ id: 'flash', usable: true }])
      expect((await scene.run('prices', 'list')).out).toContain('flash')
      expect(await scene.json('config', 'check')).toEqual({
        ok: true,
        file: null,
        version: 1,
        unused: [],
        models: 1,
        providers: 1,
        mistakes: [],
        warnings: [],
      })
      expect((await scene.run('config', 'check')).out).toBe(
        'version 1 of the catalogue has no mistakes: models 1, providers 1.',
      )
      expect((await scene.run('config', 'check', put(FIRST_CATALOGUE))).out).toContain(
        'new.toml has no mistakes',
      )
      expect(await scene.json('doctor', '--only', 'disk')).toMatchObject({
        findings: expect.arrayContaining([
          {
            check: 'catalogue',
            level: 'ok',
            found: 'version 1, in the database: no mistakes; models 1, providers 1',
            advice: null,
          },
        ]),
      })
    })

    test('a file that still has a catalogue brings a warning', async () => {
      const { err } = await scene.run('config', 'check')
      expect(err).toContain(`${scene.path('tollgate.toml')}: not used: providers, models.`)
    })

    test('the output of show can be changed and applied', async () => {
      const { out, err } = await scene.run('config', 'show')
      expect([`${out}\n`, err]).toEqual([
        priced(3),
        'This is version 1 of the catalogue, in the database, for all gateways.',
      ])
      expect(
        await scene.json('config', 'apply', put(`${out}\n`.replace('= 3', '= 4')), '--yes'),
      ).toMatchObject({
        version: 2,
        written: true,
        left_out: [],
        patch: expect.stringContaining('+price = { input = 4'),
      })
      expect((await inForce())?.text).toBe(priced(4))
    })

    test('the history names the author of a version, and an earlier version can be restored', async () => {
      await apply(priced(5))
      const { out } = await scene.run('config', 'history')
      expect(out).toMatch(/ 2 +\S+ +config apply +model flash \(price\)/)
      scene.columns = 80
      expect(
        (await scene.run('config', 'history')).out.split('\n').filter((line) => line.length > 80),
      ).toEqual([])
      const { status, err } = await scene.run('config', 'restore', '1', '--yes')
      expect([status, err]).toEqual([0, expect.stringContaining('Version 3 of the catalogue is in force.')])
      expect(await inForce()).toMatchObject({ version: 3, text: priced(3) })
      expect(own()).toBe(TEXT + STORAGE)
      expect(
        await db.rows(
          "SELECT action, command, machine_user, after FROM actions WHERE subject = 'flash' ORDER BY id DESC LIMIT 2",
        ),
      ).toMatchObject([
        { action: 'price.changed', command: 'config restore', after: '{"input":3}' },
        { action: 'price.changed', command: 'config apply', after: '{"input":5}' },
      ])
    })

    test('prices are imported into it', async () => {
      const list = {
        flash: {
          litellm_provider: 'openai',
          mode: 'chat',
          input_cost_per_token: 7e-6,
          output_cost_per_token: 3e-6,
        },
      }
      const { status, err } = await scene.run(
        'prices',
        'import',
        put(JSON.stringify(list), 'list.json'),
        '--markup',
        '0%',
        '--yes',
      )
      expect([status, err]).toEqual([0, expect.stringContaining('Version 2 of the catalogue is in force.')])
      expect((await inForce())?.text).toContain('input = 7')
      expect(own()).toBe(TEXT + STORAGE)
    })

    test('an account with limits in the catalogue is not erased before they are taken out', async () => {
      await scene.json('account', 'create', 'ada')
      await apply(`${priced(3)}[limits.accounts.ada]\nrequests_per_minute = 3\n`)
      const { status, err } = await scene.run('account', 'erase', 'ada', '--yes')
      expect(status).toBe(1)
      expect(err).toContain(
        'Take [limits.accounts.ada] out first, by `tollgate config apply` or in the console.',
      )
      await apply(priced(3))
      expect((await scene.run('account', 'erase', 'ada', '--yes')).status).toBe(0)
      expect((await inForce())?.text).toBe(priced(3))
      expect(await db.rows("SELECT 1 FROM catalogues WHERE text LIKE '%ada%'")).toEqual([])
    })

    test('an archive contains the catalogue; a restore into a folder writes it as the file, and puts none in force in the database there', async () => {
      const archive = scene.path('a.tar.zst')
      await scene.json('backup', archive)
      using other = createScene('nothing')
      other.env = scene.env
      writeFileSync(other.path('tollgate.toml'), '')
      await other.json('restore', archive)
      expect(readFileSync(other.path('tollgate.toml'), 'utf8')).toBe(priced(3))
      expectNothingShared(other.path('tollgate.db'))
    })

    test('a copy of the database alone has no catalogue in force either', async () => {
      const copy = scene.path('copy.db')
      await scene.json('backup', '--database-only', copy)
      using other = createScene('nothing')
      await other.json('restore', copy)
      expectNothingShared(other.path('tollgate.db'))
    })

    test('restored on PostgreSQL from an archive it is in force there, and the file has it whole', async () => {
      const archive = scene.path('a.tar.zst')
      await scene.json('backup', archive)
      const empty = await makeDatabase('template0')
      try {
        using other = createScene('nothing')
        other.env = { ...scene.env, DATABASE_URL: empty.url }
        await other.json('restore', archive)
        expect(readFileSync(other.path('tollgate.toml'), 'utf8')).toBe(`${priced(3)}\n${STORAGE}`)
        await using db = await openPostgres(empty.url)
        expect(await newestShared(db)).toMatchObject({ text: priced(3) })
      } finally {
        await dropDatabase(empty.name)
      }
    })

    test('moved back into a folder it becomes the file there, unless the folder has one', async () => {
      rmSync(scene.path('tollgate.db'))
      put(`[server]\nlisten = "127.0.0.1:9"\n${STORAGE}region = "eu-1"\n`, 'tollgate.toml')
      const there = scene.path('there')
      const moved = await scene.run('migrate', '--to', there)
      expect(moved.status).toBe(0)
      expect(moved.out).toContain(`${there}/tollgate.toml has the catalogue that was in the database.`)
      expect(moved.out).not.toContain('without `database`')
      const text = readFileSync(`${there}/tollgate.toml`, 'utf8')
      expect(text).toContain(priced(3))
      expect(text).toContain('listen = "127.0.0.1:9"')
      expect(text).toContain('[storage]\nregion = "eu-1"')
      expect(text).not.toContain('database')
      expectNothingShared(`${there}/tollgate.db`)
      using folder = createScene('nothing', there)
      expect((await folder.json('config', 'check')).ok).toBeTrue()
      const in_place = await scene.run('migrate', '--to', scene.dir)
      expect(in_place.out).toContain(
        `write it into ${scene.path('tollgate.toml')} first. \`tollgate config show\` prints it.`,
      )
      expect(existsSync(scene.path('tollgate.db'))).toBeTrue()
    })
  })

  function expectNothingShared(path: string): void {
    const db = openDatabase(path)
    expect(db.query('SELECT count(*) AS count, sum(shared) AS shared FROM catalogues').get()).toEqual({
      count: 1,
      shared: 0,
    })
    db.close()
  }
})
