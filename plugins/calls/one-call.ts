// Queries of one call by its request id, with its charge, refunds and the other calls of its answer; and of calls by the beginning of the id.
import { and, between, desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import { requestIdOfCall } from '../../src/domain/request-id.ts'
import { QUARTER_S } from '../../src/money/ledger/days.ts'
import { type IdRange, startedWith } from '../../src/money/ledger/started-calls.ts'
import { PRICE_OF_CALL } from '../../src/money/ledger/stored-prices.ts'
import type { Awaitable, Db } from '../../src/store/db.ts'
import {
  equals,
  equalsUnlessNull,
  isOneOfUnlessNull,
  jsonOrNull,
  placeholder,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import {
  type ActionRow,
  accounts,
  actions,
  type Call,
  calls,
  type Entry,
  entries,
  holds,
  keys,
} from '../../src/store/schema.ts'
import type { RecordedCall } from './listing.ts'

/** A call with its trace, also if it did not fail. */
export type TracedCall = RecordedCall

/** One of several calls that make up an answer. */
type CallOfAnswer = Pick<Call, 'id' | 'request_id' | 'model' | 'outcome' | 'cost_nanos'>

/** The maximum number of further calls of one answer that the page lists. */
const MAX_PARTS = 50
/** The maximum time from the end of one call of an answer to the start of the next, which normally starts at once. */
const BETWEEN_PARTS_MS = 60_000

const queries = perConnection({
  beginning: (orm) =>
    orm
      .select({ request_id: calls.request_id, model: calls.model, started_at_ms: calls.started_at_ms })
      .from(calls)
      .where(
        and(
          between(calls.id, placeholder('first_id'), placeholder('last_id')),
          gte(calls.request_id, placeholder('from')),
          lt(calls.request_id, placeholder('until')),
          equalsUnlessNull(calls.account_id, 'account_id'),
          isOneOfUnlessNull(calls.key_id, 'key_ids'),
        ),
      )
      .orderBy(desc(calls.id))
      .limit(placeholder('row_limit')),
  byRequest(orm) {
    const { summed, price_id, counted, ...columns } = getTableColumns(calls)
    return orm
      .select({
        ...columns,
        price: PRICE_OF_CALL,
        account_name: accounts.name,
        key_name: keys.name,
        key_prefix: keys.prefix,
      })
      .from(calls)
      .innerJoin(accounts, eq(accounts.id, calls.account_id))
      .innerJoin(keys, eq(keys.id, calls.key_id))
      .where(
        and(
          between(calls.id, placeholder('first_id'), placeholder('last_id')),
          equals(calls.request_id, 'request_id'),
        ),
      )
      .orderBy(desc(calls.id))
      .limit(1)
  },
  /** `pending` is a literal, so that the partial index of pending holds is used. */
  pending: (orm) =>
    orm
      .select({ account_id: holds.account_id, key_id: holds.key_id })
      .from(holds)
      .where(and(eq(holds.state, sql`'pending'`), equals(holds.request_id, 'request_id'))),
  /** `refund` is a literal, so that the partial index of refunds is used. */
  refunds: (orm) =>
    orm
      .select({
        id: entries.id,
        amount_nanos: entries.amount_nanos,
        note: entries.note,
        created_at_ms: entries.created_at_ms,
      })
      .from(entries)
      .where(and(eq(entries.kind, sql`'refund'`), equals(entries.call_id, 'call_id')))
      .orderBy(entries.id),
  refunders: (orm) =>
    orm
      .select({
        created_at_ms: actions.created_at_ms,
        actor: actions.actor,
        command: actions.command,
        machine_user: actions.machine_user,
      })
      .from(actions)
      .where(and(equals(actions.subject, 'request_id'), eq(actions.action, 'call.refunded'))),
  charge: (orm) =>
    orm
      .select({ id: entries.id, amount_nanos: entries.amount_nanos })
      .from(entries)
      .where(
        and(
          equals(entries.account_id, 'account_id'),
          equals(entries.created_at_ms, 'created_at_ms'),
          equals(entries.call_id, 'call_id'),
        ),
      ),
})

/** @param account_id the owner of the call; undefined: any account */
export async function findCall(
  db: Db,
  request_id: string,
  account_id?: number,
): Promise<TracedCall | undefined> {
  const found =
    (await findInRange(db, request_id, await startedWith(db, request_id))) ??
    (await findLaterPart(db, request_id))
  return account_id === undefined || found?.account_id === account_id ? found : undefined
}

async function findInRange(
  db: Db,
  request_id: string,
  range: IdRange | undefined,
): Promise<TracedCall | undefined> {
  return range && (await queries(db).byRequest.get({ ...range, request_id }))
}

/** Finds a call that started too long after its request to be found by the time in its id: by way of the calls before it. */
async function findLaterPart(db: Db, request_id: string): Promise<TracedCall | undefined> {
  const answer_id = requestIdOfCall(request_id)
  if (answer_id === request_id) return undefined
  const first = await findInRange(db, answer_id, await startedWith(db, answer_id))
  const part = first && (await callsOfAnswer(db, first)).find((each) => each.request_id === request_id)
  return part && (await findInRange(db, request_id, { first_id: part.id, last_id: part.id }))
}

/** Returns the key of a running call, by its pending hold. @param account_id as in `findCall` */
export async function callUnderWay(
  db: Db,
  request_id: string,
  account_id?: number,
): Promise<{ key_id: number } | undefined> {
  const held = await queries(db).pending.get({ request_id })
  return account_id === undefined || held?.account_id === account_id ? held : undefined
}

const QUARTER_MS = QUARTER_S * 1_000

/**
 * Follows an answer from each call to the next one: the first call with a higher id that started within BETWEEN_PARTS_MS after its end.
 * The kept sums of quarters of an hour limit the ids (started-calls.ts). Raw SQL, because Drizzle does not support recursive queries.
 * The plus sign keeps the database from using the index of that column, which would read all calls of the account.
 */
const PARTS = `
  WITH RECURSIVE parts (nth, id, ended_ms) AS (
    SELECT 0, CAST($id AS BIGINT), CAST($ended_ms AS BIGINT)
    UNION ALL
    SELECT nth + 1, next.id, next.started_at_ms + next.duration_ms
      FROM parts JOIN calls AS next ON next.id = (
             SELECT id FROM calls
              WHERE id > parts.id
                AND id <= (SELECT max(last_call_id) FROM call_sums
                            WHERE span_s = ${QUARTER_S}
                              AND start_s >= parts.ended_ms / ${QUARTER_MS} * ${QUARTER_S}
                              AND start_s <= (parts.ended_ms + ${BETWEEN_PARTS_MS}) / ${QUARTER_MS} * ${QUARTER_S})
                AND +account_id = $account_id AND request_id >= $from AND request_id < $until
              ORDER BY id LIMIT 1)
     WHERE nth < ${MAX_PARTS})
  SELECT calls.id, request_id, model, outcome, cost_nanos FROM parts JOIN calls ON calls.id = parts.id WHERE nth > 0 ORDER BY nth`

/**
 * Returns the further calls of an answer that took several. Their ids are the request's id, a hyphen, and a suffix
 * (calls/life/several-calls.ts).
 */
export const callsOfAnswer = (
  db: Db,
  { id, request_id, account_id, started_at_ms, duration_ms }: TracedCall,
): Awaitable<CallOfAnswer[]> =>
  db.rows(PARTS, {
    id,
    ended_ms: started_at_ms + duration_ms,
    account_id,
    from: `${request_id}-`,
    until: `${request_id}.`,
  })

/** Returns the ledger entry of a call's charge, which has the time of its settlement; undefined if nothing was charged. */
export const chargeOf = (
  db: Db,
  { id, account_id, started_at_ms, duration_ms }: TracedCall,
): Awaitable<Pick<Entry, 'id' | 'amount_nanos'> | undefined> =>
  queries(db).charge.get({ account_id, call_id: id, created_at_ms: started_at_ms + duration_ms })

/** A refund of a call with its actor; undefined if the line of the audit log was deleted. */
export interface RefundOfCall extends Pick<Entry, 'id' | 'amount_nanos' | 'note' | 'created_at_ms'> {
  by: Pick<ActionRow, 'actor' | 'command' | 'machine_user'> | undefined
}

/** Returns the refunds of a call, oldest first. */
export async function refundsOf(
  db: Db,
  { id, request_id, refunded_nanos }: TracedCall,
): Promise<RefundOfCall[]> {
  if (refunded_nanos === 0) return []
  const refunds = await queries(db).refunds.all({ call_id: id })
  const lines = await queries(db).refunders.all({ request_id })
  return refunds.map((refund) => ({
    ...refund,
    by: lines.find(({ created_at_ms }) => created_at_ms === refund.created_at_ms),
  }))
}

/**
 * Returns calls whose request id begins with `text`, newest first; none if `text` is too short to contain the time.
 *
 * @param owner the account and keys of the calls; undefined: any
 */
export async function callsBeginningWith(
  db: Db,
  text: string,
  { account_id, key_ids }: { account_id?: number | undefined; key_ids?: readonly number[] | undefined },
  row_limit: number,
) {
  const range = await startedWith(db, text)
  if (!range) return []
  return await queries(db).beginning.all({
    ...range,
    from: text,
    until: `${text}~`,
    account_id: account_id ?? null,
    key_ids: jsonOrNull(key_ids ?? null),
    row_limit,
  })
}
