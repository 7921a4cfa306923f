// The queries on Idempotency-Keys and the calls made under them, prepared once for each connection.
import { and, asc, between, count, eq, gt, isNotNull, lte, max, or, sql, sum } from 'drizzle-orm'
import { given } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { calls, entries, holds, idempotency_keys } from '../db/schema.ts'

const { placeholder } = sql

const OF_KEY = and(
  eq(idempotency_keys.account_id, placeholder('account_id')),
  eq(idempotency_keys.key, placeholder('key')),
)
const OF_REQUEST = and(OF_KEY, eq(idempotency_keys.request_id, placeholder('request_id')))
/** The calls of a request: its first has its id, others have that, a hyphen, and what they are (exchange/several-calls.ts). */
const isOfRequest = (column: typeof holds.request_id | typeof calls.request_id) =>
  or(
    eq(column, placeholder('request_id')),
    sql`substr(${column}, 1, length(${placeholder('request_id')}) + 1) = ${placeholder('request_id')} || '-'`,
  )
/** What the space that a deleted row took follows from. */
const SPACE = {
  account_id: idempotency_keys.account_id,
  kept_bytes: idempotency_keys.kept_bytes,
  body_file: idempotency_keys.body_file,
}
/** With a literal, so that the partial index serves. */
const IS_KEPT = gt(idempotency_keys.kept_bytes, sql`0`)
const NOTHING = { status: null, headers: null, body: null, body_file: null, kept_bytes: 0 }

export const idempotencyQueries = perConnection({
  /** The row of a key that is younger than `expired_by_ms`. */
  find: (orm) =>
    orm
      .select()
      .from(idempotency_keys)
      .where(and(OF_KEY, gt(idempotency_keys.created_at_ms, placeholder('expired_by_ms'))))
      .prepare(),
  newestHold: (orm) =>
    orm
      .select({ id: max(holds.id) })
      .from(holds)
      .prepare(),
  insert: (orm) =>
    orm
      .insert(idempotency_keys)
      .values({
        account_id: placeholder('account_id'),
        key: placeholder('key'),
        request_sha256: placeholder('request_sha256'),
        request_id: placeholder('request_id'),
        after_hold_id: placeholder('after_hold_id'),
        created_at_ms: placeholder('created_at_ms'),
        kept_bytes: 0,
        replays: 0,
      })
      .prepare(),
  /** `headers` is JSON text. */
  store: (orm) =>
    orm
      .update(idempotency_keys)
      .set({
        status: given('status'),
        headers: given('headers'),
        body: given('body'),
        body_file: given('body_file'),
        kept_bytes: given('kept_bytes'),
      })
      .where(OF_REQUEST)
      .returning({ id: idempotency_keys.id })
      .prepare(),
  deleteKey: (orm) => orm.delete(idempotency_keys).where(OF_KEY).returning(SPACE).prepare(),
  deleteRequest: (orm) => orm.delete(idempotency_keys).where(OF_REQUEST).returning(SPACE).prepare(),
  deleteExpired: (orm) =>
    orm
      .delete(idempotency_keys)
      .where(lte(idempotency_keys.created_at_ms, placeholder('expired_by_ms')))
      .returning(SPACE)
      .prepare(),
  /** How many keys each account has. */
  keyCounts: (orm) =>
    orm
      .select({ account_id: idempotency_keys.account_id, keys: count() })
      .from(idempotency_keys)
      .groupBy(idempotency_keys.account_id)
      .prepare(),
  /** What each account keeps. */
  keptSums: (orm) =>
    orm
      .select({
        account_id: idempotency_keys.account_id,
        kept_bytes: sum(idempotency_keys.kept_bytes).mapWith(Number),
      })
      .from(idempotency_keys)
      .where(IS_KEPT)
      .groupBy(idempotency_keys.account_id)
      .prepare(),
  /** The oldest kept answers of an account. */
  oldestKept: (orm) =>
    orm
      .select({ id: idempotency_keys.id, ...SPACE })
      .from(idempotency_keys)
      .where(and(eq(idempotency_keys.account_id, placeholder('account_id')), IS_KEPT))
      // Only by this order does SQLite take the index of what is kept, and read no key without an answer.
      .orderBy(asc(idempotency_keys.created_at_ms), asc(idempotency_keys.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  /** Gives up an answer; that its key was used stays known. */
  giveUp: (orm) =>
    orm
      .update(idempotency_keys)
      .set(NOTHING)
      .where(eq(idempotency_keys.id, placeholder('id')))
      .prepare(),
  /** The oldest keys of an account. */
  oldestKeys: (orm) =>
    orm
      .select({ id: idempotency_keys.id, key: idempotency_keys.key, account_id: idempotency_keys.account_id })
      .from(idempotency_keys)
      .where(eq(idempotency_keys.account_id, placeholder('account_id')))
      .orderBy(asc(idempotency_keys.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  deleteRow: (orm) =>
    orm
      .delete(idempotency_keys)
      .where(eq(idempotency_keys.id, placeholder('id')))
      .returning(SPACE)
      .prepare(),
  replayed: (orm) =>
    orm
      .update(idempotency_keys)
      .set({
        replays: sql`${idempotency_keys.replays} + ${placeholder('replays')}`,
        replayed_at_ms: given('replayed_at_ms'),
      })
      .where(eq(idempotency_keys.id, placeholder('id')))
      .prepare(),
  /** What is known of the key under which a request began. The time finds its row by an index. */
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
          eq(idempotency_keys.account_id, placeholder('account_id')),
          eq(idempotency_keys.request_id, placeholder('request_id')),
        ),
      )
      .prepare(),
  bodyFiles: (orm) =>
    orm
      .select({ id: idempotency_keys.id, ...SPACE })
      .from(idempotency_keys)
      .where(isNotNull(idempotency_keys.body_file))
      .prepare(),
  count: (orm) =>
    orm
      .update(idempotency_keys)
      .set({ kept_bytes: given('kept_bytes') })
      .where(eq(idempotency_keys.id, placeholder('id')))
      .prepare(),
  pendingHold: (orm) =>
    orm
      .select({ id: holds.id })
      .from(holds)
      .where(
        and(
          // A literal: with a parameter SQLite plans the query anew at each execution, to see whether a partial index fits.
          eq(holds.state, sql`'pending'`),
          eq(holds.account_id, placeholder('account_id')),
          isOfRequest(holds.request_id),
        ),
      )
      .prepare(),
  /** Oldest first. */
  calls: (orm) =>
    orm
      .select({ outcome: calls.outcome, cost_nanos: calls.cost_nanos })
      .from(calls)
      .where(
        and(
          eq(calls.account_id, placeholder('account_id')),
          gt(calls.id, placeholder('after_hold_id')),
          isOfRequest(calls.request_id),
        ),
      )
      .orderBy(asc(calls.id))
      .prepare(),
  /** An entry of exactly this time. */
  entryAt: (orm) =>
    orm
      .select({ id: entries.id })
      .from(entries)
      .where(
        and(
          eq(entries.account_id, placeholder('account_id')),
          eq(entries.created_at_ms, placeholder('created_at_ms')),
          eq(entries.kind, placeholder('kind')),
          eq(entries.amount_nanos, placeholder('amount_nanos')),
        ),
      )
      .prepare(),
})
