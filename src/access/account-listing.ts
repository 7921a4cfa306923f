// The operator's list of accounts: search, filters and pages; and the money of an account as JSON. Reads only.
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Nanos } from '../domain/money.ts'
import { MoneyFields, money } from '../http/views.ts'
import type { Awaitable, Db, Orm } from '../store/db.ts'
import { type Page, type PageRequest, pageOf } from '../store/page.ts'
import { equals, isOneOf, placeholder } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import {
  type Account,
  account_details,
  account_suspensions,
  accounts,
  closed_accounts,
  type SuspensionReason,
} from '../store/schema.ts'
import { noSuchAccount } from './accounts.ts'
import type { AccountWithStatus } from './closing.ts'

type AccountMoney = Pick<Account, 'balance_nanos' | 'held_nanos' | 'debt_nanos'>

/** The balance that new calls may hold. */
export const availableOf = ({
  balance_nanos,
  held_nanos,
}: Pick<Account, 'balance_nanos' | 'held_nanos'>): Nanos => balance_nanos - held_nanos

/** Schema fields of an account's money. */
export const ACCOUNT_MONEY_FIELDS = {
  ...MoneyFields('balance', 'Balance of the account'),
  ...MoneyFields('held', 'Held for running calls'),
  ...MoneyFields('available', 'Available for new calls'),
  ...MoneyFields('debt', 'Debt: charges that the balance did not cover; top-ups pay it first'),
}

export const accountMoney = (account: AccountMoney) => ({
  ...money('balance', account.balance_nanos),
  ...money('held', account.held_nanos),
  ...money('available', availableOf(account)),
  ...money('debt', account.debt_nanos),
})

/** An account with the time at which it was closed. */
export interface ListedAccount extends AccountWithStatus {
  closed_at_ms: number | null
  /** Empty if not set. */
  display_name: string
  email: string
  /** Null if the account is active or closed. */
  suspension_reason: SuspensionReason | null
  /** Empty if the operator wrote none. */
  suspension_words: string
  suspended_at_ms: number | null
}

export const ACCOUNT_STATUSES = ['active', 'suspended', 'closed'] as const

/** A filter of accounts; an absent field does not filter. */
export interface AccountFilter {
  /** A part of the name, the display name or the email; case-insensitive for ASCII letters. */
  search?: string | undefined
  status?: AccountWithStatus['status'] | undefined
  price_group?: string | undefined
}

const isSetParameter = (name: string) => sql`CAST(${placeholder(name)} AS text) IS NOT NULL`
const account_status = sql<
  AccountWithStatus['status']
>`CASE WHEN ${closed_accounts.account_id} IS NULL THEN ${accounts.status} ELSE 'closed' END`
const available = sql<number>`(${accounts.balance_nanos} - ${accounts.held_nanos})`

const accountRows = (orm: Orm) =>
  orm
    .select({
      ...getTableColumns(accounts),
      status: account_status.as('account_status'),
      closed_at_ms: closed_accounts.closed_at_ms,
      display_name: sql<string>`coalesce(${account_details.display_name}, '')`,
      email: sql<string>`coalesce(${account_details.email}, '')`,
      // A suspended account without a row was suspended by an operator (suspension.ts).
      suspension_reason: sql<SuspensionReason | null>`CASE ${account_status} WHEN 'suspended'
        THEN coalesce(${account_suspensions.reason}, 'operator') END`,
      suspension_words: sql<string>`coalesce(${account_suspensions.words}, '')`,
      suspended_at_ms: account_suspensions.suspended_at_ms,
    })
    .from(accounts)
    .leftJoin(closed_accounts, eq(closed_accounts.account_id, accounts.id))
    .leftJoin(account_details, eq(account_details.account_id, accounts.id))
    .leftJoin(account_suspensions, eq(account_suspensions.account_id, accounts.id))

