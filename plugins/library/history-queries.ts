// The queries on the history of produced images and on their lineage, prepared once for each connection.
import { and, asc, desc, eq, getTableColumns, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../../src/store/db.ts'
import { equals, equalsUnlessNull, isOneOf, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, calls, files, generations } from '../../src/store/schema.ts'

/** @param account which decides on the index, so it is no optional filter: it has statements of its own */
const historyOf = (account?: SQL) => ({
  /** The id of the image that is so many below another, whatever it is. Reads an index only. */
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

/** One page of all images with the costs of their calls. Where `model` or `kind` is null it does not filter. */
export const historyQueries = perConnection(historyOf())

/** The same of an account's images. */
export const historyQueriesOfAccount = perConnection(historyOf(equals(generations.account_id, 'account_id')))

/** The ancestors and descendants of images. */
export const lineageQueries = perConnection({
  /**
   * The images of some ids, and the parents of an account's among them, so many generations back. All by their ids: SQLite
   * would rather read all images of an account.
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
  /** The files of some keys. */
  files: (orm) => orm.select().from(files).where(isOneOf(files.key, 'keys')),
  /** Images that name one as a parent, among so many that came after it: a parent is always older. */
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
