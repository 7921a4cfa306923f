// Rates that several gateways count together, by the server's clock: requests and tokens of the last minute, and image calls.
import { type Rate, type RateState, WINDOW_MS } from '../../../domain/call-limits.ts'
import type { Db } from '../../db.ts'

/** The current counts for the limits of an account or a key. */
interface CallRates {
  requests: number
  tokens: number
  /** Running calls. */
  pending: number
}

const OF_ONE = `
  SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(tokens), 0) AS tokens,
         (SELECT count(*) FROM holds
           WHERE account_id = CASE WHEN $scope = 'account' THEN $id ELSE (SELECT account_id FROM keys WHERE keys.id = $id) END
             AND state = 'pending' AND ($scope = 'account' OR key_id = $id)) AS pending
    FROM rates, (SELECT now_ms() / 1000 AS now_s) AS clock
   WHERE scope = $scope AND id = $id AND at_s BETWEEN now_s - 60 AND now_s + 60`

/** @throws StorageFailure */
export async function callRatesOf(db: Db, scope: 'account' | 'key', id: number): Promise<CallRates> {
  const [row] = await db.rows<CallRates>(OF_ONE, { scope, id })
  return row ?? { requests: 0, tokens: 0, pending: 0 }
}

/** Skips rows that a batch has locked, which the batch removes itself. So neither waits for the other. */
const SWEEP = `DELETE FROM rates WHERE (scope, id, at_s) IN (
  SELECT scope, id, at_s FROM rates, (SELECT now_ms() / 1000 AS now_s) AS clock
   WHERE at_s NOT BETWEEN now_s - 60 AND now_s + 60
     FOR UPDATE OF rates SKIP LOCKED)`

const SWEEP_IMAGES = `DELETE FROM image_rates
  WHERE NOT EXISTS (SELECT 1 FROM json_each(taken)
    WHERE value::bigint > now_ms() - $window_ms AND value::bigint <= now_ms() + $window_ms)`

/** Removes expired counts of calls and image calls. @throws StorageFailure */
export async function sweepRates(db: Db): Promise<void> {
  await db.write((db) => db.rows(SWEEP))
  await db.write((db) => db.rows(SWEEP_IMAGES, { window_ms: WINDOW_MS }))
}

/**
 * Returns no row, and changes nothing, if the limit is reached. The time is taken after the row is locked. If the clock was set back, as by a
 * failover, some calls are in the future: those far ahead do not count.
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

/** Creates the rate of image calls. An account's row has the times of its calls, oldest first. */
export const createSharedRate = (db: Db): Rate<Promise<RateState>> => ({
  async take(id, limit) {
    const values = { id, limit, window_ms: WINDOW_MS }
    const [row] = await db.write((db) => db.rows<{ taken: string; now_ms: number }>(TAKE, values))
    if (row) return stateOf(JSON.parse(row.taken), row.now_ms, { limit, admitted: true })
    const { taken_ms, now_ms } = await callsOf(db, id)
    // A call may have left the window since the statement.
    const until_now_ms = taken_ms.filter((at_ms) => at_ms <= now_ms + WINDOW_MS)
    return stateOf(until_now_ms.slice(-limit), now_ms, { limit, admitted: false })
  },
  async look(id, limit) {
    const { taken_ms, now_ms } = await callsOf(db, id)
    const counted_ms = taken_ms.filter((at_ms) => at_ms > now_ms - WINDOW_MS && at_ms <= now_ms + WINDOW_MS)
    const admitted = counted_ms.length < limit
    return stateOf(admitted ? counted_ms : counted_ms.slice(-limit), now_ms, { limit, admitted })
  },
})

/** Returns the calls in an account's row, including older ones. */
async function callsOf(db: Db, id: number): Promise<{ taken_ms: number[]; now_ms: number }> {
  const [row] = await db.rows<{ now_ms: number; taken: string | null }>(LOOK, { id })
  return { taken_ms: JSON.parse(row?.taken ?? '[]'), now_ms: row?.now_ms ?? 0 }
}

/** @param taken_ms the calls that count, oldest first */
function stateOf(
  taken_ms: readonly number[],
  now_ms: number,
  { limit, admitted }: Pick<RateState, 'limit' | 'admitted'>,
): RateState {
  const [oldest_ms] = taken_ms
  const resets_in_ms = oldest_ms === undefined ? 0 : oldest_ms + WINDOW_MS - now_ms
  return {
    admitted,
    limit,
    remaining: admitted ? limit - taken_ms.length : 0,
    resets_in_s: Math.max(admitted ? 0 : 1, Math.ceil(resets_in_ms / 1_000)),
  }
}
