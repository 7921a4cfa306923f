// The lists of accounts and keys as files, with the filters of their pages.
import { Elysia } from 'elysia'
import {
  type ConsoleParts,
  FAILURES,
  operatorCalls,
  viewerCalls,
} from '../../../src/app/surface/console/calls.ts'
import { allPages, CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../../src/http/csv.ts'
import { Closed } from '../../../src/http/schema.ts'
import { accountsPage } from './accounts-page.ts'
import { ACCOUNT_FILTERS, type ShownAccountRow } from './views.ts'
import { keysPage } from '../../keys/console/keys.ts'
import { KEY_FILTERS, type ShownKeyRow } from '../../keys/console/views.ts'

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

/** `GET /console/api/keys.csv`: an account has its own. */
export function keyFileRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-key-files' }).use(viewerCalls(gateway)).get(
    '/console/api/keys.csv',
    ({ viewer, query }) =>
      listCsv(gateway, viewer, {
        list: 'keys',
        columns: KEY_COLUMNS,
        parts: allPages(ROWS_AT_ONCE, async (page) => {
          const { keys, next_cursor } = await keysPage(gateway, viewer, { ...query, ...page })
          return { rows: keys, next_cursor }
        }),
      }),
    { query: Closed(KEY_FILTERS), response: { 200: CsvFile, ...FAILURES } },
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

const KEY_COLUMNS: CsvColumns<ShownKeyRow> = {
  id: ({ id }) => id,
  account: ({ account }) => account,
  key: ({ name }) => name,
  key_prefix: ({ prefix }) => prefix,
  status: ({ status }) => status,
  models: ({ models }) => models?.join(' ') ?? null,
  spent_usd: ({ spent_nanos }) => csvUsd(spent_nanos),
  spend_limit_usd: ({ spend_limit_nanos }) => csvUsd(spend_limit_nanos),
  calls_in_7_days: ({ week_calls }) => week_calls,
  spent_in_7_days_usd: ({ week_nanos }) => csvUsd(week_nanos),
  last_used_utc: ({ last_used_at_ms }) => csvTime(last_used_at_ms),
  expires_utc: ({ expires_at_ms }) => csvTime(expires_at_ms),
  revoked_utc: ({ revoked_at_ms }) => csvTime(revoked_at_ms),
  created_utc: ({ created_at_ms }) => csvTime(created_at_ms),
}
