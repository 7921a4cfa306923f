// Failed commits: which operations of the batch fail, and which error their callers get.

import { type GatewayError, internal, isStorageFailure, overloaded } from '../../domain/errors.ts'
import { StorageFailure, type StorageTrouble, troubleInWords } from '../../domain/storage-failure.ts'
import { againWhile } from '../../store/busy.ts'
import { storageFailureOf } from '../../store/engines/sqlite/failure.ts'
import type { Hold } from '../../store/schema.ts'
import type { Operation, Outcome } from './operations.ts'
import type { Writer } from './writer.ts'

/** The result of one operation: its outcome, unless it failed. */
export type Result = Outcome | { failure: Failure }

export interface Failure {
  /** The database could not be written at all, whatever the operation: the same operation may succeed later. */
  unavailable: boolean
  /** For the log. */
  cause: string
  /** The fault of the database, where that is why. */
  trouble?: StorageTrouble
  /** In words that anybody may read, where they do not follow from that. */
  reason?: string
  /** Others have locked what the operation changes. It may be tried again, and says nothing about other operations. */
  is_set_aside?: true
}

/** Told of a decided hold that the tables refuse: its call is served, and cannot be charged. */
export type OnLost = (lost: Hold, failure: Failure) => void

/**
 * Commits a batch. Where SQLite refuses it for its content, its halves are tried, and theirs, so that only the operations
 * that cannot be written fail; before them the decided holds, one by one. Never throws.
 *
 * @returns one result for each operation, in their order
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
 * Commits a batch with a writer whose connection never blocks (`neverBlock`): while another process holds the write lock,
 * what is left of the batch is tried again.
 *
 * @param wait_ms how long it is tried again
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
  return againWhile(() => left.length > 0, commitLeft, wait_ms)
}

/**
 * Writes the decided holds, and waits for another process's lock as `commitPatiently`.
 * @returns why they are not written; undefined if they are
 */
export const writeHoldsPatiently = (
  writer: Writer,
  wait_ms: number,
  onLost: OnLost,
): Promise<Failure | undefined> => againWhile(isBusy, () => writeHolds(writer, onLost), wait_ms)

/** @returns as `writeHoldsPatiently`, without waiting */
export function writeHolds(writer: Writer, onLost: OnLost): Failure | undefined {
  const failure = tryTo(() => writer.commit([]))
  return !failure || failure.unavailable ? failure : writeEachHold(writer, onLost)
}

/** Writes decided holds one by one, as they are; those that the tables refuse are given up. @returns why nothing can be written */
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

/** Does what may fail. @returns why it did; undefined if it did not */
export function tryTo(write: () => void): Failure | undefined {
  try {
    write()
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** The failure of a commit that may not be made. @param blocked says why, in words that anybody may read */
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

/** A failure as callers see it: it says what to do, and nothing about the database. */
export function errorOf(failure: Failure): GatewayError {
  if (failure.is_set_aside) return lockedFor(failure.cause)
  if (failure.unavailable) return ledgerUnavailable(failure.cause)
  return internal('The gateway failed to record this call. It has been logged.', { cause: failure.cause })
}

/** A failure as it was thrown by SQLite or by the disk. */
export function failureOf(thrown: unknown): Failure {
  const error = storageFailureOf(thrown)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return {
    unavailable: isStorageFailure(error),
    cause: code !== undefined && error instanceof Error ? `${code}: ${error.message}` : String(error),
    ...(error instanceof StorageFailure && { trouble: error.trouble }),
  }
}

/** Why nothing can be committed, in words that anybody may read. */
export const inWords = ({ trouble, reason }: Failure): string =>
  reason ?? (trouble ? troubleInWords(trouble) : 'the database cannot be written')
