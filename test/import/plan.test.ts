// The plan of an import: names, known rows, rows that cannot be imported, the catalogue's blocks.
import { describe, expect, test } from 'bun:test'
import { type IncomingAccount, type IncomingKey, NO_VOUCHERS } from '../../plugins/import/move-in.ts'
import { planCatalogue, withBlocks, withoutMistakes } from '../../plugins/import/plan/catalogue.ts'
import {
  accountContent,
  accountIdentity,
  keyContent,
  keyIdentity,
  prefixOf,
} from '../../plugins/import/plan/identity.ts'
import { type Known, type KnownRow, NOTHING_KNOWN } from '../../plugins/import/plan/known.ts'
import { accountNameFor, keyNameFor } from '../../plugins/import/plan/names.ts'
import { withUsableHashes } from '../../plugins/import/plan/passwords.ts'
import { planAccounts } from '../../plugins/import/plan/plan.ts'
import { TakenNames } from '../../plugins/import/taken-names.ts'
import { HIDDEN_PREFIX, hashKey } from '../../src/access/secret.ts'
import { readCatalogue } from '../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import type { Key } from '../../src/store/schema.ts'
import { incomingAccount, incomingKey, incomingModel, incomingProvider, USD } from './fake-source.ts'

const NOW = Date.UTC(2026, 10, 29)
const OPTIONS = { source: 'new-api', opening_balance_nanos: undefined, now_ms: NOW }
/** A key that was imported before. */
const KEY: Key = {
  id: 7,
  account_id: 1,
  name: 'laptop',
  prefix: 'sk-kxxxxxx',
  sha256: Buffer.alloc(32),
  models: null,
  addresses: null,
  spend_limit_nanos: null,
  spent_nanos: 0,
  held_nanos: 0,
  concurrent_calls: null,
  expires_at_ms: null,
  revoked_at_ms: null,
  created_at_ms: 0,
  person_id: null,
  person_from_hold_id: 0,
}
const planOf = (accounts: readonly IncomingAccount[], known: Known = NOTHING_KNOWN) =>
  planAccounts(
    { source: 'new-api', accounts, providers: [], models: [], vouchers: NO_VOUCHERS, left_out: [] },
    known,
    OPTIONS,
  )

describe('the name of an account', () => {
  test.each([
    ['anna', 'anna'],
    ['anna@example.com', 'anna@example.com'],
    ['Zoë Müller', 'Zoe-Muller'],
    ['Straße', 'Strasse'],
    ['Łukasz', 'Lukasz'],
    ['_hidden', 'hidden'],
    ['user one', 'user-one'],
    ['管理员', 'user-17'],
    // One letter is in another script: without it, this would be another name.
    ['annа', 'user-17'],
    ['', 'user-17'],
    ['---', 'user-17'],
    ['operator', 'user-17'],
    ['erased-4', 'user-17'],
    ['x'.repeat(65), 'x'.repeat(64)],
  ])('%p becomes %p', (name, expected) => {
    expect(accountNameFor(name, 'user 17', new TakenNames())).toBe(expected)
  })

  test('is not one of another account or of one before it', () => {
    const taken = new TakenNames(['anna', 'anna-2'])
    expect(['anna', 'anna', 'Änna'].map((name) => accountNameFor(name, 'user 1', taken))).toEqual([
      'anna-3',
      'anna-4',
      'Anna',
    ])
    expect(accountNameFor('y'.repeat(64), 'user 1', new TakenNames(['y'.repeat(64)]))).toBe(
      `${'y'.repeat(62)}-2`,
    )
  })

  test('of a key in another script is made from its row', () => {
    expect(keyNameFor('ключ', 'token 12', new TakenNames())).toBe('key-12')
  })
})

