// one-api and new-api as sources, over all versions and engines: the results of every odd value, sums by independent SQL, refusals.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IncomingAccount, IncomingKey, MoveIn } from '../../plugins/import/move-in.ts'
import { openNewApi } from '../../plugins/import/new-api/open.ts'
import type { Program } from '../../plugins/import/new-api/ratios.ts'
import { openTables } from '../../plugins/import/source/open.ts'
import { hashKey } from '../../src/access/secret.ts'
import { hasPostgres } from '../support/postgres.ts'
import { makePostgres, makeSqlite } from './gateway-database.ts'
import { NOW_MS } from './gateway-moments.ts'
import { BCRYPT, keyText, oddRows, SERVICE_ACCOUNT } from './gateway-rows.ts'
import { type Rows, VERSIONS, type Version } from './gateway-tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-new-api-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programOf = (version: Version): Program => (version.startsWith('one-api') ? 'one-api' : 'new-api')

let count = 0

function fileOf(version: Version, changes: Rows = {}): string {
  count += 1
  const path = join(folder, `${count}.db`)
  makeSqlite(path, version, { ...oddRows(programOf(version)), ...changes })
  return path
}

const open = async (place: string, program: Program) =>
  openNewApi(await openTables(place), program, { now_ms: NOW_MS })

async function moveIn(place: string, program: Program): Promise<MoveIn> {
  await using source = await open(place, program)
  return await source.readMoveIn()
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0)

describe.each(VERSIONS)('%s', (version) => {
  const program = programOf(version)
  let place = ''
  let read: MoveIn
  beforeAll(async () => {
    place = fileOf(version)
    read = await moveIn(place, program)
  })

  const value = (statement: string): number => {
    using db = new Database(place, { readonly: true })
    return Number(Object.values(db.query<Record<string, number>, []>(statement).get() ?? {})[0])
  }

  test('balances are the sum of the quotas of users that are not deleted, at 2,000 nano-dollars each', () => {
    const alive = program === 'new-api' ? 'status < 3 AND deleted_at IS NULL' : 'status < 3'
    expect(sum(read.accounts.map(({ balance_nanos }) => balance_nanos ?? 0))).toBe(
      2_000 * value(`SELECT sum(quota) FROM users WHERE ${alive}`),
    )
    expect(read.accounts).toHaveLength(value(`SELECT count(*) FROM users WHERE ${alive}`))
  })

  test('a balance too large to have been paid is not added: the first user of one-api has 1,000,000,000 USD', async () => {
    const quotas = [500_000_000_000_000, 500_000_000_001, 500_000_000_000]
    const [like] = oddRows(program).users ?? []
    const users = quotas.map((quota, at) => ({
      ...like,
      id: at + 1,
      username: `u${at}`,
      aff_code: `a${at}`,
      quota,
    }))
    const { accounts, left_out } = await moveIn(fileOf(version, { users }), program)
    expect(accounts.map(({ balance_nanos }) => balance_nanos)).toEqual([0, 0, 1_000_000 * 1e9])
    expect(left_out.filter(({ kind }) => kind === 'balances').map(({ row }) => row)).toEqual([
      'user 1 "u0"',
      'user 2 "u1"',
    ])
  })

  test('each token is imported or reported with a reason, and its hash is that of "sk-" and its text', () => {
    const keys = read.accounts.flatMap((account) => account.keys)
    const left = read.left_out.filter(({ kind }) => kind === 'keys')
    expect(keys.length + left.length).toBe(value('SELECT count(*) FROM tokens'))
    const key = keys.find(({ source_id }) => source_id === 'token 1')
    expect(key?.sha256).toEqual(
      createHash('sha256')
        .update(`sk-${keyText(1)}`)
        .digest(),
    )
    expect(key?.prefix).toBe(`sk-${keyText(1)}`.slice(0, 10))
  })

  test('the history has all charges', async () => {
    await using source = await open(place, program)
    const rows = await Array.fromAsync(source.readHistory())
    const has_log = version !== 'one-api 0.3'
    expect(sum(rows.map(({ charged_nanos }) => charged_nanos))).toBe(
      has_log ? 2_000 * value('SELECT sum(quota) FROM logs WHERE type = 2') : 0,
    )
    expect(sum(rows.map(({ calls }) => calls))).toBe(
      has_log ? value('SELECT count(*) FROM logs WHERE type = 2') : 0,
    )
    const names = rows.map(({ account, model, day_s }) => `${account} ${model} ${day_s}`)
    expect(new Set(names).size).toBe(names.length)
  })

  test('no secret is in a left-out row or in a name', () => {
    const printed = JSON.stringify([
      read.left_out,
      read.providers.map(({ name, fields }) => [name, fields]),
      read.models,
      read.accounts.map(({ password_hash, ...account }) => account),
    ])
    for (const secret of [
      ...Array.from({ length: 16 }, (_, at) => keyText(at + 1).slice(0, 20)),
      'upstream-key',
      'second-a',
      'secret-of-vertex',
      'proxy-secret',
      'voucher-code',
      'mail-secret',
      BCRYPT,
    ])
      expect(printed).not.toContain(secret)
  })

  test('unused vouchers keep working by their text, and the others have ended', () => {
    const { unused, ended } = read.vouchers
    const gift = { sha256: hashKey('voucher-code-1'), amount_nanos: 2_000_000_000, expires_at_ms: null }
    const deleted = { sha256: hashKey('voucher-code-4'), amount_nanos: 1_000_000_000 }
    // Vouchers of one-api are not marked as deleted.
    const is_new_api = program === 'new-api'
    expect(unused).toMatchObject(is_new_api ? [gift] : [gift, deleted])
    const others = ['voucher-code-2', 'voucher-code-3', ...(is_new_api ? ['voucher-code-4'] : [])]
    expect(ended).toEqual(others.map((code) => hashKey(code)))
    expect(read.left_out.filter(({ kind }) => kind === 'vouchers')).toEqual([])
  })

  test('a database of the other program is refused', async () => {
    const other = program === 'new-api' ? 'one-api' : 'new-api'
    await expect(moveIn(place, other)).rejects.toThrow(`is a database of ${program}. Import it with`)
  })
})

