// Owns how the row behind a key is found, and with it the account that pays.
import type { Database } from 'bun:sqlite'
import type { Account, Key } from '../db/schema.ts'

/** A key with the account that it belongs to, both as they are at this moment. */
export interface KeyOfAccount {
  key: Key
  account: Account
}

/** What SQLite holds of a key, before its JSON columns are read. */
type StoredKey = Omit<Key, 'sha256' | 'models' | 'addresses'> & {
  sha256: Uint8Array
  models: string | null
  addresses: string | null
}

/**
 * Finds a key by its hash, revoked or not. Two prepared selects on unique columns, because bun:sqlite takes several
 * times as long over one join of the two tables, and Drizzle longer still.
 *
 * @returns undefined when there is no such key
 */
export function findKey(db: Database, hash: Buffer): KeyOfAccount | undefined {
  const statements = statementsOf(db)
  const stored = statements.key.get(hash)
  if (!stored) return undefined
  const account = statements.account.get(stored.account_id)
  if (!account) return undefined
  return { key: readKey(stored), account }
}

const prepare = (db: Database) => ({
  key: db.prepare<StoredKey, [Buffer]>('SELECT * FROM keys WHERE sha256 = ?'),
  account: db.prepare<Account, [number]>('SELECT * FROM accounts WHERE id = ?'),
})

const prepared = new WeakMap<Database, ReturnType<typeof prepare>>()

/** Kept here, not by `Database.query`, which keeps only the first twenty statements of a connection. */
function statementsOf(db: Database): ReturnType<typeof prepare> {
  const known = prepared.get(db) ?? prepare(db)
  prepared.set(db, known)
  return known
}

const readList = (json: string | null): string[] | null =>
  json === null ? null : (JSON.parse(json) as string[])

const readKey = (stored: StoredKey): Key => ({
  ...stored,
  sha256: Buffer.from(stored.sha256),
  models: readList(stored.models),
  addresses: readList(stored.addresses),
})
