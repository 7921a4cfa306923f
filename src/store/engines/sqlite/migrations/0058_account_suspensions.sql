-- Why accounts are suspended. One that is suspended without a row, as before this, was suspended by the operator.
CREATE TABLE account_suspensions (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  reason TEXT NOT NULL CHECK (reason IN ('operator', 'lost_dispute')),
  -- The operator's own, for the account's people; may be empty.
  words TEXT NOT NULL,
  suspended_at_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER account_suspensions_are_not_of_erased BEFORE INSERT ON account_suspensions
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