const matches = and(
  // SQLite's lower() only converts ASCII: other letters must match in case.
  sql`(NOT ${isSetParameter('search')} OR instr(lower(${accounts.name}), ${placeholder('search')}) > 0
    OR instr(lower(${account_details.display_name}), ${placeholder('search')}) > 0
    OR instr(${account_details.display_name}, ${placeholder('typed')}) > 0
    OR instr(lower(${account_details.email}), ${placeholder('search')}) > 0)`,
  sql`(NOT ${isSetParameter('status')} OR ${account_status} = ${placeholder('status')})`,
  sql`(NOT ${isSetParameter('price_group')} OR ${accounts.price_group} = ${placeholder('price_group')})`,
)

const accountListQueries = perConnection({
  /** Uses the index on names. */
  byName: (orm) =>
    accountRows(orm)
      .where(and(matches, gt(accounts.name, placeholder('after_name'))))
      .orderBy(asc(accounts.name))
      .limit(placeholder('row_limit')),
  ofName: (orm) => accountRows(orm).where(equals(accounts.name, 'name')),
  ofIds: (orm) => accountRows(orm).where(isOneOf(accounts.id, 'ids')),
  /** The fields for ordering all accounts by spending. */
  brief: (orm) =>
    orm
      .select({
        id: accounts.id,
        name: accounts.name,
        status: account_status.as('account_status'),
        available_nanos: available.as('available_nanos'),
        debt_nanos: accounts.debt_nanos,
        created_at_ms: accounts.created_at_ms,
      })
      .from(accounts)
      .leftJoin(closed_accounts, eq(closed_accounts.account_id, accounts.id))
      .leftJoin(account_details, eq(account_details.account_id, accounts.id))
      .where(matches),
})

const filterValues = ({ search, status, price_group }: AccountFilter) => ({
  search: search === undefined ? null : search.toLowerCase(),
  typed: search?.normalize('NFC') ?? null,
  status: status ?? null,
  price_group: price_group ?? null,
})

/** The account with this ID; undefined if not found. */
export async function listedAccount(db: Db, id: number): Promise<ListedAccount | undefined> {
  const [found] = await listedAccounts(db, [id])
  return found
}

/** The account with this name; undefined if not found. */
export async function accountNamed(db: Db, name: string): Promise<ListedAccount | undefined> {
  const [found] = await accountListQueries(db).ofName.all({ name })
  return found
}

export async function requireAccountNamed(db: Db, name: string): Promise<ListedAccount> {
  const found = await accountNamed(db, name)
  if (!found) throw noSuchAccount(name)
  return found
}

/** The accounts with these IDs, in the same order. */
export async function listedAccounts(db: Db, ids: readonly number[]): Promise<ListedAccount[]> {
  const found = await accountListQueries(db).ofIds.all({ ids: JSON.stringify(ids) })
  const by_id = new Map(found.map((account) => [account.id, account]))
  return ids.flatMap((id) => by_id.get(id) ?? [])
}

/**
 * One page of accounts by name. A new account never moves others to another page.
 *
 * @returns undefined if the cursor's account does not exist
 */
export async function listAccountPage(
  db: Db,
  filter: AccountFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ListedAccount> | undefined> {
  const after = cursor === undefined ? undefined : await listedAccount(db, cursor)
  if (cursor !== undefined && !after) return undefined
  const values = { ...filterValues(filter), row_limit: limit + 1, after_name: after?.name ?? '' }
  return pageOf(await accountListQueries(db).byName.all(values), { limit })
}

/** The fields for ordering accounts. */
export interface BriefAccount {
  id: number
  name: string
  status: AccountWithStatus['status']
  available_nanos: Nanos
  debt_nanos: Nanos
  created_at_ms: number
}

/** All matching accounts; 10,000 take 5 ms. */
export const briefAccounts = (db: Db, filter: AccountFilter): Awaitable<BriefAccount[]> =>
  accountListQueries(db).brief.all(filterValues(filter))