describe('users and tokens of new-api', () => {
  let read: MoveIn
  beforeAll(async () => {
    read = await moveIn(fileOf('new-api 2026'), 'new-api')
  })

  const users: [id: number, account: Partial<IncomingAccount>][] = [
    [1, { name: 'root', balance_nanos: 200_000_000_000, status: 'active', password_hash: BCRYPT }],
    [2, { name: 'anna', email: 'Anna@Example.com', balance_nanos: 1_000_000_000 }],
    [3, { name: '小明', display_name: '王小明 🐉', balance_nanos: 2_000 }],
    [4, { name: 'debtor', balance_nanos: -1_500_002_000 }],
    [5, { name: 'banned', status: 'suspended', balance_nanos: 0 }],
    [
      7,
      { name: "o'hara", email: '', display_name: 'O\'Hara \\ "tab\t"\nnew; line -- no comment /* nor here' },
    ],
    [8, { name: 'mail@example.com', password_hash: null, balance_nanos: 246_913_578_000 }],
    [9, { name: '', display_name: '', email: '', password_hash: null, balance_nanos: 0 }],
  ]
  test.each(users)('user %d is imported', (id, account) => {
    expect(read.accounts.find(({ source_id }) => source_id === `user ${id}`)).toMatchObject(account)
  })

  const keys: [id: number, key: Partial<IncomingKey>][] = [
    [1, { spend_limit_nanos: null, expires_at_ms: null, models: null, addresses: null }],
    [
      2,
      {
        name: 'laptop 💻',
        spend_limit_nanos: 500_000_000,
        expires_at_ms: NOW_MS + 86_400_000,
        models: ['gpt-4o', 'claude-sonnet-4-5-20250929'],
        addresses: ['10.0.0.0/8', '192.0.2.7'],
      },
    ],
    [5, { spend_limit_nanos: 0 }],
    [7, { spend_limit_nanos: 0 }],
    [12, { name: '', addresses: null }],
    [14, { created_at_ms: null, prefix: 'sk-0123456' }],
    [15, { spend_limit_nanos: null }],
  ]
  test.each(keys)('token %d is imported', (id, key) => {
    const all = read.accounts.flatMap((account) => account.keys)
    expect(all.find(({ source_id }) => source_id === `token ${id}`)).toMatchObject(key)
  })

  const left: [row: string, reason: string][] = [
    ['token 3 "token 3" of user 2', 'It is disabled.'],
    ['token 4 "token 4" of user 2', 'It has expired.'],
    ['token 6 "token 6" of user 2', 'It has expired.'],
    ['token 8 "token 8" of user 3', 'It is deleted.'],
    ['token 9 of user 6', 'Its user is not imported.'],
    ['token 10 of user 99', 'Its user does not exist.'],
    ['token 11 "token 11" of user 2', 'Its list of models is empty'],
    ['token 13 "token 13" of user 4', 'no valid address'],
    ['token 16 "token 16" of user 2', 'It has no key.'],
    ['user 6 "gone"', 'It is deleted. Its balance is 0.01 USD.'],
    ['user 10 "deleted_4f"', 'It is deleted. Its balance is 0.00002 USD.'],
    ['user 7 "o\'hara"', 'It is not an email address'],
    ['user 8 "mail@example.com"', '0.50 USD of referral rewards'],
    ['user 1 "root"', 'without operator rights'],
    ['group "vip"', 'Users (0) and keys (1) in it pay ratio 0.8 in place of 1'],
    ['1 active', 'Tollgate has no subscriptions'],
  ]
  test.each(left)('%s is left out with a reason', (row, reason) => {
    const found = read.left_out.filter((each) => each.row === row)
    expect(found).toHaveLength(1)
    expect(found[0]?.reason).toContain(reason)
  })
})

