// Queries of recorded refusals, newest first: filters, pages, and lookup by request id. Each reads a bounded number of rows.
import { and, desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import { timeOfRequestId } from '../../src/domain/request-id.ts'
import type { Awaitable, Db, Orm } from '../../src/store/db.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import {
  equals,
  equalsUnlessNull,
  isOneOfUnlessNull,
  jsonOrNull,
  placeholder,
} from '../../src/store/placeholders.ts'
import { perAccount, perConnection } from '../../src/store/prepared.ts'
import { accounts, keys } from '../../src/store/schema.ts'
import { type RefusalRow, refusals } from './tables.ts'

/** An absent field does not filter. */
export interface RefusalFilter {
  /** Undefined for all accounts. Required, so that it is not forgotten by mistake. */
  account_id: number | undefined
  key_ids?: readonly number[] | undefined
  model?: string | undefined
  /** The range of HTTP statuses, inclusive. */
  status?: { from: number; to: number } | undefined
  since_ms?: number | undefined
  until_ms?: number | undefined
}

/** A refusal with the names of its account and key. */
export interface RecordedRefusal extends RefusalRow {
  account_name: string
  key_name: string
  key_prefix: string
}

/** A page may have fewer rows than its limit although more follow. */
interface RefusalPage extends Page<RecordedRefusal> {
  /** The time of the oldest row that the page examined; undefined on the last page. */
  back_to_ms: number | undefined
}

/** Rows examined per page, which takes about 10 ms. */
const MAX_EXAMINED = 10_000

const selected = (orm: Orm) =>
  orm
    .select({
      ...getTableColumns(refusals),
      account_name: accounts.name,
      key_name: keys.name,
      key_prefix: keys.prefix,
    })
    .from(refusals)
    .innerJoin(accounts, eq(accounts.id, refusals.account_id))
    .innerJoin(keys, eq(keys.id, refusals.key_id))

/** Ordered by time, then id, because two gateways may record requests of the same second one after the other. */
const in_time = and(
  gte(refusals.at_ms, placeholder('since_ms')),
  lt(refusals.at_ms, placeholder('until_ms')),
  sql`(${refusals.at_ms}, ${refusals.id}) < (${placeholder('before_ms')}, ${placeholder('below_id')})`,
)

const by_time = [desc(refusals.at_ms), desc(refusals.id)]

const pageQueries = perAccount((account) => ({
  page: (orm: Orm) =>
    selected(orm)
      .where(
        and(
          account(refusals),
          in_time,
          sql`(${refusals.at_ms}, ${refusals.id}) >= (${placeholder('from_ms')}, ${placeholder('from_id')})`,
          isOneOfUnlessNull(refusals.key_id, 'key_ids'),
          equalsUnlessNull(refusals.model, 'model'),
          gte(refusals.status, placeholder('status_from')),
          sql`${refusals.status} <= ${placeholder('status_to')}`,
        ),
      )
      .orderBy(...by_time)
      .limit(placeholder('row_limit')),
  /** The last row that a page examines, if there are that many. Reads only an index. */
  furthest: (orm: Orm) =>
    orm
      .select({ id: refusals.id, at_ms: refusals.at_ms })
      .from(refusals)
      .where(and(account(refusals), in_time))
      .orderBy(...by_time)
      .limit(1)
      .offset(placeholder('max_examined')),
}))

const queries = perConnection({
  timeOf: (orm) => orm.select({ at_ms: refusals.at_ms }).from(refusals).where(equals(refusals.id, 'id')),
  one: (orm) =>
    selected(orm)
      .where(
        and(equals(refusals.request_id, 'request_id'), equalsUnlessNull(refusals.account_id, 'account_id')),
      )
      .limit(1),
  beginning: (orm) =>
    orm
      .select({ request_id: refusals.request_id, code: refusals.code, at_ms: refusals.at_ms })
      .from(refusals)
      .where(
        and(
          gte(refusals.request_id, placeholder('from')),
          lt(refusals.request_id, placeholder('until')),
          equalsUnlessNull(refusals.account_id, 'account_id'),
          isOneOfUnlessNull(refusals.key_id, 'key_ids'),
        ),
      )
      .orderBy(desc(refusals.request_id))
      .limit(placeholder('row_limit')),
})

/**
 * Reads a page. Refusals recorded later do not shift rows between pages. If the cursor's row has been deleted, the page is empty, because
 * older rows are deleted before it.
 */
export async function listRefusals(
  db: Db,
  filter: RefusalFilter,
  { limit, cursor }: PageRequest,
): Promise<RefusalPage> {
  const { page, furthest } = pageQueries(db, filter.account_id)
  const place = cursor === undefined ? LAST_PLACE : await placeOf(db, cursor)
  if (!place) return { rows: [], next_cursor: undefined, back_to_ms: undefined }
  const values = { ...valuesOf(filter), before_ms: place.at_ms, below_id: place.id }
  const last = await furthest.get({ ...values, max_examined: MAX_EXAMINED })
  const { at_ms: from_ms, id: from_id } = last ?? FIRST_PLACE
  const found = await page.all({ ...values, from_ms, from_id, row_limit: limit + 1 })
  const rows = found.slice(0, limit)
  if (found.length > limit) {
    const { id, at_ms } = rows.at(-1) ?? {}
    return { rows, next_cursor: id, back_to_ms: at_ms }
  }
  return { rows, next_cursor: last?.id, back_to_ms: last?.at_ms }
}

/** A position in the list. */
type Place = Pick<RefusalRow, 'at_ms' | 'id'>

const LAST_PLACE: Place = { at_ms: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
const FIRST_PLACE: Place = { at_ms: Number.MIN_SAFE_INTEGER, id: 0 }

async function placeOf(db: Db, id: number): Promise<Place | undefined> {
  const found = await queries(db).timeOf.get({ id })
  return found && { id, ...found }
}

const valuesOf = ({ account_id, key_ids, model, status, since_ms, until_ms }: RefusalFilter) => ({
  account_id,
  key_ids: jsonOrNull(key_ids ?? null),
  model: model ?? null,
  status_from: status?.from ?? 0,
  status_to: status?.to ?? Number.MAX_SAFE_INTEGER,
  since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
  until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
})

/** @param account_id the owner; undefined for any account */
export const findRefusal = (
  db: Db,
  request_id: string,
  account_id: number | undefined,
): Awaitable<RecordedRefusal | undefined> =>
  queries(db).one.get({ request_id, account_id: account_id ?? null })

/** Finds refusals by a prefix of the request id; none if the prefix is too short to contain the time. An absent account or key does not filter. */
export const refusalsBeginningWith = (
  db: Db,
  text: string,
  { account_id, key_ids }: Pick<RefusalFilter, 'account_id' | 'key_ids'>,
  row_limit: number,
) =>
  timeOfRequestId(text) === undefined
    ? []
    : queries(db).beginning.all({
        from: text,
        until: `${text}~`,
        account_id: account_id ?? null,
        key_ids: jsonOrNull(key_ids ?? null),
        row_limit,
      })
