// The book that a writer knows from one batch to the next, for as long as it is what the tables have.
import { ownWrites } from '../../store/engines/sqlite/own-writes.ts'
import type { Hold } from '../../store/schema.ts'
import { addHold, type Book, emptyBook } from './book.ts'
import { loadOwner } from './rows.ts'
import type { Statements } from './statements.ts'

interface KnownBook {
  /** The rows of earlier batches while no other connection has written; otherwise a new book. In a transaction that cannot change. */
  open(): Book
  /**
   * The same by the last look at other connections, if nothing was written by this process since, as when a key is revoked in the
   * console. A command is another process: of what it writes the last look may know nothing for a millisecond.
   */
  glance(): Book
  /**
   * The next one is a new book.
   * @param lost_hold_id is not given again, although no row has it: its call is still served
   */
  forget(lost_hold_id?: number): void
}

/** Many calls come at once, and a look takes some microseconds. No command ends so soon after what it wrote. */
const MAX_GLANCE_MS = 1

/** A book with more rows is given up, and begun anew: most accounts pause for long. */
const MAX_KNOWN_ROWS = 20_000

/**
 * The book of a connection through which nothing else writes. A new one has the rows of the tables as they are asked for, and on
 * them the holds that were decided and have no row.
 *
 * @param unwritten those holds, as they were opened
 * @param gateway_id whose holds it opens
 */
export function knownBook(
  statements: Statements,
  unwritten: ReadonlyMap<number, Hold>,
  gateway_id: number | null,
): KnownBook {
  let known: { book: Book; data_version: number | undefined } | undefined
  let looked = { at_ms: 0, own_writes: 0 }
  let newest_lost_id = 0

  const begin = (): Book => {
    const written_id = statements.lastHoldId.get()?.id ?? 0
    let newest_id = Math.max(newest_lost_id, written_id, ...unwritten.keys())
    const book = emptyBook(() => ++newest_id, gateway_id)
    for (const decided of unwritten.values()) {
      loadOwner(book, statements, decided)
      const account = book.accounts.get(decided.account_id)
      const key = book.keys.get(decided.key_id)
      if (account && key) addHold(book, account, key, { ...decided })
    }
    return book
  }

  const open = (): Book => {
    const data_version = statements.dataVersion.get()?.data_version
    looked = { at_ms: performance.now(), own_writes: ownWrites() }
    if (known?.data_version !== data_version || !known || sizeOf(known.book) > MAX_KNOWN_ROWS)
      known = { book: begin(), data_version }
    return known.book
  }

  return {
    open,
    glance() {
      const is_new = looked.own_writes === ownWrites() && performance.now() - looked.at_ms < MAX_GLANCE_MS
      return known && is_new ? known.book : open()
    },
    forget(lost_hold_id = 0) {
      newest_lost_id = Math.max(newest_lost_id, lost_hold_id)
      known = undefined
    },
  }
}

const sizeOf = ({ accounts, keys, holds }: Book): number => accounts.size + keys.size + holds.size
