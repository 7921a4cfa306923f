// The failures of SQLite: the codes that mean that nothing can be read or written, and a connection that throws them as StorageFailure.
import { type Database, SQLiteError, type Statement } from 'bun:sqlite'
import { StorageFailure, type StorageTrouble } from '../../../domain/storage-failure.ts'

/** By the prefix of a code; all others concern the statement. https://sqlite.org/rescode.html */
const TROUBLES: readonly (readonly [prefix: RegExp, trouble: StorageTrouble])[] = [
  [/^SQLITE_FULL/, 'full'],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_READONLY/, 'read_only'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged'],
  [/^SQLITE_(IOERR|NOMEM|CANTOPEN|PROTOCOL|INTERRUPT)/, 'unreachable'],
]

/** Converts an error of SQLite to a StorageFailure if it is one; any other error is returned unchanged. */
export function storageFailureOf(thrown: unknown): unknown {
  if (!(thrown instanceof SQLiteError)) return thrown
  const { code = '', message } = thrown
  const trouble = TROUBLES.find(([prefix]) => prefix.test(code))?.[1]
  return trouble ? new StorageFailure(trouble, { code, message, cause: thrown }) : thrown
}

type Bound = Parameters<Statement['all']>

/** A connection for Drizzle whose statements throw StorageFailure. */
export class GuardedConnection {
  readonly #connection: Database

  constructor(connection: Database) {
    this.#connection = connection
  }

  prepare(text: string): GuardedStatement {
    try {
      return new GuardedStatement(this.#connection.prepare(text))
    } catch (thrown) {
      throw storageFailureOf(thrown)
    }
  }
}

class GuardedStatement {
  readonly #statement: Statement

  constructor(statement: Statement) {
    this.#statement = statement
  }

  run(...values: Bound): unknown {
    try {
      return this.#statement.run(...values)
    } catch (thrown) {
      throw storageFailureOf(thrown)
    }
  }

  all(...values: Bound): unknown[] {
    try {
      return this.#statement.all(...values)
    } catch (thrown) {
      throw storageFailureOf(thrown)
    }
  }

  values(...values: Bound): unknown[][] {
    try {
      return this.#statement.values(...values)
    } catch (thrown) {
      throw storageFailureOf(thrown)
    }
  }
}
