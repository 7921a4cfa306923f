// List of calls and refused requests: filtered and paged, newest first. An account sees its own.

import { type Static, Type } from '@sinclair/typebox'
import type { Viewer } from '../../../src/access/viewer.ts'
import { allNamed } from '../../../src/app/surface/console/account-names.ts'
import type { ConsoleParts } from '../../../src/app/surface/console/calls.ts'
import { Limit, pageOf } from '../../../src/http/paging.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../../src/http/views.ts'
import { type CallFilter, isNarrowed } from '../../../src/money/ledger/queries.ts'
import type { Db } from '../../../src/store/db.ts'
import type { Page } from '../../../src/store/page.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { listRefusals, type RecordedRefusal, type RefusalFilter } from '../../refusals/index.ts'
import { listCalls, listCallsInTurns, type RecordedCall, startOfCall } from '../listing.ts'
import { ListedRow, listedRow, refusedCall } from './call-row.ts'
import { CALL_FILTERS, requestedCalls } from './filter.ts'
import { type Cursors, mergePages, type Part } from './merged.ts'

/** The maximum rows of a page, at any `limit`; reading them takes about 5 ms. */
const MAX_ROWS = 200
/**
 * A search that the kept sums cannot narrow scans this many calls at once, about 8 ms, in at most MAX_ROUNDS rounds until a page is
 * full. Other searches have one round, because narrowing costs as much as scanning.
 */
const MAX_SCANNED_CALLS = 2_000
const MAX_ROUNDS = 5

export const CallsQuery = Closed({
  ...CALL_FILTERS,
  limit: Type.Optional(Limit),
  cursor: Type.Optional(
    Type.String({ pattern: '^\\d{1,16}\\.\\d{1,16}$', must: 'the next_cursor of the page before' }),
  ),
})

export const CallsView = Closed({
  calls: Type.Array(ListedRow),
  next_cursor: Nullable(Type.String({ description: 'The `cursor` of the next page; null on the last.' })),
  /** The time at which the search stopped before the page was full; null otherwise. `next_cursor` continues there. */
  ...NullableTimeFields('searched_back_to'),
})

export async function callsPage(
  gateway: Pick<ConsoleParts, 'db'>,
  viewer: Viewer,
  { cursor, ...query }: Static<typeof CallsQuery>,
): Promise<Static<typeof CallsView>> {
  const { db } = gateway
  const requested = await requestedCalls(gateway, viewer, query)
  const limit = Math.min(pageOf(query).limit, MAX_ROWS)
  const from = cursor === undefined ? undefined : parseCursors(cursor)
  const { rows, next, stopped_ms } = mergePages<RecordedCall, RecordedRefusal>(
    await partOfCalls(db, requested.calls, limit, from?.first),
    await partOfRefusals(db, requested.refusals, limit, from?.second),
    limit,
  )
  return {
    calls: await allNamed(
      db,
      viewer,
      rows.map((row) => listedRow('cost_nanos' in row ? row : refusedCall(row), viewer)),
    ),
    next_cursor: next ? `${next.first}.${next.second}` : null,
    ...time('searched_back_to', stopped_ms ?? null),
  }
}

function parseCursors(text: string): Cursors {
  const [first = 0, second = 0] = text.split('.').map(Number)
  return { first, second }
}

async function partOfCalls(
  db: Db,
  filter: CallFilter | undefined,
  limit: number,
  cursor: number | undefined,
): Promise<Part<RecordedCall>> {
  const timeOf = ({ started_at_ms }: RecordedCall) => started_at_ms
  const { rows, next_cursor } =
    filter && cursor !== 0
      ? await search(db, filter, { limit, cursor })
      : { rows: [], next_cursor: undefined }
  const is_full = rows.length >= limit
  const stopped_ms = is_full || next_cursor === undefined ? undefined : await startOfCall(db, next_cursor)
  return {
    rows,
    next_cursor,
    back_to_ms: is_full ? rows.at(-1)?.started_at_ms : stopped_ms,
    // The query reads calls below the cursor, so this row is the first of the next page.
    resumeAt: ({ id }) => id + 1,
    timeOf,
  }
}

/** The cursor of refused requests while none of them has been on a page. */
const FROM_THE_NEWEST = Number.MAX_SAFE_INTEGER

async function partOfRefusals(
  db: Db,
  filter: RefusalFilter | undefined,
  limit: number,
  cursor: number | undefined,
): Promise<Part<RecordedRefusal>> {
  const page =
    filter && cursor !== 0
      ? await listRefusals(db, filter, { limit, cursor: cursor === FROM_THE_NEWEST ? undefined : cursor })
      : { rows: [], next_cursor: undefined, back_to_ms: undefined }
  return {
    ...page,
    resumeAt: (_, last) => last?.id ?? cursor ?? FROM_THE_NEWEST,
    timeOf: ({ at_ms }) => at_ms,
  }
}

/** Searches in several rounds if few calls match, so that the event loop can serve paid calls in between. */
async function search(
  db: Db,
  filter: CallFilter,
  { limit, cursor }: { limit: number; cursor: number | undefined },
): Promise<Page<RecordedCall>> {
  if (isNarrowed(filter)) return listCallsInTurns(db, filter, { limit, cursor })
  const page = await listCalls(db, filter, { limit, cursor }, MAX_SCANNED_CALLS)
  for (let round = 1; round < MAX_ROUNDS; round++) {
    if (page.next_cursor === undefined || page.rows.length >= limit) break
    await endOfTurn()
    const rest = { limit: limit - page.rows.length, cursor: page.next_cursor }
    const more = await listCalls(db, filter, rest, MAX_SCANNED_CALLS)
    page.rows.push(...more.rows)
    page.next_cursor = more.next_cursor
  }
  return page
}
