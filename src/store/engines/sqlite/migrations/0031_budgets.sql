-- Limits of spending by period, of an account or of one of its keys. Those of the day and the month of a key were columns of its row.
CREATE TABLE budgets (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- Null: of all calls of the account.
  key_id INTEGER REFERENCES keys (id),
  period TEXT NOT NULL CHECK (period IN ('5h', 'day', 'week', 'month')),
  limit_nanos INTEGER NOT NULL CHECK (limit_nanos BETWEEN 0 AND 9007199254740991),
  -- When the period of the last hold began, the first hold of it, and what its holds hold and its calls cost. Null: no hold yet.
  started_ms INTEGER,
  first_hold_id INTEGER NOT NULL DEFAULT 0,
  used_nanos INTEGER NOT NULL DEFAULT 0 CHECK (used_nanos BETWEEN 0 AND 9007199254740991)
) STRICT;
CREATE UNIQUE INDEX budgets_of_accounts ON budgets (account_id, period) WHERE key_id IS NULL;
CREATE UNIQUE INDEX budgets_of_keys ON budgets (key_id, period) WHERE key_id IS NOT NULL;

INSERT INTO budgets (account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos)
SELECT account_id, id, 'day', daily_limit_nanos, day_start_ms, day_first_hold_id, day_nanos
  FROM keys WHERE daily_limit_nanos IS NOT NULL
UNION ALL
SELECT account_id, id, 'month', monthly_limit_nanos, month_start_ms, month_first_hold_id, month_nanos
  FROM keys WHERE monthly_limit_nanos IS NOT NULL;
ALTER TABLE keys DROP COLUMN daily_limit_nanos;
ALTER TABLE keys DROP COLUMN monthly_limit_nanos;
ALTER TABLE keys DROP COLUMN day_start_ms;
ALTER TABLE keys DROP COLUMN day_first_hold_id;
ALTER TABLE keys DROP COLUMN day_nanos;
ALTER TABLE keys DROP COLUMN month_start_ms;
ALTER TABLE keys DROP COLUMN month_first_hold_id;
ALTER TABLE keys DROP COLUMN month_nanos;
