// An import with --apply on both engines: sums equal to the source's, a clean audit, no second import of a row, and rows that stay unchanged.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingAccount } from '../../plugins/import/move-in.ts'
import { hashOfImported, importedVoucher } from '../../plugins/vouchers/index.ts'
import {
  DAY_S,
  type FakeSource,
  fakeSource,
  incomingAccount,
  incomingKey,
  incomingModel,
  incomingProvider,
  manyAccounts,
  USD,
} from './fake-source.ts'
import { ENGINES, type EngineName, type ImportFolder, importFolder } from './folder.ts'
import { importFrom, NOW } from './scene.ts'

const SERVER = 'http://127.0.0.1:9/v1'
const DAY = DAY_S * 20_000

const SOURCE: FakeSource = {
  accounts: [
    incomingAccount('anna', {
      email: 'anna@example.com',
      balance_nanos: 12.5 * USD,
      budgets: { month: 100 * USD },
      budgets_used: { month: 3 * USD },
      limits: { requests_per_minute: 60 },
      keys: [
        incomingKey('laptop', { spend_limit_nanos: 5 * USD, limits: { tokens_per_minute: 9_000 } }),
        incomingKey('phone', { models: ['gpt-*'], budgets: { day: USD }, budgets_used: { day: 0.25 * USD } }),
      ],
    }),
    incomingAccount('bert', { balance_nanos: -3 * USD, status: 'suspended', keys: [incomingKey('old')] }),
    incomingAccount('Zoë', { source_id: 'user 3', email: 'zoe@example.com', balance_nanos: 0 }),
  ],
  providers: [incomingProvider('main', SERVER)],
  models: [incomingModel('gpt-4o', 'main', { notes: ['completion ratio of the default table'] })],
  history: [
    {
      account: 'user anna',
      model: 'gpt-4o',
      day_s: DAY,
      calls: 3,
      input_tokens: 10,
      output_tokens: 4,
      charged_nanos: USD,
    },
    {
      account: 'user gone',
      model: 'gpt-4o',
      day_s: DAY,
      calls: 7,
      input_tokens: 1,
      output_tokens: 1,
      charged_nanos: USD,
    },
  ],
}

const tables = {
  accounts: 'SELECT name, status, balance_nanos, debt_nanos FROM accounts ORDER BY id',
  keys: 'SELECT name, prefix, spend_limit_nanos, models FROM keys ORDER BY id',
  budgets: 'SELECT period, limit_nanos, used_nanos, key_id IS NULL AS of_account FROM budgets ORDER BY id',
  usage: 'SELECT source, account_id, day_s, model, calls, charged_nanos FROM imported_usage ORDER BY id',
  entries: 'SELECT kind, amount_nanos, note, request_key FROM entries ORDER BY id',
  debts: 'SELECT amount_nanos, note, request_key FROM opening_debts ORDER BY id',
}

async function stateOf(folder: ImportFolder): Promise<Record<keyof typeof tables, unknown[]>> {
  const entries = await Promise.all(
    Object.entries(tables).map(async ([name, sql]) => [name, await folder.rows(sql)] as const),
  )
  return Object.fromEntries(entries) as Record<keyof typeof tables, unknown[]>
}

async function imported(engine: EngineName, source: FakeSource = SOURCE) {
  const folder = await importFolder(engine)
  const ran = await importFrom({ dir: folder.dir, source: fakeSource(source) })
  expect([ran.err, ran.status]).toEqual(['', 0])
  return folder
}

