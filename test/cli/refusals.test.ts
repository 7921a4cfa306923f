// Refusals of the command line: status 1 where the work cannot be done, 2 for wrong usage; each says what to do.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { takeLock } from '../../src/db/lock.ts'
import { MIGRATIONS } from '../../src/db/migrate.ts'
import { createScene, type Scene } from './scene.ts'

describe('wrong usage: status 2, nothing on standard output, nothing done', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = createScene()
    await scene.run('account', 'create', 'anna')
    await scene.run('credit', 'anna', '5')
  })
  afterAll(() => scene.remove())

  const cases: [line: string, message: string][] = [
    ['', 'Usage: tollgate'],
    ['acount list', "unknown command 'acount'\n(Did you mean account?)"],
    ['account', 'Usage: tollgate account'],
    ['account lst', "unknown command 'lst'"],
    ['account create', "missing required argument 'name'"],
    ['account create a b', 'too many arguments'],
    ['account list --verbose', "unknown option '--verbose'"],
    ['credit anna', "missing required argument 'amount'"],
    ['credit anna 1e3', '"1e3" is not an amount in USD'],
    ['credit anna abc', '"abc" is not an amount in USD'],
    ['credit anna 1,50', '"1,50" is not an amount in USD'],
    ['credit anna $5', '"$5" is not an amount in USD'],
    ['credit anna 0x10', '"0x10" is not an amount in USD'],
    ['credit anna Infinity', '"Infinity" is not an amount in USD'],
    ['credit anna 0.0000000001', 'more than nine decimals'],
    ['credit anna 99999999999999', 'more USD than can be counted'],
    ['credit anna -1', '`debit` takes it away'],
    ['credit anna 0', 'It must be more than 0'],
    ['credit anna 0.000000000', 'It must be more than 0'],
    ['debit anna -1', 'It must be more than 0'],
    ['key create anna --spend-limit -1', 'It must be 0 or more'],
    ['key create anna --spend-limit lots', 'is not an amount in USD'],
    ['key create anna --expires 2026-02-30', 'Write a date such as'],
    ['key create anna --expires 31.12.2026', 'Write a date such as'],
    ['key create anna --expires 2026-12-31T25:00', 'Write a date such as'],
    ['key create anna --expires tomorrow', 'Write a date such as'],
    ['key create anna --expires 30', 'Write a date such as'],
    ['key create anna --expires 30y', 'Write a date such as'],
    ['key create anna --expires -1d', 'Write a date such as'],
    ['key create anna --expires=-1d', 'Write a date such as'],
    ['key create anna --expires 2020-01-01', 'It is in the past'],
    ['key create anna --expires 0d', 'It is in the past'],
    ['key create anna --models a,,b', 'separated by commas'],
    ['key create anna --models ,', 'separated by commas'],
    ['key change 1 --expires soon', 'Write a date such as'],
    ['key change 1 --spend-limit much', 'is not an amount'],
    ['key rotate 1 --grace soon', 'such as 90s, 12h or 30d'],
    ['key rotate 1 --grace 1.5h', 'such as 90s, 12h or 30d'],
    ['serve --listen nowhere', 'Write address:port'],
    ['serve --port 9000', 'Write the address, too: --listen 127.0.0.1:9000'],
    ['serve --listen 8080', 'Write address:port'],
    ['serve --listen ::1:8080', 'Write address:port'],
    ['serve --listen 127.0.0.1:99999', 'Write address:port'],
    ['serve --listen http://127.0.0.1:8080', 'Write address:port'],
    ['usage --limit 0', 'a whole number from 1 to 1000'],
    ['usage --limit 1001', 'a whole number from 1 to 1000'],
    ['usage --limit 1e2', 'a whole number from 1 to 1000'],
    ['usage --before x', 'a whole number'],
    ['usage --since 2026-13-01', 'Write a date such as'],
    ['usage --sums week', 'Allowed choices are day'],
    ['backup verify', "missing required argument 'archive'"],
    ['config', 'Usage: tollgate config'],
  ]
  test.each(cases)('tollgate %s', async (line, message) => {
    const before = await scene.json('account', 'show', 'anna')
    const { status, out, err } = await scene.run(...line.split(' ').filter(Boolean))
    expect(err).toContain(message)
    expect(status).toBe(2)
    expect(out).toBe('')
    expect(await scene.json('account', 'show', 'anna')).toEqual(before)
  })

  test('an empty list of models does not mean all', async () => {
    expect((await scene.run('key', 'create', 'anna', '--models', '')).status).toBe(2)
  })
})

