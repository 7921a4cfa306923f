// The queries on Idempotency-Keys and their calls, prepared once for each connection.
import { and, asc, between, count, eq, gt, isNotNull, isNull, lte, or, sql, sum } from 'drizzle-orm'
import { isAbandoned } from '../store/gateways.ts'
import { NEWEST_HOLD_SQL } from '../store/newest-hold.ts'
import {
  bareColumns,
  equals,
  isOneOf,
  placeholder,
  placeholders,
  rawPlaceholder,
  rawPlaceholders,
} from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { calls, holds, idempotency_keys } from '../store/schema.ts'

const OF_KEY = and(equals(idempotency_keys.account_id, 'account_id'), equals(idempotency_keys.key, 'key'))
const OF_REQUEST = and(OF_KEY, equals(idempotency_keys.request_id, 'request_id'))
/** Matches the calls of a request: the first has the request's id, the others that id with a hyphen and a suffix (calls/life/several-calls.ts). */
const isOfRequest = (column: typeof holds.request_id | typeof calls.request_id) =>
  or(
    equals(column, 'request_id'),
    sql`substr(${column}, 1, length(${placeholder('request_id')}) + 1) = ${placeholder('request_id')} || '-'`,
  )
/** The columns that determine the space of a deleted row. */
const SPACE = {
  account_id: idempotency_keys.account_id,
  kept_bytes: idempotency_keys.kept_bytes,
  body_file: idempotency_keys.body_file,
}
/** A literal, so that the partial index applies. */
const IS_KEPT = gt(idempotency_keys.kept_bytes, sql`0`)
const NOTHING = { status: null, headers: null, body: null, body_file: null, kept_bytes: 0, gateway_id: null }
/** The columns that a request writes into its key's row. */
const TAKEN = [
  'request_sha256',
  'request_id',
  'after_hold_id',
  'created_at_ms',
  'replays',
  'replayed_at_ms',
  'gateway_id',
] as const
/** The values of an insert, including the number, since the oldest keys are those with the lowest. */
const AS_INSERTED = Object.fromEntries(
  ['id', ...TAKEN].map((name) => [name, sql`excluded.${sql.identifier(name)}`]),
)

