// One batch in one transaction on PostgreSQL, in two round trips: the first locks and reads, the second writes and commits. A batch
// decided by known rows takes one round trip (known-batch.ts).

import { StorageFailure } from '../../../domain/storage-failure.ts'
import type { CommitMark, Connection } from '../../../store/engines/postgres/connection.ts'
import { COMMIT, rollBack } from '../../../store/engines/postgres/transaction.ts'
import type { Book } from '../book.ts'
import type { Operation, Outcome } from '../operations.ts'
import { apply } from '../rules.ts'
import { sharesOf } from '../with-top-ups.ts'
import type { LockedRows } from './locked-accounts.ts'
import type { SharedPrices } from './prices.ts'
import { batchReader, type NotAwaited } from './reading.ts'
import { writesOf } from './writing.ts'

/** A batch whose outcomes are known but not committed. */
export interface DecidedBatch {
  /** Undefined for an operation on an account that others have locked: nothing is done for it. */
  readonly outcomes: (Outcome | undefined)[]
  readonly locked: readonly LockedRows[]
  readonly mark: CommitMark
  /** The rows as they will be after the commit. */
  readonly book: Book
  /**
   * Writes the changes and commits.
   * @throws StatementError and StorageFailure: nothing was done then, unless the connection was lost
   */
  commit(within_ms: number): Promise<void>
  /** Reads the data that the lost answer to the commit contained. @throws StorageFailure */
  recall?(connection: Connection): Promise<void>
}

/** Another gateway considered this one dead and ended it. The batch did nothing. */
export class Fenced extends StorageFailure {
  constructor() {
    super('unreachable', { code: 'FENCED', message: 'another gateway ended this one as dead' })
  }
}

export interface BatchParts {
  connection: Connection
  prices: SharedPrices
  gateway_id: number | null
  not_awaited: NotAwaited
}

/**
 * Begins a transaction, locks rows, and decides a batch's operations by them. Without operations it changes nothing, and only
 * shows that the database can be written.
 *
 * @throws Fenced; StatementError, StorageFailure, and Error for a bug: nothing was done
 */
export async function decide(
  operations: readonly Operation[],
  { connection, prices, gateway_id, not_awaited }: BatchParts,
  within_ms: number,
): Promise<DecidedBatch> {
  const reading = batchReader(operations, gateway_id, not_awaited)
  try {
    const [, ...answers] = await connection.askAll([BEGIN, ...reading.statements], within_ms)
    const { book, is_alive, locked } = reading.readAnswers(answers)
    if (!is_alive) throw new Fenced()
    const skipped = not_awaited === 'all' ? [] : not_awaited
    const set_aside = new Set([...skipped, ...locked.map(({ account_id }) => account_id)])
    const outcomes = operations.map((operation) =>
      accountsOf(operation, book).some((id) => set_aside.has(id)) ? undefined : apply(book, operation),
    )
    const mark = connection.nextMark()
    return {
      outcomes,
      locked,
      mark,
      book,
      async commit(within_ms) {
        await connection.askAll([...writesOf(book, prices, mark), COMMIT], within_ms)
      },
    }
  } catch (thrown) {
    if (!connection.isLost) await rollBack(connection)
    throw thrown
  }
}

/** Returns the accounts that an operation changes. */
const accountsOf = (operation: Operation, book: Book): readonly number[] => [
  accountOf(operation, book) ?? 0,
  ...sharesOf(operation).map(({ account_id }) => account_id),
]

function accountOf(operation: Operation, { holds }: Book): number | undefined {
  if ('account_id' in operation) return operation.account_id
  const { hold_id } = operation
  return ('lost' in operation ? operation.lost?.account_id : undefined) ?? holds.get(hold_id)?.account_id
}

export const BEGIN = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED' }
