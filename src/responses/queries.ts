// The queries on kept responses, prepared once for each connection.
import { and, asc, count, eq, exists, getTableColumns, gt, isNotNull, lte, sql, sum } from 'drizzle-orm'
import { equals, placeholder, placeholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { closed_accounts, responses } from '../store/schema.ts'

/** All columns except the body, which may be large. */
const { body: _, ...ROW } = getTableColumns(responses)

const OF_ID = and(equals(responses.account_id, 'account_id'), equals(responses.response_id, 'response_id'))
const IS_VISIBLE = and(eq(responses.deleted, 0), gt(responses.created_at_ms, placeholder('expired_by_ms')))
/** Matches only if the row is as it was read: with the same number of continuations, and the same deletion mark. */
const IS_UNCHANGED = and(
  equals(responses.id, 'id'),
  equals(responses.later, 'later'),
  equals(responses.deleted, 'deleted'),
)
/** Compares with a literal, so that the database can use the partial indexes. */
const IS_LAST = eq(responses.later, sql`0`)

export const responseQueries = perConnection({
  /** A response by its public id, unless it is deleted or expired. */
  visible: (orm) => orm.select(ROW).from(responses).where(and(OF_ID, IS_VISIBLE)),
  row: (orm) => orm.select(ROW).from(responses).where(equals(responses.id, 'id')),
  /** A row and a limited number of its predecessors in the conversation, newest first. */
  chain: (orm) =>
    orm
      .select(ROW)
      .from(responses)
      .innerJoin(
        sql`(WITH RECURSIVE chain (chain_id, before, place) AS (
          SELECT id, previous, 1 FROM responses WHERE id = ${placeholder('id')}
          UNION ALL
          SELECT responses.id, responses.previous, chain.place + 1 FROM chain JOIN responses ON responses.id = chain.before
          WHERE chain.place < ${placeholder('row_limit')}
        ) SELECT chain_id, place FROM chain) AS chain`,
        sql`${responses.id} = chain_id`,
      )
      .orderBy(sql`place`),
  body: (orm) =>
    orm
      .select({ body: responses.body, body_file: responses.body_file })
      .from(responses)
      .where(equals(responses.id, 'id')),
  insert: (orm) =>
    orm.insert(responses).values({
      ...placeholders(
        'account_id',
        'response_id',
        'previous',
        'body',
        'body_file',
        'kept_bytes',
        'chain_bytes',
        'chain_length',
        'created_at_ms',
      ),
      later: 0,
      deleted: 0,
    }),
  /** Finds the response by its public id, even if it is deleted or expired. */
  countLater: (orm) =>
    orm
      .update(responses)
      .set({ later: sql`${responses.later} + 1` })
      .where(OF_ID)
      .returning(ROW),
  /** The mark stays as it is: `releasePrevious` deletes a marked row with its last continuation. */
  uncountLater: (orm) =>
    orm
      .update(responses)
      .set({ later: sql`${responses.later} - 1` })
      .where(IS_UNCHANGED)
      .returning({ id: responses.id }),
  markDeleted: (orm) =>
    orm.update(responses).set({ deleted: 1 }).where(IS_UNCHANGED).returning({ id: responses.id }),
  deleteRow: (orm) => orm.delete(responses).where(IS_UNCHANGED).returning({ id: responses.id }),
  /** An account's oldest responses without a continuation. */
  oldestLast: (orm) =>
    orm
      .select(ROW)
      .from(responses)
      .where(and(equals(responses.account_id, 'account_id'), IS_LAST))
      .orderBy(asc(responses.id))
      .limit(placeholder('row_limit')),
  expiredLast: (orm) =>
    orm
      .select(ROW)
      .from(responses)
      .where(and(IS_LAST, lte(responses.created_at_ms, placeholder('expired_by_ms'))))
      .orderBy(asc(responses.created_at_ms))
      .limit(placeholder('row_limit')),
  /** Closed accounts that still have responses. */
  closedHolders: (orm) =>
    orm
      .select({ account_id: closed_accounts.account_id })
      .from(closed_accounts)
      .where(
        exists(
          orm
            .select({ id: responses.id })
            .from(responses)
            .where(eq(responses.account_id, closed_accounts.account_id)),
        ),
      ),
  keptSums: (orm) =>
    orm
      .select({ account_id: responses.account_id, kept_bytes: sum(responses.kept_bytes).mapWith(Number) })
      .from(responses)
      .groupBy(responses.account_id),
  totals: (orm) =>
    orm.select({ count: count(), kept_bytes: sum(responses.kept_bytes).mapWith(Number) }).from(responses),
  bodyFiles: (orm) =>
    orm.select({ body_file: responses.body_file }).from(responses).where(isNotNull(responses.body_file)),
  /** All rows, for the audit. */
  all: (orm) =>
    orm
      .select({ ...ROW, body_bytes: sql<number | null>`length(${responses.body})` })
      .from(responses)
      .orderBy(asc(responses.id)),
})
