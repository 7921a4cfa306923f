// The first start: a demo account with a key, and the banner that shows how to use it.
import { describe, expect, test } from 'bun:test'
import { createAccount, listAccounts } from '../../../src/access/accounts.ts'
import { listKeys } from '../../../src/access/keys.ts'
import { setPassword } from '../../../src/access/passwords.ts'
import { hashKey, KEY_PATTERN } from '../../../src/access/secret.ts'
import { banner, reachableUrl } from '../../../src/app/commands/banner.ts'
import { firstStart } from '../../../src/app/commands/first-start.ts'
import { groupCommit } from '../../../src/money/ledger/ledger.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { personAtConsole } from '../../support/people.ts'
import { NOW } from './scene.ts'

function scene() {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  const writer = createWriter(connection)
  const ledger = groupCommit({
    commit: async (operations) => writer.commit(operations),
    tryToWrite: async () => undefined,
    close: async () => {},
  })
  const start = () =>
    firstStart({ db, ledger, now: () => NOW, randomBytes: (length) => new Uint8Array(length).fill(7) })
  return { connection, db, ledger, start }
}

describe('a first start', () => {
  test('creates the account `demo` with 10 USD, and a key for the simulated models only', async () => {
    const { db, start } = scene()
    const text = await start()
    expect(text).toMatch(KEY_PATTERN)
    expect(await listAccounts(db)).toMatchObject([
      { name: 'demo', status: 'active', balance_nanos: 10_000_000_000 },
    ])
    expect(await listKeys(db)).toMatchObject([{ models: ['sim-*'], sha256: hashKey(text ?? '') }])
  })

  test('over a database with an operator creates no account and no key', async () => {
    const { db, start } = scene()
    await setPassword(db, { person_id: await personAtConsole(db, null), hash: '$argon2id$', now_ms: NOW })
    expect(await start()).toBeUndefined()
    expect([await listAccounts(db), await listKeys(db)]).toEqual([[], []])
  })

  test('creates the account and its key only once', async () => {
    const { db, start } = scene()
    await start()
    expect(await start()).toBeUndefined()
    expect(await listAccounts(db)).toMatchObject([{ balance_nanos: 10_000_000_000 }])
    expect(await listKeys(db)).toHaveLength(1)
  })

  test.each(['its money', 'its key'])('killed before %s is completed by the next', async (missing) => {
    const { db, ledger, start } = scene()
    const killed = () => {
      throw new Error('killed')
    }
    const dying = missing === 'its money' ? { submit: killed } : ledger
    const parts = { db, ledger: dying, now: () => NOW, randomBytes: killed }
    await expect(firstStart(parts)).rejects.toThrow('killed')
    expect(await listKeys(db)).toEqual([])
    const text = await start()
    expect(await listAccounts(db)).toMatchObject([{ name: 'demo', balance_nanos: 10_000_000_000 }])
    expect(await listKeys(db)).toMatchObject([{ sha256: hashKey(text ?? '') }])
  })

  test('over a database with any account creates nothing, even if it is suspended and without a key', async () => {
    const { connection, db, start } = scene()
    await createAccount(db, { name: 'anna', now_ms: NOW })
    connection.run("UPDATE accounts SET status = 'suspended'")
    expect(await start()).toBeUndefined()
    expect(await listAccounts(db)).toHaveLength(1)
    expect(await listKeys(db)).toEqual([])
  })
})

describe('the banner', () => {
  const started = {
    version: '1.2.3',
    listens: 'http://127.0.0.1:8080',
    url: 'http://127.0.0.1:8080/',
    catalogue_path: 'data/tollgate.toml',
    data_dir: './data',
    models: 2,
    program: 'tollgate',
    demo: { key: 'tg_key', model: 'sim-flash' },
    console: undefined,
  }

  test('says where the gateway listens and where its files are', () => {
    expect(banner({ ...started, demo: undefined }).split('\n')).toEqual([
      'Tollgate 1.2.3 listens on http://127.0.0.1:8080',
      '  catalogue  data/tollgate.toml (models: 2; reloaded when it changes)',
      '  data       ./data',
    ])
  })

  test('shows the public address if it differs', () => {
    const text = banner({ ...started, url: 'https://gateway.example.com' })
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Tollgate 1.2.3 listens on http://127.0.0.1:8080',
      '  public     https://gateway.example.com',
    ])
    expect(text).toContain('curl https://gateway.example.com/v1beta/')
  })

  test('says that the catalogue is in the database, and its version', () => {
    expect(banner({ ...started, catalogue_version: 12 })).toContain(
      '\n  catalogue  version 12, in the database (models: 2; reloaded when it changes)\n',
    )
  })

  test('has the link to set the password of the operator, within 80 columns', () => {
    const url = `http://127.0.0.1:8080/console/welcome#${'x'.repeat(32)}`
    const text = banner({ ...started, console: { url, expires_at: '' } })
    expect(text.split('\n')).toContain(`  ${url}`)
    const lines = text.split('\n').filter((line) => !line.includes('curl'))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  test('of a first start has a native call to paste, with the key in a header', () => {
    const text = banner(started)
    expect(text).toContain('curl http://127.0.0.1:8080/v1beta/models/sim-flash:generateContent')
    expect(text).toContain("-H 'x-goog-api-key: tg_key'")
    expect(text).toContain("httpOptions: { baseUrl: 'http://127.0.0.1:8080' }")
    expect(text).not.toContain('?key=')
    expect(text).toEndWith('\n  tollgate providers test\n')
  })

  test('of a later start with only the demo account says how to create another key', () => {
    const demo = { key: undefined, model: 'sim-flash' }
    expect(banner({ ...started, demo })).toEndWith("\n  tollgate key create demo --models 'sim-*'\n")
    expect(banner({ ...started, demo, data_dir: '/d' })).toEndWith(" 'sim-*' --data /d\n")
  })

  test.each([
    ['http://0.0.0.0:8080/', 'http://localhost:8080'],
    ['http://[::]:8080/', 'http://localhost:8080'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
    ['http://192.0.2.7:80/', 'http://192.0.2.7'],
  ])('names a server on %s as %s', (listens, reached) => {
    expect(reachableUrl(new URL(listens))).toBe(reached)
  })
})
