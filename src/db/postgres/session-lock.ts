// A lock on a server of PostgreSQL that one process has at a time, over any number of transactions.
import { Connection } from './connection.ts'

/** Any numbers, always the same, and none twice. */
export const BACKUP_LOCK = 7_261_484

/**
 * Takes a lock; it ends with the connection that has it, however that ends.
 *
 * @param url as of `openPostgres`
 * @returns undefined while another process has it @throws StorageFailure
 */
export async function takeSessionLock(url: string, lock: number): Promise<AsyncDisposable | undefined> {
  const connection = await Connection.open(url)
  const unlock = { [Symbol.asyncDispose]: () => connection.close() }
  try {
    const { rows } = await connection.ask('SELECT pg_try_advisory_lock($1)', [lock])
    if (rows[0]?.[0] === 1) return unlock
  } catch (thrown) {
    await connection.close()
    throw thrown
  }
  await connection.close()
  return undefined
}
