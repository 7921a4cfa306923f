// A lock on a PostgreSQL server that one process holds at a time, across any number of transactions.
import { Connection } from './connection.ts'

/**
 * Takes a lock. It ends with its connection, however that ends.
 *
 * @param url as for `openPostgres` @param lock one of `LOCKS`
 * @returns the lock, which disposal releases; undefined while another process holds it @throws StorageFailure
 */
export async function takeSessionLock(url: string, lock: number): Promise<AsyncDisposable | undefined> {
  const connection = await Connection.open(url)
  const unlock = {
    async [Symbol.asyncDispose]() {
      try {
        // The server notices the end of a connection with a delay. Until then the next command would be refused.
        await connection.ask('SELECT pg_advisory_unlock($1)', [lock])
      } catch {
        // A lost connection holds no lock any more.
      }
      await connection.close()
    },
  }
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
