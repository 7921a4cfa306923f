// Rows of accounts and keys with their budgets as one text, so that a book is loaded without a statement for these.
import { BUDGET_PERIODS, type BudgetPeriod, NO_BUDGETS } from '../../domain/budgets.ts'
import { type AccountRow, type Book, type BookBudget, type KeyRow, personKey } from './book.ts'

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
/** With those of its person, null where it is the account's. */
export type StoredKey = Omit<WithText<KeyRow>, 'person_budgets'> & { person_budgets: string | null }

/** A row as a book has it. */
export const bookRow = <Row extends { budgets: string | null }>(row: Row) => ({
  ...row,
  budgets: budgetsFrom(row.budgets),
})

/** Puts a key into a book. The budgets of its person are those that another key of theirs has brought: they may have changed since. */
export function addKeyRow(book: Book, { person_budgets: text, ...row }: StoredKey): void {
  book.keys.set(row.id, { ...bookRow(row), person_budgets: personsBudgets(book, row, text) })
}

function personsBudgets(
  book: Book,
  { account_id, person_id }: Pick<KeyRow, 'account_id' | 'person_id'>,
  text: string | null,
): readonly BookBudget[] {
  if (person_id === null || text === null || text === '[]') return NO_BUDGETS
  const name = personKey(account_id, person_id)
  const known = book.person_budgets.get(name) ?? budgetsFrom(text)
  book.person_budgets.set(name, known)
  return known
}

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
