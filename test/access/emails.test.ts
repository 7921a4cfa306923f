// Addresses of people: whoever shows that one is theirs has it.
import { beforeEach, describe, expect, test } from 'bun:test'
import { claimEmail, personOfEmail, setUnverifiedEmail } from '../../src/access/emails.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 9
let db = dbOver(memoryDatabase())

/** The address of 1 is shown, that of 2 only written down. */
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

describe('an address that somebody shows to be theirs', () => {
  test.each([
    ['of nobody', 3, 'cleo@example.com'],
    ['their own of before', 1, 'ada@example.com'],
    ['their own, written down until now', 2, 'bob@example.com'],
    ['in place of another one', 1, 'ada@example.net'],
  ])('is theirs: %s', async (_, id, email) => {
    await claim(id, email)
    expect(await personOfEmail(db, email)).toMatchObject({ id, email_verified_at_ms: NOW })
  })

  test('is taken from who only wrote it down: nobody keeps an address from its owner', async () => {
    await claim(3, 'bob@example.com')
    expect(await personOfEmail(db, 'bob@example.com')).toMatchObject({ id: 3 })
    await note(2, 'other@example.com')
    expect(await personOfEmail(db, 'other@example.com')).toMatchObject({ id: 2, email_verified_at_ms: null })
  })

  test('is not taken from who has shown it before', async () => {
    await expect(claim(3, 'ada@example.com')).rejects.toMatchObject({ code: 'email_taken' })
    expect(await personOfEmail(db, 'ada@example.com')).toMatchObject({ id: 1, email_verified_at_ms: 5 })
  })
})

describe('an address that is written down', () => {
  test.each([
    ['shown by another person', 'ada@example.com'],
    ['written down for another person', 'bob@example.com'],
  ])('is refused: %s', async (_, email) => {
    await expect(note(3, email)).rejects.toMatchObject({ code: 'email_taken', param: 'email' })
  })

  test('stays shown where it was', async () => {
    await note(1, 'ada@example.com')
    expect(await personOfEmail(db, 'ada@example.com')).toMatchObject({ email_verified_at_ms: 5 })
  })
})