describe('other settings', () => {
  const options = (...list: [key: string, value: unknown][]): Rows => ({
    options: list.map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
  })

  test('another QuotaPerUnit cuts each amount once, which is reported', async () => {
    const read = await moveIn(fileOf('new-api 2026', options(['QuotaPerUnit', '300000'])), 'new-api')
    const balances = Object.fromEntries(
      read.accounts.map(({ source_id, balance_nanos }) => [source_id, balance_nanos]),
    )
    expect(balances).toMatchObject({ 'user 2': 1_666_666_666, 'user 3': 3_333, 'user 4': -2_500_003_333 })
    expect(read.left_out).toContainEqual({
      kind: 'settings',
      row: 'QuotaPerUnit',
      reason: 'A USD is 300000 of quota: each amount is cut to a whole nano-dollar.',
    })
  })

  test('settings that cannot be read are reported, and the rest is imported', async () => {
    const broken = options(
      ['ModelRatio', '{no json'],
      ['GroupRatio', { default: -1, vip: 'x' }],
      ['QuotaPerUnit', '0'],
    )
    const read = await moveIn(fileOf('new-api 2026', broken), 'new-api')
    expect(read.left_out.filter(({ kind }) => kind === 'settings').map(({ row }) => row)).toEqual([
      'QuotaPerUnit',
      'ModelRatio',
      'GroupRatio of default',
      'GroupRatio of vip',
    ])
    expect(read.accounts).toHaveLength(8)
  })

  test('the ratio of the group "default" is in all prices', async () => {
    const read = await moveIn(
      fileOf('new-api 2026', options(['GroupRatio', { default: 1.1 }], ['ModelRatio', { 'gpt-4o': 1.25 }])),
      'new-api',
    )
    const model = read.models.find(({ id }) => id === 'gpt-4o')
    expect(model).toMatchObject({ price: { input: '2.75', output: '11.00' } })
    expect(model?.notes).toContain('with group ratio 1.1 of the group "default"')
  })
})

describe('rows from other engines', () => {
  test.skipIf(!hasPostgres)('are the same from PostgreSQL', async () => {
    const rows = oddRows('new-api')
    await using database = await makePostgres('new-api 2026', rows)
    expect(await moveIn(database.url, 'new-api')).toEqual(await moveIn(fileOf('new-api 2026'), 'new-api'))
  })

  test('are the same from a recorded dump of MariaDB', async () => {
    const dump = join(import.meta.dir, 'fixtures/mariadb-dump.sql')
    expect(await moveIn(dump, 'new-api')).toEqual(await moveIn(fileOf('new-api 2026'), 'new-api'))
    await using source = await open(dump, 'new-api')
    await using file = await open(fileOf('new-api 2026'), 'new-api')
    const name = ({ account, model }: { account: string; model: string }) => `${account} ${model}`
    const ordered = async (from: typeof source) =>
      (await Array.fromAsync(from.readHistory())).toSorted((one, other) =>
        name(one).localeCompare(name(other)),
      )
    expect(await ordered(source)).toEqual(await ordered(file))
    expect(await Array.fromAsync(source.readChargedLines(3))).toEqual(
      await Array.fromAsync(file.readChargedLines(3)),
    )
  })
})

test('a database of another program is refused, and names what is missing', async () => {
  const path = join(folder, 'other.db')
  {
    using db = new Database(path, { create: true })
    db.run('CREATE TABLE users (id integer)')
  }
  await expect(moveIn(path, 'new-api')).rejects.toThrow('it has no table tokens, channels, options')
})

test('the file of a service account is one line', async () => {
  const { providers } = await moveIn(fileOf('new-api 2026'), 'new-api')
  const [secret] = providers.find(({ name }) => name === 'vertex')?.api_keys ?? []
  expect(secret?.value).toBe(JSON.stringify(JSON.parse(SERVICE_ACCOUNT)))
})
