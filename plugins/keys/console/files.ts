// The list of keys as a file, with the filters of its page.
import { Elysia } from 'elysia'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { allPages, CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../../src/http/csv.ts'
import { Closed } from '../../../src/http/schema.ts'
import { keysPage } from './keys.ts'
import { KEY_FILTERS, type ShownKeyRow } from './views.ts'

const ROWS_AT_ONCE = 100

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
