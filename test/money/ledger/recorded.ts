// A ledger with recorded calls, as the tests of their history and sums need it.
import { createAccount } from '../../../src/access/accounts.ts'
import { createKey } from '../../../src/access/keys.ts'
import type { CallRecord } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { hold, NOW, post, topUp } from './world.ts'

const SETTINGS = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }

type Recorded = [key_id: number, cost_nanos: number, call: Partial<CallRecord>, request_id?: string]

/** Accounts `anna` (keys 1 and 2) and `bert` (key 3), with these calls: [key, cost, fields that differ, request id]. */
export async function recorded(calls: readonly Recorded[], connection = memoryDatabase()): Promise<Db> {
  const db = dbOver(connection)
  let seed = 0
  const issuing = { now_ms: NOW, randomBytes: (length: number) => new Uint8Array(length).fill(seed++) }
  await createAccount(db, { name: 'anna', now_ms: NOW })
  await createAccount(db, { name: 'bert', now_ms: NOW })
  await createKey(db, 'anna', { ...SETTINGS, name: 'phone' }, issuing)
  await createKey(db, 'anna', { ...SETTINGS, name: 'desk' }, issuing)
  await createKey(db, 'bert', { ...SETTINGS, name: 'phone' }, issuing)
  const writer = createWriter(connection)
  writer.commit([topUp(1_000_000_000, 1), topUp(1_000_000_000, 2)])
  for (const [index, [key_id, cost, call, request_id = `r${index + 1}`]] of calls.entries()) {
    const account_id = key_id === 3 ? 2 : 1
    writer.commit([hold(100_000, { account_id, key_id, request_id })])
    writer.commit([post(index + 1, cost, call)])
  }
  return db
}
