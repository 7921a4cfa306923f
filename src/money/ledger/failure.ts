// Failed commits: the operations of the batch that fail, and the errors for their callers.

import { type GatewayError, internal, isStorageFailure, overloaded } from '../../domain/errors.ts'
import { StorageFailure, type StorageTrouble, troubleInWords } from '../../domain/storage-failure.ts'
import { retryWhile } from '../../store/busy.ts'
import { storageFailureOf } from '../../store/engines/sqlite/failure.ts'
import type { Hold } from '../../store/schema.ts'
import type { Operation, Outcome } from './operations.ts'
import type { Writer } from './writer.ts'

/** The result of one operation: its outcome, unless it failed. */
export type Result = Outcome | { failure: Failure }

export interface Failure {
  /** The database could not be written at all, so the same operation may succeed later. */
  unavailable: boolean
  /** For the log. */
  cause: string
  /** The kind of database failure, if that is the cause. */
  trouble?: StorageTrouble
  /** The reason in words that callers may read, if `trouble` does not give them. */
  reason?: string
  /** Others hold locks on the operation's rows. It may be retried, and other operations are not affected. */
  is_set_aside?: true
}

/** Called for a decided hold that the tables refuse: its call is served and cannot be charged. */
export type OnLost = (lost: Hold, failure: Failure) => void

/**
 * Commits a batch. If SQLite refuses its content, first the decided holds are written one by one, then the batch is halved
 * repeatedly, so that only the operations that cannot be written fail. Never throws.
 *
 * @returns one result for each operation, in order
 */
export function commitBatch(
  writer: Writer,
  operations: readonly Operation[],
  onLost: OnLost = () => {},
): Result[] {
  try {
    return writer.commit(operations)
  } catch (error) {
    const failure = failureOf(error)
    if (failure.unavailable) return operations.map(() => ({ failure }))
    if (writer.unwritten.size > 0) {
      const unavailable = writeEachHold(writer, onLost)
      return unavailable
        ? operations.map(() => ({ failure: unavailable }))
        : commitBatch(writer, operations, onLost)
    }
    if (operations.length <= 1) return operations.map(() => ({ failure }))
    const half = Math.ceil(operations.length / 2)
    return [operations.slice(0, half), operations.slice(half)].flatMap((part) =>
      commitBatch(writer, part, onLost),
    )
  }
}

/**
 * Commits a batch with a writer whose connection never blocks (`neverBlock`). While another process holds the write lock,
 * the rest of the batch is retried.
 *
 * @param wait_ms how long it is retried
 */
export function commitPatiently(
  writer: Writer,
  operations: readonly Operation[],
  wait_ms: number,
  onLost: OnLost,
): Promise<Result[]> {
  const results: Result[] = []
  let left = operations.map((operation, index) => ({ operation, index }))
  const commitLeft = (): Result[] => {
    const batch = left.map(({ operation }) => operation)
    for (const [at, result] of commitBatch(writer, batch, onLost).entries())
      results[left[at]?.index ?? 0] = result
    left = left.filter(({ index }) => isBusyResult(results[index]))
    return results
  }
  return retryWhile(() => left.length > 0, commitLeft, wait_ms)
}

/**
 * Writes the decided holds. Waits for another process's lock like `commitPatiently`.
 * @returns why they are not written; undefined if they are
 */
export const writeHoldsPatiently = (
  writer: Writer,
  wait_ms: number,
  onLost: OnLost,
): Promise<Failure | undefined> => retryWhile(isBusy, () => writeHolds(writer, onLost), wait_ms)

/** @returns as `writeHoldsPatiently`, without waiting */
export function writeHolds(writer: Writer, onLost: OnLost): Failure | undefined {
  const failure = tryTo(() => writer.commit([]))
  return !failure || failure.unavailable ? failure : writeEachHold(writer, onLost)
}

/** Writes decided holds one by one. Holds that the tables refuse are dropped. @returns why nothing can be written */
function writeEachHold(writer: Writer, onLost: OnLost): Failure | undefined {
  for (const decided of [...writer.unwritten.values()]) {
    const failure = tryTo(() => writer.writeOne(decided.id))
    if (failure?.unavailable) return failure
    if (!failure) continue
    writer.forget(decided.id)
    onLost(decided, failure)
  }
  return undefined
}

const isBusyResult = (result: Result | undefined): boolean =>
  result !== undefined && 'failure' in result && isBusy(result.failure)

const isBusy = (failure: Failure | undefined): boolean => failure?.trouble === 'busy'

/** Runs a write that may fail. @returns why it failed; undefined if it did not */
export function tryTo(write: () => void): Failure | undefined {
  try {
    write()
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** Returns the failure of a commit that is not allowed. @param blocked returns the reason, in words that callers may read */
export function blockedBy(blocked: () => string | undefined): Failure | undefined {
  const reason = blocked()
  return reason === undefined ? undefined : { unavailable: true, cause: reason, reason }
}

/** @param cause for the log */
export const ledgerUnavailable = (cause: string): GatewayError =>
  overloaded('The gateway cannot record calls at the moment. Nothing was charged; please try again.', {
    code: 'ledger_unavailable',
    retry_after_s: 1,
    cause,
  })

const lockedFor = (cause: string): GatewayError =>
  overloaded('This account is locked at the moment. Nothing was charged; please try again.', {
    code: 'ledger_unavailable',
    retry_after_s: 1,
    cause,
  })

/** Returns the error for callers: what to do, and nothing about the database. */
export function errorOf(failure: Failure): GatewayError {
  if (failure.is_set_aside) return lockedFor(failure.cause)
  if (failure.unavailable) return ledgerUnavailable(failure.cause)
  return internal('The gateway failed to record this call. It has been logged.', { cause: failure.cause })
}

/** Converts an error of SQLite or the disk. */
export function failureOf(thrown: unknown): Failure {
  const error = storageFailureOf(thrown)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return {
    unavailable: isStorageFailure(error),
    cause: code !== undefined && error instanceof Error ? `${code}: ${error.message}` : String(error),
    ...(error instanceof StorageFailure && { trouble: error.trouble }),
  }
}

/** Returns why nothing can be committed, in words that callers may read. */
export const failureText = ({ trouble, reason }: Failure): string =>
  reason ?? (trouble ? troubleInWords(trouble) : 'the database cannot be written')
