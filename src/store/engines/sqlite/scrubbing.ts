// Remains of deleted or changed rows in a SQLite file, and their removal.
import { unprocessable } from '../../../domain/errors.ts'
import { neverBlock, untilFree } from '../../busy.ts'
import type { Values } from '../../db.ts'
import { openDatabase } from './open.ts'

/** Removes deleted data, which a database keeps until its space is reused, as far as possible. */
export interface Scrubbing extends Disposable {
  /** Remains that it cannot remove: sentences for the operator. */
  readonly remains: readonly string[]
  /** Removes the remains of these tables' rows. @throws StorageFailure */
  scrub(tables: readonly string[]): Promise<void>
  /** Executes one statement that writes, and removes the remains of this table's changed rows. @throws StorageFailure; GatewayError unprocessable */
  replace(table: string, text: string, values: Values): Promise<void>
}

/** The wait for readers of the earlier state. */
const MAX_WAIT_MS = 60_000
const PAUSE_MS = 5

/** @param path the database's file */
export function fileScrubbing(path: string): Scrubbing {
  const db = openDatabase(path)
  neverBlock(db)
  return {
    remains: [],
    // SQLite keeps a deleted row in the file until its space is reused. VACUUM writes the file again without it.
    scrub: () => untilFree(() => void db.run('VACUUM'), MAX_WAIT_MS),
    async replace(_, text, values) {
      // Overwrites the space of deleted data.
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
          'Everything is erased except the write-ahead log, which another program still reads. Run this again with the new name after that program has ended.',
        )
      await Bun.sleep(PAUSE_MS)
    }
  }
}
