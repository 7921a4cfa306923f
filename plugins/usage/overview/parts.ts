// The calls of an overview by model and by account.
import { joinedPeriods } from '../../../src/money/ledger/days.ts'
import { addMoney, byCost, type MoneyTotals, NO_MONEY, totalsIn } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import type { Overview } from './overview.ts'
import { overviewQueries } from './queries.ts'
import { CALLS_AT_ONCE, PERIODS_AT_ONCE } from './totals.ts'

export interface OverviewParts {
  /** The most expensive first. */
  models: (MoneyTotals & { model: string })[]
  accounts: (MoneyTotals & { account_id: number })[]
}

type Row = MoneyTotals & { account_id: number; model: string }

/** Read as the overview was, so that each adds up to its totals. @param account_id undefined: of all accounts */
export async function overviewParts(
  db: Db,
  { from_ms, until_ms, first_call_id, last_call_id, is_of_calls }: Overview,
  account_id: number | undefined,
): Promise<OverviewParts> {
  const queries = overviewQueries(db, account_id)
  const [by_model, by_account] = [new Map<string, MoneyTotals>(), new Map<number, MoneyTotals>()]
  const add = (rows: readonly Row[], sign: 1 | -1): Promise<void> => {
    for (const row of rows) {
      addMoney(totalsIn(by_model, row.model, NO_MONEY), row, sign)
      addMoney(totalsIn(by_account, row.account_id, NO_MONEY), row, sign)
    }
    return endOfTurn()
  }
  if (!is_of_calls)
    for (const { sign, span_s, starts } of joinedPeriods(from_ms, until_ms))
      for (let at = 0; at < starts.length; at += PERIODS_AT_ONCE) {
        const some = JSON.stringify(starts.slice(at, at + PERIODS_AT_ONCE))
        await add(await queries.partsOfSums.all({ account_id, span_s, starts: some }), sign)
      }
  else if (first_call_id !== null && last_call_id !== null)
    for (let first_id = first_call_id; first_id <= last_call_id; first_id += CALLS_AT_ONCE) {
      const last_id = Math.min(first_id + CALLS_AT_ONCE - 1, last_call_id)
      await add(await queries.partsOfCalls.all({ account_id, from_ms, until_ms, first_id, last_id }), 1)
    }
  const has_calls = ({ calls }: MoneyTotals): boolean => calls > 0
  return {
    models: [...by_model]
      .map(([model, sum]) => ({ ...sum, model }))
      .filter(has_calls)
      .sort(byCost),
    accounts: [...by_account]
      .map(([id, sum]) => ({ ...sum, account_id: id }))
      .filter(has_calls)
      .sort(byCost),
  }
}
