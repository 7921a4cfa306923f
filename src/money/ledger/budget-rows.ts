// Rows of accounts, plans and keys with their budgets as one JSON text, so that loading a book needs no further statement for these.
import { BUDGET_PERIODS, type BudgetPeriod, NO_BUDGETS } from '../../domain/budgets.ts'
import { compileGlobs } from '../../utilities/glob.ts'
import {
  type AccountRow,
  type Book,
  type BookBudget,
  type KeyRow,
  type PlanInForce,
  personKey,
} from './book.ts'

/** A budget's columns in the text, in this order. */
export const BUDGET_COLUMNS = 'id, period, limit_nanos, started_ms, first_hold_id, used_nanos'
/** The conditions for the budgets of a call: its key's, its person's, its account's. */
export const BUDGETS = {
  of_key: 'budgets.key_id = keys.id',
  of_person: 'budgets.person_id = keys.person_id AND budgets.account_id = keys.account_id',
  of_account:
    'budgets.account_id = keys.account_id AND budgets.key_id IS NULL AND budgets.person_id IS NULL AND budgets.plan_period_id IS NULL',
}

type StoredBudget = [
  id: number,
  BudgetPeriod,
  limit: number,
  started: number | null,
  first: number,
  used: number,
]

/** A row whose budgets are a JSON array of arrays; null or empty: none. */
type WithText<Row> = Omit<Row, 'budgets'> & { budgets: string | null }
export type StoredAccount = Omit<WithText<AccountRow>, 'plan'>
/** A key with its person's budgets; null if the key belongs to the account. */
export type StoredKey = Omit<WithText<KeyRow>, 'person_budgets'> & { person_budgets: string | null }

/** Converts a stored account for a book. @param plan the period that the row names; absent also if no operation needs it */
export const accountRow = (row: StoredAccount, plan?: StoredPlan | null | undefined): AccountRow => ({
  ...bookRow(row),
  plan: plan ? planFrom(plan) : null,
})

const bookRow = <Row extends { budgets: string | null }>(row: Row) => ({
  ...row,
  budgets: budgetsFrom(row.budgets),
})

/** Adds a key to a book. If another key of its person is loaded, that key's budgets are used: they may have changed since. */
export function addKeyRow(book: Book, { person_budgets: text, ...row }: StoredKey): void {
  book.keys.set(row.id, { ...bookRow(row), person_budgets: personBudgetsOf(book, row, text) })
}

function personBudgetsOf(
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

/** An account's plan in force, as stored. */
export interface StoredPlan {
  account_id: number
  period_id: number
  ends_ms: number
  covers_until_ms: number
  models: string
  overflow: number
  concurrent_calls: number | null
  running: number
  budgets: string | null
}

/** A plan's columns without its budgets. `running` includes pending holds of the plan's earlier months. */
export const PLAN_COLUMNS = `plan_periods.account_id, plan_periods.id AS period_id, ends_ms, covers_until_ms, models, overflow, concurrent_calls,
  (SELECT count(*) FROM holds WHERE state = 'pending' AND holds.account_id = plan_periods.account_id AND holds.plan_period_id IS NOT NULL) AS running`

const planFrom = ({ budgets, models, overflow, ends_ms, ...stored }: StoredPlan): PlanInForce => ({
  ...stored,
  hasModel: compileGlobs(JSON.parse(models)),
  overflow: overflow === 1,
  budgets: budgetsFrom(budgets).map((budget) =>
    budget.period === 'month' ? { ...budget, ends_ms } : budget,
  ),
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
