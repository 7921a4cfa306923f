// Remains of deleted or changed rows in a file of SQLite, and their removal.
import { unprocessable } from '../../../domain/errors.ts'
import { neverBlock, untilFree } from '../../busy.ts'
import type { Values } from '../../db.ts'
import { openDatabase } from './open.ts'

/** A database keeps what was deleted until its place is used again: this removes it, as far as it can be. */
export interface Scrubbing extends Disposable {
  /** The remains that it does not reach: sentences for the operator. */
  readonly remains: readonly string[]
  /** Removes what is left of rows of these tables. @throws StorageFailure */
  scrub(tables: readonly string[]): Promise<void>
  /** Carries out one statement that writes, and removes what is left of the rows that it changes, of this table. @throws StorageFailure; GatewayError unprocessable */
  replace(table: string, text: string, values: Values): Promise<void>
}

/** For whoever still reads what was there before. */
const MAX_WAIT_MS = 60_000
const PAUSE_MS = 5

/** @param path the database's file */
export function fileScrubbing(path: string): Scrubbing {
  const db = openDatabase(path)
  neverBlock(db)
  return {
    remains: [],
    // A row that SQLite deletes stays in the file until its place is used again. VACUUM writes the file anew, without it.
    scrub: () => untilFree(() => void db.run('VACUUM'), MAX_WAIT_MS),
    async replace(_, text, values) {
      // The place of what was there is written over.
      db.run('PRAGMA secure_delete = ON')
      await untilFree(() => void db.query<unknown, Values>(text).run(values))
      await emptyLog()
    },
    [Symbol.dispose]: () => db.close(),
  }

  /** Copies the write-ahead log into the file and empties it, once nobody reads from it. */
  async function emptyLog(): Promise<void> {
    const due_ms = performance.now() + MAX_WAIT_MS
    for (;;) {
      const done = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
      if (done?.busy === 0) return
      if (performance.now() > due_ms)
        throw unprocessable(
          'All is erased but for the write-ahead log, which another program still reads. Run it again with the new name when that has ended.',
        )
      await Bun.sleep(PAUSE_MS)
    }
  }
}
