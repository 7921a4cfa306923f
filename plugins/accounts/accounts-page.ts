// Pages of accounts by search, filter and order.
import { Type } from '@sinclair/typebox'
import {
  type AccountFilter,
  type BriefAccount,
  briefAccounts,
  type ListedAccount,
  listAccountPage,
  listedAccounts,
} from '../../src/access/account-listing.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { readZone } from '../../src/http/period.ts'
import {
  lowReason,
  NOTHING_SPENT,
  paceOf,
  type Spending,
  spendingOfMany,
} from '../../src/money/ledger/spending.ts'
import type { Db } from '../../src/store/db.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import { weekSpendOf } from './week-spend.ts'

/** A hyphen reverses the order. */
export const ACCOUNT_ORDERS = ['name', '-name', 'balance', '-balance', 'spent', '-spent'] as const
export const YES = Type.Literal('yes', { must: '"yes"' })

interface Query extends AccountFilter {
  /** Only accounts that need money. */
  low?: 'yes' | undefined
  order?: (typeof ACCOUNT_ORDERS)[number] | undefined
  /** The time zone of the last seven days, for the order by spend. */
  zone?: string | undefined
}

/** Returns a page; undefined if the cursor is not an account of the list. */
export async function accountsPage(
  db: Db,
  query: Query,
  page: PageRequest,
  now_ms: number,
): Promise<Page<ListedAccount> | undefined> {
  const { search, status, price_group, low, order = 'name' } = query
  return !low && order === 'name'
    ? await listAccountPage(db, { search, status, price_group }, page)
    : await rankedPage(db, query, page, now_ms)
}

interface Ranked extends BriefAccount {
  spent_nanos: Nanos
}

const ORDERS: Record<'name' | 'balance' | 'spent', (one: Ranked, other: Ranked) => number> = {
  name: (one, other) => (one.name < other.name ? -1 : 1),
  balance: (one, other) => one.available_nanos - other.available_nanos || one.id - other.id,
  spent: (one, other) => one.spent_nanos - other.spent_nanos || one.id - other.id,
}

function orderOf(order: NonNullable<Query['order']>): (one: Ranked, other: Ranked) => number {
  const by = ORDERS[order.replace('-', '') as keyof typeof ORDERS]
  return order.startsWith('-') ? (one, other) => by(other, one) : by
}

/** Rankings by query object. All pages of a CSV file use one query and so one ranking, because new calls change the order. */
const rankings = new WeakMap<Query, Promise<number[]>>()

function rankingOf(db: Db, query: Query, now_ms: number): Promise<number[]> {
  const known = rankings.get(query)
  if (known) return known
  const ranking = ranked(db, query, now_ms)
  rankings.set(query, ranking)
  return ranking
}

/** Returns the ids of the matching accounts in their order. */
async function ranked(
  db: Db,
  { search, status, price_group, low, order = 'name', ...of }: Query,
  now_ms: number,
): Promise<number[]> {
  const brief = await briefAccounts(db, { search, status, price_group })
  const ids = brief.map(({ id }) => id)
  const spending =
    low || order.endsWith('spent') ? await spendingOfMany(db, ids, now_ms) : new Map<number, Spending>()
  const spent = await weekSpendOf(db, order.endsWith('spent') ? spending : new Map(), {
    now_ms,
    zone: readZone(of),
  })
  const isLow = (account: BriefAccount): boolean => {
    const of_account = spending.get(account.id) ?? NOTHING_SPENT
    return lowReason(account, of_account, paceOf(account, of_account, now_ms)) !== null
  }
  return brief
    .filter((account) => !low || isLow(account))
    .map((account) => ({ ...account, spent_nanos: spent.get(account.id) ?? 0 }))
    .sort(orderOf(order))
    .map(({ id }) => id)
}

/** Reads all accounts to order or filter them by money: 10,000 take 5 ms. */
async function rankedPage(
  db: Db,
  query: Query,
  { limit, cursor }: PageRequest,
  now_ms: number,
): Promise<Page<ListedAccount> | undefined> {
  const ids = await rankingOf(db, query, now_ms)
  const at = cursor === undefined ? -1 : ids.indexOf(cursor)
  if (cursor !== undefined && at < 0) return undefined
  const listed = ids.slice(at + 1, at + 1 + limit)
  const has_more = ids.length > at + 1 + limit
  return { rows: await listedAccounts(db, listed), next_cursor: has_more ? listed.at(-1) : undefined }
}
