// The details of an account beside its short name: any letters, within bounds, without invisible characters.
import { describe, expect, test } from 'bun:test'
import { startErasing } from '../../plugins/personal-data/closing.ts'
import {
  type AccountDetails,
  changeDetails,
  detailsOf,
  NO_DETAILS,
} from '../../src/access/account-details.ts'
import { createAccount } from '../../src/access/accounts.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

async function createScene() {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  const { id } = await createAccount(db, { name: 'ada', now_ms: 1 })
  return { connection, db, id }
}

describe('a detail is stored', () => {
  test.each<[string, Partial<AccountDetails>, Partial<AccountDetails>]>([
    ['in any letters', { display_name: 'Zoë 王 🦊 & «Søn» <b>' }, { display_name: 'Zoë 王 🦊 & «Søn» <b>' }],
    [
      'without blanks around it',
      { display_name: '  Ada ', email: ' a@b ' },
      { display_name: 'Ada', email: 'a@b' },
    ],
    ['in one form of its letters', { display_name: 'Zoe\u0308' }, { display_name: 'Zoë' }],
    ['of 100 characters, whatever their bytes', { display_name: '🦊'.repeat(100) }, {}],
    ['of several lines', { note: 'pays late\ncall first' }, { note: 'pays late\ncall first' }],
    ['as a switch: limited keys see all', { keys_see_account: true }, { keys_see_account: true }],
  ])('%s', async (_, changes, stored) => {
    const { db, id } = await createScene()
    const expected = { ...NO_DETAILS, ...changes, ...stored }
    expect(await changeDetails(db, 'ada', changes)).toEqual(expected)
    expect(await detailsOf(db, id)).toEqual(expected)
  })

  test('until it changes: a missing field is kept, an empty text removes it', async () => {
    const { db, id } = await createScene()
    await changeDetails(db, 'ada', { display_name: 'Ada', email: 'ada@example.com' })
    await changeDetails(db, 'ada', { note: 'pays late' })
    await changeDetails(db, 'ada', { email: '' })
    expect(await detailsOf(db, id)).toEqual({ ...NO_DETAILS, display_name: 'Ada', note: 'pays late' })
  })

  test('with the change in the audit log; no change leaves no line', async () => {
    const { connection, db } = await createScene()
    await changeDetails(db, 'ada', { display_name: 'Ada', note: '' })
    await changeDetails(db, 'ada', { display_name: ' Ada ' })
    const lines = connection.query("SELECT before, after FROM actions WHERE action = 'account.changed'").all()
    expect(lines).toEqual([{ before: '{"display_name":""}', after: '{"display_name":"Ada"}' }])
  })
})

describe('a detail is refused', () => {
  test.each<[string, Partial<AccountDetails>, string]>([
    ['a display name of 101 characters', { display_name: 'x'.repeat(101) }, 'display_name'],
    ['a display name of two lines', { display_name: 'Ada\nLovelace' }, 'display_name'],
    ['a display name that reverses what follows', { display_name: 'Ada\u202e' }, 'display_name'],
    ['an email without a host', { email: 'ada' }, 'email'],
    ['an email without a name', { email: '@example.com' }, 'email'],
    ['two emails', { email: 'a@b, c@d' }, 'email'],
    ['an email with a line break', { email: 'a@b\nbcc:c@d' }, 'email'],
    ['an email of 255 characters', { email: `${'x'.repeat(250)}@b.io` }, 'email'],
    ['a note of 1,001 characters', { note: 'x'.repeat(1_001) }, 'note'],
    ['a note that colours a terminal', { note: '\u001b[31mred' }, 'note'],
  ])('%s', async (_, changes, param) => {
    const { db, id } = await createScene()
    await changeDetails(db, 'ada', { note: 'before' })
    await expect(changeDetails(db, 'ada', changes)).rejects.toThrow(
      expect.objectContaining({ kind: 'invalid_request', param }),
    )
    expect(await detailsOf(db, id)).toEqual({ ...NO_DETAILS, note: 'before' })
  })

  test('of an unknown or erased account', async () => {
    const { db } = await createScene()
    await expect(changeDetails(db, 'eve', { note: 'x' })).rejects.toThrow(
      expect.objectContaining({ kind: 'not_found' }),
    )
    await startErasing(db, 'ada', 2)
    await expect(changeDetails(db, 'ada', { note: 'x' })).rejects.toThrow(
      expect.objectContaining({ kind: 'conflict' }),
    )
  })
})
