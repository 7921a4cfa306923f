// Failed commits: which operations of the batch fail, and which error their callers get.
import { SQLiteError } from 'bun:sqlite'
import { type GatewayError, internal, overloaded } from '../domain/errors.ts'
import type { Operation, Outcome } from './operations.ts'
import type { Writer } from './writer.ts'

/** The result of one operation; a plain value, because it may come from another thread. */
export type Result = { outcome: Outcome } | { failure: Failure }

export interface Failure {
  /** The database could not be written at all, whatever the operation: the same operation may succeed later. */
  unavailable: boolean
  /** For the log. */
  cause: string
}

/** SQLite's primary error codes that are not about the content of the statement. https://sqlite.org/rescode.html */
const UNAVAILABLE =
  /^SQLITE_(FULL|BUSY|LOCKED|IOERR|NOMEM|READONLY|CANTOPEN|PROTOCOL|INTERRUPT|CORRUPT|NOTADB)/

/**
 * Commits a batch. Where SQLite refuses it for its content, the operations are tried one by one, so that only those that
 * cannot be written fail. Never throws.
 *
 * @returns one result for each operation, in their order
 */
export function commitBatch(writer: Writer, operations: readonly Operation[]): Result[] {
  try {
    return writer.commit(operations).map((outcome) => ({ outcome }))
  } catch (error) {
    const failure = failureOf(error)
    if (failure.unavailable || operations.length === 1) return operations.map(() => ({ failure }))
    return operations.flatMap((operation) => commitBatch(writer, [operation]))
  }
}

/** A failure as callers see it: it says what to do, and nothing about the database. */
export function errorOf(failure: Failure): GatewayError {
  if (failure.unavailable) {
    return overloaded(
      'The gateway cannot record calls at the moment. Nothing was charged; please try again.',
      {
        code: 'ledger_unavailable',
        retry_after_s: 1,
        cause: failure.cause,
      },
    )
  }
  return internal('The gateway failed to record this call. It has been logged.', { cause: failure.cause })
}

function failureOf(error: unknown): Failure {
  return {
    unavailable: error instanceof SQLiteError && UNAVAILABLE.test(error.code ?? ''),
    cause: error instanceof SQLiteError ? `${error.code}: ${error.message}` : String(error),
  }
}
