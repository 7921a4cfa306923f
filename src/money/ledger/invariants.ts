// The invariants of the ledger's tables: rules that hold at every moment, each with a query for the rows that break it.
//
// Raw SQL: most queries use expressions without a Drizzle builder (`'account ' || id`, format(), IS DISTINCT FROM) and would be
// `sql` templates there, too. An audit of 100,000 calls takes 360 ms; preparing its queries takes less than 1 ms.
import type { Finding } from '../../domain/finding.ts'
import { forBothSources } from './rows-above.ts'
import { hashPrice } from './stored-prices.ts'
import { sumsThatDiffer } from './sums-compared.ts'

/** The counts of an audit. */
export type Counted =
  | 'accounts'
  | 'keys'
  | 'budgets'
  | 'holds'
  | 'calls'
  | 'charges'
  | 'entries'
  | 'images'
  | 'prices'
  | 'daily sums'
  | 'quarter sums'

export type Breach = Pick<Finding, 'subject' | 'expected' | 'found'>

export interface Invariant {
  readonly name: string
  /** The rule: it holds while the query finds nothing. */
  readonly meaning: string
  /** The rows that the rule covers. */
  readonly over: Counted
  /** Selects one row for each violation: `subject`, `expected` and `found`. */
  readonly sql: string
  /** The query for the rows above a mark. Absent if `sql` serves for these, too: its tables change or have few rows. */
  readonly above?: string
  /** Set for a column of accounts or keys that is a sum: `audited-sums.ts` compares it above a mark. */
  readonly is_sum?: true
  /** For rules that SQL cannot check: returns the violation of a selected row; undefined if none exists. */
  readonly breach?: (row: Breach) => Breach | undefined
}

/** Returns SQL for the smallest of a row's columns: no function for it has the same name in every engine. */
const least = (first: string, ...others: string[]): string =>
  others.reduce((so_far, next) => `CASE WHEN ${next} < ${so_far} THEN ${next} ELSE ${so_far} END`, first)
const MIN_OF_ACCOUNT = least('balance_nanos', 'held_nanos', 'debt_nanos', 'balance_nanos - held_nanos')
const MIN_OF_KEY = least('spent_nanos', 'held_nanos')
const MIN_OF_CALL = least('cost_nanos', 'unpaid_nanos', 'refunded_nanos', 'cost_nanos - refunded_nanos')

/** A plan's budgets count the calls that it covers, and other budgets do not. An earlier month's call counts if its number is in the range. */
const OF_PLAN = 'budgets.plan_period_id IS NOT NULL'

/** Budgets that count less than they must. More is allowed: a key that replaced another starts with that key's usage. */
const BUDGET_LESS = `
  SELECT 'budget ' || budgets.id AS subject, total AS expected, used_nanos AS found
    FROM budgets JOIN (
           SELECT budget_id, sum(nanos) AS total
             FROM (${countedInBudgets('holds', `CASE WHEN ${OF_PLAN} THEN covered_nanos ELSE amount_nanos END`, "state = 'pending'")}
                   UNION ALL ${countedInBudgets('calls', `CASE WHEN ${OF_PLAN} THEN covered_nanos ELSE cost_nanos - refunded_nanos END`, 'true')}) AS counted
            GROUP BY budget_id) AS sums
      ON sums.budget_id = budgets.id
   WHERE used_nanos < total`

function countedInBudgets(table: string, nanos: string, counts: string): string {
  return `SELECT budgets.id AS budget_id, ${nanos} AS nanos
            FROM budgets JOIN ${table}
              ON ${table}.account_id = budgets.account_id AND ${table}.id >= first_hold_id
            JOIN keys ON keys.id = ${table}.key_id
           WHERE started_ms IS NOT NULL AND (budgets.plan_period_id IS NULL OR ${table}.plan_period_id IS NOT NULL)
             AND (budgets.key_id IS NULL OR budgets.key_id = keys.id)
             AND (budgets.person_id IS NULL OR (budgets.person_id = keys.person_id AND ${table}.id >= keys.person_from_hold_id))
             AND ${counts}`
}

