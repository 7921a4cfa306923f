// Room for kept content: the oldest is given up, and its files removed, where a bound is exceeded.

import { dropIfOfStorage } from '../../domain/errors.ts'
import { atFirstUse } from '../../utilities/at-first-use.ts'
import { createSlots } from '../../utilities/slots.ts'
import type { Awaitable } from '../db.ts'
import { createSpace, type Excess, type Holding, type KeepLimits, type Space } from './space.ts'

/** The space that a row takes. */
export interface Spacious {
  account_id: number
  kept_bytes: number
  body_file: string | null
}

export interface Room {
  /**
   * The kept and written bytes. Counted at the first use: every change after that is counted as it is made. So await it
   * before rows are added or deleted.
   */
  space(): Promise<Space>
  /** Counts anew at the next use. Only while nothing is being written. */
  recount(): void
  /**
   * Counts what is kept anew, as other gateways change it, too, and goes on counting what is being written. What is kept or given up at this
   * moment may be counted twice, or not at all, until the next time.
   */
  renew(): Promise<void>
  /** Gives up the oldest content of whoever has to. @returns whether the bounds hold then */
  make(account_id: number): Promise<boolean>
  /** Takes rows that were deleted out of the count, and removes their files. */
  release(rows: readonly Spacious[]): Promise<void>
}

interface RoomDeps {
  files: { remove(key: string): Promise<unknown> }
  limits: () => KeepLimits
  /** The kept bytes of each account, as its rows say. */
  holdings: () => Awaitable<readonly Holding[]>
  /**
   * Gives up an account's oldest content, about as much as is over its bound, in one transaction.
   *
   * @returns what was given up; undefined if everything must stay
   */
  giveUp: (account_id: number, over_bytes: number) => Promise<readonly Spacious[] | undefined>
}

const FILES_AT_ONCE = 16

export function createRoom({ files, limits, holdings, giveUp }: RoomDeps): Room {
  const count = async () => createSpace(await holdings())
  let counted = atFirstUse(count)
  /** One after the other, so that nobody gives up more for the same excess. */
  const inTurn = createSlots(1)

  /**
   * Rows are changed before their files, since a row needs its file. A file that cannot be removed now stays without one: the next
   * start removes it from a folder, and `tollgate audit --files --remove` from a bucket.
   */
  async function removeFiles(rows: readonly Spacious[]): Promise<void> {
    const keys = rows.flatMap(({ body_file }) => body_file ?? [])
    // Several at once: each may wait for a bucket that does not answer.
    for (let at = 0; at < keys.length; at += FILES_AT_ONCE)
      await Promise.all(
        keys.slice(at, at + FILES_AT_ONCE).map((key) => files.remove(key).catch(dropIfOfStorage)),
      )
  }

  /** @returns undefined if everything must stay */
  async function giveUpOldest(
    space: Space,
    { account_id, over_bytes, kept_bytes }: Excess,
  ): Promise<readonly Spacious[] | undefined> {
    const removed = await giveUp(account_id, over_bytes)
    if (!removed) return undefined
    const freed_bytes = removed.reduce((total, row) => total + row.kept_bytes, 0)
    if (removed.length > 0) space.keep(account_id, -freed_bytes)
    // Without a row nothing is kept, whatever was counted: another process deleted rows. Where this one did, it counts them itself.
    else if (space.kept(account_id) === kept_bytes) space.keep(account_id, -kept_bytes)
    return removed
  }

  /** @returns what was given up; whether the bounds hold, where nothing was to be */
  async function makeRoomOnce(space: Space, account_id: number): Promise<readonly Spacious[] | boolean> {
    const excess = space.excess(account_id, limits())
    if (excess === undefined) return true
    if (excess === 'nobody') return false
    return (await giveUpOldest(space, excess)) ?? false
  }

  return {
    space: () => counted(),
    recount() {
      counted = atFirstUse(count)
    },
    async renew() {
      const space = await counted()
      space.renew(await holdings())
    },
    async release(rows) {
      const space = await counted()
      for (const { account_id, kept_bytes } of rows) space.keep(account_id, -kept_bytes)
      await removeFiles(rows)
    },
    async make(account_id) {
      const space = await counted()
      for (;;) {
        if (space.excess(account_id, limits()) === undefined) return true
        const made = await inTurn(() => makeRoomOnce(space, account_id))
        if (typeof made === 'boolean') return made
        await removeFiles(made)
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
