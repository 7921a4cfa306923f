// The queries on Idempotency-Keys and the calls made under them, prepared once for each connection.
import { and, eq, gt, lte, max, sql } from 'drizzle-orm'
import { given } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { calls, holds, idempotency_keys } from '../db/schema.ts'

const { placeholder } = sql

const OF_KEY = and(
  eq(idempotency_keys.account_id, placeholder('account_id')),
  eq(idempotency_keys.key, placeholder('key')),
)
const OF_REQUEST = and(OF_KEY, eq(idempotency_keys.request_id, placeholder('request_id')))
const BODY_FILE = { body_file: idempotency_keys.body_file }

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
      })
      .where(OF_REQUEST)
      .prepare(),
  deleteKey: (orm) => orm.delete(idempotency_keys).where(OF_KEY).returning(BODY_FILE).prepare(),
  deleteRequest: (orm) => orm.delete(idempotency_keys).where(OF_REQUEST).returning(BODY_FILE).prepare(),
  deleteExpired: (orm) =>
    orm
      .delete(idempotency_keys)
      .where(lte(idempotency_keys.created_at_ms, placeholder('expired_by_ms')))
      .returning(BODY_FILE)
      .prepare(),
  bodyFiles: (orm) => orm.select(BODY_FILE).from(idempotency_keys).prepare(),
  pendingHold: (orm) =>
    orm
      .select({ id: holds.id })
      .from(holds)
      .where(
        and(
          // A literal: with a parameter SQLite plans the query anew at each execution, to see whether a partial index fits.
          eq(holds.state, sql`'pending'`),
          eq(holds.account_id, placeholder('account_id')),
          eq(holds.request_id, placeholder('request_id')),
        ),
      )
      .prepare(),
  call: (orm) =>
    orm
      .select({ outcome: calls.outcome, cost_nanos: calls.cost_nanos })
      .from(calls)
      .where(
        and(
          eq(calls.account_id, placeholder('account_id')),
          gt(calls.id, placeholder('after_hold_id')),
          eq(calls.request_id, placeholder('request_id')),
        ),
      )
      .prepare(),
})
