// All calls that match a filter, the newest first, a part at a time: for files, which have no pages.

import { type CallFilter, isNarrowed, valuesOf } from '../../src/money/ledger/call-filter.ts'
import type { Db } from '../../src/store/db.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import type { RecordedCall } from './listing.ts'
import { callQueries } from './queries.ts'
import { everywhere, rangesInTurns } from './ranges.ts'

/** Calls that are looked at in one turn: some 5 ms. */
const CALLS_AT_ONCE = 500

/** A part may be empty; calls that are recorded meanwhile are left out. */
export async function* allCalls(db: Db, filter: CallFilter): AsyncGenerator<RecordedCall[]> {
  const queries = callQueries(db, filter.account_id)
  const values = await valuesOf(db, filter)
  const { ranges } = isNarrowed(filter)
    ? await rangesInTurns(queries, values, Number.MAX_SAFE_INTEGER)
    : everywhere(Number.MAX_SAFE_INTEGER)
  for (const { first_id, last_id } of ranges)
    for (let below_id = last_id + 1; below_id > first_id; ) {
      const step = await queries.step.get({
        ...values,
        from_id: first_id,
        below_id,
        row_limit: CALLS_AT_ONCE,
      })
      if (!step || step.first_id === null) break
      yield await queries.page.all({ ...values, from_id: step.first_id, below_id, row_limit: CALLS_AT_ONCE })
      below_id = step.first_id
      await endOfTurn()
    }
}
