-- What an operator writes down of an account beside its short name, and what its limited keys see. An account without a
-- row has nothing of it.
CREATE TABLE account_details (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  display_name TEXT NOT NULL CHECK (length(display_name) <= 100),
  email TEXT NOT NULL CHECK (length(email) <= 254),
  note TEXT NOT NULL CHECK (length(note) <= 1000),
  -- Whether sessions and requests by a limited key see all calls of the account.
  keys_see_account INTEGER NOT NULL CHECK (keys_see_account IN (0, 1))
) STRICT;
CREATE TRIGGER account_details_are_not_of_erased BEFORE INSERT ON account_details
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