describe('rows that cannot be imported', () => {
  const reasonOf = (key: Parameters<typeof incomingKey>[1]) => {
    const { left_out, accounts } = planOf([incomingAccount('anna', { keys: [incomingKey('k', key)] })])
    return [accounts[0]?.keys.length, left_out.map(({ reason }) => reason).join()]
  }

  test.each([
    ['a key that has expired', { expires_at_ms: NOW }, 'It has expired.'],
    ['an invalid pattern', { models: ['a b'] }, 'models: "a b" is neither'],
    ['an empty list of models', { models: [] }, 'models: an empty list allows no model'],
    [
      'more models than a key may list',
      { models: Array.from({ length: 201 }, (_, at) => `m${at}`) },
      '201 patterns',
    ],
    ['an invalid network', { addresses: ['everywhere'] }, 'addresses'],
    ['a negative limit', { spend_limit_nanos: -1 }, 'spend_limit'],
  ])('%s is left out', (_, key, reason) => {
    expect(reasonOf(key)).toEqual([0, expect.stringContaining(reason)])
  })

  test('the second of two keys with one text is left out', () => {
    const again = incomingKey('k', { source_id: 'token 2' })
    const { left_out } = planOf([incomingAccount('anna', { keys: [incomingKey('k'), again] })])
    expect(left_out).toMatchObject([
      {
        row: expect.stringContaining('token 2'),
        reason: 'Account anna already has a key with the same text.',
      },
    ])
  })

  test('the rate limits of keys that share a prefix are left out', () => {
    const limits = { requests_per_minute: 5 }
    const keys = [
      incomingKey('samesame1', { limits }),
      incomingKey('samesame2'),
      incomingKey('other', { limits }),
    ]
    const plan = planOf([incomingAccount('anna', { keys, limits })])
    expect(plan.limits.map(({ of, name }) => `${of} ${name}`)).toEqual(['accounts anna', 'keys sk-otherxx'])
    expect(plan.left_out).toMatchObject([{ kind: 'rate limits', row: 'token samesame1' }])
  })
})

describe('hashes', () => {
  const hash = '$2a$10$4W8yrbOaySLex6hroLXZu.s3ba4Rm/j4TBbgbGPJmwVemaUeal2DK'
  test.each([
    ['of bcrypt', hash, hash],
    ['with a cost that takes too long', hash.replace('$10$', '$15$'), null],
    ['cut short', hash.slice(0, 40), null],
    ['that is a password', 'old-pass', null],
  ])('of passwords %s', (_, password_hash, expected) => {
    const accounts = [incomingAccount('anna', { password_hash })]
    const usable = withUsableHashes({
      source: 'new-api',
      accounts,
      providers: [],
      models: [],
      vouchers: NO_VOUCHERS,
      left_out: [],
    })
    expect(usable.accounts[0]?.password_hash).toBe(expected)
    expect(usable.left_out.map(({ kind }) => kind)).toEqual(expected === null ? ['passwords'] : [])
  })

  test.each([
    'sk-1234',
    'sk-a',
    'sk-abc',
    'sk-00042',
    'sk-test',
    'sk-test-key',
    'sk-litellm-master-key',
    'sk-password123',
  ])('of a key that is easy to guess, %s, are imported, listed, and hide every character', (text) => {
    const sha256 = hashKey(text)
    const key = incomingKey('k', { sha256, prefix: `sk-...${text.slice(-4).padStart(4, 'x')}` })
    const plan = planOf([incomingAccount('anna', { keys: [key] })])
    expect(plan.guessable_keys).toEqual(['token k "k" of anna'])
    expect(plan.accounts[0]?.keys).toHaveLength(1)
    expect(prefixOf(key)).toBe(HIDDEN_PREFIX)
  })

  test('of a generated key are not listed', () => {
    const key = incomingKey('k')
    expect(planOf([incomingAccount('anna', { keys: [key] })]).guessable_keys).toEqual([])
    expect(prefixOf(key)).toBe(key.prefix)
  })
})

