// The lock of a backup on PostgreSQL: one has it at a time, the next gets it at once, and nobody else waits for it.
import { describe, expect, test } from 'bun:test'
import { LOCKS } from '../../../src/store/engines/postgres/lock-numbers.ts'
import { takeSessionLock } from '../../../src/store/engines/postgres/session-lock.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const { url, db } = await databaseOfFile()
const TIMES = 20

test('no two locks have the same number', () => {
  const numbers = Object.values(LOCKS)
  expect(new Set(numbers).size).toBe(numbers.length)
})

describe.if(hasPostgres)('the lock of a backup', () => {
  test('is refused while somebody has it', async () => {
    await using _one = await takeSessionLock(url, LOCKS.backup)
    expect(await takeSessionLock(url, LOCKS.backup)).toBeUndefined()
  })

  test('is the next one’s as soon as it was given back', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const lock = await takeSessionLock(url, LOCKS.backup)
      expect({ time, is_taken: lock !== undefined }).toEqual({ time, is_taken: true })
      await lock?.[Symbol.asyncDispose]()
    }
  })

  test('keeps nobody from what locks the operator, as when an account is made', async () => {
    await using _one = await takeSessionLock(url, LOCKS.backup)
    await db.begin((tx) => tx.lock(null))
  })
})
