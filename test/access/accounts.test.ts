// Administration of accounts: create, list, suspend, resume.
import { describe, expect, test } from 'bun:test'
import { accountByName, createAccount, listAccounts, suspendAccount } from '../../src/access/accounts.ts'
import { reopenAccount } from '../../src/access/closing.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 1_000_000
const database = () => memoryDatabase()

test('a new account is active and has no money', () => {
  const db = database()
  const created = createAccount(db, { name: 'ada', now_ms: NOW })
  expect(created).toEqual({
    id: 1,
    name: 'ada',
    status: 'active',
    balance_nanos: 0,
    held_nanos: 0,
    debt_nanos: 0,
    created_at_ms: NOW,
  })
  expect(accountByName(db, 'ada')).toEqual(created)
})

describe('the name of an account', () => {
  test.each(['a', '7', 'ada.lovelace+test@example.com', 'Team_B-2', 'x'.repeat(64)])('may be %p', (name) => {
    expect(createAccount(database(), { name, now_ms: NOW }).name).toBe(name)
  })

  test.each([
    ['empty', ''],
    ['of 65 characters', 'x'.repeat(65)],
    ['a space', ' '],
    ['with a space inside', 'ada lovelace'],
    ['with a line break', 'ada\n'],
    ['that looks like an option', '--json'],
    ['that begins with a dot', '.ada'],
    ['with a slash', 'a/b'],
    ['with a quote', "a'b"],
    ['with a control character', 'a\u0000b'],
    ['outside ASCII', 'zoë'],
  ])('%s is refused', (_, name) => {
    const db = database()
    expect(() => createAccount(db, { name, now_ms: NOW })).toThrow(
      expect.objectContaining({ kind: 'invalid_request', param: 'name' }),
    )
    expect(listAccounts(db)).toEqual([])
  })

  test('is refused where it is taken, also by a suspended account', () => {
    const db = database()
    createAccount(db, { name: 'ada', now_ms: NOW })
    suspendAccount(db, 'ada')
    expect(() => createAccount(db, { name: 'ada', now_ms: NOW })).toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: 'Account "ada" already exists.' }),
    )
    expect(listAccounts(db)).toHaveLength(1)
  })
})

test('accounts are listed oldest first', () => {
  const db = database()
  for (const name of ['zoe', 'ada', 'mia']) createAccount(db, { name, now_ms: NOW })
  expect(listAccounts(db).map(({ name }) => name)).toEqual(['zoe', 'ada', 'mia'])
})

test('an account is suspended and resumed; doing either twice changes nothing', () => {
  const db = database()
  createAccount(db, { name: 'ada', now_ms: NOW })
  createAccount(db, { name: 'mia', now_ms: NOW })
  expect(suspendAccount(db, 'ada').status).toBe('suspended')
  expect(suspendAccount(db, 'ada').status).toBe('suspended')
  expect(accountByName(db, 'mia').status).toBe('active')
  expect(reopenAccount(db, 'ada').account.status).toBe('active')
  expect(reopenAccount(db, 'ada').account.status).toBe('active')
})

test.each([
  ['shown', accountByName],
  ['suspended', suspendAccount],
  ['resumed', reopenAccount],
])('an account that does not exist cannot be %s', (_, act) => {
  const db = database()
  createAccount(db, { name: 'ada', now_ms: NOW })
  for (const name of ['Ada', 'ad', 'ada ', '1', '', '%']) {
    expect(() => act(db, name)).toThrow(expect.objectContaining({ kind: 'not_found' }))
  }
})
