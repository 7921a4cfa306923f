// Failed commits: which operations of the batch fail, and which error their callers get.
import { pauses } from '../db/busy.ts'
import { type GatewayError, internal, isStorageFailure, overloaded } from '../domain/errors.ts'
import type { Operation, Outcome } from './operations.ts'
import type { Writer } from './writer.ts'

/** The result of one operation: its outcome, unless it failed. A plain value, because it may come from another thread. */
export type Result = Outcome | { failure: Failure }

export interface Failure {
  /** The database could not be written at all, whatever the operation: the same operation may succeed later. */
  unavailable: boolean
  /** For the log. */
  cause: string
  /** In words that anybody may read, where they do not follow from the cause. */
  reason?: string
}

/**
 * Commits a batch. Where SQLite refuses it for its content, its halves are tried, and theirs, so that only the operations
 * that cannot be written fail. Never throws.
 *
 * @returns one result for each operation, in their order
 */
export function commitBatch(writer: Writer, operations: readonly Operation[]): Result[] {
  try {
    return writer.commit(operations)
  } catch (error) {
    const failure = failureOf(error)
    if (failure.unavailable || operations.length === 1) return operations.map(() => ({ failure }))
    const half = Math.ceil(operations.length / 2)
    return [operations.slice(0, half), operations.slice(half)].flatMap((part) => commitBatch(writer, part))
  }
}

/**
 * Commits a batch with a writer whose connection never blocks (`neverBlock`): while another process holds the write lock,
 * what is left of the batch is tried again.
 *
 * @param wait_ms how long it is tried again
 */
export async function commitPatiently(
  writer: Writer,
  operations: readonly Operation[],
  wait_ms: number,
): Promise<Result[]> {
  const results = commitBatch(writer, operations)
  if (!results.some(isBusy)) return results
  const due_ms = performance.now() + wait_ms
  for (const pause_ms of pauses()) {
    const waiting = results.flatMap((result, index) => (isBusy(result) ? [index] : []))
    if (waiting.length === 0 || performance.now() + pause_ms > due_ms) break
    await Bun.sleep(pause_ms)
    const rest = waiting.flatMap((index) => operations[index] ?? [])
    for (const [at, result] of commitBatch(writer, rest).entries()) results[waiting[at] ?? 0] = result
  }
  return results
}

const isBusy = (result: Result): boolean =>
  'failure' in result && result.failure.unavailable && result.failure.cause.startsWith('SQLITE_BUSY')

/**
 * Whether anything can be committed: writes the database's header as it is.
 * @returns why not; undefined if it can
 */
export function tryToWrite(writer: Writer): Failure | undefined {
  try {
    writer.rewriteHeader()
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** @param cause for the log */
export const ledgerUnavailable = (cause: string): GatewayError =>
  overloaded('The gateway cannot record calls at the moment. Nothing was charged; please try again.', {
    code: 'ledger_unavailable',
    retry_after_s: 1,
    cause,
  })

/** A failure as callers see it: it says what to do, and nothing about the database. */
export function errorOf(failure: Failure): GatewayError {
  if (failure.unavailable) return ledgerUnavailable(failure.cause)
  return internal('The gateway failed to record this call. It has been logged.', { cause: failure.cause })
}

function failureOf(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return {
    unavailable: isStorageFailure(error),
    cause: code !== undefined && error instanceof Error ? `${code}: ${error.message}` : String(error),
  }
}

const IN_WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^SQLITE_FULL/, 'the disk is full'],
  [/^SQLITE_(BUSY|LOCKED)/, "another process holds the database's write lock"],
  [/^SQLITE_READONLY/, 'the database may only be read'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'the database is damaged'],
  [/^SQLITE_IOERR/, 'the disk fails, or is full'],
  [/^the disk did not answer/, 'the disk does not answer'],
]

/** Why nothing can be committed, in words that anybody may read. */
export const inWords = ({ cause, reason }: Failure): string =>
  reason ?? IN_WORDS.find(([pattern]) => pattern.test(cause))?.[1] ?? 'the database cannot be written'