describe('rows that were imported before', () => {
  const row = (account: IncomingAccount, others: Partial<KnownRow> = {}): KnownRow => ({
    id: 1,
    source: 'new-api',
    kind: 'account',
    source_id: account.source_id,
    account_id: 1,
    key_id: null,
    identity: accountIdentity(account),
    content: JSON.stringify(accountContent(account, undefined)),
    imported_at_ms: 0,
    is_settled: 1,
    ...others,
  })
  const known = (...rows: KnownRow[]): Known => ({
    rows: new Map(rows.map((each) => [`${each.kind} ${each.source_id}`, each])),
    accounts: new Map([
      [
        1,
        {
          id: 1,
          name: 'anna',
          status: 'active',
          balance_nanos: 0,
          held_nanos: 0,
          plan_period_id: null,
          debt_nanos: 0,
          created_at_ms: 0,
          price_group: null,
        },
      ],
    ]),
    keys: [],
    closed: new Set(),
  })
  const keyRow = (key: IncomingKey): KnownRow => ({
    ...row(anna),
    kind: 'key',
    source_id: key.source_id,
    key_id: KEY.id,
    identity: keyIdentity(key),
    content: JSON.stringify(keyContent(key)),
  })
  const anna = incomingAccount('anna', { email: 'anna@example.com', balance_nanos: USD })

  test('stay unchanged', () => {
    expect(planOf([anna], known(row(anna)))).toMatchObject({ accounts: [], known_accounts: 1, changed: [] })
  })

  test('get the balance that they had then, if it was not moved yet', () => {
    const later = { ...anna, balance_nanos: 3 * USD }
    expect(planOf([later], known(row(anna, { is_settled: 0 })))).toMatchObject({
      accounts: [{ account_id: 1, balance_nanos: USD }],
      changed: [{ field: 'balance', was: '1.00 USD', is: '3.00 USD' }],
    })
  })

  test('may have another name or another email, but not both', () => {
    const renamed = { ...anna, name: 'annabel' }
    const moved = { ...anna, email: 'anna@example.org' }
    for (const account of [renamed, moved]) expect(planOf([account], known(row(anna))).accounts).toEqual([])
    expect(() => planOf([{ ...renamed, email: '' }], known(row(anna)))).toThrow('--as NAME')
  })

  describe('with a number that another row has now', () => {
    const berta = incomingAccount('berta', { keys: [incomingKey('b')] })
    const carl = incomingAccount('carl', { source_id: anna.source_id, keys: [incomingKey('c')] })

    test('a new account gets neither the account nor its keys', () => {
      const plan = planOf([carl, berta], known(row(anna), row(berta)))
      expect(plan.accounts.map(({ name, keys }) => [name, keys.length])).toEqual([['anna', 1]])
      expect(plan.accounts[0]?.incoming.name).toBe('berta')
      expect(plan.left_out).toMatchObject([{ kind: 'accounts', row: 'user anna "carl"' }])
      expect([...plan.rows_here]).toEqual(['user berta'])
    })

    test('an account with another name and email is the same by its key', () => {
      const key = incomingKey('a')
      const renamed = { ...anna, name: 'annabel', email: '', keys: [key] }
      expect(planOf([renamed], known(row(anna), keyRow(key)))).toMatchObject({
        known_accounts: 1,
        known_keys: 1,
        left_out: [],
      })
    })

    test('a new key is left out, and the others are imported', () => {
      const old = keyRow(incomingKey('old', { source_id: 'token 1' }))
      const same = incomingKey('same')
      const keys = [incomingKey('new', { source_id: 'token 1' }), same, incomingKey('fresh')]
      const plan = planOf([{ ...anna, keys }], known(row(anna), old, keyRow(same)))
      expect(plan.accounts[0]?.keys.map(({ name }) => name)).toEqual(['fresh'])
      expect(plan.left_out).toMatchObject([{ kind: 'keys', row: 'token 1 "new" of anna' }])
    })

    test('most keys differ, which means another database', () => {
      const old = keyRow(incomingKey('old', { source_id: 'token 1' }))
      const keys = [incomingKey('new', { source_id: 'token 1' })]
      expect(() => planOf([{ ...anna, keys }], known(row(anna), old))).toThrow('such as token 1')
    })
  })

  test('that were deleted or disabled in the source since are listed if they work here', () => {
    const known_key = (over: Partial<Key>): Known => ({
      ...known(row(anna), keyRow(incomingKey('k'))),
      keys: [{ ...KEY, ...over }],
    })
    const changed = (over: Partial<Key>) =>
      planOf([anna], known_key(over)).changed.map(({ row, is }) => `${row}: ${is}`)
    expect(changed({})).toEqual(['token k, "laptop" of anna: deleted or disabled'])
    expect(changed({ revoked_at_ms: NOW })).toEqual([])
    expect(changed({ expires_at_ms: NOW })).toEqual([])
    const berta = incomingAccount('berta')
    expect(planOf([berta], known(row(anna))).changed).toMatchObject([{ row: 'user anna, anna' }])
    expect(planOf([], known(row(anna))).changed).toEqual([])
  })

  test('of a closed account take no new keys, and the rest is imported', () => {
    const with_key = { ...anna, keys: [incomingKey('new')] }
    const other = incomingAccount('berta', { keys: [incomingKey('b')] })
    const plan = planOf([with_key, other], { ...known(row(anna)), closed: new Set([1]) })
    expect(plan.accounts.map(({ name }) => name)).toEqual(['berta'])
    expect(plan.left_out).toMatchObject([
      { kind: 'keys', reason: expect.stringContaining('tollgate account resume anna') },
    ])
  })

  test('of an erased account are not imported again', () => {
    expect(planOf([anna], known(row(anna, { identity: '' }))).accounts).toEqual([])
  })
})

