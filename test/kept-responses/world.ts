// A store of kept responses by itself: an injected clock, settings that a test changes, and a folder for its files.
import type { Database } from 'bun:sqlite'
import type { ResponseSettings } from '../../src/domain/catalogue.ts'
import { createFileStore, type FileStore } from '../../src/media/store.ts'
import { auditResponses } from '../../src/responses/audit.ts'
import type { KeptResponse } from '../../src/responses/kept-responses.ts'
import { createKeptResponses, type KeptResponses } from '../../src/responses/store.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { temporary } from '../support/temporary.ts'
import { answerTo } from './support.ts'

export const DAY_MS = 86_400_000

export interface World extends AsyncDisposable {
  db: Db
  /** The same database, for queries and changes by SQL. */
  connection: Database
  files: FileStore
  store: KeptResponses
  settings: { -readonly [K in keyof ResponseSettings]: ResponseSettings[K] }
  clock: { now_ms: number }
  /** Opens the store anew over the same rows and files, as a restart does. */
  reopen(): Promise<number>
  /** Keeps a response, and returns it. */
  keep(id: string, more?: Partial<KeptResponse> & { text?: string }): Promise<KeptResponse>
  /** The public ids of an account's rows, the hidden ones in brackets. */
  rowsOf(account_id?: number): string
  fileCount(): Promise<number>
  /** The audit's findings, in short. */
  findings(): Promise<string[]>
}

export async function world(changes: Partial<ResponseSettings> = {}): Promise<World> {
  const folder = temporary()
  const connection = memoryDatabase()
  const db = dbOver(connection)
  for (const id of [1, 2, 3])
    connection.run(
      'INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (?, ?, ?, 0, 0, 0, 0)',
      [id, `n${id}`, 'active'],
    )
  const files = createFileStore(folder.path)
  const clock = { now_ms: 1_000 * DAY_MS }
  const settings = {
    store: true,
    days: 30,
    max_mb: 100,
    max_mb_per_account: 50,
    max_mb_per_conversation: 32,
    ...changes,
  }
  const open = () =>
    createKeptResponses({ db, files, settings: () => settings, now: () => clock.now_ms, probe: () => {} })
  const made: World = {
    db,
    connection,
    files,
    store: open(),
    settings,
    clock,
    async reopen() {
      made.store = open()
      await made.store.sweep()
      return await made.store.recover()
    },
    async keep(id, more = {}) {
      const kept = answerTo(id, more.account_id ?? 1, { created_at_ms: clock.now_ms, ...more })
      await made.store.keep(kept)
      return kept
    },
    rowsOf: (account_id = 1) =>
      connection
        .query<{ response_id: string; deleted: number }, [number]>(
          'SELECT response_id, deleted FROM responses WHERE account_id = ? ORDER BY id',
        )
        .all(account_id)
        .map(({ response_id, deleted }) => (deleted ? `(${response_id})` : response_id))
        .join(' '),
    fileCount: async () => (await Array.fromAsync(files.list())).length,
    findings: async () =>
      (await auditResponses(db, files)).map(({ invariant, subject }) => `${subject}: ${invariant}`),
    async [Symbol.asyncDispose]() {
      connection.close()
      folder[Symbol.dispose]()
    },
  }
  return made
}
