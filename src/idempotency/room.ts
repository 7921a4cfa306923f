// Room for kept answers and keys: the oldest answers are given up, the oldest keys forgotten, where a bound is exceeded.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import type { IdempotencyKey } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import type { ServerSettings } from '../domain/catalogue.ts'
import { createRoom, type Room, type Spacious, sufficient } from '../kept/room.ts'
import { type KeepLimits, MEGABYTE } from '../kept/space.ts'
import { idempotencyQueries } from './queries.ts'

/** A key, by its account. */
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

/** `release` counts the rows' keys, too. */
export interface AnswerRoom extends Room {
  /** Counts the keys that there are, if that was not done yet: before any is added or deleted. */
  countKeys(): void
  addKey(account_id: number): void
  /** Forgets the oldest keys of an account that has more than it may, but none that is under way. */
  forgetOldest(account_id: number, isUnderWay: (row: KeyOfAccount) => boolean): Promise<void>
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

export function createAnswerRoom(db: Database, files: Files, limits: () => AnswerLimits): AnswerRoom {
  const queries = idempotencyQueries(db)
  let counted: Map<number, number> | undefined
  const room = createRoom({ files, limits, holdings: () => queries.keptSums.all(), giveUp })

  function giveUp(account_id: number, over_bytes: number): Spacious[] {
    const oldest = queries.oldestKept.all({ account_id, row_limit: MAX_GIVEN_UP })
    const given_up = sufficient(oldest, over_bytes)
    immediately(db, () => {
      for (const { id } of given_up) queries.giveUp.run({ id })
    })
    return given_up
  }

  function keys(): Map<number, number> {
    counted ??= new Map(queries.keyCounts.all().map(({ account_id, keys }) => [account_id, keys]))
    return counted
  }

  function addKeys(account_id: number, added: number): void {
    const count = (keys().get(account_id) ?? 0) + added
    if (count === 0) keys().delete(account_id)
    else keys().set(account_id, count)
  }

  function uncountKeys(rows: readonly Spacious[]): void {
    for (const { account_id } of rows) addKeys(account_id, -1)
  }

  /** Counted in the same turn, so that nobody else forgets more for the same excess. */
  function forget(ids: readonly number[]): Spacious[] {
    const deleted = immediately(db, () => ids.flatMap((id) => queries.deleteRow.all({ id })))
    uncountKeys(deleted)
    return deleted
  }

  return {
    ...room,
    async release(rows) {
      uncountKeys(rows)
      await room.release(rows)
    },
    countKeys: () => void [room.space(), keys()],
    addKey: (account_id) => addKeys(account_id, 1),
    recount() {
      counted = undefined
      room.recount()
    },
    async forgetOldest(account_id, isUnderWay) {
      const { keys_per_account } = limits()
      const excess = (keys().get(account_id) ?? 0) - keys_per_account
      if (excess <= 0) return
      const row_limit = excess + Math.floor(keys_per_account * FORGOTTEN_SHARE)
      const oldest = queries.oldestKeys.all({ account_id, row_limit: row_limit + MAX_UNDER_WAY })
      const forgotten = oldest.filter((row) => !isUnderWay(row)).slice(0, row_limit)
      await room.release(await untilFree(() => forget(forgotten.map(({ id }) => id))))
    },
  }
}
