// The prepared queries on accounts and keys: what they write, and on which connection.

import { describe, expect, test } from 'bun:test'
import { createAccount } from '../../src/access/accounts.ts'
import type { KeySettings } from '../../src/access/key-settings.ts'
import { createKey } from '../../src/access/keys.ts'
import { findKey } from '../../src/access/lookup.ts'
import { accountQueries, keyQueries } from '../../src/access/queries.ts'
import type { openDatabase } from '../../src/db/open.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const NOW = 1_000_000

function databaseWith(settings: Partial<KeySettings> = {}) {
  const db = memoryDatabase()
  createAccount(db, { name: 'ada', now_ms: NOW })
  const none = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  const issued = createKey(db, 'ada', { name: 'key', ...none, ...settings }, { randomBytes, now_ms: NOW })
  return { db, ...issued }
}

const stored = (db: ReturnType<typeof openDatabase>) =>
  db
    .query(
      `SELECT models, typeof(models) AS models_type, addresses, typeof(addresses) AS addresses_type,
              typeof(sha256) AS hash_type FROM keys`,
    )
    .get()

describe('the JSON columns of a key', () => {
  test('are NULL in the database where the key is not limited, not the text null', () => {
    const { db, key } = databaseWith()
    expect(stored(db)).toEqual({
      models: null,
      models_type: 'null',
      addresses: null,
      addresses_type: 'null',
      hash_type: 'blob',
    })
    expect([key.models, key.addresses]).toEqual([null, null])
  })

  test('are encoded once, and read back as what was written', () => {
    const limits = { models: ['a-*', 'b/c'], addresses: ['10.0.0.0/8', '2001:db8::1'] }
    const { db, key } = databaseWith(limits)
    expect(stored(db)).toMatchObject({
      models: JSON.stringify(limits.models),
      models_type: 'text',
      addresses: JSON.stringify(limits.addresses),
      addresses_type: 'text',
    })
    expect(key).toMatchObject(limits)
    expect(findKey(db, key.sha256)?.key).toEqual(key)
  })
})

describe('the queries of a connection', () => {
  test('are prepared once for it, and for no other', () => {
    const [{ db }, { db: other }] = [databaseWith(), databaseWith()]
    expect(keyQueries(db)).toBe(keyQueries(db))
    expect(keyQueries(db)).not.toBe(keyQueries(other))
    expect(keyQueries(db).listKeys.all()).not.toEqual(keyQueries(other).listKeys.all())
  })

  test('throw where a value of a placeholder is missing', () => {
    const { db } = databaseWith()
    expect(() => accountQueries(db).accountByName.get({})).toThrow('No value for placeholder "name"')
  })
})
