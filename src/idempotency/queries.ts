// The queries on Idempotency-Keys and the calls made under them, prepared once for each connection.
import { and, eq, gt, lte, max, type SQL, sql } from 'drizzle-orm'
import { perConnection } from '../db/prepared.ts'
import { calls, holds, idempotency_keys } from '../db/schema.ts'

const given = sql.placeholder

/** A placeholder for a column's new value, encoded by the column's type. */
const newValue = (column: (typeof idempotency_keys)['status' | 'headers' | 'body' | 'body_file']): SQL =>
  sql`${sql.param(given(column.name), column)}`

const OF_KEY = and(
  eq(idempotency_keys.account_id, given('account_id')),
  eq(idempotency_keys.key, given('key')),
)
const OF_REQUEST = and(OF_KEY, eq(idempotency_keys.request_id, given('request_id')))
const BODY_FILE = { body_file: idempotency_keys.body_file }

export const idempotencyQueries = perConnection((orm) => ({
  /** The row of a key that is younger than `expired_by_ms`. */
  find: orm
    .select()
    .from(idempotency_keys)
    .where(and(OF_KEY, gt(idempotency_keys.created_at_ms, given('expired_by_ms'))))
    .prepare(),
  newestHold: orm
    .select({ id: max(holds.id) })
    .from(holds)
    .prepare(),
  insert: orm
    .insert(idempotency_keys)
    .values({
      account_id: given('account_id'),
      key: given('key'),
      request_sha256: given('request_sha256'),
      request_id: given('request_id'),
      after_hold_id: given('after_hold_id'),
      created_at_ms: given('created_at_ms'),
    })
    .prepare(),
  store: orm
    .update(idempotency_keys)
    .set({
      status: newValue(idempotency_keys.status),
      headers: newValue(idempotency_keys.headers),
      body: newValue(idempotency_keys.body),
      body_file: newValue(idempotency_keys.body_file),
    })
    .where(OF_REQUEST)
    .prepare(),
  deleteKey: orm.delete(idempotency_keys).where(OF_KEY).returning(BODY_FILE).prepare(),
  deleteRequest: orm.delete(idempotency_keys).where(OF_REQUEST).returning(BODY_FILE).prepare(),
  deleteExpired: orm
    .delete(idempotency_keys)
    .where(lte(idempotency_keys.created_at_ms, given('expired_by_ms')))
    .returning(BODY_FILE)
    .prepare(),
  bodyFiles: orm.select(BODY_FILE).from(idempotency_keys).prepare(),
  pendingHold: orm
    .select({ id: holds.id })
    .from(holds)
    .where(
      and(
        // A literal: with a parameter SQLite plans the query anew at each execution, to see whether a partial index fits.
        eq(holds.state, sql`'pending'`),
        eq(holds.account_id, given('account_id')),
        eq(holds.request_id, given('request_id')),
      ),
    )
    .prepare(),
  call: orm
    .select({ outcome: calls.outcome, cost_nanos: calls.cost_nanos })
    .from(calls)
    .where(
      and(
        eq(calls.account_id, given('account_id')),
        gt(calls.id, given('after_hold_id')),
        eq(calls.request_id, given('request_id')),
      ),
    )
    .prepare(),
}))
