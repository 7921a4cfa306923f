// What is written down of an account beside its short name: any letters, within bounds, and nothing that cannot be seen.
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

async function world() {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  const { id } = await createAccount(db, { name: 'ada', now_ms: 1 })
  return { connection, db, id }
}

describe('a detail is kept', () => {
  test.each<[string, Partial<AccountDetails>, Partial<AccountDetails>]>([
    ['in any letters', { display_name: 'Zoë 王 🦊 & «Søn» <b>' }, { display_name: 'Zoë 王 🦊 & «Søn» <b>' }],
    [
      'without blanks around it',
      { display_name: '  Ada ', email: ' a@b ' },
      { display_name: 'Ada', email: 'a@b' },
    ],
    ['in one form of its letters', { display_name: 'Zoe\u0308' }, { display_name: 'Zoë' }],
    ['of 100 characters, whatever they take', { display_name: '🦊'.repeat(100) }, {}],
    ['of several lines', { note: 'pays late\ncall first' }, { note: 'pays late\ncall first' }],
    ['that limited keys see all', { keys_see_account: true }, { keys_see_account: true }],
  ])('%s', async (_, asked, kept) => {
    const { db, id } = await world()
    const expected = { ...NO_DETAILS, ...asked, ...kept }
    expect(await changeDetails(db, 'ada', asked)).toEqual(expected)
    expect(await detailsOf(db, id)).toEqual(expected)
  })

  test('until it is changed: what is left out stays, an empty text removes', async () => {
    const { db, id } = await world()
    await changeDetails(db, 'ada', { display_name: 'Ada', email: 'ada@example.com' })
    await changeDetails(db, 'ada', { note: 'pays late' })
    await changeDetails(db, 'ada', { email: '' })
    expect(await detailsOf(db, id)).toEqual({ ...NO_DETAILS, display_name: 'Ada', note: 'pays late' })
  })

  test('with a line in the log of activity that has what changed; none where nothing does', async () => {
    const { connection, db } = await world()
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
  ])('%s', async (_, asked, param) => {
    const { db, id } = await world()
    await changeDetails(db, 'ada', { note: 'before' })
    await expect(changeDetails(db, 'ada', asked)).rejects.toThrow(
      expect.objectContaining({ kind: 'invalid_request', param }),
    )
    expect(await detailsOf(db, id)).toEqual({ ...NO_DETAILS, note: 'before' })
  })

  test('of an account that does not exist, or is erased', async () => {
    const { db } = await world()
    await expect(changeDetails(db, 'eve', { note: 'x' })).rejects.toThrow(
      expect.objectContaining({ kind: 'not_found' }),
    )
    await startErasing(db, 'ada', 2)
    await expect(changeDetails(db, 'ada', { note: 'x' })).rejects.toThrow(
      expect.objectContaining({ kind: 'conflict' }),
    )
  })
})
