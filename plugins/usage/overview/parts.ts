// The calls of an overview by model and by account: who and what they came from.
import { and, gte, lt, lte, sql } from 'drizzle-orm'
import { joinedPeriods } from '../../../src/money/ledger/days.ts'
import {
  addMoney,
  byCost,
  type MoneyTotals,
  moneyOfCalls,
  moneyOfSums,
  NO_MONEY,
  totalsIn,
} from '../../../src/money/ledger/totals.ts'
import type { Db, Orm } from '../../../src/store/db.ts'
import { equals, isOneOf } from '../../../src/store/placeholders.ts'
import { perAccount } from '../../../src/store/prepared.ts'
import { call_sums, calls } from '../../../src/store/schema.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import type { Overview } from './overview.ts'

export interface OverviewParts {
  /** The most expensive first. */
  models: (MoneyTotals & { model: string })[]
  accounts: (MoneyTotals & { account_id: number })[]
}

const { placeholder } = sql
/** Calls, and periods, that are read in one turn: some 3 ms. */
const CALLS_AT_ONCE = 5_000
const PERIODS_AT_ONCE = 4

const queries = perAccount((account) => ({
  ofCalls: (orm: Orm) =>
    orm
      .select({ account_id: calls.account_id, model: calls.model, ...moneyOfCalls() })
      .from(calls)
      .where(
        and(
          account(calls),
          gte(calls.id, placeholder('first_id')),
          lte(calls.id, placeholder('last_id')),
          gte(calls.started_at_ms, placeholder('from_ms')),
          lt(calls.started_at_ms, placeholder('until_ms')),
        ),
      )
      .groupBy(calls.account_id, calls.model)
      .prepare(),
  ofSums: (orm: Orm) =>
    orm
      .select({ account_id: call_sums.account_id, model: call_sums.model, ...moneyOfSums() })
      .from(call_sums)
      .where(
        and(account(call_sums), equals(call_sums.span_s, 'span_s'), isOneOf(call_sums.start_s, 'starts')),
      )
      .groupBy(call_sums.account_id, call_sums.model)
      .prepare(),
}))

type Range = Pick<Overview, 'from_ms' | 'until_ms' | 'first_call_id' | 'last_call_id' | 'is_of_calls'>
type Row = MoneyTotals & { account_id: number; model: string }

/** Read as the overview was, so that each adds up to its totals. @param account_id undefined: of all accounts */
export async function overviewParts(
  db: Db,
  range: Range,
  account_id: number | undefined,
): Promise<OverviewParts> {
  const [by_model, by_account] = [new Map<string, MoneyTotals>(), new Map<number, MoneyTotals>()]
  const rows = range.is_of_calls ? rowsOfCalls(db, range, account_id) : rowsOfSums(db, range, account_id)
  for await (const { row, sign } of rows) {
    addMoney(totalsIn(by_model, row.model, NO_MONEY), row, sign)
    addMoney(totalsIn(by_account, row.account_id, NO_MONEY), row, sign)
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

interface Signed {
  row: Row
  sign: 1 | -1
}

async function* rowsOfCalls(
  db: Db,
  { from_ms, until_ms, first_call_id, last_call_id }: Range,
  account_id: number | undefined,
): AsyncGenerator<Signed> {
  if (first_call_id === null || last_call_id === null) return
  const { ofCalls } = queries(db, account_id)
  for (let first_id = first_call_id; first_id <= last_call_id; first_id += CALLS_AT_ONCE) {
    const last_id = Math.min(first_id + CALLS_AT_ONCE - 1, last_call_id)
    const rows = await ofCalls.all({ account_id, from_ms, until_ms, first_id, last_id })
    for (const row of rows) yield { row, sign: 1 }
    await endOfTurn()
  }
}

async function* rowsOfSums(
  db: Db,
  { from_ms, until_ms }: Range,
  account_id: number | undefined,
): AsyncGenerator<Signed> {
  const { ofSums } = queries(db, account_id)
  for (const { sign, span_s, starts } of joinedPeriods(from_ms, until_ms))
    for (let at = 0; at < starts.length; at += PERIODS_AT_ONCE) {
      const some = JSON.stringify(starts.slice(at, at + PERIODS_AT_ONCE))
      for (const row of await ofSums.all({ account_id, span_s, starts: some })) yield { row, sign }
      await endOfTurn()
    }
}
