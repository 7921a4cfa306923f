// The image calls of accounts in the last minute, as several gateways count them together: by the clock of the server, a row locked at a time.
import type { Db } from '../../db.ts'

/** Of an account: when its calls were made, oldest first, and the time now; in milliseconds since 1970. */
export interface ImageCalls {
  taken_ms: number[]
  now_ms: number
}

/**
 * No row where there are as many already: nothing is changed then. The time is taken once the row is locked. A clock that was set back, as by a
 * failover, leaves calls in the future: those that are far in it count no more.
 */
const TAKE = `INSERT INTO image_rates AS mine (id, taken) VALUES ($id, json_build_array(now_ms())::text)
  ON CONFLICT (id) DO UPDATE SET taken = (
    WITH clock AS MATERIALIZED (SELECT now_ms() AS now)
    SELECT json_agg(at ORDER BY at)::text
      FROM (
        SELECT value::bigint AS at FROM clock, json_each(mine.taken)
         WHERE value::bigint > clock.now - $window_ms AND value::bigint <= clock.now + $window_ms
        UNION ALL SELECT now FROM clock
      ) AS counted
  )
  WHERE (SELECT count(*) FROM json_each(mine.taken)
          WHERE value::bigint > now_ms() - $window_ms AND value::bigint <= now_ms() + $window_ms) < $limit
  RETURNING taken, now_ms() AS now_ms`

const LOOK = `SELECT now_ms() AS now_ms, (SELECT taken FROM image_rates WHERE id = $id) AS taken`

interface Bounds {
  limit: number
  window_ms: number
}

/** Counts a call unless there were as many in the time before it. @returns undefined if it is not counted @throws StorageFailure */
export async function takeImageCall(
  db: Db,
  id: number,
  { limit, window_ms }: Bounds,
): Promise<ImageCalls | undefined> {
  const [row] = await db.write((db) =>
    db.rows<{ taken: string; now_ms: number }>(TAKE, { id, limit, window_ms }),
  )
  if (!row) return undefined
  const taken_ms: number[] = JSON.parse(row.taken)
  return { taken_ms, now_ms: row.now_ms }
}

/** What is written of an account, older calls included. @throws StorageFailure */
export async function imageCallsOf(db: Db, id: number): Promise<ImageCalls> {
  const [row] = await db.rows<{ now_ms: number; taken: string | null }>(LOOK, { id })
  return { taken_ms: JSON.parse(row?.taken ?? '[]'), now_ms: row?.now_ms ?? 0 }
}

const SWEEP = `DELETE FROM image_rates
  WHERE NOT EXISTS (SELECT 1 FROM json_each(taken)
    WHERE value::bigint > now_ms() - $window_ms AND value::bigint <= now_ms() + $window_ms)`

/** Removes the rows of accounts that made no call in so long. @throws StorageFailure */
export async function sweepImageCalls(db: Db, window_ms: number): Promise<void> {
  await db.write((db) => db.rows(SWEEP, { window_ms }))
}