describe.each(ENGINES)('on %s', (engine) => {
  test('vouchers keep working, are imported once, and end with those of the source', async () => {
    const voucher = (code: string) => importedVoucher({ code, amount_nanos: 2 * USD, expires_at_ms: null })
    const vouchers = { unused: ['a', 'b', 'c'].map(voucher), ended: [hashOfImported('d')] }
    await using folder = await imported(engine, { ...SOURCE, vouchers })
    const states = async () =>
      (
        await folder.rows<{ state: string; sha256: Uint8Array }>(
          'SELECT state, sha256 FROM vouchers ORDER BY id',
        )
      ).map(({ state, sha256 }) => [state, Buffer.from(sha256).equals(hashOfImported('a'))])
    expect(await states()).toEqual([
      ['new', true],
      ['new', false],
      ['new', false],
    ])
    const later = { unused: ['a', 'b', 'e'].map(voucher), ended: [hashOfImported('c'), hashOfImported('d')] }
    const again = () =>
      importFrom({
        dir: folder.dir,
        source: fakeSource({ ...SOURCE, vouchers: later }),
        args: ['import-fake', '--apply', '--json'],
      })
    expect(JSON.parse((await again()).out).vouchers).toMatchObject({
      unused: 3,
      worth_usd: '6.00',
      created: 1,
      revoked: 1,
    })
    expect(JSON.parse((await again()).out).vouchers).toMatchObject({ created: 0, revoked: 0 })
    expect((await states()).map(([state]) => state)).toEqual(['new', 'new', 'revoked', 'new'])
  })

  test('everything is imported, and the books are clean', async () => {
    await using folder = await imported(engine)
    expect(await stateOf(folder)).toMatchObject({
      accounts: [
        { name: 'anna', status: 'active', balance_nanos: 12.5 * USD, debt_nanos: 0 },
        { name: 'bert', status: 'suspended', balance_nanos: 0, debt_nanos: 3 * USD },
        { name: 'Zoe', status: 'active', balance_nanos: 0, debt_nanos: 0 },
      ],
      keys: [
        { name: 'laptop', prefix: 'sk-laptopx', spend_limit_nanos: 5 * USD, models: null },
        { name: 'phone', prefix: 'sk-phonexx', spend_limit_nanos: null, models: '["gpt-*"]' },
        { name: 'old' },
      ],
      budgets: [
        { period: 'month', limit_nanos: 100 * USD, used_nanos: 3 * USD },
        { period: 'day', limit_nanos: USD, used_nanos: 0.25 * USD },
      ],
      usage: [
        { source: 'new-api', account_id: 1, day_s: DAY, model: 'gpt-4o', calls: 3, charged_nanos: USD },
      ],
      entries: [
        {
          kind: 'top_up',
          amount_nanos: 12.5 * USD,
          note: 'Balance at new-api',
          request_key: 'new-api user anna',
        },
      ],
      debts: [{ amount_nanos: 3 * USD, note: 'Balance at new-api', request_key: 'new-api user bert' }],
    })
    expect(await folder.findings()).toEqual([])
    expect(readFileSync(folder.at('tollgate.toml'), 'utf8')).toContain(`# Imported from new-api

[[providers]]
name = "main"
protocol = "openai"
base_url = "${SERVER}"
api_keys = ["env:MAIN_API_KEY"]

# completion ratio of the default table
[[models]]
id = "gpt-4o"
kind = "text"
routes = [{ provider = "main", model = "gpt-4o" }]
price = { input = 0.50, output = 1.50 }

[limits.accounts.anna]
requests_per_minute = 60

[limits.keys.sk-laptopx]
tokens_per_minute = 9000
`)
  })

  test('a second import changes nothing', async () => {
    await using folder = await imported(engine)
    const before = await stateOf(folder)
    const files = ['tollgate.toml', 'imported.env', 'imported-links.csv'].map((name) => folder.at(name))
    const texts = files.map((path) => readFileSync(path, 'utf8'))
    const { status, out } = await importFrom({ dir: folder.dir, source: fakeSource(SOURCE) })
    expect(status).toBe(0)
    expect(out).toContain('accounts     0             3')
    expect(await stateOf(folder)).toEqual(before)
    expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(texts)
  })

  test('a second import adds new rows, and lists changed ones, which stay unchanged', async () => {
    await using folder = await imported(engine)
    const [anna, ...others] = SOURCE.accounts ?? []
    const changed: IncomingAccount[] = [
      {
        ...(anna ?? incomingAccount('')),
        balance_nanos: 11 * USD,
        keys: [...(anna?.keys ?? []), incomingKey('tablet')],
      },
      ...others,
      incomingAccount('carl', { balance_nanos: USD }),
    ]
    const history = SOURCE.history?.map((row) => ({ ...row, calls: 5 })) ?? []
    const source = fakeSource({ ...SOURCE, accounts: changed, history })
    const { status, out } = await importFrom({ dir: folder.dir, source, columns: 80 })
    expect(status).toBe(0)
    expect(out).toContain('Changed in the source since the last import; unchanged here')
    expect(out).toMatch(/user anna +balance +12\.50 USD +11\.00 USD/)
    expect(await stateOf(folder)).toMatchObject({
      accounts: [{ balance_nanos: 12.5 * USD }, {}, {}, { name: 'carl', balance_nanos: USD }],
      keys: [{ name: 'laptop' }, { name: 'phone' }, { name: 'old' }, { name: 'tablet' }],
      usage: [{ calls: 5 }],
    })
    expect(await folder.findings()).toEqual([])
  })

  test('sums of 210 accounts, in three batches, equal those of the source', async () => {
    const accounts = manyAccounts(210)
    await using folder = await imported(engine, { accounts })
    const amounts = accounts.map(({ balance_nanos }) => balance_nanos ?? 0)
    const total = (chosen: readonly number[]) => chosen.reduce((sum, amount) => sum + amount, 0)
    expect(
      await folder.rows(`SELECT count(*) AS accounts, sum(balance_nanos) AS balance, sum(debt_nanos) AS debt,
                                (SELECT count(*) FROM keys) AS keys FROM accounts`),
    ).toEqual([
      {
        accounts: 210,
        balance: total(amounts.filter((amount) => amount > 0)),
        debt: -total(amounts.filter((amount) => amount < 0)),
        keys: 630,
      },
    ])
    expect(await folder.findings()).toEqual([])
  })

  test('an erased account does not come back', async () => {
    await using folder = await imported(engine)
    const { status } = await importFrom({
      dir: folder.dir,
      source: fakeSource({}),
      args: ['account', 'erase', 'Zoe', '--yes'],
    })
    expect(status).toBe(0)
    const again = await importFrom({ dir: folder.dir, source: fakeSource(SOURCE) })
    expect([again.err, again.status]).toEqual(['', 0])
    expect(await folder.rows('SELECT name FROM accounts ORDER BY id')).toEqual([
      { name: 'anna' },
      { name: 'bert' },
      { name: 'erased-3' },
    ])
  })
})

