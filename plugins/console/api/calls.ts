// The history of calls: filtered and paged, the newest first, and as a file. An account sees its own.

import type { Database } from 'bun:sqlite'
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Viewer } from '../../../src/access/viewer.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { outputTokens, promptTokens } from '../../../src/domain/usage.ts'
import type { CsvColumns } from '../../../src/http/csv.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../../src/http/paging.ts'
import { Closed } from '../../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../../src/http/views.ts'
import { allCalls } from '../../../src/ledger/all-calls.ts'
import { type CallFilter, isNarrowed } from '../../../src/ledger/call-filter.ts'
import {
  type CallPage,
  listCalls,
  listCallsInTurns,
  type RecordedCall,
  startOfCall,
} from '../../../src/ledger/history.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../calls.ts'
import { CallRow, callRow } from './call-row.ts'
import { CALL_FILTERS, callsAsked } from './calls-asked.ts'
import { CsvFile, csvTime, listCsv } from './list-csv.ts'

/** A page has at most so many calls, whatever was asked for: about 5 ms. */
const MAX_CALLS = 200
/**
 * A search that the kept sums cannot narrow looks at so many calls at once, some 8 ms, and goes on so often where it found
 * less than a page. Others look once: to find out where costs as much as to look.
 */
const MAX_CALLS_LOOKED_AT = 2_000
const MAX_ROUNDS = 5

const CallsQuery = Closed({ ...CALL_FILTERS, ...PAGE_PARAMETERS })

const CallsView = Closed({
  calls: Type.Array(CallRow),
  ...PAGE_FIELDS,
  /** Where the search stopped for now, and `next_cursor` goes on; null if all of the page is here. */
  ...NullableTimeFields('searched_back_to'),
})

/** `GET /console/api/calls`. */
export function callRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-calls' })
    .use(viewerCalls(gateway))
    .get('/console/api/calls', ({ viewer, query }) => callsPage(gateway, viewer, query), {
      query: CallsQuery,
      response: { 200: CallsView, ...FAILURES },
    })
    .get(
      '/console/api/calls.csv',
      ({ viewer, query }) => {
        const columns = viewer.role === 'operator' ? OF_OPERATOR : COLUMNS
        const parts = allCalls(gateway.db, callsAsked(gateway, viewer, query))
        return listCsv(gateway, viewer, { list: 'calls', columns, parts })
      },
      { query: Closed(CALL_FILTERS), response: { 200: CsvFile, ...FAILURES } },
    )
}

const COLUMNS: CsvColumns<RecordedCall> = {
  request_id: ({ request_id }) => request_id,
  started_utc: ({ started_at_ms }) => csvTime(started_at_ms),
  account: ({ account_name }) => account_name,
  key: ({ key_name }) => key_name,
  key_prefix: ({ key_prefix }) => key_prefix,
  surface: ({ surface }) => surface,
  model: ({ model }) => model,
  outcome: ({ outcome }) => outcome,
  status: ({ status }) => status,
  input_tokens: (call) => promptTokens(call),
  output_tokens: (call) => outputTokens(call),
  images: ({ images }) => images,
  cost_usd: ({ cost_nanos }) => formatUsd(cost_nanos),
  unpaid_usd: ({ unpaid_nanos }) => formatUsd(unpaid_nanos),
  first_byte_ms: ({ first_byte_ms }) => first_byte_ms,
  duration_ms: ({ duration_ms }) => duration_ms,
}

const OF_OPERATOR: CsvColumns<RecordedCall> = {
  ...COLUMNS,
  provider: ({ provider }) => provider,
  upstream_model: ({ upstream_model }) => upstream_model,
  failed_tries: ({ failed_tries }) => failed_tries,
  provider_cost_usd: ({ provider_cost_nanos: nanos }) => (nanos === null ? null : formatUsd(nanos)),
}

async function callsPage(
  gateway: Pick<ConsoleParts, 'db'>,
  viewer: Viewer,
  query: Static<typeof CallsQuery>,
): Promise<Static<typeof CallsView>> {
  const { db } = gateway
  const { limit, cursor } = pageOf(query)
  const wanted = Math.min(limit, MAX_CALLS)
  const { calls, next_cursor } = await search(db, callsAsked(gateway, viewer, query), {
    limit: wanted,
    cursor,
  })
  const stopped_ms =
    calls.length < wanted && next_cursor !== undefined ? startOfCall(db, next_cursor) : undefined
  return {
    calls: calls.map((call) => callRow(call, viewer)),
    ...pageFields({ next_cursor }),
    ...time('searched_back_to', stopped_ms ?? null),
  }
}

/** A filter that few calls match is looked for in several rounds, so that paid calls go on between. */
async function search(
  db: Database,
  filter: CallFilter,
  { limit, cursor }: { limit: number; cursor: number | undefined },
): Promise<CallPage> {
  if (isNarrowed(filter)) return listCallsInTurns(db, filter, { limit, cursor })
  const page = listCalls(db, filter, { limit, cursor }, MAX_CALLS_LOOKED_AT)
  for (let round = 1; round < MAX_ROUNDS; round++) {
    if (page.next_cursor === undefined || page.calls.length >= limit) break
    await endOfTurn()
    const rest = { limit: limit - page.calls.length, cursor: page.next_cursor }
    const more = listCalls(db, filter, rest, MAX_CALLS_LOOKED_AT)
    page.calls.push(...more.calls)
    page.next_cursor = more.next_cursor
  }
  return page
}
