// The history of calls: filtered and paged, the newest first. An account sees its own.

import type { Database } from 'bun:sqlite'
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { invalidRequest, notFound, permissionDenied } from '../../../src/domain/errors.ts'
import { type Nanos, parseUsd } from '../../../src/domain/money.ts'
import { OUTCOMES } from '../../../src/domain/outcomes.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../../src/http/paging.ts'
import { ModelName, WholeNumber } from '../../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../../src/http/period.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../../src/http/views.ts'
import { type CallFilter, isNarrowed } from '../../../src/ledger/call-filter.ts'
import { type CallPage, listCalls, listCallsInTurns, startOfCall } from '../../../src/ledger/history.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../calls.ts'
import { CallRow, callRow } from './call-row.ts'

/** A page has at most so many calls, whatever was asked for: about 5 ms. */
const MAX_CALLS = 200
/**
 * A search that the kept sums cannot narrow looks at so many calls at once, some 8 ms, and goes on so often where it found
 * less than a page. Others look once: to find out where costs as much as to look.
 */
const MAX_CALLS_LOOKED_AT = 2_000
const MAX_ROUNDS = 5

const RowId = WholeNumber({ minimum: 1 }, 'a whole number from 1')

const CallsQuery = Closed({
  account: Type.Optional(RowId),
  key: Type.Optional(RowId),
  model: Type.Optional(ModelName),
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 128, must: 'the name of a provider' })),
  outcome: Type.Optional(OneOf(OUTCOMES)),
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](\\d\\d|xx)$',
      must: 'an HTTP status such as 429, or a class of them such as 4xx',
    }),
  ),
  min_cost: Type.Optional(
    Type.String({ maxLength: 40, pattern: '^\\d+(\\.\\d{1,9})?$', must: 'an amount in USD, such as 0.05' }),
  ),
  ...PERIOD_PARAMETERS,
  ...PAGE_PARAMETERS,
})

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
    .get('/console/api/calls', ({ viewer, query }) => callsPage(gateway.db, viewer, query), {
      query: CallsQuery,
      response: { 200: CallsView, ...FAILURES },
    })
}

async function callsPage(
  db: Database,
  viewer: Viewer,
  query: Static<typeof CallsQuery>,
): Promise<Static<typeof CallsView>> {
  const { limit, cursor } = pageOf(query)
  const wanted = Math.min(limit, MAX_CALLS)
  const { calls, next_cursor } = await search(db, filterOf(viewer, query), { limit: wanted, cursor })
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

/** @throws GatewayError not_found for another's account; permission_denied for what only the operator may ask */
function filterOf(viewer: Viewer, query: Static<typeof CallsQuery>): CallFilter {
  const { account, key, model, provider, outcome, status, min_cost } = query
  const own = accountOf(viewer)
  if (own !== undefined && account !== undefined && account !== own)
    throw notFound('Account not found.', { param: 'account' })
  if (own !== undefined && provider !== undefined)
    throw permissionDenied('Only the operator may filter by provider. Leave it out.', { param: 'provider' })
  return {
    account_id: own ?? account,
    key_id: key,
    model,
    provider,
    outcome,
    status: status === undefined ? undefined : statusesOf(status),
    min_cost_nanos: min_cost === undefined ? undefined : costOf(min_cost),
    ...readPeriod(query),
  }
}

function statusesOf(status: string): { from: number; to: number } {
  if (!status.endsWith('xx')) return { from: Number(status), to: Number(status) }
  const from = Number(status[0]) * 100
  return { from, to: from + 99 }
}

function costOf(text: string): Nanos {
  try {
    return parseUsd(text)
  } catch (cause) {
    throw invalidRequest('min_cost: is more than can be counted exactly.', { param: 'min_cost', cause })
  }
}
