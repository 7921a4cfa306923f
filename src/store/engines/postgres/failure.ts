// The failures of PostgreSQL: which of its codes say that nothing can be read or written, and what may be said of the others.
import { StorageFailure, type StorageTrouble } from '../../../domain/storage-failure.ts'

/** By the prefix of a code; all others are of the statement. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TROUBLES: readonly (readonly [prefix: RegExp, trouble: StorageTrouble])[] = [
  [/^53100/, 'full'],
  // A deadlock, a lock that was not to be had, a transaction beside it, a statement that took too long.
  [/^(40P01|55P03|40001|57014)/, 'busy'],
  // It has become the copy of another server, or the connection is one that reads.
  [/^25006/, 'read_only'],
  [/^XX00[12]/, 'damaged'],
  // Connections, memory, starting and stopping, the disk, transactions ended by a time-out, and what it was to sign in with.
  [
    /^(08|53|57P|58|25P0[34]|28|3D000|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS|AUTHENTICATION))/,
    'unreachable',
  ],
]

/** Where these are answered, nothing was done, and the same may be done again at once. */
const AGAIN = ['40P01', '55P03', '40001']

/** A statement that PostgreSQL refused. Its message has no value of a row or a parameter in it. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** The SQLSTATE. */
  readonly code: string
  readonly constraint: string | undefined

  constructor(code: string, message: string, constraint: string | undefined) {
    super(message)
    this.code = code
    this.constraint = constraint
  }
}

/** The StorageFailure or StatementError for a value that a connection threw; anything else as it is. */
export function failureOf(thrown: unknown): unknown {
  // Not imported, nor in connection.ts: that would load the client with every gateway on SQLite, 15 ms of CPU of each start.
  if (!(thrown instanceof Bun.SQL.PostgresError)) return thrown
  const code = thrown.errno ?? thrown.code
  const trouble = TROUBLES.find(([prefix]) => prefix.test(code))?.[1]
  if (trouble) return new StorageFailure(trouble, { code, message: thrown.message })
  // Messages of class 22 quote the values. The detail, which is left out, quotes rows.
  const message = code.startsWith('22') ? `a value was refused (${code})` : thrown.message
  return new StatementError(code, message, thrown.constraint)
}

export const connectionLost = (code: string, message: string): StorageFailure =>
  new StorageFailure('unreachable', { code, message })

/** Nothing was done, since somebody else was at it. */
export const isBusy = (thrown: unknown): boolean =>
  thrown instanceof StorageFailure && AGAIN.includes(thrown.code)

/** After it the connection is of no use. */
export const endsConnection = (thrown: unknown): boolean =>
  thrown instanceof StorageFailure && (thrown.trouble === 'unreachable' || thrown.trouble === 'read_only')
