// Keys of requests that ended without an answer, where gateways share a database: no gateway's any more, so that any may judge what became of them.
import type { Db } from '../store/db.ts'
import { idempotencyQueries } from './queries.ts'
import type { KeyOfAccount } from './room.ts'

/** A row that was being written when others were read is found the next time. */
const SEEN_LATE_MS = 600_000

/** @returns disowns the gateway's keys without an answer, but those whose request is being served */
export function createDisowning(
  db: Db,
  { now, gateway_id }: { now: () => number; gateway_id: number },
): (isUnderWay: (row: KeyOfAccount) => boolean) => Promise<void> {
  /** Requests that were taken before are answered, or no gateway's any more. */
  let since_ms = now() - SEEN_LATE_MS
  return async (isUnderWay) => {
    const read_at_ms = now()
    const unanswered = await idempotencyQueries(db).unanswered.all({ gateway_id, since_ms })
    const under_way = unanswered.filter(isUnderWay)
    // A call that came under way since then is another row, of another number.
    const left = unanswered.filter((row) => !under_way.includes(row)).map(({ id }) => id)
    if (left.length > 0)
      await db.write((db) => idempotencyQueries(db).disown.run({ ids: JSON.stringify(left) }))
    const oldest_ms = under_way.map(({ created_at_ms }) => created_at_ms - 1)
    since_ms = Math.min(read_at_ms - SEEN_LATE_MS, ...oldest_ms)
  }
}
