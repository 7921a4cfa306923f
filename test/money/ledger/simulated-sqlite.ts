// The simulated ledger in a file of SQLite.
import type { Database } from 'bun:sqlite'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { temporary } from '../../support/temporary.ts'
import type { Simulated } from './simulation.test.ts'
import { addAccount, addKey, brokenInvariants } from './world.ts'

type Thing = Awaited<ReturnType<Simulated['things']>>[number]

/** A connection that does not wait for the disk: no test here cuts the power. */
function openFast(path: string): Database {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = OFF')
  return db
}

export async function sqliteSimulated(): Promise<Simulated> {
  const folder = temporary()
  const path = folder.at('tollgate.db')
  const db = openFast(path)
  const connections = [openFast(path), openFast(path), openFast(path)]
  const writers = connections.map((connection) => createWriter(connection))
  const accounts = db.query<
    { id: number; balance_nanos: number; held_nanos: number; debt_nanos: number },
    []
  >('SELECT id, balance_nanos, held_nanos, debt_nanos FROM accounts ORDER BY id')
  return {
    addAccount: async (id) => addAccount(db, id),
    addKey: async (id, account_id, limits) => addKey(db, id, account_id, limits),
    commit: async (writer, operations) => writers[writer]?.commit(operations) ?? [],
    run: async (text) => void db.run(text),
    plans_started: new Map(),
    accounts: async () => accounts.all(),
    things: async () => db.query<Thing, []>('SELECT id, account_id, state FROM things ORDER BY id').all(),
    brokenInvariants: async () => brokenInvariants(db),
    async [Symbol.asyncDispose]() {
      for (const connection of [db, ...connections]) connection.close()
      folder[Symbol.dispose]()
    },
  }
}
