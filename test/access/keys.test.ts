// Administration of API keys: create, find, list, revoke, rotate.
import { describe, expect, test } from 'bun:test'
import { createAccount, suspendAccount } from '../../src/access/accounts.ts'
import { budgetsOfKeys } from '../../src/access/budgets.ts'
import { findKey } from '../../src/access/gate.ts'
import type { KeySettings, NewKeySettings } from '../../src/access/key-settings.ts'
import {
  createKey,
  freeKeyName,
  keyByReference,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../src/access/keys.ts'
import { generateKey, hashKey, KEY_PATTERN, PREFIX_LENGTH } from '../../src/access/secret.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 1_000_000
const SETTINGS: KeySettings = {
  name: 'laptop',
  models: null,
  spend_limit_nanos: null,
  concurrent_calls: null,
  addresses: null,
  expires_at_ms: null,
}
const LIMITED: KeySettings = {
  name: 'limited',
  models: ['gemini-*', 'sim-text'],
  spend_limit_nanos: 100,
  concurrent_calls: 3,
  addresses: ['10.0.0.0/8', '2001:db8::1'],
  expires_at_ms: NOW + 60_000,
}

/** Random bytes that differ between calls and repeat in every run. */
function counting() {
  let calls = 0
  return (length: number) => new Uint8Array(length).fill(++calls)
}

async function createScene() {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  for (const name of ['ada', 'mia']) await createAccount(db, { name, now_ms: NOW })
  const randomBytes = counting()
  const issuing = (now_ms = NOW) => ({ randomBytes, now_ms })
  const make = (settings: Partial<NewKeySettings> = {}, account = 'ada') =>
    createKey(db, account, { ...SETTINGS, ...settings }, issuing())
  return { connection, db, issuing, make }
}

const refusal = (kind: string, param?: string) => expect.objectContaining(param ? { kind, param } : { kind })
const lookUp = (db: Db, text: string) => findKey(db, hashKey(text))

describe('the text of a key', () => {
  test('is tg_ and 32 bytes in base64url', () => {
    expect(generateKey((length) => new Uint8Array(length).fill(255))).toBe(`tg_${'_'.repeat(42)}8`)
    expect(generateKey((length) => new Uint8Array(length))).toBe(`tg_${'A'.repeat(43)}`)
  })

  test('matches the pattern of keys, for any bytes', () => {
    for (let round = 0; round < 1_000; round++) {
      expect(generateKey((length) => crypto.getRandomValues(new Uint8Array(length)))).toMatch(KEY_PATTERN)
    }
  })

  test('is stored as its SHA-256', () => {
    // FIPS 180-2, appendix B.1
    expect(hashKey('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  test('is not in the database, except for its first characters', async () => {
    const { connection, make } = await createScene()
    const { key, text } = await make()
    expect(key.prefix).toBe(text.slice(0, PREFIX_LENGTH))
    const stored = JSON.stringify(connection.query('SELECT *, hex(sha256) FROM keys').all())
    expect(stored).not.toContain(text.slice(PREFIX_LENGTH, PREFIX_LENGTH + 8))
  })
})

describe('a key is found', () => {
  test('by its hash, with its settings and its account', async () => {
    const { db, issuing } = await createScene()
    const { key, text } = await createKey(db, 'mia', LIMITED, issuing())
    const found = await lookUp(db, text)
    expect(found?.key).toEqual({
      id: 1,
      account_id: 2,
      prefix: text.slice(0, 10),
      sha256: hashKey(text),
      spent_nanos: 0,
      held_nanos: 0,
      revoked_at_ms: null,
      created_at_ms: NOW,
      person_id: null,
      person_from_hold_id: 0,
      ...LIMITED,
      models: ['gemini-*', 'sim-text'],
      addresses: ['10.0.0.0/8', '2001:db8::1'],
    })
    expect(found?.key).toEqual(key)
    expect(found?.account).toMatchObject({ id: 2, name: 'mia', status: 'active' })
  })

  test('in its current state', async () => {
    const { db, make } = await createScene()
    const { key, text } = await make()
    await lookUp(db, text)
    await suspendAccount(db, 'ada', { now_ms: 0 })
    await revokeKey(db, key.prefix, NOW)
    expect(await lookUp(db, text)).toMatchObject({
      key: { revoked_at_ms: NOW },
      account: { status: 'suspended' },
    })
  })

  test('by no other text', async () => {
    const { db, make } = await createScene()
    const { key, text } = await make()
    for (const other of ['', 'tg_', key.prefix, text.slice(0, -1), `${text} `, text.toUpperCase()]) {
      expect(await lookUp(db, other)).toBeUndefined()
    }
    expect(await findKey(db, Buffer.alloc(0))).toBeUndefined()
  })
})

describe('a key is not created', () => {
  test.each<[string, Partial<NewKeySettings>, string]>([
    ['without a name', { name: '' }, 'name'],
    ['with a name of 65 characters', { name: 'x'.repeat(65) }, 'name'],
    ['with an empty list of models', { models: [] }, 'models'],
    ['with an empty model pattern', { models: ['sim-text', ''] }, 'models'],
    ['with a space in a model pattern', { models: ['sim text'] }, 'models'],
    ['with a model pattern of 129 characters', { models: ['x'.repeat(129)] }, 'models'],
    ['with a negative spend limit', { spend_limit_nanos: -1 }, 'spend_limit'],
    ['with a spend limit of half a nano-dollar', { spend_limit_nanos: 0.5 }, 'spend_limit'],
    ['with a spend limit that is not a number', { spend_limit_nanos: Number.NaN }, 'spend_limit'],
    ['with a spend limit beyond the safe integers', { spend_limit_nanos: 2 ** 53 }, 'spend_limit'],
    ['with a negative limit a day', { budgets: { day: -1 } }, 'daily_limit'],
    ['with a limit a day beyond the safe integers', { budgets: { day: 2 ** 53 } }, 'daily_limit'],
    ['with a limit a month of half a nano-dollar', { budgets: { month: 0.5 } }, 'monthly_limit'],
    ['with a limit a month that is not a number', { budgets: { month: Number.NaN } }, 'monthly_limit'],
    ['with a limit of 0 simultaneous calls', { concurrent_calls: 0 }, 'concurrent_calls'],
    ['with a limit of 1.5 simultaneous calls', { concurrent_calls: 1.5 }, 'concurrent_calls'],
    ['with a limit above 1,000,000 simultaneous calls', { concurrent_calls: 1e6 + 1 }, 'concurrent_calls'],
    ['with an empty list of addresses', { addresses: [] }, 'addresses'],
    ['with a host name as address', { addresses: ['example.com'] }, 'addresses'],
    ['with a malformed block among good ones', { addresses: ['10.0.0.0/8', '10.0.0.0/33'] }, 'addresses'],
    ['with an expiry in the past', { expires_at_ms: NOW - 1 }, 'expires'],
    ['with an expiry of now', { expires_at_ms: NOW }, 'expires'],
    ['with an expiry that is not a number', { expires_at_ms: Number.NaN }, 'expires'],
  ])('%s', async (_, settings, param) => {
    const { db, make } = await createScene()
    await expect(make(settings)).rejects.toThrow(refusal('invalid_request', param))
    expect(await listKeys(db)).toEqual([])
  })

  test('for an unknown account', async () => {
    const { db, make } = await createScene()
    await expect(make({}, 'eve')).rejects.toThrow(refusal('not_found'))
    expect(await listKeys(db)).toEqual([])
  })

  test('with the name of an active key of the account', async () => {
    const { db, make } = await createScene()
    const { key } = await make()
    await expect(make()).rejects.toThrow(refusal('invalid_request', 'name'))
    await expect(make({}, 'mia')).resolves.toBeDefined()
    await revokeKey(db, key.prefix, NOW)
    await expect(make()).resolves.toBeDefined()
    expect(await listKeys(db, 1)).toHaveLength(2)
  })
})

describe('the default name of a key', () => {
  test.each<[string, names: string[], revoked: string[], free: string]>([
    ['is key-1 in an account without keys', [], [], 'key-1'],
    ['counts existing keys', ['laptop', 'phone'], [], 'key-3'],
    ['counts revoked keys, too', ['laptop', 'phone'], ['laptop'], 'key-3'],
    ['skips names in use', ['key-4', 'key-5', 'laptop'], [], 'key-6'],
    ['may be that of a revoked key', ['key-4', 'key-5', 'laptop'], ['key-4'], 'key-4'],
  ])('%s', async (_, names, revoked, free) => {
    const { db, make } = await createScene()
    await make({ name: 'key-1' }, 'mia')
    for (const name of names) {
      const { key } = await make({ name })
      if (revoked.includes(name)) await revokeKey(db, key.prefix, NOW)
    }
    expect(await db.begin((tx) => freeKeyName(tx, 1, NOW))).toBe(free)
  })
})

describe('a key is listed', () => {
  test('with all keys or with the keys of its account, revoked ones included', async () => {
    const { db, make } = await createScene()
    const keys = [
      await make({ name: 'one' }),
      await make({ name: 'two' }, 'mia'),
      await make({ name: 'three' }),
    ]
    await revokeKey(db, '1', NOW)
    expect(keys.map(({ key }) => key.id)).toEqual([1, 2, 3])
    expect((await listKeys(db)).map(({ name }) => name)).toEqual(['one', 'two', 'three'])
    expect((await listKeys(db, 1)).map(({ name }) => name)).toEqual(['one', 'three'])
    expect(await listKeys(db, 9)).toEqual([])
  })

  test('and found by its prefix or its number', async () => {
    const { db, make } = await createScene()
    const { key } = await make()
    expect(await keyByReference(db, key.prefix)).toEqual(key)
    expect(await keyByReference(db, '1')).toEqual(key)
  })

  test.each(['2', 'tg_', 'tg_AQEBAQ%', 'laptop', '', '-1', '1.0', '9'.repeat(30)])(
    'and is not found by %p',
    async (reference) => {
      const { db, make } = await createScene()
      await make()
      await expect(keyByReference(db, reference)).rejects.toThrow(refusal('not_found'))
    },
  )

  test('and found only by its number if another key has the same prefix', async () => {
    const { db } = await createScene()
    let last = 0
    const alike = (length: number) => {
      const bytes = new Uint8Array(length)
      bytes[length - 1] = ++last
      return bytes
    }
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) =>
        createKey(db, 'ada', { ...SETTINGS, name }, { randomBytes: alike, now_ms: NOW }),
      ),
    )
    expect(one?.key.prefix).toBe(two?.key.prefix ?? '')
    await expect(revokeKey(db, one?.key.prefix ?? '', NOW)).rejects.toThrow(refusal('conflict'))
    expect((await revokeKey(db, '2', NOW)).name).toBe('two')
    expect((await keyByReference(db, '1')).revoked_at_ms).toBeNull()
  })
})

