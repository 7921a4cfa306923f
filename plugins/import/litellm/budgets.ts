// Budgets of LiteLLM as limits: a total, or a budget that resets with each period.
import type { BudgetPeriod } from '../../../src/domain/budgets.ts'
import type { Limit } from '../../../src/domain/call-limits.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { DAY_MS, HOUR_MS } from '../../../src/domain/ranges.ts'
import type { BudgetUse, LeftOut } from '../move-in.ts'
import { parseNanos } from './amounts.ts'
import { countOf, elementsOfJson, type Fields, fieldsOf, momentOf, textOf } from './values.ts'

interface SpendingLimits {
  /** The rest of a total; negative if more was spent; null without a total. */
  readonly left_nanos: Nanos | null
  readonly budgets: { readonly [Period in BudgetPeriod]?: Nanos }
  readonly budgets_used: BudgetUse
}

/** Names of durations in newer versions: litellm 1.110.2 litellm_core_utils/duration_parser.py. */
const ALIASES: Readonly<Record<string, string>> = { hourly: '1h', daily: '24h', weekly: '7d', monthly: '30d' }
const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  mo: 31 * DAY_MS,
}
/** Periods, shortest first, each with the longest duration that it covers. */
const PERIODS: readonly (readonly [period: BudgetPeriod, longest_ms: number])[] = [
  ['5h', 5 * HOUR_MS],
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
  ['month', 31 * DAY_MS],
]
const EXACT_DURATIONS = ['5h', '1d', '24h', '7d', '1w', '30d', '31d', '1mo', 'daily', 'weekly', 'monthly']

/**
 * Returns the shortest period that covers a duration. A longer period is stricter: it resets less often.
 *
 * @returns undefined for more than a month, and for text that is no duration
 */
function periodOf(
  duration: string,
): { readonly period: BudgetPeriod; readonly is_exact: boolean } | undefined {
  const text = duration.toLowerCase()
  const [, count, unit = 's'] = /^(\d{1,9})(mo|[smhdw])?$/.exec(ALIASES[text] ?? text) ?? []
  if (count === undefined) return undefined
  const duration_ms = Number(count) * (UNITS_MS[unit] ?? Infinity)
  const found = PERIODS.find(([, longest_ms]) => duration_ms > 0 && duration_ms <= longest_ms)
  return found && { period: found[0], is_exact: EXACT_DURATIONS.includes(text) }
}

export interface BudgetRow {
  readonly row: Fields
  /** The row of LiteLLM_BudgetTable that it names. Its values apply where the row itself has none. */
  readonly table_row: Fields | undefined
  /** For messages. */
  readonly name: string
}

/** A setting of a row, or of the budget that it names. */
const budgetSetting = ({ row, table_row }: BudgetRow, name: string): unknown => row[name] ?? table_row?.[name]

/**
 * Reads `max_budget`, `budget_duration`, `spend` and `budget_reset_at`: litellm 1.72.6 proxy/schema.prisma, proxy/common_utils/reset_budget_job.py.
 * If the budget has a duration, `spend` counts from the last reset.
 */
export function spendingLimitsOf(budget: BudgetRow, now_ms: number, left_out: LeftOut[]): SpendingLimits {
  noteUnsupportedLimits(budget, left_out)
  const windows = windowsOf(budget, left_out)
  const max_nanos = parseNanos(budgetSetting(budget, 'max_budget'))
  if (max_nanos === undefined) return { left_nanos: null, budgets: windows, budgets_used: {} }
  const spent_nanos = parseNanos(budget.row.spend) ?? 0
  const duration = textOf(budgetSetting(budget, 'budget_duration'))
  const total = { left_nanos: max_nanos - spent_nanos, budgets: windows, budgets_used: {} }
  if (duration === undefined) return total
  const found = periodOf(duration)
  if (!found) {
    left_out.push(periodNote(budget, duration, NO_PERIOD))
    return total
  }
  const { period, is_exact } = found
  if (!is_exact) left_out.push(periodNote(budget, duration, periodReason(period)))
  const reset_ms = momentOf(budget.row.budget_reset_at ?? budget.table_row?.budget_reset_at)
  const is_over = reset_ms !== undefined && reset_ms <= now_ms
  return {
    left_nanos: null,
    budgets: withStricterBudget(windows, period, Math.max(0, max_nanos)),
    budgets_used: is_over || spent_nanos <= 0 ? {} : { [period]: spent_nanos },
  }
}