export const idempotencyQueries = perConnection({
  /** Finds the row of a key that was created after `expired_by_ms`. */
  find: (orm) =>
    orm
      .select()
      .from(idempotency_keys)
      .where(and(OF_KEY, gt(idempotency_keys.created_at_ms, placeholder('expired_by_ms')))),
  /** Takes a key that is free, or that the request `seen` has without an answer. Returns no row if another request has it. */
  take: (orm) =>
    orm
      .insert(idempotency_keys)
      .values({
        ...placeholders('account_id', 'key', 'request_sha256', 'request_id', 'created_at_ms', 'gateway_id'),
        after_hold_id: sql`(SELECT ${sql.raw(NEWEST_HOLD_SQL)})`,
        kept_bytes: 0,
        replays: 0,
      })
      .onConflictDoUpdate({
        target: bareColumns('account_id', 'key'),
        set: AS_INSERTED,
        setWhere: sql`${equals(idempotency_keys.request_id, 'seen')} AND ${isNull(idempotency_keys.status)}`,
      })
      .returning({ id: idempotency_keys.id }),
  /** Stores an answer. `headers` is JSON text. */
  store: (orm) =>
    orm
      .update(idempotency_keys)
      .set(rawPlaceholders('status', 'headers', 'body', 'body_file', 'kept_bytes'))
      .where(OF_REQUEST)
      .returning({ id: idempotency_keys.id }),
  deleteExpiredKey: (orm) =>
    orm
      .delete(idempotency_keys)
      .where(and(OF_KEY, lte(idempotency_keys.created_at_ms, placeholder('expired_by_ms'))))
      .returning(SPACE),
  deleteRequest: (orm) => orm.delete(idempotency_keys).where(OF_REQUEST).returning(SPACE),
  deleteExpired: (orm) =>
    orm
      .delete(idempotency_keys)
      .where(lte(idempotency_keys.created_at_ms, placeholder('expired_by_ms')))
      .returning(SPACE),
  /** Counts the keys of each account. */
  keyCounts: (orm) =>
    orm
      .select({ account_id: idempotency_keys.account_id, keys: count() })
      .from(idempotency_keys)
      .groupBy(idempotency_keys.account_id),
  /** Sums the kept bytes of each account. */
  keptSums: (orm) =>
    orm
      .select({
        account_id: idempotency_keys.account_id,
        kept_bytes: sum(idempotency_keys.kept_bytes).mapWith(Number),
      })
      .from(idempotency_keys)
      .where(IS_KEPT)
      .groupBy(idempotency_keys.account_id),
  /** Finds the oldest kept answers of an account. */
  oldestKept: (orm) =>
    orm
      .select({ id: idempotency_keys.id, ...SPACE })
      .from(idempotency_keys)
      .where(and(equals(idempotency_keys.account_id, 'account_id'), IS_KEPT))
      // Only with this order does SQLite use the index of kept answers, and skip keys without one.
      .orderBy(asc(idempotency_keys.created_at_ms), asc(idempotency_keys.id))
      .limit(placeholder('row_limit')),
  /** Drops answers; their keys stay marked as used. */
  giveUp: (orm) =>
    orm
      .update(idempotency_keys)
      .set(NOTHING)
      .where(and(isOneOf(idempotency_keys.id, 'ids'), IS_KEPT))
      .returning({ id: idempotency_keys.id }),
  /** Finds the oldest keys of an account, except those of another gateway's running requests. */
  oldestKeys: (orm) =>
    orm
      .select({ id: idempotency_keys.id, key: idempotency_keys.key, account_id: idempotency_keys.account_id })
      .from(idempotency_keys)
      .where(
        and(
          equals(idempotency_keys.account_id, 'account_id'),
          or(
            isNotNull(idempotency_keys.status),
            equals(idempotency_keys.gateway_id, 'gateway_id'),
            isAbandoned(idempotency_keys.gateway_id),
          ),
        ),
      )
      .orderBy(asc(idempotency_keys.id))
      .limit(placeholder('row_limit')),
  /** Finds keys without an answer that requests of a gateway took since a time. */
  unanswered: (orm) =>
    orm
      .select({
        id: idempotency_keys.id,
        account_id: idempotency_keys.account_id,
        key: idempotency_keys.key,
        created_at_ms: idempotency_keys.created_at_ms,
      })
      .from(idempotency_keys)
      .where(
        and(
          gt(idempotency_keys.created_at_ms, placeholder('since_ms')),
          equals(idempotency_keys.gateway_id, 'gateway_id'),
          isNull(idempotency_keys.status),
        ),
      ),
  /** Releases keys from their gateway. */
  disown: (orm) =>
    orm
      .update(idempotency_keys)
      .set({ gateway_id: null })
      .where(and(isOneOf(idempotency_keys.id, 'ids'), isNull(idempotency_keys.status))),
  deleteRows: (orm) =>
    orm.delete(idempotency_keys).where(isOneOf(idempotency_keys.id, 'ids')).returning(SPACE),
  replayed: (orm) =>
    orm
      .update(idempotency_keys)
      .set({
        replays: sql`${idempotency_keys.replays} + ${placeholder('replays')}`,
        replayed_at_ms: rawPlaceholder('replayed_at_ms'),
      })
      .where(equals(idempotency_keys.id, 'id')),
  /** Finds the key under which a request began. The time selects its row by an index. */
  ofRequest: (orm) =>
    orm
      .select({
        created_at_ms: idempotency_keys.created_at_ms,
        kept_bytes: idempotency_keys.kept_bytes,
        replays: idempotency_keys.replays,
        replayed_at_ms: idempotency_keys.replayed_at_ms,
      })
      .from(idempotency_keys)
      .where(
        and(
          between(idempotency_keys.created_at_ms, placeholder('from_ms'), placeholder('to_ms')),
          equals(idempotency_keys.account_id, 'account_id'),
          equals(idempotency_keys.request_id, 'request_id'),
        ),
      ),
  bodyFiles: (orm) =>
    orm
      .select({ id: idempotency_keys.id, ...SPACE })
      .from(idempotency_keys)
      .where(isNotNull(idempotency_keys.body_file)),
  count: (orm) =>
    orm.update(idempotency_keys).set(rawPlaceholders('kept_bytes')).where(equals(idempotency_keys.id, 'id')),
  pendingHold: (orm) =>
    orm
      .select({ id: holds.id })
      .from(holds)
      .where(
        and(
          // A literal: with a parameter SQLite would plan the query again at each execution, to check whether a partial index fits.
          eq(holds.state, sql`'pending'`),
          equals(holds.account_id, 'account_id'),
          isOfRequest(holds.request_id),
        ),
      ),
  /** Oldest first. */
  calls: (orm) =>
    orm
      .select({
        outcome: calls.outcome,
        cost_nanos: sql<number>`${calls.cost_nanos} + ${calls.covered_nanos}`,
      })
      .from(calls)
      .where(
        and(
          equals(calls.account_id, 'account_id'),
          gt(calls.id, placeholder('after_hold_id')),
          isOfRequest(calls.request_id),
        ),
      )
      .orderBy(asc(calls.id)),
})
