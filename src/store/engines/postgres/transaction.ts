// A transaction on a PostgreSQL connection: all or nothing, with a known outcome even if the answer to its COMMIT was lost.
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { pauses } from '../../busy.ts'
import type { Awaitable } from '../../db.ts'
import { markOf, wasCommitted } from './commit-mark.ts'
import type { CommitMark, Connection } from './connection.ts'
import { StatementError } from './failure.ts'

/** How long to wait for the answer to a COMMIT, and then to find out its outcome. */
const MAX_COMMIT_MS = 5_000

/** The code if a transaction's outcome is unknown. */
const UNKNOWN_OUTCOME = '08007'

/** The code of a statement after a failed one in the same transaction. */
const FAILED_BEFORE = '25P02'

/** After a failed statement, COMMIT rolls back and reports no failure of its own. */
export const COMMIT = { text: 'COMMIT' }

/** The transaction was rolled back because its connection was lost, and may be repeated. */
class RolledBack extends StorageFailure {}

/** Whether a transaction was certainly not committed, because its connection was lost. */
export const wasRolledBack = (thrown: unknown): boolean => thrown instanceof RolledBack

interface TransactionOptions {
  /** `false`: its COMMIT does not wait for the disk. */
  durable: boolean
  /** Opens another connection, to find out the transaction's outcome. */
  reopen(): Promise<Connection>
}

/**
 * Executes a transaction at READ COMMITTED: each statement sees everything committed before it.
 *
 * @throws as `work`, after everything was rolled back; a StorageFailure with `wasRolledBack` if the connection was lost before the end;
 * StorageFailure 08007 if the outcome cannot be found out
 */
export async function inTransaction<T>(
  connection: Connection,
  work: () => Awaitable<T>,
  { durable, reopen }: TransactionOptions,
): Promise<T> {
  await begin(connection, durable)
  const mark = connection.nextMark()
  const result = await orRollBack(connection, work)
  try {
    await connection.askAll([markOf(mark), COMMIT], MAX_COMMIT_MS)
    return result
  } catch (thrown) {
    if (thrown instanceof StatementError && thrown.code === FAILED_BEFORE)
      throw new Error('A statement of the transaction failed, and was caught; everything was rolled back.')
    if (!connection.isLost) throw thrown
    if (await isCommitted(mark, reopen)) return result
    throw rolledBack(thrown)
  }
}

const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
const LONG_SNAPSHOT = `${SNAPSHOT};
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = '60s';
  SET LOCAL enable_seqscan = on`

/** Reads as of one moment. @param takes_long statements have no time limit @throws as `work`; StorageFailure */
export async function inSnapshot<T>(
  connection: Connection,
  work: () => Awaitable<T>,
  takes_long: boolean,
): Promise<T> {
  await orRollBack(connection, () => connection.script(takes_long ? LONG_SNAPSHOT : SNAPSHOT))
  const read = () => orRollBack(connection, work)
  const result = await (takes_long ? connection.patiently(read) : read())
  await connection.ask('COMMIT')
  return result
}

async function begin(connection: Connection, durable: boolean): Promise<void> {
  const commit = durable ? '' : '; SET LOCAL synchronous_commit = off'
  await orRollBack(connection, () => connection.script(`BEGIN ISOLATION LEVEL READ COMMITTED${commit}`))
}

/** Rolls back if `work` fails. */
async function orRollBack<T>(connection: Connection, work: () => Awaitable<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (connection.isLost) throw thrown instanceof StorageFailure ? rolledBack(thrown) : thrown
    await rollBack(connection)
    throw thrown
  }
}

/** Ends a transaction without committing it. */
export async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.ask('ROLLBACK')
  } catch {
    // The server rolls it back when the connection ends. The caller throws the original error.
    connection.lose()
  }
}

function rolledBack(thrown: unknown): unknown {
  if (!(thrown instanceof StorageFailure) || thrown.trouble !== 'unreachable') return thrown
  return new RolledBack(thrown.trouble, { code: thrown.code, message: thrown.message, cause: thrown })
}

/**
 * Whether a transaction was committed whose connection was lost at its COMMIT. Asks until the server can answer: it may be starting, or
 * may not have noticed yet that the connection is lost.
 *
 * @param reopen opens another connection
 * @throws StorageFailure 08007 if there is no answer in time
 */
export async function isCommitted(
  mark: CommitMark,
  reopen: () => Promise<Connection>,
  within_ms = MAX_COMMIT_MS,
): Promise<boolean> {
  const due_ms = performance.now() + within_ms
  let cause: unknown
  for (const pause_ms of pauses()) {
    try {
      return await readCommitState(mark, reopen)
    } catch (thrown) {
      cause = thrown
    }
    if (performance.now() + pause_ms > due_ms) break
    await Bun.sleep(pause_ms)
  }
  // The check writes a mark. A standby that has not taken over reports that it is read-only.
  const is_read_only = cause instanceof StorageFailure && cause.trouble === 'read_only'
  throw new StorageFailure(is_read_only ? 'read_only' : 'unreachable', {
    code: UNKNOWN_OUTCOME,
    message: 'the connection to the database was lost during a commit, whose outcome is unknown',
    cause,
  })
}

async function readCommitState(mark: CommitMark, reopen: () => Promise<Connection>): Promise<boolean> {
  const connection = await reopen()
  try {
    return await wasCommitted(mark, connection)
  } finally {
    await connection.close()
  }
}
