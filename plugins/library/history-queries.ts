// Queries of generated images and their lineage, prepared once for each connection.
import { and, asc, desc, eq, getTableColumns, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../../src/store/db.ts'
import { equals, equalsUnlessNull, isOneOf, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, calls, files, generations } from '../../src/store/schema.ts'

/** @param account determines the index, so it needs separate statements instead of an optional filter */
const historyOf = (account?: SQL) => ({
  /** The id of the image that is `count` images below another, without filters. It reads an index only. */
  below: (orm: Orm) =>
    orm
      .select({ id: generations.id })
      .from(generations)
      .where(and(account, lt(generations.id, placeholder('below_id'))))
      .orderBy(desc(generations.id))
      .limit(1)
      .offset(placeholder('count')),
  page: (orm: Orm) =>
    orm
      .select({
        ...getTableColumns(generations),
        account_name: accounts.name,
        request_id: calls.request_id,
        call_nanos: calls.cost_nanos,
        call_images: calls.images,
      })
      .from(generations)
      .innerJoin(accounts, eq(accounts.id, generations.account_id))
      .leftJoin(calls, eq(calls.id, generations.call_id))
      .where(
        and(
          account,
          equalsUnlessNull(generations.model, 'model'),
          equalsUnlessNull(generations.kind, 'kind'),
          gte(generations.created_at_ms, placeholder('since_ms')),
          lt(generations.created_at_ms, placeholder('until_ms')),
          gte(generations.id, placeholder('from_id')),
          lt(generations.id, placeholder('below_id')),
        ),
      )
      .orderBy(desc(generations.id))
      .limit(placeholder('row_limit')),
})

/** The images of all accounts, with the costs of their calls. Null in `model` or `kind` does not filter. */
export const historyQueries = perConnection(historyOf())

/** The images of one account. */
export const historyQueriesOfAccount = perConnection(historyOf(equals(generations.account_id, 'account_id')))

/** The ancestors and descendants of images. */
export const lineageQueries = perConnection({
  /**
   * Images by ids, and ancestors of the account's images among them, up to `max_age` generations. By id only, because with the account SQLite
   * would read all images of the account.
   */
  ancestors: (orm) =>
    orm
      .select()
      .from(generations)
      .where(
        sql`${generations.uuid} IN (WITH RECURSIVE elders (uuid, age) AS (
          SELECT lower(parent.value), 1 FROM json_each(${placeholder('parents')}) AS parent
          UNION
          SELECT lower(parent.value), elders.age + 1
          FROM elders
          JOIN generations ON generations.uuid = elders.uuid AND generations.account_id = ${placeholder('account_id')}
          CROSS JOIN json_each(generations.parents) AS parent
          WHERE elders.age < ${placeholder('max_age')}
        ) SELECT uuid FROM elders)`,
      ),
  /** Files by keys. */
  files: (orm) => orm.select().from(files).where(isOneOf(files.key, 'keys')),
  /** Images with a given parent, among the next `looked_at` images after it, because a parent is always older. */
  children: (orm) => {
    const later = orm
      .select()
      .from(generations)
      .where(and(equals(generations.account_id, 'account_id'), gt(generations.id, placeholder('after_id'))))
      .orderBy(asc(generations.id))
      .limit(placeholder('looked_at'))
      .as('later')
    return orm
      .select()
      .from(later)
      .where(sql`instr(${later.parents}, ${placeholder('parent')}) > 0`)
      .orderBy(asc(later.id))
      .limit(placeholder('row_limit'))
  },
})
