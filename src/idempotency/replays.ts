// Counts of kept answers that were sent again: kept in memory, and written together at most once a second.
import type { Logger } from '../observe/log.ts'
import type { Db } from '../store/db.ts'
import { idempotencyQueries } from './queries.ts'

const WRITE_AFTER_MS = 1_000

/** Counts a replay of the answer in this row of idempotency_keys. */
export type CountReplay = (id: number) => void

interface ReplayCount {
  count: CountReplay
  /** Writes the counts before the database is closed. */
  close(): Promise<void>
}

/** Creates the counter. A repeated request does not wait for its write. The counts are for people to read; no money depends on them. */
export function createReplayCount(
  db: Db,
  { now, log }: { now: () => number; log: Pick<Logger, 'warn'> },
): ReplayCount {
  let counted = new Map<number, { replays: number; replayed_at_ms: number }>()
  let timer: Timer | undefined
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    clearTimeout(timer)
    const rows = counted
    if (rows.size === 0) return
    counted = new Map()
    try {
      await db.begin(async (tx) => {
        const { replayed } = idempotencyQueries(tx)
        for (const [id, row] of rows) await replayed.run({ id, ...row })
      })
    } catch (cause) {
      log.warn({ cause }, 'the counts of replayed answers could not be written')
    }
  }

  const writeSoon = () => {
    writing = write()
  }

  return {
    count(id) {
      if (counted.size === 0) timer = setTimeout(writeSoon, WRITE_AFTER_MS)
      const replays = (counted.get(id)?.replays ?? 0) + 1
      counted.set(id, { replays, replayed_at_ms: now() })
    },
    async close() {
      await writing
      await write()
    },
  }
}
