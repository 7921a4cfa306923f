// List of accounts for the console, CSV files and the command line.
import { ACCOUNT_STATUSES, availableOf, type ListedAccount } from '../../src/access/account-listing.ts'
import { localIso, shortDay } from '../../src/app/command-line/times.ts'
import {
  integer,
  money,
  nullableInteger,
  nullableText,
  nullableTime,
  rowFor,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { PriceGroupName, Search } from '../../src/app/surface/console/fields.ts'
import { readZone, ZONE_PARAMETER } from '../../src/http/period.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import {
  LOW_REASONS,
  type LowReason,
  lowReason,
  NOTHING_SPENT,
  type Pace,
  paceOf,
  type Spending,
  spendingOf,
} from '../../src/money/ledger/spending.ts'
import { SUSPENSION_REASONS } from '../../src/store/schema.ts'
import { ACCOUNT_ORDERS, accountsPage, YES } from './accounts-page.ts'
import { weekSpendOf } from './week-spend.ts'

/** An account with its recent spending. */
interface AccountRow extends ListedAccount, Pace {
  week_nanos: number
  low: LowReason | null
}

export const account_list = defineList<AccountRow>()({
  name: 'accounts',
  field: 'accounts',
  of: 'operator',
  max_rows: 1_000,
  selects: [],
  names_accounts: false,
  filters: {
    search: { schema: Search },
    status: { schema: OneOf(ACCOUNT_STATUSES) },
    price_group: { schema: PriceGroupName },
    low: { schema: YES },
    order: { schema: OneOf(ACCOUNT_ORDERS) },
    zone: { schema: ZONE_PARAMETER.zone },
  },
  columns: {
    id: integer(({ id }) => id),
    name: text(({ name }) => name, { csv_name: 'account', table: { head: 'NAME', elastic: true } }),
    display_name: text(({ display_name }) => display_name, { command: false }),
    email: text(({ email }) => email, { command: false }),
    status: word(OneOf(ACCOUNT_STATUSES), ({ status }) => status, { table: { head: 'STATUS' } }),
    suspension_reason: word(
      Nullable(OneOf(SUSPENSION_REASONS)),
      ({ suspension_reason }) => suspension_reason,
      {
        description:
          'why it is suspended: by an operator, or by a lost dispute that left debt; null: it is not suspended',
      },
    ),
    suspension_words: text(({ suspension_words }) => suspension_words, {
      description: 'the operator’s own, which the account’s people read; may be empty',
    }),
    suspended: nullableTime(({ suspended_at_ms }) => suspended_at_ms),
    price_group: nullableText(({ price_group }) => price_group, {
      description: 'the price group whose prices it pays; null: list prices',
    }),
    balance: money(({ balance_nanos }) => balance_nanos, { table: { head: 'BALANCE' } }),
    held: money(({ held_nanos }) => held_nanos, { table: { head: 'HELD' } }),
    available: money(availableOf),
    debt: money(({ debt_nanos }) => debt_nanos, { table: { head: 'DEBT' } }),
    week: money(({ week_nanos }) => week_nanos, { csv_name: 'spent_in_7_days_usd', command: false }),
    change_percent: nullableInteger(({ change_percent }) => change_percent, {
      description: 'this week’s daily spending against that of the week before',
      csv_name: false,
      command: false,
    }),
    lasts_days: nullableInteger(({ lasts_days }) => lasts_days, {
      description: 'how long the available balance lasts at this week’s pace',
      command: false,
    }),
    low: word(Nullable(OneOf(LOW_REASONS)), ({ low }) => low, {
      description:
        'why its balance is low: it is in debt, has no available balance, less than one of its last calls held, or less than three days left; null: it is not low',
      command: false,
    }),
    created_head: tableOnly({
      head: 'CREATED',
      text: ({ created_at_ms }) => localIso(created_at_ms),
      narrow: ({ created_at_ms }) => shortDay(created_at_ms),
      spare: 1,
    }),
    created: time(({ created_at_ms }) => created_at_ms),
  },
  async read(db, filter, page, { now_ms, viewer }) {
    const found = await accountsPage(db, filter, page, now_ms)
    if (!found) return undefined
    const { rows, next_cursor } = found
    const ids = rows.map(({ id }) => id)
    // The command has no columns of spending.
    const spending = viewer && (await spendingOf(db, ids, now_ms))
    const spent = spending && (await weekSpendOf(db, spending, { now_ms, zone: readZone(filter) }))
    return {
      rows: rows.map((account) => {
        const row = accountRow(account, spending?.get(account.id), now_ms)
        return { ...row, week_nanos: spent?.get(account.id) ?? row.week_nanos }
      }),
      next_cursor,
    }
  },
})

export type AccountRowView = ConsoleRowOf<typeof account_list>

/** The fields of an account in the `--json` output of commands. */
export const accountFields = (account: ListedAccount) =>
  rowFor(account_list.columns, 'command', accountRow(account, undefined, 0))

export function accountRow(
  account: ListedAccount,
  spending: Spending = NOTHING_SPENT,
  now_ms: number,
): AccountRow {
  const state = { ...account, available_nanos: availableOf(account) }
  const pace = paceOf(state, spending, now_ms)
  return { ...account, ...pace, week_nanos: spending.week_nanos, low: lowReason(state, spending, pace) }
}
