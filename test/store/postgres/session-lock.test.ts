// The lock of a backup on PostgreSQL: one session has it at a time, the next gets it at once, and no other work waits for it.
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
  test('is refused while another session has it', async () => {
    await using _one = await takeSessionLock(url, LOCKS.backup)
    expect(await takeSessionLock(url, LOCKS.backup)).toBeUndefined()
  })

  test('is free as soon as it is released', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const lock = await takeSessionLock(url, LOCKS.backup)
      expect({ time, is_taken: lock !== undefined }).toEqual({ time, is_taken: true })
      await lock?.[Symbol.asyncDispose]()
    }
  })

  test('does not block the lock of the operator, which a new account takes', async () => {
    await using _one = await takeSessionLock(url, LOCKS.backup)
    await db.begin((tx) => tx.lock(null))
  })
})