describe('a key is revoked', () => {
  test('at the time of the first revocation', async () => {
    const { db, make } = await createScene()
    const { key } = await make()
    expect((await revokeKey(db, key.prefix, NOW)).revoked_at_ms).toBe(NOW)
    expect((await revokeKey(db, key.prefix, NOW + 5)).revoked_at_ms).toBe(NOW)
  })

  test('only if it exists', async () => {
    const { db } = await createScene()
    await expect(revokeKey(db, 'tg_missing', NOW)).rejects.toThrow(refusal('not_found'))
  })
})

describe('a key is rotated', () => {
  test('into a new key with the same settings; the old one is revoked', async () => {
    const { db, issuing } = await createScene()
    const old = await createKey(db, 'ada', LIMITED, issuing())
    const made = await rotateKey(db, old.key.prefix, 0, issuing(NOW + 10))
    expect(made.text).not.toBe(old.text)
    expect(made.key).toMatchObject({
      ...LIMITED,
      id: 2,
      account_id: 1,
      revoked_at_ms: null,
      created_at_ms: NOW + 10,
    })
    expect((await lookUp(db, old.text))?.key.revoked_at_ms).toBe(NOW + 10)
    expect((await lookUp(db, made.text))?.key).toEqual(made.key)
  })

  test('with a grace period, during which the old one still works', async () => {
    const { db, issuing, make } = await createScene()
    const old = await make()
    await rotateKey(db, old.key.prefix, 3_600, issuing())
    expect((await lookUp(db, old.text))?.key.revoked_at_ms).toBe(NOW + 3_600_000)
    expect((await revokeKey(db, old.key.prefix, NOW + 1)).revoked_at_ms).toBe(NOW + 1)
  })

  test.each([
    ['the amount spent', 30, 0, 70],
    ['the amount held', 0, 40, 60],
    ['both', 30, 40, 30],
    ['the whole limit', 100, 0, 0],
    ['more than the whole limit', 130, 0, 0],
  ])('and the new spend limit is reduced by %s', async (_, spent, held, remaining) => {
    const { connection, db, issuing, make } = await createScene()
    await make({ spend_limit_nanos: 100 })
    connection.query('UPDATE keys SET spent_nanos = ?, held_nanos = ?').run(spent, held)
    expect((await rotateKey(db, '1', 0, issuing())).key).toMatchObject({
      spend_limit_nanos: remaining,
      spent_nanos: 0,
      held_nanos: 0,
    })
  })

  test('and the new key inherits the usage of the day and the month', async () => {
    const { connection, db, issuing, make } = await createScene()
    await make({ budgets: { day: 100, month: 500 } })
    connection.run('UPDATE budgets SET started_ms = 0, first_hold_id = 7, used_nanos = 60')
    const { key } = await rotateKey(db, '1', 60, issuing())
    const used = { key_id: key.id, started_ms: 0, first_hold_id: 7, used_nanos: 60 }
    expect(await budgetsOfKeys(db, [key.id])).toMatchObject([
      { period: 'day', limit_nanos: 100, ...used },
      { period: 'month', limit_nanos: 500, ...used },
    ])
  })

  test.each([-1, 0.5, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER])(
    'not with a grace period of %p seconds',
    async (grace_s) => {
      const { db, issuing, make } = await createScene()
      await make()
      await expect(rotateKey(db, '1', grace_s, issuing())).rejects.toThrow(
        refusal('invalid_request', 'grace'),
      )
      expect(await listKeys(db)).toMatchObject([{ revoked_at_ms: null }])
    },
  )

  test('not if it is revoked, rotated, expired or unknown', async () => {
    const { db, issuing, make } = await createScene()
    await make({ name: 'revoked' })
    await make({ name: 'rotated' })
    await make({ name: 'expired', expires_at_ms: NOW + 1 })
    await revokeKey(db, '1', NOW)
    await rotateKey(db, '2', 60, issuing())
    const before = await listKeys(db)
    for (const reference of ['1', '2', '3']) {
      await expect(rotateKey(db, reference, 0, issuing(NOW + 1))).rejects.toThrow(refusal('invalid_request'))
    }
    await expect(rotateKey(db, '9', 0, issuing())).rejects.toThrow(refusal('not_found'))
    expect(await listKeys(db)).toEqual(before)
  })

  test('completely or not at all', async () => {
    const { db, make } = await createScene()
    await make()
    const broken = () => {
      throw new Error('no randomness')
    }
    await expect(rotateKey(db, '1', 0, { randomBytes: broken, now_ms: NOW })).rejects.toThrow('no randomness')
    expect(await listKeys(db)).toMatchObject([{ id: 1, revoked_at_ms: null }])
  })
})
