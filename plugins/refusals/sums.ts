// Counts of refused requests, and their most frequent reasons, from sums that include requests without a row.
import { and, desc, gte, lt, type SQLWrapper, sql } from 'drizzle-orm'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { equals, isOneOf, isOneOfUnlessNull, jsonOrNull, placeholder } from '../../src/store/placeholders.ts'
import { perAccount, perConnection } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'
import { refusal_sums, refusals } from './tables.ts'
import { HOUR_S, MINUTE_S } from './writing.ts'

/** The refusals of an account or of some keys in a period, which is rounded to whole minutes or hours by `span`. */
export interface RefusedIn {
  account_id?: number | undefined
  /** Only with the span `hour`. */
  key_ids?: readonly number[] | undefined
  from_ms: number
  until_ms: number
  span: 'minute' | 'hour'
}

/** The refusals of one account with one code. */
interface Reason {
  account_id: number
  account_name: string
  code: string
  refusals: number
  /** The most frequent message; undefined if none was recorded. */
  sentence: string | undefined
}

/** @param start the start of a sum: the column, or an expression of it that prevents an index search by time */
const matchesBy = (start: SQLWrapper) =>
  and(
    equals(refusal_sums.span_s, 'span_s'),
    sql`${start} >= ${placeholder('from_s')}`,
    sql`${start} < ${placeholder('until_s')}`,
    isOneOfUnlessNull(refusal_sums.key_id, 'key_ids'),
  )
const matches = matchesBy(refusal_sums.start_s)
/** For all accounts: the engine reads the index that has the order of the groups, and needs no temporary table. */
const matches_in_order = matchesBy(sql`+${refusal_sums.start_s}`)
const total = sql<number>`coalesce(sum(${refusal_sums.refusals}), 0)`

const sumQueries = perAccount((account) => ({
  total: (orm: Orm) =>
    orm
      .select({ total })
      .from(refusal_sums)
      .where(and(account(refusal_sums), matches)),
  /** Without account names, which are read only for the few resulting groups. */
  reasons: (orm: Orm) =>
    orm
      .select({
        account_id: refusal_sums.account_id,
        code: refusal_sums.code,
        refusals: total.as('refusals'),
        last_s: sql<number>`max(${refusal_sums.start_s})`,
      })
      .from(refusal_sums)
      .where(account(refusal_sums) ? and(account(refusal_sums), matches) : matches_in_order)
      .groupBy(refusal_sums.account_id, refusal_sums.code)
      .orderBy(desc(total), refusal_sums.code)
      .limit(placeholder('row_limit')),
}))

const queries = perConnection({
  names: (orm) =>
    orm.select({ id: accounts.id, name: accounts.name }).from(accounts).where(isOneOf(accounts.id, 'ids')),
  /** The sentences of an account's newest refusals, or of those of some keys. */
  sentences: (orm) =>
    orm
      .select({ sentence: refusals.sentence })
      .from(refusals)
      .where(
        and(
          equals(refusals.account_id, 'account_id'),
          equals(refusals.code, 'code'),
          isOneOfUnlessNull(refusals.key_id, 'key_ids'),
          gte(refusals.at_ms, placeholder('from_ms')),
          lt(refusals.at_ms, placeholder('until_ms')),
        ),
      )
      .orderBy(desc(refusals.at_ms))
      .limit(placeholder('row_limit')),
})

export async function countRefused(db: Db, range: RefusedIn): Promise<number> {
  const sum = await sumQueries(db, range.account_id).total.get(valuesOf(range))
  return sum?.total ?? 0
}

/** Returns the most frequent reasons first. */
export async function reasonsOfRefused(db: Db, range: RefusedIn, row_limit: number): Promise<Reason[]> {
  const values = valuesOf(range)
  const reasons = await sumQueries(db, range.account_id).reasons.all({ ...values, row_limit })
  const ids = JSON.stringify([...new Set(reasons.map((reason) => reason.account_id))])
  const name_of = new Map((await queries(db).names.all({ ids })).map(({ id, name }) => [id, name]))
  return await Promise.all(
    reasons.map(async ({ last_s, ...reason }) => ({
      ...reason,
      account_name: name_of.get(reason.account_id) ?? '',
      sentence: await mostFrequentSentence(db, {
        account_id: reason.account_id,
        code: reason.code,
        // Only for the same keys, because the message of another key may repeat parts of its request.
        key_ids: values.key_ids,
        // Only the day before the last one: a rare code would otherwise need a search through all refusals of its account.
        from_ms: Math.max(values.from_s * 1_000, last_s * 1_000 - DAY_MS),
        until_ms: Math.min(range.until_ms, last_s * 1_000 + HOUR_S * 1_000),
      }),
    })),
  )
}

const valuesOf = ({ account_id, span, key_ids, from_ms, until_ms }: RefusedIn) => {
  const span_s = span === 'hour' ? HOUR_S : MINUTE_S
  const from_s = Math.floor(from_ms / 1_000 / span_s) * span_s
  const until_s = Math.ceil(until_ms / 1_000)
  return { account_id, span_s, from_s, until_s, key_ids: jsonOrNull(key_ids ?? null) }
}

/** About as many as are recorded in an hour. */
const SENTENCES_READ = 50

/** Returns the newest example of the most frequent sentence. Sentences that differ only in numbers count as equal: "Retry after 3 s". */
async function mostFrequentSentence(
  db: Db,
  reason: { account_id: number; code: string; key_ids: string | null; from_ms: number; until_ms: number },
): Promise<string | undefined> {
  const rows = await queries(db).sentences.all({ ...reason, row_limit: SENTENCES_READ })
  const groups = Map.groupBy(rows, ({ sentence }) => sentence.replace(/\d+/g, '#'))
  const [most] = [...groups.values()].sort((one, other) => other.length - one.length)
  return most?.[0]?.sentence
}
