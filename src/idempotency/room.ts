// Room for kept answers and keys: beyond a bound, the oldest answers are dropped, and the oldest keys removed.
import type { ServerSettings } from '../domain/catalogue.ts'
import type { Db, Tx } from '../store/db.ts'
import { createRoom, type KeptRow, type Room, sufficient } from '../store/kept/room.ts'
import { type KeepLimits, MEGABYTE } from '../store/kept/space.ts'
import type { IdempotencyKey } from '../store/schema.ts'
import { atFirstUse } from '../utilities/at-first-use.ts'
import { createSlots } from '../utilities/slots.ts'
import { idempotencyQueries } from './queries.ts'

/** A key and its account. */
export type KeyOfAccount = Pick<IdempotencyKey, 'account_id' | 'key'>

export interface AnswerLimits extends KeepLimits {
  /** Idempotency-Keys of one account, with and without a kept answer. */
  readonly keys_per_account: number
}

export const answerLimitsOf = (server: ServerSettings): AnswerLimits => ({
  kept_bytes: server.kept_answers_mb * MEGABYTE,
  kept_bytes_per_account: server.kept_answers_mb_per_account * MEGABYTE,
  keys_per_account: server.idempotency_keys_per_account,
})

/** Room for answers and keys. `release` also counts the rows' keys. */
interface AnswerRoom extends Room {
  /** Counts the existing keys, unless that is done already: before any is added or deleted. */
  countKeys(): Promise<void>
  addKey(account_id: number): Promise<void>
  /** Removes the oldest keys of an account that has too many, except those of running requests. */
  forgetOldest(account_id: number, isUnderWay: (row: KeyOfAccount) => boolean): Promise<void>
}

/** The number of answers dropped in one transaction. */
const MAX_REMOVED_AT_ONCE = 16
/** The share of additional keys that an account over its limit loses, so that not every call has to remove some. */
const FORGOTTEN_SHARE = 1 / 1_000
/** More than the running calls that one account can have among its oldest keys. */
const MAX_UNDER_WAY = 1_000

interface Files {
  remove(key: string): Promise<unknown>
}

export function createAnswerRoom(
  db: Db,
  files: Files,
  { limits, gateway_id }: { limits: () => AnswerLimits; gateway_id: number },
): AnswerRoom {
  const { keptSums, oldestKeys } = idempotencyQueries(db)
  const giveUp = (account_id: number, over_bytes: number) =>
    db.begin((tx) => giveUpOldest(tx, account_id, over_bytes))
  const room = createRoom({ files, limits, holdings: () => keptSums.all(), giveUp })
  const counts = createKeyCounts(db)
  /** One at a time, so that the same excess is not removed twice. */
  const oneAtATime = createSlots(1)

  const excessOf = async (account_id: number) => (await counts.of(account_id)) - limits().keys_per_account

  async function forgetSome(
    account_id: number,
    isUnderWay: (row: KeyOfAccount) => boolean,
  ): Promise<KeptRow[]> {
    const excess = await excessOf(account_id)
    if (excess <= 0) return []
    const row_limit = excess + Math.floor(limits().keys_per_account * FORGOTTEN_SHARE)
    const oldest = await oldestKeys.all({ account_id, gateway_id, row_limit: row_limit + MAX_UNDER_WAY })
    const forgotten = oldest.filter((row) => !isUnderWay(row)).slice(0, row_limit)
    // A key that is taken again in the meantime gets a new number, so it stays.
    const ids = JSON.stringify(forgotten.map(({ id }) => id))
    const deleted = await db.write((db) => idempotencyQueries(db).deleteRows.all({ ids }))
    await counts.remove(deleted)
    return deleted
  }

  return {
    ...room,
    async release(rows) {
      await counts.remove(rows)
      await room.release(rows)
    },
    async countKeys() {
      await room.space()
      await counts.count()
    },
    addKey: counts.add,
    recount() {
      counts.recount()
      room.recount()
    },
    async renew() {
      await counts.renew()
      await room.renew()
    },
    async forgetOldest(account_id, isUnderWay) {
      if ((await excessOf(account_id)) <= 0) return
      await room.release(await oneAtATime(() => forgetSome(account_id, isUnderWay)))
    },
  }
}

async function giveUpOldest(tx: Tx, account_id: number, over_bytes: number): Promise<KeptRow[]> {
  const { oldestKept, giveUp } = idempotencyQueries(tx)
  // Repeated if another gateway dropped all of these at the same time.
  for (;;) {
    const oldest = await oldestKept.all({ account_id, row_limit: MAX_REMOVED_AT_ONCE })
    const enough = sufficient(oldest, over_bytes)
    const removed = await giveUp.all({ ids: JSON.stringify(enough.map(({ id }) => id)) })
    const ids = new Set(removed.map(({ id }) => id))
    if (ids.size > 0 || oldest.length === 0) return enough.filter(({ id }) => ids.has(id))
  }
}

/** Counts the keys of each account: all at first use, then each addition and removal. */
function createKeyCounts(db: Db) {
  let counted = atFirstUse(countAll)

  async function countAll(): Promise<Map<number, number>> {
    const counts = await idempotencyQueries(db).keyCounts.all()
    return new Map(counts.map(({ account_id, keys }) => [account_id, keys]))
  }

  async function change(account_ids: readonly number[], by: 1 | -1): Promise<void> {
    const counts = await counted()
    for (const account_id of account_ids) {
      const count = (counts.get(account_id) ?? 0) + by
      if (count === 0) counts.delete(account_id)
      else counts.set(account_id, count)
    }
  }

  return {
    count: () => counted(),
    of: async (account_id: number) => (await counted()).get(account_id) ?? 0,
    add: (account_id: number) => change([account_id], 1),
    remove(rows: readonly KeptRow[]) {
      const account_ids = rows.map(({ account_id }) => account_id)
      return change(account_ids, -1)
    },
    recount() {
      counted = atFirstUse(countAll)
    },
    async renew() {
      const counts = await counted()
      const now = await countAll()
      counts.clear()
      for (const [account_id, keys] of now) counts.set(account_id, keys)
    },
  }
}
