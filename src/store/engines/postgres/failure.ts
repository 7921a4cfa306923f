// The failures of PostgreSQL: the codes that mean that nothing can be read or written, and safe messages for the others.
import { StorageFailure, type StorageTrouble } from '../../../domain/storage-failure.ts'

/** By the prefix of a code; all others concern the statement. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TROUBLES: readonly (readonly [prefix: RegExp, trouble: StorageTrouble])[] = [
  [/^53100/, 'full'],
  // A deadlock, an unavailable lock, a serialization failure, a statement that took too long.
  [/^(40P01|55P03|40001|57014)/, 'busy'],
  // The server has become a standby, or the connection is read-only.
  [/^25006/, 'read_only'],
  [/^XX00[12]/, 'damaged'],
  // Connections, memory, starting and stopping, the disk, transactions ended by a timeout, and authentication.
  [
    /^(08|53|57P|58|25P0[34]|28|3D000|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS|AUTHENTICATION))/,
    'unreachable',
  ],
]

/** After these codes nothing was done, and the operation may be repeated at once. */
const RETRYABLE = ['40P01', '55P03', '40001']

/** A statement that PostgreSQL refused. Its message contains no value of a row or a parameter. */
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

/** Returns the StorageFailure or StatementError for an error of a connection; any other error unchanged. */
export function failureOf(thrown: unknown): unknown {
  // Not imported, here and in connection.ts: that would load the client in every gateway on SQLite, 15 ms of CPU at each start.
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

/** Whether nothing was done because of a conflict with others. */
export const isBusy = (thrown: unknown): boolean =>
  thrown instanceof StorageFailure && RETRYABLE.includes(thrown.code)

/** Whether the connection is unusable after an error. */
export const endsConnection = (thrown: unknown): boolean =>
  thrown instanceof StorageFailure && (thrown.trouble === 'unreachable' || thrown.trouble === 'read_only')