describe('refused: status 1, nothing on standard output, nothing done', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = createScene()
    await scene.run('account', 'create', 'anna')
    await scene.run('credit', 'anna', '5')
    await scene.run('key', 'create', 'anna', '--name', 'phone')
    await scene.run('key', 'create', 'anna', '--name', 'old')
    await scene.run('key', 'revoke', '2')
  })
  afterAll(() => scene.remove())

  const cases: [line: string, message: string][] = [
    ['account create anna', 'Account "anna" already exists'],
    ['account create bad/name', '"bad/name" is not a name'],
    [`account create ${'a'.repeat(65)}`, 'is not a name'],
    ['account create Operator', '"Operator" is reserved for the operator. Choose another name.'],
    ['account rename anna operator', '"operator" is reserved for the operator'],
    ['account show bert', 'Account "bert" not found. `tollgate account list`'],
    ['account suspend bert', 'Account "bert" not found'],
    ['account resume bert', 'Account "bert" not found'],
    ['account show ANNA', 'Account "ANNA" not found'],
    ['credit bert 5', 'Account "bert" not found'],
    ['credit anna 9007199.254740991', 'above the maximum. Nothing was added'],
    ['debit anna 5.000000001', 'Not enough free balance'],
    ['debit bert 1', 'Account "bert" not found'],
    ['key create bert', 'Account "bert" not found'],
    ['key create anna --name phone', 'already has a key "phone"'],
    ['key create anna --name a/b', '"a/b" is not a name'],
    ['key create anna --models a$', '"a$" is neither a model id nor a pattern'],
    ['key create anna --addresses 10.0.0.0/33', '"10.0.0.0/33" is neither an IP address'],
    ['key create anna --addresses example.com', '"example.com" is neither an IP address'],
    ['key list bert', 'Account "bert" not found'],
    ['key revoke 99', 'Key "99" not found. `tollgate key list`'],
    ['key revoke tg_nothing', 'Key "tg_nothing" not found'],
    ['key change 99 --name x', 'Key "99" not found'],
    ['key change 1', 'Nothing to change'],
    ['key change 2 --name x', 'is revoked'],
    ['key rotate 99', 'Key "99" not found'],
    ['key rotate 2', 'is revoked'],
    ['usage --account bert', 'Account "bert" not found'],
    ['usage --key 99', 'Key "99" not found'],
    ['config check nowhere.toml', 'nowhere.toml:1: cannot be read: file not found; the first'],
    ['config check /', '/:1: cannot be read: it is a folder'],
    ['restore nowhere.db', 'File not found: nowhere.db'],
    ['backup no/such/folder/x.db', 'error: '],
  ]
  test.each(cases)('tollgate %s', async (line, message) => {
    const before = await scene.json('account', 'show', 'anna')
    const { status, out, err } = await scene.run(...line.split(' '))
    expect(err).toContain(message)
    expect(status).toBe(1)
    if (!line.startsWith('config')) expect(out).toBe('')
    expect(await scene.json('account', 'show', 'anna')).toEqual(before)
  })
})

describe('a data folder that cannot be used', () => {
  const reading = ['account list', 'key list', 'usage', 'audit', 'backup copy.db']
  const writing = ['credit anna 1', 'debit anna 1', 'key create anna', 'key revoke 1', 'account suspend anna']

  test.each([...reading, ...writing, 'account create anna'])(
    'that does not exist: tollgate %s',
    async (line) => {
      const scene = createScene('nothing')
      scene.remove()
      const { status, err } = await scene.run(...line.split(' '))
      expect(status).toBe(1)
      expect(err).toContain(
        'Name the data folder with --data DIR, or run `tollgate serve` once to create it.',
      )
    },
  )

  test.each([...reading, ...writing])('without a database: tollgate %s creates none', async (line) => {
    using scene = createScene('nothing')
    const { status, err } = await scene.run(...line.split(' '))
    expect(status).toBe(1)
    expect(err).toContain('No database found at')
    expect(await Bun.file(scene.path('tollgate.db')).exists()).toBeFalse()
  })

  test.each([...reading, ...writing])('of a newer version: tollgate %s refuses it', async (line) => {
    using scene = createScene()
    const newer = new Database(scene.path('tollgate.db'))
    newer.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
    newer.close()
    const { status, err } = await scene.run(...line.split(' '))
    expect(err).toContain('A newer program wrote it')
    expect(status).toBe(1)
  })

  test.each(writing)(
    'of an older version, which a gateway serves: tollgate %s does not migrate it',
    async (line) => {
      using scene = createScene()
      const versionOf = () => {
        using db = new Database(scene.path('tollgate.db'))
        return db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version
      }
      const db = new Database(scene.path('tollgate.db'))
      db.run(`PRAGMA user_version = ${MIGRATIONS.length - 1}`)
      db.close()
      const unlock = takeLock(scene.path('serve.lock'))
      const { status, err } = await scene.run(...line.split(' '))
      expect(err).toMatch(/Start the gateway with this program|Restart it with this version/)
      expect([status, versionOf()]).toEqual([1, MIGRATIONS.length - 1])
      unlock?.()
    },
  )

  test.each([...reading, ...writing])('whose database is another kind of file: tollgate %s', async (line) => {
    using scene = createScene('nothing')
    writeFileSync(scene.path('tollgate.db'), 'This is a letter to my aunt. '.repeat(100))
    const { status, err } = await scene.run(...line.split(' '))
    expect(err).toContain('The file is not a database of Tollgate.')
    expect(status).toBe(1)
  })

  test('whose database is a folder', async () => {
    using scene = createScene('nothing')
    mkdirSync(scene.path('tollgate.db'))
    const { status, err } = await scene.run('account', 'list')
    expect(err).toContain('is a folder, but must be a file of the gateway')
    expect(status).toBe(1)
  })
})
