// The list of accounts: searched, filtered, and ordered.
import type { Static } from '@sinclair/typebox'
import {
  type BriefAccount,
  briefAccounts,
  type ListedAccount,
  listAccountPage,
  listedAccounts,
} from '../../../src/access/account-listing.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { pageFields, pageOf } from '../../../src/http/paging.ts'
import {
  lowReason,
  NOTHING_SPENT,
  paceOf,
  type Spending,
  spendingOf,
  spendingOfMany,
} from '../../../src/money/ledger/spending.ts'
import { type Page, type PageRequest, pageOf as pageOfRows } from '../../../src/store/page.ts'
import { type AccountsQuery, type AccountsView, accountRow } from './views.ts'

type Asked = Static<typeof AccountsQuery>

/** One page of accounts. @throws GatewayError invalid_request for a cursor that is no account of the list */
export async function accountsPage(
  { db, exchange: { now } }: Pick<Gateway, 'exchange' | 'db'>,
  query: Asked,
): Promise<Static<typeof AccountsView>> {
  const { search, status, low, order = 'name' } = query
  const now_ms = now()
  const page = pageOf(query)
  const found =
    !low && (order === 'name' || order === 'balance')
      ? await listAccountPage(db, { search, status, order }, page)
      : await rankedPage(db, query, page, now_ms)
  if (!found) throw invalidRequest('cursor: must be the next_cursor of the page before.', { param: 'cursor' })
  const spending = await spendingOf(
    db,
    found.rows.map(({ id }) => id),
    now_ms,
  )
  return {
    accounts: found.rows.map((account) =>
      accountRow(account, spending.get(account.id) ?? NOTHING_SPENT, now_ms),
    ),
    ...pageFields(found),
  }
}

interface Ranked extends BriefAccount {
  spending: Spending
}

const ORDERS: Record<'name' | 'balance' | 'spent', (one: Ranked, other: Ranked) => number> = {
  name: (one, other) => (one.name < other.name ? -1 : 1),
  balance: (one, other) => one.available_nanos - other.available_nanos || one.id - other.id,
  spent: (one, other) => one.spending.week_nanos - other.spending.week_nanos || one.id - other.id,
}

function orderOf(order: NonNullable<Asked['order']>): (one: Ranked, other: Ranked) => number {
  const by = ORDERS[order.replace('-', '') as keyof typeof ORDERS]
  return order.startsWith('-') ? (one, other) => by(other, one) : by
}

/** What is ordered or chosen by spending is read of all accounts first. */
async function rankedPage(
  db: Gateway['db'],
  { search, status, low, order = 'name' }: Asked,
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
  const { rows, next_cursor } = pageOfRows(ranked.slice(at + 1), page)
  return {
    rows: await listedAccounts(
      db,
      rows.map(({ id }) => id),
    ),
    next_cursor,
  }
}
