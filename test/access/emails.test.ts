// Email addresses of people: an address belongs to the person who verifies it.
import { beforeEach, describe, expect, test } from 'bun:test'
import { claimEmail, personOfEmail, setUnverifiedEmail } from '../../src/access/emails.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 9
let db = dbOver(memoryDatabase())

/** Person 1 has a verified address, person 2 an unverified one. */
beforeEach(() => {
  const connection = memoryDatabase()
  db = dbOver(connection)
  connection.run(`INSERT INTO people VALUES (1, NULL, 'Ada', 'ada@example.com', 5, NULL, 0),
    (2, NULL, 'Bob', 'bob@example.com', NULL, NULL, 0), (3, NULL, 'Cleo', NULL, NULL, NULL, 0)`)
})

const claim = (person_id: number, email: string) =>
  db.begin((tx) => claimEmail(tx, { person_id, email, now_ms: NOW }))
const note = (person_id: number, email: string) =>
  db.begin((tx) => setUnverifiedEmail(tx, { person_id, email }))

describe('a verified address', () => {
  test.each([
    ['a free address', 3, 'cleo@example.com'],
    ['an address verified before', 1, 'ada@example.com'],
    ['an address unverified until now', 2, 'bob@example.com'],
    ['an address in place of another one', 1, 'ada@example.net'],
  ])('belongs to the person: %s', async (_, id, email) => {
    await claim(id, email)
    expect(await personOfEmail(db, email)).toMatchObject({ id, email_verified_at_ms: NOW })
  })

  test('is removed from a person who has not verified it, so that nobody blocks its owner', async () => {
    await claim(3, 'bob@example.com')
    expect(await personOfEmail(db, 'bob@example.com')).toMatchObject({ id: 3 })
    await note(2, 'other@example.com')
    expect(await personOfEmail(db, 'other@example.com')).toMatchObject({ id: 2, email_verified_at_ms: null })
  })

  test('stays with the person who verified it first', async () => {
    await expect(claim(3, 'ada@example.com')).rejects.toMatchObject({ code: 'email_taken' })
    expect(await personOfEmail(db, 'ada@example.com')).toMatchObject({ id: 1, email_verified_at_ms: 5 })
  })
})

describe('an unverified address', () => {
  test.each([
    ['verified', 'ada@example.com'],
    ['unverified', 'bob@example.com'],
  ])('is refused if it is another person’s, %s', async (_, email) => {
    await expect(note(3, email)).rejects.toMatchObject({ code: 'email_taken', param: 'email' })
  })

  test('stays verified if the person has verified it before', async () => {
    await note(1, 'ada@example.com')
    expect(await personOfEmail(db, 'ada@example.com')).toMatchObject({ email_verified_at_ms: 5 })
  })
})