describe('refusals', () => {
  test('another database under the name of the first is refused, and imported under a name of its own', async () => {
    await using folder = await imported('SQLite')
    const accounts = ['anna', 'bert'].map((row) =>
      incomingAccount(`${row} of another shop`, { source_id: `user ${row}` }),
    )
    const source = fakeSource({ accounts })
    const { status, err } = await importFrom({ dir: folder.dir, source })
    expect(status).toBe(1)
    expect(err).toContain('give this import a name of its own with --as NAME. Nothing was imported.')
    expect((await importFrom({ dir: folder.dir, source, name: 'shop-b' })).status).toBe(0)
    expect(await folder.rows('SELECT name FROM accounts ORDER BY id')).toHaveLength(5)
  })

  test('a key is not imported if its text is known from another row', async () => {
    await using folder = await imported('SQLite')
    const key = incomingKey('laptop', { source_id: 'token 77' })
    const accounts = [incomingAccount('dora', { keys: [key, incomingKey('of dora')] })]
    const { out } = await importFrom({ dir: folder.dir, source: fakeSource({ accounts }), name: 'other' })
    expect(out).toContain('Account anna already has a key with the same text.')
    expect(await folder.rows('SELECT count(*) AS keys FROM keys')).toEqual([{ keys: 4 }])
  })

  test('the same database under another name is refused, since its balances would be imported twice', async () => {
    await using folder = await imported('SQLite')
    const before = await stateOf(folder)
    const { status, err } = await importFrom({ dir: folder.dir, source: fakeSource(SOURCE), name: 'shop-b' })
    expect([status, err]).toEqual([1, expect.stringContaining('it was imported under another name')])
    expect(await stateOf(folder)).toEqual(before)
  })

  test('a second import beside the first is refused', async () => {
    await using folder = await imported('SQLite')
    let beside: Promise<{ status: number; err: string }> | undefined
    const probe = () => {
      beside ??= importFrom({ dir: folder.dir, source: fakeSource({}) })
    }
    await importFrom({ dir: folder.dir, source: fakeSource(SOURCE), probe })
    expect(await beside).toMatchObject({ status: 1, err: expect.stringContaining('Another import into') })
  })

  test('a catalogue with mistakes is refused', async () => {
    await using folder = await imported('SQLite')
    writeFileSync(folder.at('tollgate.toml'), '[server]\nlisten = 7\n')
    const { status, err } = await importFrom({ dir: folder.dir, source: fakeSource(SOURCE) })
    expect([status, err]).toEqual([1, expect.stringContaining('server.listen')])
  })
})

test('a dry run writes nothing, not even the folder', async () => {
  await using folder = await importFolder('SQLite')
  const { status, out } = await importFrom({
    dir: folder.dir,
    source: fakeSource(SOURCE),
    args: ['import-fake'],
  })
  expect(status).toBe(0)
  expect(out).toContain('Nothing was written. To import, add --apply to this command.')
  expect(existsSync(folder.dir)).toBe(false)
})

test('secrets are only in the file of variables, and no output has one', async () => {
  await using folder = await importFolder('SQLite')
  const outputs: string[] = []
  for (const args of [['import-fake'], ['import-fake', '--apply'], ['import-fake', '--apply', '--json']]) {
    const { out, err } = await importFrom({ dir: folder.dir, source: fakeSource(SOURCE), args })
    outputs.push(out + err)
  }
  const env = readFileSync(folder.at('imported.env'), 'utf8')
  expect(env).toContain('MAIN_API_KEY=secret-of-main\n')
  const link =
    /#([A-Za-z0-9_-]{32})/.exec(readFileSync(folder.at('imported-links.csv'), 'utf8'))?.[1] ?? 'no link'
  for (const text of [...outputs, readFileSync(folder.at('tollgate.toml'), 'utf8')]) {
    expect(text).not.toContain('secret-of-main')
    expect(text).not.toContain(link)
  }
  for (const name of ['imported.env', 'imported-links.csv'])
    expect(statSync(folder.at(name)).mode & 0o777).toBe(0o600)
})

