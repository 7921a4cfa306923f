// Administration of accounts: create, list, suspend, resume.
import { describe, expect, test } from 'bun:test'
import { listActions } from '../../plugins/audit-log/listing.ts'
import {
  accountByName,
  createAccount,
  listAccounts,
  type NewSuspension,
  suspendAccount,
} from '../../src/access/accounts.ts'
import { closeAccount, reopenAccount } from '../../src/access/closing.ts'
import { type Suspension, suspensionOf } from '../../src/access/suspension.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 1_000_000
const database = () => dbOver(memoryDatabase())

test('a new account is active, with a balance of 0', async () => {
  const db = database()
  const created = await createAccount(db, { name: 'ada', now_ms: NOW })
  expect(created).toEqual({
    id: 1,
    name: 'ada',
    status: 'active',
    balance_nanos: 0,
    held_nanos: 0,
    debt_nanos: 0,
    created_at_ms: NOW,
    plan_period_id: null,
    price_group: null,
  })
  expect(await accountByName(db, 'ada')).toEqual(created)
})

describe('the name of an account', () => {
  test.each(['a', '7', 'ada.lovelace+test@example.com', 'Team_B-2', 'x'.repeat(64)])(
    'may be %p',
    async (name) => {
      expect(await createAccount(database(), { name, now_ms: NOW })).toMatchObject({ name })
    },
  )

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
  ])('%s is refused', async (_, name) => {
    const db = database()
    await expect(createAccount(db, { name, now_ms: NOW })).rejects.toThrow(
      expect.objectContaining({ kind: 'invalid_request', param: 'name' }),
    )
    expect(await listAccounts(db)).toEqual([])
  })

  test('is refused if another account has it, even a suspended one', async () => {
    const db = database()
    await createAccount(db, { name: 'ada', now_ms: NOW })
    await suspendAccount(db, 'ada', { now_ms: 0 })
    await expect(createAccount(db, { name: 'ada', now_ms: NOW })).rejects.toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: 'Account "ada" already exists.' }),
    )
    expect(await listAccounts(db)).toHaveLength(1)
  })
})

test('accounts are listed oldest first', async () => {
  const db = database()
  for (const name of ['zoe', 'ada', 'mia']) await createAccount(db, { name, now_ms: NOW })
  expect((await listAccounts(db)).map(({ name }) => name)).toEqual(['zoe', 'ada', 'mia'])
})

test('an account is suspended and resumed; a second time changes nothing', async () => {
  const db = database()
  await createAccount(db, { name: 'ada', now_ms: NOW })
  await createAccount(db, { name: 'mia', now_ms: NOW })
  expect((await suspendAccount(db, 'ada', { now_ms: 0 })).status).toBe('suspended')
  expect((await suspendAccount(db, 'ada', { now_ms: 0 })).status).toBe('suspended')
  expect((await accountByName(db, 'mia')).status).toBe('active')
  expect((await reopenAccount(db, 'ada')).account.status).toBe('active')
  expect((await reopenAccount(db, 'ada')).account.status).toBe('active')
})

describe('the reason of a suspension', () => {
  const OTHER = NOW + 5
  test.each<[string, readonly Omit<NewSuspension, 'now_ms'>[], Partial<Suspension>, number]>([
    ['is "operator" by default', [{}], { reason: 'operator', words: '' }, 1],
    ['has the operator’s words, trimmed', [{ words: ' unpaid ' }], { words: 'unpaid' }, 1],
    ['is a lost dispute', [{ reason: 'lost_dispute' }], { reason: 'lost_dispute', words: '' }, 1],
    ['stays if the operator suspends again without words', [{ words: 'a' }, {}], { words: 'a' }, 1],
    ['gets new words of the operator', [{ words: 'a' }, { words: 'b' }], { words: 'b' }, 2],
    ['of a dispute yields to the operator', [{ reason: 'lost_dispute' }, {}], { reason: 'operator' }, 2],
    ['of the operator stays at a dispute', [{ words: 'a' }, { reason: 'lost_dispute' }], { words: 'a' }, 1],
    ['stays after a second dispute', [{ reason: 'lost_dispute' }, { reason: 'lost_dispute' }], {}, 1],
  ])('%s', async (_, suspensions, expected, actions) => {
    const db = database()
    await createAccount(db, { name: 'ada', now_ms: NOW })
    for (const [at, suspension] of suspensions.entries())
      await suspendAccount(db, 'ada', { ...suspension, now_ms: at === 0 ? NOW : OTHER })
    const account = await accountByName(db, 'ada')
    expect(await suspensionOf(db, account)).toMatchObject({ ...expected, suspended_at_ms: NOW })
    const { rows } = await listActions(db, { account_id: account.id }, { limit: 9 })
    expect(rows.filter(({ action }) => action === 'account.suspended')).toHaveLength(actions)
    await reopenAccount(db, 'ada')
    expect(await suspensionOf(db, await accountByName(db, 'ada'))).toBeUndefined()
    await suspendAccount(db, 'ada', { now_ms: OTHER })
    expect(await suspensionOf(db, await accountByName(db, 'ada'))).toEqual({
      ...{ reason: 'operator', words: '', suspended_at_ms: OTHER },
    })
  })

  test.each([
    ['several lines', 'one\ntwo', 'reason: contains the control character'],
    ['more than 500 characters', 'x'.repeat(501), 'reason: must have at most 500 characters.'],
  ])('of %s is refused, and nothing is suspended', async (_, words, message) => {
    const db = database()
    await createAccount(db, { name: 'ada', now_ms: NOW })
    await expect(suspendAccount(db, 'ada', { words, now_ms: NOW })).rejects.toThrow(message)
    expect((await accountByName(db, 'ada')).status).toBe('active')
  })

  test('is not added to a closed account, which stays closed and reopens as active', async () => {
    const db = database()
    await createAccount(db, { name: 'ada', now_ms: NOW })
    await suspendAccount(db, 'ada', { words: 'a', now_ms: NOW })
    await closeAccount(db, 'ada', NOW)
    await suspendAccount(db, 'ada', { words: 'b', now_ms: NOW })
    const { account, was_closed } = await reopenAccount(db, 'ada')
    expect([account.status, was_closed]).toEqual(['active', true])
  })
})

test.each<[string, (db: Db, name: string) => Promise<unknown>]>([
  ['read', accountByName],
  ['suspended', (db, name) => suspendAccount(db, name, { now_ms: NOW })],
  ['resumed', reopenAccount],
])('an unknown account cannot be %s', async (_, act) => {
  const db = database()
  await createAccount(db, { name: 'ada', now_ms: NOW })
  for (const name of ['Ada', 'ad', 'ada ', '1', '', '%']) {
    await expect(act(db, name)).rejects.toThrow(expect.objectContaining({ kind: 'not_found' }))
  }
})
