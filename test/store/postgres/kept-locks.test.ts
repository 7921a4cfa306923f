// Writes that wait for a kept lock: they leave their connections to others, and are carried out once it is free.
import { afterAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createAccount } from '../../../src/access/accounts.ts'
import { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const MAX_CONNECTIONS = 2
const MANY = 3 * MAX_CONNECTIONS

const { url, db } = await databaseOfFile()
const served = new PostgresDb(url, { max_connections: MAX_CONNECTIONS, max_lock_wait_ms: 50 })
afterAll(() => served.close())

describe.if(hasPostgres)('a row that stays locked', () => {
  const TEXT = 'UPDATE accounts SET name = name WHERE id = $id'
  /** Writes to a row by a statement, and in a transaction. */
  const write = (id: number): Promise<unknown>[] => [
    served.write((within) => within.rows(TEXT, { id })),
    served.begin((tx) => tx.rows(TEXT, { id })),
  ]

  test('takes no connection from writes to other rows, however many wait for it', async () => {
    const { id } = await createAccount(db, { name: 'locked', now_ms: 0 })
    const { id: other_id } = await createAccount(db, { name: 'other', now_ms: 0 })
    await using stranger = new SQL({ url, max: 1 })
    let ended = 0
    let waiting: Promise<unknown> = Promise.resolve()
    await stranger.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM tollgate.accounts WHERE id = $1 FOR UPDATE', [id])
      const writes = Array.from({ length: MANY }, () => write(id)).flat()
      const end = () => {
        ended += 1
      }
      waiting = Promise.all(writes.map((write) => write.finally(end)))
      await Promise.all(write(other_id))
      expect(ended).toBe(0)
    })
    await waiting
    expect(ended).toBe(2 * MANY)
  })
})
