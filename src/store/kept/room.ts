// Room for kept content: beyond a bound, the oldest is dropped, and its files are removed.

import { ignoreStorageFailure } from '../../domain/errors.ts'
import { atFirstUse } from '../../utilities/at-first-use.ts'
import { createSlots } from '../../utilities/slots.ts'
import type { Awaitable } from '../db.ts'
import { createSpace, type Excess, type Holding, type KeepLimits, type Space } from './space.ts'

/** The space of a row. */
export interface KeptRow {
  account_id: number
  kept_bytes: number
  body_file: string | null
}

export interface Room {
  /**
   * Returns the kept and written bytes. They are counted at first use, and every later change is counted as it is made. So await it
   * before rows are added or deleted.
   */
  space(): Promise<Space>
  /** Makes the next use count again. Only while nothing is being written. */
  recount(): void
  /**
   * Counts the kept bytes again, since other gateways change them, too; bytes being written stay counted. Content that is kept or dropped at
   * the same time may be counted twice, or not at all, until the next time.
   */
  renew(): Promise<void>
  /** Drops the oldest content of the account that exceeds a bound. @returns whether the bounds hold then */
  make(account_id: number): Promise<boolean>
  /** Subtracts deleted rows from the count, and removes their files. */
  release(rows: readonly KeptRow[]): Promise<void>
}

interface RoomDeps {
  files: { remove(key: string): Promise<unknown> }
  limits: () => KeepLimits
  /** Returns the kept bytes of each account, from its rows. */
  holdings: () => Awaitable<readonly Holding[]>
  /**
   * Drops an account's oldest content, about as much as exceeds its bound, in one transaction.
   *
   * @returns the dropped rows; undefined if everything must stay
   */
  giveUp: (account_id: number, over_bytes: number) => Promise<readonly KeptRow[] | undefined>
}

const FILES_AT_ONCE = 16

export function createRoom({ files, limits, holdings, giveUp }: RoomDeps): Room {
  const count = async () => createSpace(await holdings())
  let counted = atFirstUse(count)
  /** One at a time, so that the same excess is not dropped twice. */
  const oneAtATime = createSlots(1)

  /**
   * Removes files after their rows are changed, since a row needs its file. A file that cannot be removed now stays without a row: the next
   * start removes it from a folder, and `tollgate audit --files --remove` from a bucket.
   */
  async function removeFiles(rows: readonly KeptRow[]): Promise<void> {
    const keys = rows.flatMap(({ body_file }) => body_file ?? [])
    // Several at once: each may wait for a bucket that does not respond.
    for (let at = 0; at < keys.length; at += FILES_AT_ONCE)
      await Promise.all(
        keys.slice(at, at + FILES_AT_ONCE).map((key) => files.remove(key).catch(ignoreStorageFailure)),
      )
  }

  /** @returns undefined if everything must stay */
  async function giveUpOldest(
    space: Space,
    { account_id, over_bytes, kept_bytes }: Excess,
  ): Promise<readonly KeptRow[] | undefined> {
    const removed = await giveUp(account_id, over_bytes)
    if (!removed) return undefined
    const freed_bytes = removed.reduce((total, row) => total + row.kept_bytes, 0)
    if (removed.length > 0) space.keep(account_id, -freed_bytes)
    // Without rows the account keeps nothing: another process deleted them. Deletions by this process are already counted.
    else if (space.kept(account_id) === kept_bytes) space.keep(account_id, -kept_bytes)
    return removed
  }

  /** @returns the dropped rows; or, if nothing was to be dropped, whether the bounds hold */
  async function makeRoomOnce(space: Space, account_id: number): Promise<readonly KeptRow[] | boolean> {
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
        const made = await oneAtATime(() => makeRoomOnce(space, account_id))
        if (typeof made === 'boolean') return made
        await removeFiles(made)
      }
    },
  }
}

/** Returns the first rows that together keep this many bytes. */
export function sufficient<Row extends KeptRow>(rows: readonly Row[], bytes: number): Row[] {
  let found_bytes = 0
  return rows.filter(({ kept_bytes }) => {
    if (found_bytes >= bytes) return false
    found_bytes += kept_bytes
    return true
  })
}
