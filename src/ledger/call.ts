// One call by its request's id: its record with its trace, its charge, and the other calls of its answer. Only reads.
import type { Database } from 'bun:sqlite'
import { and, between, desc, eq, getTableColumns, gt, gte, lt, lte, sql } from 'drizzle-orm'
import { equals } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { accounts, type Call, calls, type Entry, entries, holds, keys } from '../db/schema.ts'
import { begunBetween, begunWith } from './begun-in.ts'
import type { RecordedCall } from './history.ts'
import { PRICE_OF_CALL } from './stored-prices.ts'

const { placeholder } = sql

/** A call with all that is known of it. */
export interface TracedCall extends RecordedCall {
  /** As `readTrace` takes it. */
  trace: string
}

/** One of several calls that make up an answer. */
export type CallOfAnswer = Pick<Call, 'request_id' | 'model' | 'outcome' | 'cost_nanos'>

/** An answer takes a few calls; of more, the first are told. */
const MAX_PARTS = 50
/** Of the calls of an answer, each begins at once when the one before has ended, if no slow disk is in between. */
const BETWEEN_PARTS_MS = 60_000

const queries = perConnection({
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
      .prepare()
  },
  nextPart: (orm) =>
    orm
      .select({
        id: calls.id,
        request_id: calls.request_id,
        model: calls.model,
        outcome: calls.outcome,
        cost_nanos: calls.cost_nanos,
        started_at_ms: calls.started_at_ms,
        duration_ms: calls.duration_ms,
      })
      .from(calls)
      .where(
        and(
          gt(calls.id, placeholder('above_id')),
          lte(calls.id, placeholder('last_id')),
          // A column's index would be searched for all calls of the account.
          sql`+${calls.account_id} = ${placeholder('account_id')}`,
          gte(calls.request_id, placeholder('from')),
          lt(calls.request_id, placeholder('until')),
        ),
      )
      .orderBy(calls.id)
      .limit(1)
      .prepare(),
  /** Those that are pending are few, and have an index of their own; a literal, so that it serves. */
  pending: (orm) =>
    orm
      .select({ account_id: holds.account_id, key_id: holds.key_id })
      .from(holds)
      .where(and(eq(holds.state, sql`'pending'`), equals(holds.request_id, 'request_id')))
      .prepare(),
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
      )
      .prepare(),
})

/** @param account_id whose it must be; undefined: anybody's */
export function findCall(db: Database, request_id: string, account_id?: number): TracedCall | undefined {
  const range = begunWith(db, request_id)
  const found = range && queries(db).byRequest.get({ ...range, request_id })
  return account_id === undefined || found?.account_id === account_id ? found : undefined
}

/** Whose call a request is that is not settled yet: money is held for it. @param account_id as of `findCall` */
export function callUnderWay(
  db: Database,
  request_id: string,
  account_id?: number,
): { key_id: number } | undefined {
  const held = queries(db).pending.get({ request_id })
  return account_id === undefined || held?.account_id === account_id ? held : undefined
}

/**
 * The further calls of an answer that takes several: they have its request's id, a hyphen, and what they are
 * (exchange/life/several-calls.ts).
 */
export function callsOfAnswer(
  db: Database,
  { request_id, account_id, ...first }: TracedCall,
): CallOfAnswer[] {
  const found: CallOfAnswer[] = []
  for (let last: Pick<Call, 'id' | 'started_at_ms' | 'duration_ms'> = first; found.length < MAX_PARTS; ) {
    const ended_ms = last.started_at_ms + last.duration_ms
    const last_id = begunBetween(db, ended_ms, ended_ms + BETWEEN_PARTS_MS)?.last_id ?? 0
    const wanted = { account_id, from: `${request_id}-`, until: `${request_id}.` }
    const next = queries(db).nextPart.get({ ...wanted, above_id: last.id, last_id })
    if (!next) break
    const { id: _, started_at_ms: __, duration_ms: ___, ...part } = next
    found.push(part)
    last = next
  }
  return found
}

/** The entry that paid for a call, found by the time of its settlement, which both have; undefined if nothing was paid. */
export const chargeOf = (
  db: Database,
  { id, account_id, started_at_ms, duration_ms }: TracedCall,
): Pick<Entry, 'id' | 'amount_nanos'> | undefined =>
  queries(db).charge.get({ account_id, call_id: id, created_at_ms: started_at_ms + duration_ms })
