// How often kept answers were sent again: counted in memory, and written together once a second at most.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import { immediately } from '../db/transaction.ts'
import type { Logger } from '../observe/log.ts'
import { idempotencyQueries } from './queries.ts'

const WRITE_AFTER_MS = 1_000

/** Counts a replay of the answer in this row of idempotency_keys. */
export type CountReplay = (id: number) => void

/**
 * Whoever sends a request again waits for no write. What was not written at a stop is lost: it is for people to read, and no money
 * hangs on it.
 */
export function createReplayCount(
  db: Database,
  { now, log }: { now: () => number; log: Pick<Logger, 'warn'> },
): CountReplay {
  let counted = new Map<number, { replays: number; replayed_at_ms: number }>()

  async function write(): Promise<void> {
    const rows = counted
    counted = new Map()
    const { replayed } = idempotencyQueries(db)
    try {
      await untilFree(() =>
        immediately(db, () => {
          for (const [id, row] of rows) replayed.run({ id, ...row })
        }),
      )
    } catch (cause) {
      log.warn({ cause }, 'how often answers were sent again could not be written')
    }
  }

  return (id) => {
    if (counted.size === 0) setTimeout(write, WRITE_AFTER_MS).unref()
    const replays = (counted.get(id)?.replays ?? 0) + 1
    counted.set(id, { replays, replayed_at_ms: now() })
  }
}
