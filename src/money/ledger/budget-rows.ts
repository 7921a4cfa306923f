// Rows of accounts and keys with their budgets as one text, so that a book is loaded without a statement for these.
import { BUDGET_PERIODS, type BudgetPeriod, NO_BUDGETS } from '../../domain/budgets.ts'
import type { AccountRow, BookBudget, KeyRow } from './book.ts'

/** The columns of a budget in the text, in this order. */
export const BUDGET_COLUMNS = 'id, period, limit_nanos, started_ms, first_hold_id, used_nanos'
type StoredBudget = [
  id: number,
  BudgetPeriod,
  limit: number,
  started: number | null,
  first: number,
  used: number,
]

/** Its budgets are an array of arrays in JSON; null or empty: none. */
type WithText<Row> = Omit<Row, 'budgets'> & { budgets: string | null }
export type StoredAccount = WithText<AccountRow>
export type StoredKey = WithText<KeyRow>

/** A row as a book has it. */
export const bookRow = <Row extends { budgets: string | null }>(row: Row) => ({
  ...row,
  budgets: budgetsFrom(row.budgets),
})

function budgetsFrom(text: string | null): readonly BookBudget[] {
  if (text === null || text === '[]') return NO_BUDGETS
  const stored: StoredBudget[] = JSON.parse(text)
  return stored
    .map(([id, period, limit_nanos, started_ms, first_hold_id, used_nanos]) => ({
      id,
      period,
      limit_nanos,
      started_ms,
      first_hold_id,
      used_nanos,
    }))
    .sort((one, other) => BUDGET_PERIODS.indexOf(one.period) - BUDGET_PERIODS.indexOf(other.period))
}
