// The prepared queries on accounts and keys: the written columns, and the connection of each query.

import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createAccount } from '../../src/access/accounts.ts'
import { findKey } from '../../src/access/gate.ts'
import type { KeySettings } from '../../src/access/key-settings.ts'
import { createKey } from '../../src/access/keys.ts'
import { accountQueries, keyQueries } from '../../src/access/queries.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 1_000_000

async function databaseWith(settings: Partial<KeySettings> = {}) {
  const connection = memoryDatabase()
  const db = dbOver(connection)
  await createAccount(db, { name: 'ada', now_ms: NOW })
  const none = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const issued = await createKey(
    db,
    'ada',
    { name: 'key', ...none, ...settings },
    { randomBytes, now_ms: NOW },
  )
  return { connection, db, ...issued }
}

const stored = (connection: Database) =>
  connection
    .query(
      `SELECT models, typeof(models) AS models_type, addresses, typeof(addresses) AS addresses_type,
              typeof(sha256) AS hash_type FROM keys`,
    )
    .get()

describe('the JSON columns of a key', () => {
  test('are NULL for an unlimited key, not the text null', async () => {
    const { connection, key } = await databaseWith()
    expect(stored(connection)).toEqual({
      models: null,
      models_type: 'null',
      addresses: null,
      addresses_type: 'null',
      hash_type: 'blob',
    })
    expect([key.models, key.addresses]).toEqual([null, null])
  })

  test('are encoded once, and read back unchanged', async () => {
    const limits = { models: ['a-*', 'b/c'], addresses: ['10.0.0.0/8', '2001:db8::1'] }
    const { connection, db, key } = await databaseWith(limits)
    expect(stored(connection)).toMatchObject({
      models: JSON.stringify(limits.models),
      models_type: 'text',
      addresses: JSON.stringify(limits.addresses),
      addresses_type: 'text',
    })
    expect(key).toMatchObject(limits)
    expect((await findKey(db, key.sha256))?.key).toEqual(key)
  })
})

describe('the queries of a connection', () => {
  test('are prepared once for each connection', async () => {
    const [{ db }, { db: other }] = [await databaseWith(), await databaseWith()]
    expect(keyQueries(db)).toBe(keyQueries(db))
    expect(keyQueries(db)).not.toBe(keyQueries(other))
    expect(await keyQueries(db).listKeys.all()).not.toEqual(await keyQueries(other).listKeys.all())
  })

  test('throw if the value of a placeholder is missing', async () => {
    const { db } = await databaseWith()
    expect(() => accountQueries(db).accountByName.get({})).toThrow('No value for placeholder "name"')
  })
})
