// Tamperings that break the invariants of the ledger: each a change by hand, with the checks of the tables switched off.
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { expire, hold, openDebt, post, refund, topUp, voided, withdraw } from './world.ts'

const PRICE = '{"unit":"token","nanos_per_million_tokens":{"output_tokens":14}}'

export const USED_KEY = { budgets: { day: 5_000, month: 5_000 } }

/** Operations of an account with 1,000: holds 1 and 2 are posted, 20 of the second refunded, 3 is voided, 4 expired, 5 pending; its opening debt is paid. */
export const USED: readonly Operation[] = [
  ...[100, 100, 100, 100, 100].map((amount) => hold(amount)),
  post(1, 70, { price: PRICE }),
  post(2, 120),
  voided(3),
  expire(4),
  withdraw(10),
  topUp(30),
  openDebt(7),
  refund(2, 20),
]

/** An image of call 3 that failed. */
export const USED_IMAGE = `
  INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
  VALUES ('${'1'.padStart(36, '0')}', 1, 3, 0, 'edit', 'failed', '', '', '[]', 0)`

const SUMS = ['daily_sums_are_of_calls', 'quarter_sums_are_of_calls']

export const TAMPERINGS: [sql: string, broken: string[], subject: string][] = [
  ['UPDATE accounts SET balance_nanos = 844 WHERE id = 1', ['balance_is_sum_of_entries'], 'account 1'],
  ["DELETE FROM entries WHERE kind = 'withdrawal'", ['balance_is_sum_of_entries'], 'account 1'],
  ['UPDATE accounts SET held_nanos = 99 WHERE id = 1', ['account_held_is_sum_of_pending_holds'], 'account 1'],
  ['UPDATE keys SET held_nanos = 0 WHERE id = 1', ['key_held_is_sum_of_pending_holds'], 'key 1'],
  ['UPDATE keys SET spent_nanos = 190 WHERE id = 1', ['key_spent_is_sum_of_costs'], 'key 1'],
  ['UPDATE keys SET spent_nanos = 1 WHERE id = 2', ['key_spent_is_sum_of_costs'], 'key 2'],
  [
    "UPDATE budgets SET used_nanos = used_nanos - 1 WHERE key_id = 1 AND period = 'day'",
    ['budget_has_its_calls'],
    'budget 1',
  ],
  [
    `INSERT INTO budgets (id, account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos)
     VALUES (7, 1, NULL, 'week', 900, 0, 1, 269)`,
    ['budget_has_its_calls'],
    'budget 7',
  ],
  [
    `INSERT INTO budgets (id, account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos)
     VALUES (7, 2, 1, 'week', 900, NULL, 0, 0)`,
    ['budget_is_of_key_of_account'],
    'budget 7',
  ],
  ['UPDATE accounts SET plan_period_id = 5 WHERE id = 2', ['plan_is_of_account'], 'account 2'],
  ['UPDATE budgets SET plan_period_id = 5 WHERE id = 1', ['plan_is_of_account'], 'budget 1'],
  ['UPDATE holds SET plan_period_id = 5, amount_nanos = 0 WHERE id = 4', ['plan_is_of_account'], 'hold 4'],
  [
    'UPDATE calls SET plan_period_id = 5 WHERE id = 1',
    ['plan_is_of_account', 'covered_call_takes_nothing', ...SUMS],
    'call 1',
  ],
  ['UPDATE calls SET covered_nanos = 5 WHERE id = 1', ['covered_call_takes_nothing', ...SUMS], 'call 1'],
  ['UPDATE holds SET covered_nanos = 5 WHERE id = 4', ['covered_call_takes_nothing'], 'hold 4'],
  ['UPDATE accounts SET debt_nanos = 5 WHERE id = 2', ['debt_is_unpaid_less_payments'], 'account 2'],
  [
    'UPDATE accounts SET debt_nanos = 5 WHERE id = 1',
    ['debt_is_unpaid_less_payments', 'no_debt_beside_free_balance'],
    'account 1',
  ],
  ['DELETE FROM opening_debts', ['debt_is_unpaid_less_payments'], 'account 1'],
  ['UPDATE opening_debts SET amount_nanos = 8', ['debt_is_unpaid_less_payments'], 'account 1'],
  [
    'UPDATE accounts SET held_nanos = balance_nanos + 1 WHERE id = 1',
    ['account_held_is_sum_of_pending_holds', 'nothing_negative'],
    'account 1',
  ],
  [
    'UPDATE accounts SET balance_nanos = -1 WHERE id = 2',
    ['balance_is_sum_of_entries', 'nothing_negative'],
    'account 2',
  ],
  [
    'UPDATE keys SET spent_nanos = -1 WHERE id = 2',
    ['key_spent_is_sum_of_costs', 'nothing_negative'],
    'key 2',
  ],
  ['UPDATE holds SET account_id = 2 WHERE id = 4', ['key_belongs_to_account'], 'hold 4'],
  [
    'UPDATE calls SET account_id = 2 WHERE id = 3',
    ['call_key_belongs_to_account', 'image_has_its_call', ...SUMS],
    'call 3',
  ],
  ['DELETE FROM calls WHERE id = 3', ['image_has_its_call', ...SUMS], 'image 1'],
  ['UPDATE generations SET account_id = 2', ['image_has_its_call'], 'image 1'],
  ['UPDATE holds SET id = 3 WHERE id = 4', ['hold_has_no_call'], 'hold 3'],
  [
    'UPDATE calls SET cost_nanos = 71 WHERE id = 1',
    ['key_spent_is_sum_of_costs', 'budget_has_its_calls', 'call_is_charged_what_was_paid', ...SUMS],
    'key 1',
  ],
  [
    'UPDATE calls SET unpaid_nanos = 1 WHERE id = 1',
    ['debt_is_unpaid_less_payments', 'call_is_charged_what_was_paid', ...SUMS],
    'account 1',
  ],
  [
    "DELETE FROM entries WHERE kind = 'refund'",
    ['balance_is_sum_of_entries', 'call_is_refunded_by_entries'],
    'account 1',
  ],
  [
    'UPDATE calls SET refunded_nanos = 19 WHERE id = 2; UPDATE call_sums SET cost_nanos = cost_nanos + 5',
    ['key_spent_is_sum_of_costs', 'budget_has_its_calls', 'call_is_refunded_by_entries', ...SUMS],
    'key 1',
  ],
  [
    'UPDATE calls SET refunded_nanos = 121 WHERE id = 2; UPDATE call_sums SET cost_nanos = cost_nanos + 5',
    ['key_spent_is_sum_of_costs', 'nothing_negative', 'call_is_refunded_by_entries', ...SUMS],
    'key 1',
  ],
  [
    'UPDATE call_sums SET cost_nanos = cost_nanos + 20 WHERE span_s = 86400',
    ['daily_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00',
  ],
  ["UPDATE entries SET call_id = 3 WHERE kind = 'refund'", ['call_is_refunded_by_entries'], 'call 2'],
  [
    "UPDATE entries SET call_id = 99 WHERE kind = 'refund'",
    ['call_is_refunded_by_entries', 'charge_has_call_of_account'],
    'call 2',
  ],
  [
    "DELETE FROM entries WHERE kind = 'charge' AND call_id = 1",
    ['balance_is_sum_of_entries', 'call_is_charged_what_was_paid'],
    'account 1',
  ],
  [
    `INSERT INTO entries SELECT 99, account_id, kind, -30, call_id, note, created_at_ms, NULL FROM entries WHERE call_id = 1;
     UPDATE entries SET amount_nanos = -40 WHERE call_id = 1 AND id <> 99`,
    ['call_is_charged_what_was_paid'],
    'call 1',
  ],
  [
    'UPDATE entries SET call_id = 99 WHERE call_id = 1',
    ['call_is_charged_what_was_paid', 'charge_has_call_of_account'],
    'call 1',
  ],
  [
    'UPDATE call_sums SET output_tokens = 16 WHERE span_s = 86400',
    ['daily_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00',
  ],
  [
    "UPDATE call_sums SET model = 'sim-other' WHERE span_s = 900",
    ['quarter_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:15:00',
  ],
  [
    "UPDATE entries SET account_id = 99 WHERE kind = 'withdrawal'",
    ['balance_is_sum_of_entries', 'entry_has_account'],
    'account 1',
  ],
  ['DELETE FROM prices', ['call_has_its_price'], 'call 1'],
  ['UPDATE calls SET price_id = 2 WHERE id = 1', ['call_has_its_price'], 'call 1'],
  [`UPDATE prices SET json = replace(json, '14', '15')`, ['price_has_its_hash'], 'price 1'],
  ['UPDATE prices SET sha256 = zeroblob(32)', ['price_has_its_hash'], 'price 1'],
  ['DELETE FROM call_sums', SUMS, 'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00'],
  [
    'UPDATE call_sums SET first_call_id = 2 WHERE span_s = 86400',
    ['daily_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00',
  ],
]

/** On PostgreSQL, where the checks of tables cannot be switched off. */
export const WITHOUT_CHECKS = `DO $$
DECLARE found record;
BEGIN
  FOR found IN SELECT conname, conrelid::regclass AS of_table FROM pg_constraint
                WHERE contype = 'c' AND connamespace = 'tollgate'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of_table, found.conname);
  END LOOP;
END $$`