describe('the catalogue', () => {
  const move_in = {
    providers: [incomingProvider('main', 'http://a/v1')],
    models: [incomingModel('m', 'main')],
  }
  const same = (name: string) => name

  test('leaves out a block that it refuses, and keeps the others', () => {
    const plan = planCatalogue(
      { models: [{ id: 'here' }] },
      { ...move_in, models: [incomingModel('m', 'main'), incomingModel('n', 'main')] },
      [],
      same,
    )
    const less = withoutMistakes(plan, { models: [{ id: 'here' }] }, [
      { path: 'models[1].price.input', message: 'is missing' },
    ])
    expect(less?.models.map(({ incoming }) => incoming.id)).toEqual(['n'])
    expect(less?.left_out).toEqual([
      { kind: 'models', row: 'm', reason: 'price.input is missing. Add it by hand.' },
    ])
    expect(withoutMistakes(plan, { models: [{ id: 'here' }] }, [{ path: 'models[0].id', message: '' }])).toBe(
      undefined,
    )
  })

  test('leaves out a limit that it refuses', () => {
    const limitOf = (name: string, requests_per_minute: number) => ({
      of: 'accounts' as const,
      name,
      limit: { requests_per_minute },
    })
    const plan = planCatalogue({}, move_in, [limitOf('a.b', 0), limitOf('anna', 5)], same)
    const text = withBlocks('[server]\n', plan, 'Imported')
    const reading = readCatalogue(text, { env: { MAIN_API_KEY: 'x' }, protocols: BUILT_IN_REGISTRY })
    const less = withoutMistakes(plan, {}, reading.ok ? [] : reading.mistakes)
    expect(less?.limits.map(({ name }) => name)).toEqual(['anna'])
    expect(less?.left_out).toMatchObject([
      { kind: 'rate limits', row: 'a.b', reason: expect.stringContaining('requests_per_minute must be') },
    ])
  })

  test('keeps its line endings', () => {
    const text = withBlocks('[server]\r\n', planCatalogue({}, move_in, [], same), 'Imported')
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  })
})
