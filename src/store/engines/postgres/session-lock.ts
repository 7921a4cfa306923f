// A lock on a server of PostgreSQL that one process has at a time, over any number of transactions.
import { Connection } from './connection.ts'

/**
 * Takes a lock; it ends with the connection that has it, however that ends.
 *
 * @param url as of `openPostgres` @param lock one of `LOCKS`
 * @returns what gives it back: afterwards the next one gets it; undefined while another process has it @throws StorageFailure
 */
export async function takeSessionLock(url: string, lock: number): Promise<AsyncDisposable | undefined> {
  const connection = await Connection.open(url)
  const unlock = {
    async [Symbol.asyncDispose]() {
      try {
        // The server notices the end of a connection some time after it: until then the next command would be refused.
        await connection.ask('SELECT pg_advisory_unlock($1)', [lock])
      } catch {
        // A connection that was lost has no lock any more.
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
