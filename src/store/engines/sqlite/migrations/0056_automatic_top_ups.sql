-- Automatic top-up: what an account's people have set, and how it goes.
CREATE TABLE automatic_top_ups (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  -- The free balance below which a top-up is made.
  below_nanos INTEGER NOT NULL CHECK (below_nanos > 0 AND below_nanos <= 9007199254740991),
  provider TEXT NOT NULL CHECK (provider <> ''),
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  month_limit_minor INTEGER NOT NULL CHECK (month_limit_minor >= amount_minor AND month_limit_minor <= 9007199254740991),
  -- The order that is under way: no other one is made meanwhile.
  order_id INTEGER REFERENCES orders (id),
  -- In a row, since the last one that was paid.
  failures INTEGER NOT NULL CHECK (failures >= 0),
  -- Why the last one was not paid.
  failure TEXT,
  -- Why it is off.
  off_reason TEXT CHECK (off_reason IN ('person', 'failures', 'card', 'account')),
  next_try_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  CHECK ((is_on = 1) = (off_reason IS NULL))
) STRICT;
CREATE INDEX automatic_top_ups_under_way ON automatic_top_ups (order_id) WHERE order_id IS NOT NULL;
CREATE TRIGGER automatic_top_ups_are_not_of_erased BEFORE INSERT ON automatic_top_ups
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
