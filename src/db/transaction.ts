// Transactions that take the write lock at their start.
import type { Database } from 'bun:sqlite'

/**
 * Runs work in a transaction of its own, in which nothing that it read can change before it writes. Prepared queries of
 * the connection take part in it.
 *
 * @throws what `work` threw, after everything was rolled back; SQLITE_BUSY where the lock is not to be had in time
 */
export const immediately = <T>(db: Database, work: () => T): T => db.transaction(work).immediate()
