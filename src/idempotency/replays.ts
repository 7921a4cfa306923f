// How often kept answers were sent again: counted in memory, and written together once a second at most.
import type { Database } from 'bun:sqlite'
import { untilFree } from '../db/busy.ts'
import { immediately } from '../db/transaction.ts'
import type { Logger } from '../observe/log.ts'
import { idempotencyQueries } from './queries.ts'

const WRITE_AFTER_MS = 1_000

/** Counts a replay of the answer in this row of idempotency_keys. */
export type CountReplay = (id: number) => void

export interface ReplayCount {
  count: CountReplay
  /** Writes what was counted, before the database is closed. */
  close(): Promise<void>
}

/** Whoever sends a request again waits for no write. It is for people to read, and no money depends on it. */
export function createReplayCount(
  db: Database,
  { now, log }: { now: () => number; log: Pick<Logger, 'warn'> },
): ReplayCount {
  let counted = new Map<number, { replays: number; replayed_at_ms: number }>()
  let timer: Timer | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    const rows = counted
    if (rows.size === 0) return
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

  return {
    count(id) {
      if (counted.size === 0) timer = setTimeout(write, WRITE_AFTER_MS)
      const replays = (counted.get(id)?.replays ?? 0) + 1
      counted.set(id, { replays, replayed_at_ms: now() })
    },
    close: write,
  }
}