export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'balance_is_sum_of_entries',
    meaning: "An account's balance is the sum of its entries.",
    over: 'accounts',
    is_sum: true,
    sql: isSum('account', 'balance_nanos', 'sum(amount_nanos) AS total FROM entries'),
  },
  {
    name: 'account_held_is_sum_of_pending_holds',
    meaning: "An account's held amount is the sum of its pending holds.",
    over: 'accounts',
    sql: isSum('account', 'held_nanos', `sum(amount_nanos) AS total FROM holds WHERE state = 'pending'`),
  },
  {
    name: 'key_held_is_sum_of_pending_holds',
    meaning: "A key's held amount is the sum of its pending holds.",
    over: 'keys',
    sql: isSum('key', 'held_nanos', `sum(amount_nanos) AS total FROM holds WHERE state = 'pending'`),
  },
  {
    name: 'key_spent_is_sum_of_costs',
    meaning: "A key's spend is the sum of its charges, paid or not, less refunds.",
    over: 'keys',
    is_sum: true,
    sql: isSum('key', 'spent_nanos', 'sum(cost_nanos - refunded_nanos) AS total FROM calls'),
  },
  {
    name: 'budget_has_its_calls',
    meaning: 'Spend counted against a limit covers its calls and holds, less refunds.',
    over: 'budgets',
    sql: BUDGET_LESS,
  },
  {
    name: 'budget_is_of_key_of_account',
    meaning: "A key's spend limit belongs to the account of the key.",
    over: 'budgets',
    sql: `SELECT 'budget ' || budgets.id AS subject, keys.account_id AS expected, budgets.account_id AS found
            FROM budgets JOIN keys ON keys.id = budgets.key_id
           WHERE keys.account_id <> budgets.account_id`,
  },
  {
    name: 'plan_is_of_account',
    meaning: 'A covered call, its hold, and the limits of a plan belong to an account that bought the plan.',
    over: 'budgets',
    ...forBothSources(
      (of) => `SELECT subject, 'a plan of account ' || named.account_id AS expected,
                 'plan period ' || plan_period_id AS found
            FROM (SELECT 'account ' || id AS subject, id AS account_id, plan_period_id FROM accounts
                  UNION ALL SELECT 'budget ' || id, account_id, plan_period_id FROM budgets
                  UNION ALL SELECT 'hold ' || id, account_id, plan_period_id FROM holds
                  UNION ALL SELECT 'call ' || id, account_id, plan_period_id FROM ${of.calls} AS calls) AS named
            LEFT JOIN plan_periods ON plan_periods.id = plan_period_id AND plan_periods.account_id = named.account_id
           WHERE plan_period_id IS NOT NULL AND plan_periods.id IS NULL`,
    ),
  },
  {
    name: 'covered_call_takes_nothing',
    meaning:
      'A call that a plan covers costs its account nothing; a call without a plan counts against none.',
    over: 'calls',
    ...forBothSources(
      (of) => `SELECT 'call ' || id AS subject, 0 AS expected,
                 CASE WHEN plan_period_id IS NULL THEN covered_nanos ELSE cost_nanos END AS found
            FROM ${of.calls} AS calls WHERE CASE WHEN plan_period_id IS NULL THEN covered_nanos ELSE cost_nanos END <> 0
          UNION ALL
          SELECT 'hold ' || id, 0, CASE WHEN plan_period_id IS NULL THEN covered_nanos ELSE amount_nanos END
            FROM holds WHERE CASE WHEN plan_period_id IS NULL THEN covered_nanos ELSE amount_nanos END <> 0`,
    ),
  },
  {
    name: 'debt_is_unpaid_less_payments',
    meaning: "An account's debt is its opening debt and unpaid charges, less debt payments.",
    over: 'accounts',
    is_sum: true,
    sql: `SELECT 'account ' || accounts.id AS subject,
                 coalesce(opening, 0) + coalesce(unpaid, 0) + coalesce(paid, 0) AS expected, debt_nanos AS found
            FROM accounts
            LEFT JOIN (SELECT account_id, sum(amount_nanos) AS opening FROM opening_debts GROUP BY account_id) AS brought
              ON brought.account_id = accounts.id
            LEFT JOIN (SELECT +account_id AS account_id, sum(unpaid_nanos) AS unpaid FROM calls GROUP BY 1) AS owed
              ON owed.account_id = accounts.id
            LEFT JOIN (SELECT +account_id AS account_id, sum(amount_nanos) AS paid FROM entries
                        WHERE kind = 'debt_payment' GROUP BY 1) AS payments
              ON payments.account_id = accounts.id
           WHERE debt_nanos <> coalesce(opening, 0) + coalesce(unpaid, 0) + coalesce(paid, 0)`,
  },
  {
    name: 'no_debt_beside_free_balance',
    meaning: 'An account in debt has no available balance: it pays the debt first.',
    over: 'accounts',
    sql: `SELECT 'account ' || id AS subject, 0 AS expected, ${least('debt_nanos', 'balance_nanos - held_nanos')} AS found
            FROM accounts WHERE debt_nanos > 0 AND balance_nanos > held_nanos`,
  },
  {
    name: 'nothing_negative',
    meaning:
      'No balance, debt, hold or spend is negative, no account holds more than its balance, and no call is refunded more than its charge.',
    over: 'accounts',
    ...forBothSources(
      (of) => `SELECT 'account ' || id AS subject, 0 AS expected,
                 ${MIN_OF_ACCOUNT} AS found FROM accounts WHERE ${MIN_OF_ACCOUNT} < 0
          UNION ALL
          SELECT 'key ' || id, 0, ${MIN_OF_KEY} FROM keys WHERE ${MIN_OF_KEY} < 0
          UNION ALL
          SELECT 'hold ' || id, 0, amount_nanos FROM holds WHERE amount_nanos < 0
          UNION ALL
          SELECT 'call ' || id, 0, ${MIN_OF_CALL} FROM ${of.refunded} AS calls WHERE ${MIN_OF_CALL} < 0`,
    ),
  },
  {
    name: 'key_belongs_to_account',
    meaning: 'A hold and its key belong to the same account.',
    over: 'holds',
    sql: `SELECT 'hold ' || holds.id AS subject, keys.account_id AS expected, holds.account_id AS found
            FROM holds LEFT JOIN keys ON keys.id = holds.key_id
           WHERE keys.account_id IS DISTINCT FROM holds.account_id`,
  },
  {
    name: 'call_key_belongs_to_account',
    meaning: 'A call and its key belong to the same account.',
    over: 'calls',
    ...forBothSources(
      (of) => `SELECT 'call ' || calls.id AS subject, keys.account_id AS expected, calls.account_id AS found
            FROM ${of.calls} AS calls LEFT JOIN keys ON keys.id = calls.key_id
           WHERE keys.account_id IS DISTINCT FROM calls.account_id`,
    ),
  },
  {
    name: 'hold_has_no_call',
    meaning: 'A recorded call has no hold left.',
    over: 'holds',
    sql: `SELECT 'hold ' || holds.id AS subject, 'no call' AS expected, 'a call of ' || cost_nanos AS found
            FROM holds JOIN calls ON calls.id = holds.id`,
  },
  {
    name: 'image_has_its_call',
    meaning: 'Each image belongs to a call or a hold of its account.',
    over: 'images',
    sql: `SELECT 'image ' || generations.id AS subject, 'call ' || call_id AS expected, 'none of account ' || account_id AS found
            FROM generations
           WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = call_id AND calls.account_id = generations.account_id)
             AND NOT EXISTS (SELECT 1 FROM holds WHERE id = call_id AND holds.account_id = generations.account_id)`,
  },
  {
    name: 'call_is_charged_what_was_paid',
    meaning: 'Each call has one charge, the paid part of its cost, or none if that is 0.',
    over: 'calls',
    ...forBothSources(
      (of) => `SELECT 'call ' || calls.id AS subject, cost_nanos - unpaid_nanos AS expected,
                 format('%s charges of %s', coalesce(charges, 0), coalesce(-total, 0)) AS found
            FROM ${of.calls} AS calls
            LEFT JOIN (SELECT call_id, count(*) AS charges, sum(amount_nanos) AS total FROM ${of.entries} AS entries
                        WHERE kind = 'charge' GROUP BY call_id) AS sums
              ON sums.call_id = calls.id
           WHERE coalesce(-total, 0) <> cost_nanos - unpaid_nanos
              OR coalesce(charges, 0) <> CASE WHEN cost_nanos > unpaid_nanos THEN 1 ELSE 0 END`,
    ),
  },
  {
    name: 'call_is_refunded_by_entries',
    meaning: "A call's refunded amount is the sum of its refunds.",
    over: 'calls',
    ...forBothSources(
      (of) => `SELECT 'call ' || calls.id AS subject, coalesce(total, 0) AS expected, refunded_nanos AS found
            FROM ${of.refunded} AS calls
            LEFT JOIN (SELECT call_id, sum(amount_nanos) AS total FROM entries
                        WHERE kind = 'refund' AND kind <> 'charge' GROUP BY call_id) AS sums
              ON sums.call_id = calls.id
           WHERE refunded_nanos <> coalesce(total, 0) ORDER BY calls.id`,
    ),
  },
  {
    name: 'charge_has_call_of_account',
    meaning: 'Each charge or refund belongs to a call of the same account.',
    over: 'charges',
    ...forBothSources(
      (of) => `SELECT 'entry ' || entries.id AS subject, entries.account_id AS expected,
                 calls.account_id AS found
            FROM ${of.entries} AS entries LEFT JOIN calls ON calls.id = entries.call_id
           WHERE kind IN ('charge', 'refund') AND calls.account_id IS DISTINCT FROM entries.account_id`,
    ),
  },
  {
    name: 'entry_has_account',
    meaning: 'Each entry belongs to an existing account.',
    over: 'entries',
    ...forBothSources(
      (of) => `SELECT 'entry ' || entries.id AS subject, 'account ' || account_id AS expected, 'none' AS found
            FROM ${of.entries} AS entries LEFT JOIN accounts ON accounts.id = account_id
           WHERE accounts.id IS NULL`,
    ),
  },
  {
    name: 'call_has_its_price',
    meaning: 'Each call has its price on record.',
    over: 'calls',
    ...forBothSources(
      (of) => `SELECT 'call ' || calls.id AS subject, 'price ' || price_id AS expected, 'none' AS found
            FROM ${of.calls} AS calls LEFT JOIN prices ON prices.id = price_id
           WHERE price_id IS NOT NULL AND prices.id IS NULL`,
    ),
  },
  {
    name: 'price_has_its_hash',
    meaning: 'No recorded price was changed: each matches its hash.',
    over: 'prices',
    sql: `SELECT 'price ' || id AS subject, lower(hex(sha256)) AS expected, json AS found FROM prices`,
    breach: (row) => {
      const found = hashPrice(String(row.found)).toHex()
      return found === row.expected ? undefined : { ...row, found }
    },
  },
  ...([86_400, 900] as const).map((span_s) => ({
    name: span_s === 86_400 ? 'daily_sums_are_of_calls' : 'quarter_sums_are_of_calls',
    meaning: `${span_s === 86_400 ? 'Daily' : 'Quarter-hour'} spend matches calls.`,
    over: span_s === 86_400 ? ('daily sums' as const) : ('quarter sums' as const),
    ...sumsThatDiffer(span_s),
  })),
]

/** Selects rows whose column differs from a sum over another table. `+` keeps SQLite from using an index, whose order takes five times as long. */
function isSum(of: 'account' | 'key', column: string, total: string): string {
  return `SELECT '${of} ' || ${of}s.id AS subject, coalesce(total, 0) AS expected, ${column} AS found
            FROM ${of}s LEFT JOIN (SELECT +${of}_id AS ${of}_id, ${total} GROUP BY 1) AS sums ON sums.${of}_id = ${of}s.id
           WHERE ${column} <> coalesce(total, 0)`
}
