// Room for kept answers: the oldest are given up, and their files removed, where a bound is exceeded.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import type { IdempotencyKey } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import { idempotencyQueries } from './queries.ts'
import { createSpace, type Excess, type KeepLimits, type Space } from './space.ts'

/** A key, by its account. */
export type KeyOfAccount = Pick<IdempotencyKey, 'account_id' | 'key'>

/** The space that a row takes. */
export type Spacious = Pick<IdempotencyKey, 'account_id' | 'kept_bytes' | 'body_file'>

export interface Room {
  /** What is kept and written. Counted at the first use: every change after that is counted as it is made. */
  space(): Space
  /** Counts anew at the next use. Only while nothing is being written. */
  recount(): void
  /** Gives up the oldest answers of whoever has to. @returns whether the bounds hold then */
  make(account_id: number): Promise<boolean>
  /** Forgets the oldest keys of an account that has more than it may, but none that is under way. */
  forgetOldest(account_id: number, isUnderWay: (row: KeyOfAccount) => boolean): Promise<void>
  /** Takes rows that were deleted out of the count, and removes their files. */
  release(rows: readonly Spacious[]): Promise<void>
}

/** Answers that are given up in one transaction. */
const MAX_GIVEN_UP = 16
/** An account over its number of keys forgets some more than it must, so that not every call has to. */
const FORGOTTEN_SHARE = 1 / 1_000
/** More calls than one account can have under way among its oldest keys. */
const MAX_UNDER_WAY = 1_000

interface Files {
  remove(key: string): Promise<unknown>
}

export function createRoom(db: Database, files: Files, limits: () => KeepLimits): Room {
  const queries = idempotencyQueries(db)
  let counted: Space | undefined

  function space(): Space {
    counted ??= createSpace({ keys: queries.keyCounts.all(), kept: queries.keptSums.all() })
    return counted
  }

  /** Rows are changed before their files: a file without a row is removed at the next start, a row needs its file. */
  async function removeFiles(rows: readonly Spacious[]): Promise<void> {
    for (const { body_file } of rows) if (body_file !== null) await files.remove(body_file)
  }

  function uncount(rows: readonly Spacious[]): void {
    for (const { account_id, kept_bytes } of rows) {
      space().keep(account_id, -kept_bytes)
      space().addKeys(account_id, -1)
    }
  }

  function forget(ids: readonly number[]): Spacious[] {
    const deleted = immediately(db, () => ids.flatMap((id) => queries.deleteRow.all({ id })))
    uncount(deleted)
    return deleted
  }

  /** Counted in the same turn, so that nobody else gives up more for the same excess. */
  function giveUpOldest({ account_id, over_bytes, kept_bytes }: Excess): Spacious[] {
    const oldest = queries.oldestKept.all({ account_id, row_limit: MAX_GIVEN_UP })
    const given_up = sufficient(oldest, over_bytes)
    immediately(db, () => {
      for (const { id } of given_up) queries.giveUp.run({ id })
    })
    const freed_bytes = given_up.reduce((total, row) => total + row.kept_bytes, 0)
    // Without a row nothing is kept, whatever was counted: somebody else deleted rows.
    space().keep(account_id, given_up.length === 0 ? -kept_bytes : -freed_bytes)
    return given_up
  }

  return {
    space,
    recount() {
      counted = undefined
    },
    async release(rows) {
      uncount(rows)
      await removeFiles(rows)
    },
    async make(account_id) {
      for (;;) {
        const excess = space().excess(account_id, limits())
        if (excess === undefined) return true
        if (excess === 'nobody') return false
        await removeFiles(await untilFree(() => giveUpOldest(excess)))
      }
    },
    async forgetOldest(account_id, isUnderWay) {
      const { keys_per_account } = limits()
      const excess = space().keysOf(account_id) - keys_per_account
      if (excess <= 0) return
      const row_limit = excess + Math.floor(keys_per_account * FORGOTTEN_SHARE)
      const oldest = queries.oldestKeys.all({ account_id, row_limit: row_limit + MAX_UNDER_WAY })
      const forgotten = oldest.filter((row) => !isUnderWay(row)).slice(0, row_limit)
      await removeFiles(await untilFree(() => forget(forgotten.map(({ id }) => id))))
    },
  }
}

/** The first rows that keep so many bytes together. */
function sufficient<Row extends Spacious>(rows: readonly Row[], bytes: number): Row[] {
  let found_bytes = 0
  return rows.filter(({ kept_bytes }) => {
    if (found_bytes >= bytes) return false
    found_bytes += kept_bytes
    return true
  })
}
