// Room for kept content: the oldest is given up, and its files removed, where a bound is exceeded.
import { untilFree } from '../db/busy.ts'
import { createSpace, type Excess, type Holding, type KeepLimits, type Space } from './space.ts'

/** The space that a row takes. */
export interface Spacious {
  account_id: number
  kept_bytes: number
  body_file: string | null
}

export interface Room {
  /** What is kept and written. Counted at the first use: every change after that is counted as it is made. */
  space(): Space
  /** Counts anew at the next use. Only while nothing is being written. */
  recount(): void
  /** Gives up the oldest content of whoever has to. @returns whether the bounds hold then */
  make(account_id: number): Promise<boolean>
  /** Takes rows that were deleted out of the count, and removes their files. */
  release(rows: readonly Spacious[]): Promise<void>
}

export interface RoomDeps {
  files: { remove(key: string): Promise<unknown> }
  limits: () => KeepLimits
  /** What each account keeps, as its rows say. */
  holdings: () => readonly Holding[]
  /**
   * Gives up an account's oldest content, about as much as is over its bound, in one transaction.
   *
   * @returns what was given up; undefined if everything must stay
   */
  giveUp: (account_id: number, over_bytes: number) => readonly Spacious[] | undefined
}

export function createRoom({ files, limits, holdings, giveUp }: RoomDeps): Room {
  let counted: Space | undefined

  function space(): Space {
    counted ??= createSpace(holdings())
    return counted
  }

  /** Rows are changed before their files: a file without a row is removed at the next start, a row needs its file. */
  async function removeFiles(rows: readonly Spacious[]): Promise<void> {
    for (const { body_file } of rows) if (body_file !== null) await files.remove(body_file)
  }

  /** Counted in the same turn, so that nobody else gives up more for the same excess. */
  function giveUpOldest({ account_id, over_bytes, kept_bytes }: Excess): readonly Spacious[] | undefined {
    const given_up = giveUp(account_id, over_bytes)
    if (!given_up) return undefined
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
      for (const { account_id, kept_bytes } of rows) space().keep(account_id, -kept_bytes)
      await removeFiles(rows)
    },
    async make(account_id) {
      for (;;) {
        const excess = space().excess(account_id, limits())
        if (excess === undefined) return true
        if (excess === 'nobody') return false
        const given_up = await untilFree(() => giveUpOldest(excess))
        if (!given_up) return false
        await removeFiles(given_up)
      }
    },
  }
}

/** The first rows that keep so many bytes together. */
export function sufficient<Row extends Spacious>(rows: readonly Row[], bytes: number): Row[] {
  let found_bytes = 0
  return rows.filter(({ kept_bytes }) => {
    if (found_bytes >= bytes) return false
    found_bytes += kept_bytes
    return true
  })
}
