// Passwords: the rules for a new one, and a check with the same cost for everybody.
import { describe, expect, test } from 'bun:test'
import { checkPassword, createPasswords, hashOf, setPassword } from '../../src/access/passwords.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { useFullPasswordCost } from '../support/cheap-passwords.ts'
import { memoryDatabase } from '../support/empty-database.ts'

useFullPasswordCost()

const passwords = createPasswords()

describe('a hash', () => {
  test('is argon2id with a salt, and matches only its password', async () => {
    const [one, other] = [
      await passwords.hash('correct horse battery'),
      await passwords.hash('correct horse battery'),
    ]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).not.toBe(other)
    expect(await passwords.verify('correct horse battery', one)).toBe(true)
    expect(await passwords.verify('correct horse batterY', one)).toBe(false)
  })

  test('does not depend on how a character is composed', async () => {
    const hash = await passwords.hash('Zürich is lovely'.normalize('NFD'))
    expect(await passwords.verify('Zürich is lovely'.normalize('NFC'), hash)).toBe(true)
  })

  test('of more than 72 bytes depends on all of them', async () => {
    const hash = await passwords.hash(`${'x'.repeat(100)}1`)
    expect(await passwords.verify(`${'x'.repeat(100)}2`, hash)).toBe(false)
  })
})

describe('without a hash', () => {
  test('every password is wrong, after a check of the same cost', async () => {
    const hash = await passwords.hash('correct horse battery')
    const durationOf = async (known: string | undefined) => {
      const from = performance.now()
      expect(await passwords.verify('nobody has this', known)).toBe(false)
      return performance.now() - from
    }
    await durationOf(hash)
    const [with_hash_ms, without_ms] = [await durationOf(hash), await durationOf(undefined)]
    // The bound is loose: without a check the duration would be a thousandth.
    expect(without_ms).toBeGreaterThan(with_hash_ms / 10)
  })

  test.each(['', 'x'.repeat(257), 'x'.repeat(1_000_000)])(
    'a password of impossible length is wrong, too: %#',
    async (password) => {
      expect(await passwords.verify(password, undefined)).toBe(false)
    },
  )
})

test('a crowd of strangers is refused beyond a bound, and leaves places for known people', async () => {
  const hash = await passwords.hash('correct horse battery')
  const crowd = Array.from({ length: 50 }, () => passwords.verify('nobody has this', undefined))
  const strangers = Promise.allSettled(crowd)
  expect(await passwords.verify('correct horse battery', hash, { is_known: true })).toBe(true)
  const refused = (await strangers).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(17)
  expect(refused[0]).toMatchObject({ reason: { kind: 'overloaded', retry_after_s: 5 } })
  expect(await passwords.verify('nobody has this', undefined)).toBe(false)
})

describe('a new password', () => {
  test.each([
    ['', 'at least 12'],
    ['eleven char', 'at least 12'],
    ['😀'.repeat(11), 'at least 12'],
    ['x'.repeat(257), 'at most 256'],
  ])('%p is refused', (password, message) => {
    expect(() => checkPassword(password, 'new_password')).toThrow(message)
  })

  test.each(['twelve chars', '😀'.repeat(12), 'x'.repeat(256), '            '])('%p is valid', (password) => {
    expect(() => checkPassword(password, 'password')).not.toThrow()
  })
})

test('each person has one password; a new one replaces it', async () => {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  connection.run("INSERT INTO people (id, name, created_at_ms) VALUES (1, 'alice', 0), (2, 'bob', 0)")
  const [first, second] = ['$argon2id$1', '$argon2id$2']
  expect([await hashOf(db, 2), await hashOf(db, 1)]).toEqual([undefined, undefined])
  await setPassword(db, { person_id: 2, hash: first, now_ms: 1 })
  await setPassword(db, { person_id: 1, hash: first, now_ms: 1 })
  await setPassword(db, { person_id: 2, hash: second, now_ms: 2 })
  expect([await hashOf(db, 2), await hashOf(db, 1)]).toEqual([second, first])
  expect(connection.query('SELECT count(*) AS n FROM passwords').get()).toEqual({ n: 2 })
})
