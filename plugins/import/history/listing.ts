// Queries of imported history, newest day first, with filters and pages.
import { and, desc, eq, getTableColumns, gte, lt, or, sql } from 'drizzle-orm'
import type { Db, Orm } from '../../../src/store/db.ts'
import { type Page, type PageRequest, pageOf } from '../../../src/store/page.ts'
import { equals, equalsUnlessNull, placeholder } from '../../../src/store/placeholders.ts'
import { perAccount, perConnection } from '../../../src/store/prepared.ts'
import { accounts } from '../../../src/store/schema.ts'
import { type ImportedUsage, imported_usage } from '../tables.ts'

interface HistoryFilter {
  /** Undefined: all accounts. Required, so that no caller shows all accounts by omission. */
  account_id: number | undefined
  model?: string | undefined
  since_ms?: number | undefined
  until_ms?: number | undefined
}

/** The calls of an account to a model on one day, with the account's name. */
export interface ListedHistory extends ImportedUsage {
  account_name: string
}

const pageQueries = perAccount((account) => ({
  page: (orm: Orm) =>
    orm
      .select({ ...getTableColumns(imported_usage), account_name: accounts.name })
      .from(imported_usage)
      .innerJoin(accounts, eq(accounts.id, imported_usage.account_id))
      .where(
        and(
          account(imported_usage),
          equalsUnlessNull(imported_usage.model, 'model'),
          gte(imported_usage.day_s, placeholder('since_s')),
          lt(imported_usage.day_s, placeholder('until_s')),
          or(
            lt(imported_usage.day_s, placeholder('below_day_s')),
            and(
              sql`${imported_usage.day_s} = ${placeholder('below_day_s')}`,
              lt(imported_usage.id, placeholder('below_id')),
            ),
          ),
        ),
      )
      .orderBy(desc(imported_usage.day_s), desc(imported_usage.id))
      .limit(placeholder('row_limit')),
}))

const queries = perConnection({
  dayOf: (orm) =>
    orm.select({ day_s: imported_usage.day_s }).from(imported_usage).where(equals(imported_usage.id, 'id')),
})

const FOREVER = Number.MAX_SAFE_INTEGER

/** @returns undefined if the cursor names no row */
export async function listHistory(
  db: Db,
  { account_id, model, since_ms, until_ms }: HistoryFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ListedHistory> | undefined> {
  const last = cursor === undefined ? { day_s: FOREVER } : await queries(db).dayOf.get({ id: cursor })
  if (!last) return undefined
  const found = await pageQueries(db, account_id).page.all({
    account_id,
    model: model ?? null,
    since_s: since_ms === undefined ? 0 : Math.ceil(since_ms / 1_000),
    until_s: until_ms === undefined ? FOREVER : Math.ceil(until_ms / 1_000),
    below_day_s: last.day_s,
    below_id: cursor ?? FOREVER,
    row_limit: limit + 1,
  })
  return pageOf(found, { limit })
}
