// Sums of the calls of some days: by day, by model, by account and by key. Only reads of the kept sums, whatever the number of calls.

import { DAY_S } from '../../src/domain/ranges.ts'
import { dayOf, UTC } from '../../src/domain/zones.ts'
import { sumQueries, valuesOf } from '../../src/money/ledger/queries.ts'
import { nextAtOnce } from '../../src/money/ledger/sums.ts'
import { addTotals, byCost, type CallTotals, NO_CALLS, totalsIn } from '../../src/money/ledger/totals.ts'
import type { Db } from '../../src/store/db.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

export interface UsageRequest {
  /** Undefined: all accounts. */
  account_id: number | undefined
  key_id?: number | undefined
  model?: string | undefined
  /** Whole days of UTC (domain/ranges.ts). */
  from_ms: number
  until_ms: number
}

export interface Usage {
  total: CallTotals
  /** Every day, the oldest first, those without calls too. */
  days: (CallTotals & { day: string })[]
  /** The most expensive first. */
  models: (CallTotals & { model: string })[]
  accounts: (CallTotals & { account_id: number })[]
  /** Of one account; empty for all accounts. */
  keys: (CallTotals & { key_id: number })[]
}

/** So many sums are read at once: some 3 ms. */
const SUMS_AT_ONCE = 400

/**
 * Adds calls up, some days at a time, so that calls go on between.
 *
 * @returns sums that each add up to the same total
 */
export const usageOf = (db: Db, request: UsageRequest): Promise<Usage> =>
  db.snapshot((then) => readUsage(then, request))

async function readUsage(db: Db, request: UsageRequest): Promise<Usage> {
  const { account_id, key_id, model, from_ms, until_ms } = request
  const [first_s, end_s] = [from_ms / 1_000, until_ms / 1_000]
  const query = sumQueries(db, account_id).usage
  const values = await valuesOf(db, { account_id, key_id, model })
  const total = { ...NO_CALLS }
  const [by_day, by_model] = [new Map<number, CallTotals>(), new Map<string, CallTotals>()]
  const [by_account, by_key] = [new Map<number, CallTotals>(), new Map<number, CallTotals>()]
  for (let day_s = first_s, at_once = 1; day_s < end_s; ) {
    const until_s = Math.min(day_s + at_once * DAY_S, end_s)
    const rows = await query.all({ ...values, from_s: day_s, until_s })
    for (const row of rows) {
      addTotals(total, row)
      addTotals(totalsIn(by_day, row.start_s, NO_CALLS), row)
      addTotals(totalsIn(by_model, row.model, NO_CALLS), row)
      addTotals(totalsIn(by_account, row.account_id, NO_CALLS), row)
      if (account_id !== undefined) addTotals(totalsIn(by_key, row.key_id, NO_CALLS), row)
    }
    at_once = nextAtOnce(at_once, rows.length, SUMS_AT_ONCE)
    day_s = until_s
    await endOfTurn()
  }
  return {
    total,
    days: Array.from({ length: (end_s - first_s) / DAY_S }, (_, index) => {
      const start_s = first_s + index * DAY_S
      return { day: dayOf(start_s * 1_000, UTC).name, ...totalsIn(by_day, start_s, NO_CALLS) }
    }),
    models: [...by_model].map(([id, sum]) => ({ model: id, ...sum })).sort(byCost),
    accounts: [...by_account].map(([id, sum]) => ({ account_id: id, ...sum })).sort(byCost),
    keys: [...by_key].map(([id, sum]) => ({ key_id: id, ...sum })).sort(byCost),
  }
}
