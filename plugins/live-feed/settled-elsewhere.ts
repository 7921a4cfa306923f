// The queries that find newly settled calls of other gateways, for live feeds.
import { and, desc, eq, gt, ne, or, sql } from 'drizzle-orm'
import type { Db, Orm } from '../../src/store/db.ts'
import { newestHold } from '../../src/store/newest-hold.ts'
import { isOneOf, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, type Call, calls, holds, keys } from '../../src/store/schema.ts'

/** A call with the names of its account and key. */
interface SettledCall
  extends Pick<
    Call,
    | 'id'
    | 'request_id'
    | 'account_id'
    | 'surface'
    | 'model'
    | 'streamed'
    | 'outcome'
    | 'status'
    | 'duration_ms'
    | 'cost_nanos'
  > {
  account: string
  key_prefix: string
}

/** The newest calls per read, more than people can read in a second. */
const MAX_CALLS = 500
/** Pending holds of other gateways that are followed; those that expire first. */
const MAX_PENDING = 5_000
/** Ids ascend, but rows may become visible slightly out of order, so earlier ids are read again. */
const LATE_IDS = 2_048
const LATE_MS = 10_000

const COLUMNS = {
  id: calls.id,
  request_id: calls.request_id,
  account_id: calls.account_id,
  surface: calls.surface,
  model: calls.model,
  streamed: calls.streamed,
  outcome: calls.outcome,
  status: calls.status,
  duration_ms: calls.duration_ms,
  cost_nanos: calls.cost_nanos,
  account: accounts.name,
  key_prefix: keys.prefix,
}

const rowsOf = (orm: Orm) =>
  orm
    .select(COLUMNS)
    .from(calls)
    .innerJoin(accounts, eq(accounts.id, calls.account_id))
    .innerJoin(keys, eq(keys.id, calls.key_id))

const queries = perConnection({
  newest: newestHold,
  pending: (orm) =>
    orm
      .select({ id: holds.id })
      .from(holds)
      .where(and(eq(holds.state, sql`'pending'`), ne(holds.gateway_id, placeholder('gateway_id'))))
      .orderBy(holds.expires_at_ms, holds.id)
      .limit(placeholder('row_limit')),
  since: (orm) =>
    rowsOf(orm)
      .where(
        and(
          gt(calls.id, placeholder('late_id')),
          or(
            gt(calls.id, placeholder('last_id')),
            sql`${calls.started_at_ms} + ${calls.duration_ms} >= ${placeholder('late_ms')}`,
          ),
        ),
      )
      .orderBy(desc(calls.id))
      .limit(placeholder('row_limit')),
  of: (orm) => rowsOf(orm).where(isOneOf(calls.id, 'ids')),
})

interface FollowOptions {
  db: Db
  /** The gateway whose pending holds are left out: this one. */
  gateway_id: number
  now: () => number
}

/**
 * Follows the calls that other gateways settle from now on: those under way now, and later ones. The results include some calls of
 * this gateway, which the caller filters out.
 *
 * @returns reads the calls that were settled since the last read, in the order of their start; throws StorageFailure
 */
export async function followSettled({
  db,
  gateway_id,
  now,
}: FollowOptions): Promise<() => Promise<SettledCall[]>> {
  const { newest, pending, since, of } = queries(db)
  const pendingNow = async () => {
    const rows = await pending.all({ gateway_id, row_limit: MAX_PENDING })
    return new Set(rows.map(({ id }) => id))
  }
  const readSince = () =>
    since.all({ late_id: last_id - LATE_IDS, last_id, late_ms: now() - LATE_MS, row_limit: MAX_CALLS })
  let last_id = (await newest.get())?.id ?? 0
  let under_way = await pendingNow()
  let seen = new Set((await readSince()).map(({ id }) => id))

  return async () => {
    // Read before the calls, so that a call that is settled in between is found at the next read.
    const still_under_way = await pendingNow()
    const ended = [...under_way].filter((id) => !still_under_way.has(id))
    const ids = JSON.stringify(ended)
    const rows = [...(ended.length > 0 ? await of.all({ ids }) : []), ...(await readSince())]
    const settled = [...new Map(rows.map((row) => [row.id, row])).values()].filter(({ id }) => !seen.has(id))
    for (const { id } of settled) seen.add(id)
    last_id = Math.max(last_id, ...rows.map(({ id }) => id), ...still_under_way)
    seen = new Set([...seen].filter((id) => id > last_id - LATE_IDS || still_under_way.has(id)))
    under_way = still_under_way
    return settled.toSorted((one, other) => one.id - other.id)
  }
}