test('a variable that has another value gets a number, and an existing line stays', async () => {
  await using folder = await importFolder('SQLite')
  const source = fakeSource(SOURCE)
  const { status } = await importFrom({ dir: folder.dir, source, env: { MAIN_API_KEY: 'of somebody else' } })
  expect(status).toBe(0)
  expect(readFileSync(folder.at('imported.env'), 'utf8')).toContain('MAIN_API_KEY_2=secret-of-main\n')
  expect(readFileSync(folder.at('tollgate.toml'), 'utf8')).toContain('api_keys = ["env:MAIN_API_KEY_2"]')
  // Also if a killed import had written the file.
  expect((await importFrom({ dir: folder.dir, source })).out).toContain('Start the gateway, or restart it')
})

test('parts that the catalogue has stay, and another server under the name of one gets a number', async () => {
  await using folder = await importFolder('SQLite')
  const taken = fakeSource({
    providers: [incomingProvider('main', 'http://127.0.0.1:8/v1')],
    models: [incomingModel('gpt-4o', 'main')],
  })
  expect((await importFrom({ dir: folder.dir, source: taken, name: 'first' })).status).toBe(0)
  const { status } = await importFrom({
    dir: folder.dir,
    source: fakeSource({
      ...SOURCE,
      models: [incomingModel('gpt-4o', 'main'), incomingModel('gpt-5', 'main')],
    }),
  })
  expect(status).toBe(0)
  const text = readFileSync(folder.at('tollgate.toml'), 'utf8')
  expect(text.match(/^id = .*$/gm)).toEqual(['id = "gpt-4o"', 'id = "gpt-5"'])
  expect(text).toContain('routes = [{ provider = "main-2", model = "gpt-5" }]')
})

test('links are for people with an address and without a password, and made once', async () => {
  await using folder = await imported('SQLite')
  const csv = readFileSync(folder.at('imported-links.csv'), 'utf8')
  expect(csv.split('\r\n').map((line) => line.split(',').slice(0, 2))).toEqual([
    ['account', 'email'],
    ['anna', 'anna@example.com'],
    ['Zoe', 'zoe@example.com'],
    [''],
  ])
  expect(csv).toMatch(/anna,anna@example.com,http:\/\/127\.0\.0\.1:8080\/console\/invitation#[\w-]{32},/)
  writeFileSync(folder.at('imported-links.csv'), '')
  await importFrom({ dir: folder.dir, source: fakeSource(SOURCE), now_ms: NOW + DAY_S * 1_000 })
  expect(readFileSync(folder.at('imported-links.csv'), 'utf8')).toBe('')
})

test('a link that was sent never leads to the next account of the same name', async () => {
  await using folder = await importFolder('SQLite')
  const tokens = () =>
    [...readFileSync(folder.at('imported-links.csv'), 'utf8').matchAll(/#([\w-]{32})/g)].map(
      ([, token]) => token,
    )
  const berts = ['old', 'new'].map((of) =>
    fakeSource({
      ...SOURCE,
      history: [],
      accounts: [incomingAccount('bert', { source_id: `user ${of}`, email: `${of}@example.com` })],
    }),
  )
  for (const [at, source] of berts.entries()) {
    expect(await importFrom({ dir: folder.dir, source, name: `shop-${at}` })).toMatchObject({ status: 0 })
    const args = ['account', 'rename', 'bert', `bert-of-${at}`]
    expect(await importFrom({ dir: folder.dir, source, args })).toMatchObject({ status: 0 })
  }
  expect(new Set(tokens()).size).toBe(2)
  expect(await folder.rows('SELECT count(*) AS links FROM sign_in_links')).toEqual([{ links: 2 }])
})

test('--opening-balance applies to accounts without a total, once', async () => {
  await using folder = await importFolder('SQLite')
  const source = fakeSource({
    accounts: [incomingAccount('anna', { balance_nanos: null }), incomingAccount('bert')],
  })
  const { out } = await importFrom({ dir: folder.dir, source })
  expect(out).toContain('1 account without a total in the source: --opening-balance USD')
  for (const opening_balance_nanos of [2 * USD, 5 * USD])
    await importFrom({ dir: folder.dir, source, opening_balance_nanos })
  expect(await folder.rows('SELECT name, balance_nanos FROM accounts ORDER BY id')).toEqual([
    { name: 'anna', balance_nanos: 2 * USD },
    { name: 'bert', balance_nanos: 0 },
  ])
})
