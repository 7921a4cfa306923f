// One page of accounts: searched, filtered, and in the requested order.
import { Type } from '@sinclair/typebox'
import {
  type AccountFilter,
  type BriefAccount,
  briefAccounts,
  type ListedAccount,
  listAccountPage,
  listedAccounts,
} from '../../src/access/account-listing.ts'
import {
  lowReason,
  NOTHING_SPENT,
  paceOf,
  type Spending,
  spendingOfMany,
} from '../../src/money/ledger/spending.ts'
import type { Db } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf } from '../../src/store/page.ts'

/** With a hyphen: from the last, the highest or the most on. */
export const ACCOUNT_ORDERS = ['name', '-name', 'balance', '-balance', 'spent', '-spent'] as const
export const YES = Type.Literal('yes', { must: '"yes"' })

interface Query extends AccountFilter {
  /** Only accounts that need money. */
  low?: 'yes' | undefined
  order?: (typeof ACCOUNT_ORDERS)[number] | undefined
}

/** @returns undefined for a cursor that is no account of the list */
export async function accountsPage(
  db: Db,
  query: Query,
  page: PageRequest,
  now_ms: number,
): Promise<Page<ListedAccount> | undefined> {
  const { search, status, low, order = 'name' } = query
  return !low && (order === 'name' || order === 'balance')
    ? await listAccountPage(db, { search, status, order }, page)
    : await rankedPage(db, query, page, now_ms)
}

interface Ranked extends BriefAccount {
  spending: Spending
}

const ORDERS: Record<'name' | 'balance' | 'spent', (one: Ranked, other: Ranked) => number> = {
  name: (one, other) => (one.name < other.name ? -1 : 1),
  balance: (one, other) => one.available_nanos - other.available_nanos || one.id - other.id,
  spent: (one, other) => one.spending.week_nanos - other.spending.week_nanos || one.id - other.id,
}

function orderOf(order: NonNullable<Query['order']>): (one: Ranked, other: Ranked) => number {
  const by = ORDERS[order.replace('-', '') as keyof typeof ORDERS]
  return order.startsWith('-') ? (one, other) => by(other, one) : by
}

/** An order or a choice by spending needs all accounts first. */
async function rankedPage(
  db: Db,
  { search, status, low, order = 'name' }: Query,
  page: PageRequest,
  now_ms: number,
): Promise<Page<ListedAccount> | undefined> {
  const brief = await briefAccounts(db, { search, status })
  const spending = await spendingOfMany(
    db,
    brief.map(({ id }) => id),
    now_ms,
  )
  const ranked = brief
    .map((account) => ({ ...account, spending: spending.get(account.id) ?? NOTHING_SPENT }))
    .filter(
      (account) =>
        !low || lowReason(account, account.spending, paceOf(account, account.spending, now_ms)) !== null,
    )
    .sort(orderOf(order))
  const at = page.cursor === undefined ? -1 : ranked.findIndex(({ id }) => id === page.cursor)
  if (page.cursor !== undefined && at < 0) return undefined
  const { rows, next_cursor } = pageOf(ranked.slice(at + 1), page)
  return {
    rows: await listedAccounts(
      db,
      rows.map(({ id }) => id),
    ),
    next_cursor,
  }
}
