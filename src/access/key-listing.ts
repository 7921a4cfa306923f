// The list of keys, of all accounts or of one: search, filters and pages. Reads only.
import { and, count, desc, eq, getTableColumns, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Db, Orm } from '../store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../store/page.ts'
import { equals, isOneOfUnlessNull, jsonOrNull, placeholder } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { accounts, type BudgetRow, type Key, keys, people } from '../store/schema.ts'
import { withBudgets } from './budgets.ts'
import type { KeyStatus } from './key-status.ts'

const isSetParameter = (name: string) => sql`CAST(${placeholder(name)} AS text) IS NOT NULL`

/** A key with the names of its account and its person. */
export interface ListedKey extends Key {
  account_name: string
  /** Null for a key of the account itself. */
  person_name: string | null
  budgets: readonly BudgetRow[]
}

/** A filter of keys; an absent field does not filter. */
interface KeyFilter {
  account_id?: number | undefined
  key_ids?: readonly number[] | undefined
  /** The beginning of the prefix, or a part of the name. */
  search?: string | undefined
  /** `usable`: active or retiring. */
  status?: KeyStatus | 'usable' | undefined
}

/** The SQL form of `keyStatus`. */
const key_status = sql<KeyStatus>`CASE
  WHEN ${keys.revoked_at_ms} <= ${placeholder('now_ms')} THEN 'revoked'
  WHEN ${keys.expires_at_ms} <= ${placeholder('now_ms')} THEN 'expired'
  WHEN ${keys.revoked_at_ms} IS NULL THEN 'active' ELSE 'retiring' END`

const keyPage = (orm: Orm, of_account?: SQL) =>
  orm
    .select({ ...getTableColumns(keys), account_name: accounts.name, person_name: people.name })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.account_id))
    .leftJoin(people, eq(people.id, keys.person_id))
    .where(
      and(
        of_account,
        lt(keys.id, placeholder('below_id')),
        isOneOfUnlessNull(keys.id, 'key_ids'),
        sql`(NOT ${isSetParameter('search')} OR substr(${keys.prefix}, 1, length(${placeholder('search')})) = ${placeholder('search')}
          OR instr(lower(${keys.name}), lower(${placeholder('search')})) > 0)`,
        or(
          sql`NOT ${isSetParameter('status')}`,
          sql`${key_status} = ${placeholder('status')}`,
          sql`(${placeholder('status')} = 'usable' AND ${key_status} IN ('active', 'retiring'))`,
        ),
      ),
    )
    .orderBy(desc(keys.id))
    .limit(placeholder('row_limit'))

const keyListQueries = perConnection({
  page: (orm) => keyPage(orm),
  pageOfAccount: (orm) => keyPage(orm, equals(keys.account_id, 'account_id')),
  one: (orm) =>
    orm
      .select({ ...getTableColumns(keys), account_name: accounts.name, person_name: people.name })
      .from(keys)
      .innerJoin(accounts, eq(accounts.id, keys.account_id))
      .leftJoin(people, eq(people.id, keys.person_id))
      .where(equals(keys.id, 'id')),
  usable: (orm) =>
    orm
      .select({ keys: count() })
      .from(keys)
      .where(and(equals(keys.account_id, 'account_id'), sql`${key_status} IN ('active', 'retiring')`)),
})

/** The number of usable keys of an account. */
export async function countUsableKeys(db: Db, account_id: number, now_ms: number): Promise<number> {
  const counted = await keyListQueries(db).usable.get({ account_id, now_ms })
  return counted?.keys ?? 0
}

/** One page of keys, newest first. */
export async function listKeyPage(
  db: Db,
  { account_id, key_ids, search, status }: KeyFilter,
  page: PageRequest,
  now_ms: number,
): Promise<Page<ListedKey>> {
  const { page: all, pageOfAccount } = keyListQueries(db)
  const values = {
    ...pageValues(page),
    key_ids: jsonOrNull(key_ids ?? null),
    search: search ?? null,
    status: status ?? null,
    now_ms,
  }
  const found =
    account_id === undefined ? await all.all(values) : await pageOfAccount.all({ ...values, account_id })
  const { rows, next_cursor } = pageOf(found, page)
  return { rows: await withBudgets(db, rows), next_cursor }
}

/** The key with this ID; undefined if it does not exist or belongs to another account. */
export async function listedKey(
  db: Db,
  id: number,
  account_id: number | undefined,
): Promise<ListedKey | undefined> {
  const found = await keyListQueries(db).one.get({ id })
  if (!found || (account_id !== undefined && found.account_id !== account_id)) return undefined
  const [key] = await withBudgets(db, [found])
  return key
}