const NO_PERIOD =
  'The longest period here is a month: the rest of the budget is imported as a total that does not reset. Raise it in time.'

const periodReason = (period: BudgetPeriod): string =>
  `It is imported as a budget for ${period === '5h' ? 'five hours' : `a ${period}`}, which resets less often.`

const periodNote = ({ name }: BudgetRow, duration: string, reason: string): LeftOut => ({
  kind: 'budget periods',
  row: `${duration} of ${name}`,
  reason,
})

const withStricterBudget = (
  budgets: SpendingLimits['budgets'],
  period: BudgetPeriod,
  nanos: Nanos,
): SpendingLimits['budgets'] => ({
  ...budgets,
  [period]: Math.min(nanos, budgets[period] ?? nanos),
})

/** Reads several budgets of one row, each with its duration: litellm 1.110.2 proxy/auth/auth_checks.py. */
function windowsOf(budget: BudgetRow, left_out: LeftOut[]): SpendingLimits['budgets'] {
  let budgets: SpendingLimits['budgets'] = {}
  for (const window of elementsOfJson(budget.row.budget_limits).map(fieldsOf)) {
    const duration = textOf(window.budget_duration) ?? ''
    const found = periodOf(duration)
    const nanos = parseNanos(window.max_budget)
    if (nanos === undefined) continue
    if (found) budgets = withStricterBudget(budgets, found.period, Math.max(0, nanos))
    const reason = found
      ? periodReason(found.period)
      : 'The longest period here is a month. Set a monthly budget.'
    if (!found?.is_exact) left_out.push(periodNote(budget, duration, reason))
  }
  return budgets
}

/** Columns with limits that have no counterpart. */
const UNSUPPORTED_LIMITS: readonly (readonly [column: string, reason: string])[] = [
  ['soft_budget', 'It only warns: set account_daily_usd in [alerts] of the catalogue.'],
  [
    'model_max_budget',
    'Tollgate has no budget for one model. Create a key for that model with a budget of its own.',
  ],
  ['tpd_limit', 'Tollgate limits tokens in a minute. Set a daily budget in USD.'],
]

function noteUnsupportedLimits(budget: BudgetRow, left_out: LeftOut[]): void {
  for (const [column, reason] of UNSUPPORTED_LIMITS)
    if (isSetValue(budgetSetting(budget, column)))
      left_out.push({ kind: 'limits', row: `${column} of ${budget.name}`, reason })
}

/** Whether a value is set: null, false, 0, empty text and empty objects are not. */
export function isSetValue(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false
  if (typeof value === 'string') return !['', '{}', '[]', '0', 'null'].includes(value.trim())
  if (typeof value === 'object') return Object.keys(value).length > 0
  return Number(value) !== 0
}

/** Reads `rpm_limit`, `tpm_limit` and `max_parallel_requests`. */
export function callLimitsOf(budget: BudgetRow): Limit {
  const requests_per_minute = countOf(budgetSetting(budget, 'rpm_limit'))
  const tokens_per_minute = countOf(budgetSetting(budget, 'tpm_limit'))
  const concurrent_calls = countOf(budgetSetting(budget, 'max_parallel_requests'))
  return {
    ...(requests_per_minute === undefined ? {} : { requests_per_minute }),
    ...(tokens_per_minute === undefined ? {} : { tokens_per_minute }),
    ...(concurrent_calls === undefined ? {} : { concurrent_calls }),
  }
}
