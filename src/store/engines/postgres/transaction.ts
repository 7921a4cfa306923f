// A transaction on a connection of PostgreSQL: all or nothing, and known which, also where the answer to its COMMIT was lost.
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { pauses } from '../../busy.ts'
import type { Awaitable } from '../../db.ts'
import { markOf, wasCommitted } from './commit-mark.ts'
import type { Connection, Marked } from './connection.ts'
import { StatementError } from './failure.ts'

/** How long the answer to a COMMIT is waited for, and then the answer to what became of it. */
const MAX_COMMIT_MS = 5_000

/** Where it is not known what became of a transaction. */
const UNKNOWN_OUTCOME = '08007'

/** Of a statement after one that failed, in the same transaction. */
const FAILED_BEFORE = '25P02'

/** Of a transaction in which a statement failed it carries out nothing, and says so by no failure of its own. */
export const COMMIT = { text: 'COMMIT' }

/** The transaction came to nothing for want of its connection, and may be done again. */
class RolledBack extends StorageFailure {}

/** A transaction certainly was not carried out, since its connection was lost. */
export const wasRolledBack = (thrown: unknown): boolean => thrown instanceof RolledBack

interface TransactionOptions {
  /** `false`: its COMMIT does not wait for the disk. */
  durable: boolean
  /** Opens another connection, to ask what became of the transaction. */
  reopen(): Promise<Connection>
}

/**
 * Carries out a transaction at READ COMMITTED: each statement sees what was committed before it.
 *
 * @throws what `work` throws, after everything was rolled back; a StorageFailure of which `wasRolledBack` where the connection was lost
 * before the end; StorageFailure 08007 where it can not be told what became of it
 */
export async function inTransaction<T>(
  connection: Connection,
  work: () => Awaitable<T>,
  { durable, reopen }: TransactionOptions,
): Promise<T> {
  await begin(connection, durable)
  const marked = connection.nextMark()
  const result = await untilEnd(connection, work)
  try {
    await connection.askAll([markOf(marked), COMMIT], MAX_COMMIT_MS)
    return result
  } catch (thrown) {
    if (thrown instanceof StatementError && thrown.code === FAILED_BEFORE)
      throw new Error('A statement of the transaction failed, and was caught; everything was rolled back.')
    if (!connection.isLost) throw thrown
    if (await isCommitted(marked, reopen)) return result
    throw rolledBack(thrown)
  }
}

const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
const LONG_SNAPSHOT = `${SNAPSHOT};
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = '60s';
  SET LOCAL enable_seqscan = on`

/** Reads as of one moment. @param takes_long a statement may take as long as it likes @throws what `work` throws; StorageFailure */
export async function inSnapshot<T>(
  connection: Connection,
  work: () => Awaitable<T>,
  takes_long: boolean,
): Promise<T> {
  await untilEnd(connection, () => connection.script(takes_long ? LONG_SNAPSHOT : SNAPSHOT))
  const read = () => untilEnd(connection, work)
  const result = await (takes_long ? connection.patiently(read) : read())
  await connection.ask('COMMIT')
  return result
}

async function begin(connection: Connection, durable: boolean): Promise<void> {
  const commit = durable ? '' : '; SET LOCAL synchronous_commit = off'
  await untilEnd(connection, () => connection.script(`BEGIN ISOLATION LEVEL READ COMMITTED${commit}`))
}

/** Rolls back where it does not come to its end. */
async function untilEnd<T>(connection: Connection, work: () => Awaitable<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (connection.isLost) throw thrown instanceof StorageFailure ? rolledBack(thrown) : thrown
    await rollBack(connection)
    throw thrown
  }
}

/** Ends a transaction without carrying it out. */
export async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.ask('ROLLBACK')
  } catch {
    // The server rolls it back when the connection ends. What is thrown is why it was to be rolled back.
    connection.lose()
  }
}

function rolledBack(thrown: unknown): unknown {
  if (!(thrown instanceof StorageFailure) || thrown.trouble !== 'unreachable') return thrown
  return new RolledBack(thrown.trouble, { code: thrown.code, message: thrown.message, cause: thrown })
}

/**
 * Whether a transaction was carried out whose connection was lost at its COMMIT. Asks until the server can say so: it may be starting, or
 * may not have noticed yet that the connection is lost.
 *
 * @param reopen opens another connection
 * @throws StorageFailure 08007 where it can not be told in time
 */
export async function isCommitted(
  marked: Marked,
  reopen: () => Promise<Connection>,
  within_ms = MAX_COMMIT_MS,
): Promise<boolean> {
  const due_ms = performance.now() + within_ms
  let cause: unknown
  for (const pause_ms of pauses()) {
    try {
      return await readCommitState(marked, reopen)
    } catch (thrown) {
      cause = thrown
    }
    if (performance.now() + pause_ms > due_ms) break
    await Bun.sleep(pause_ms)
  }
  // To tell it a mark is written: a standby that has not taken over says why it cannot.
  const is_read_only = cause instanceof StorageFailure && cause.trouble === 'read_only'
  throw new StorageFailure(is_read_only ? 'read_only' : 'unreachable', {
    code: UNKNOWN_OUTCOME,
    message:
      'the connection to the database was lost at a commit, and whether it was carried out cannot be told',
    cause,
  })
}

async function readCommitState(marked: Marked, reopen: () => Promise<Connection>): Promise<boolean> {
  const connection = await reopen()
  try {
    return await wasCommitted(marked, connection)
  } finally {
    await connection.close()
  }
}
