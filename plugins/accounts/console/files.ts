// The list of accounts as a file, with the filters of its page.
import { Elysia } from 'elysia'
import { type ConsoleParts, FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import { allPages, CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../../src/http/csv.ts'
import { Closed } from '../../../src/http/schema.ts'
import { accountsPage } from './accounts-page.ts'
import { ACCOUNT_FILTERS, type ShownAccountRow } from './views.ts'

const ROWS_AT_ONCE = 100

/** `GET /console/api/accounts.csv`, for the operator. */
export function accountFileRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-account-files' }).use(operatorCalls(gateway)).get(
    '/console/api/accounts.csv',
    ({ viewer, query }) =>
      listCsv(gateway, viewer, {
        list: 'accounts',
        columns: ACCOUNT_COLUMNS,
        parts: allPages(ROWS_AT_ONCE, async (page) => {
          const { accounts, next_cursor } = await accountsPage(gateway, { ...query, ...page })
          return { rows: accounts, next_cursor }
        }),
      }),
    { query: Closed(ACCOUNT_FILTERS), response: { 200: CsvFile, ...FAILURES } },
  )
}

const ACCOUNT_COLUMNS: CsvColumns<ShownAccountRow> = {
  id: ({ id }) => id,
  account: ({ name }) => name,
  display_name: ({ display_name }) => display_name,
  email: ({ email }) => email,
  status: ({ status }) => status,
  balance_usd: ({ balance_nanos }) => csvUsd(balance_nanos),
  held_usd: ({ held_nanos }) => csvUsd(held_nanos),
  available_usd: ({ available_nanos }) => csvUsd(available_nanos),
  debt_usd: ({ debt_nanos }) => csvUsd(debt_nanos),
  spent_in_7_days_usd: ({ week_nanos }) => csvUsd(week_nanos),
  lasts_days: ({ lasts_days }) => lasts_days,
  low: ({ low }) => low,
  created_utc: ({ created_at_ms }) => csvTime(created_at_ms),
}
