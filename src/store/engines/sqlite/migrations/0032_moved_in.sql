-- What an account brings from another gateway: what it owed there, and the bcrypt hash of its password, until the first sign-in replaces it.
CREATE TABLE opening_debts (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos BETWEEN 1 AND 9007199254740991),
  note TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- Such as the row of the other gateway, once in an account; null where the account is erased.
  request_key TEXT CHECK (request_key <> '')
) STRICT;
CREATE UNIQUE INDEX opening_debts_by_account ON opening_debts (account_id, request_key);
CREATE TRIGGER opening_debts_are_never_deleted BEFORE DELETE ON opening_debts
BEGIN SELECT RAISE (ABORT, 'opening_debts are append-only'); END;
CREATE TRIGGER opening_debts_are_never_changed BEFORE UPDATE ON opening_debts
WHEN NOT (
  new.note = ''
  AND new.request_key IS NULL
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id = old.id
  AND new.account_id = old.account_id
  AND new.amount_nanos = old.amount_nanos
  AND new.created_at_ms = old.created_at_ms
)
BEGIN SELECT RAISE (ABORT, 'opening_debts are append-only'); END;

CREATE TABLE new_passwords (
  id INTEGER PRIMARY KEY,
  account_id INTEGER UNIQUE REFERENCES accounts (id),
  -- argon2id, or bcrypt of another gateway, with its parameters and its salt.
  hash TEXT NOT NULL CHECK (hash LIKE '$argon2id$%' OR hash LIKE '$2_$%'),
  set_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO new_passwords SELECT * FROM passwords;
DROP TABLE passwords;
ALTER TABLE new_passwords RENAME TO passwords;
CREATE UNIQUE INDEX passwords_of_operator ON passwords (account_id IS NULL) WHERE account_id IS NULL;
CREATE TRIGGER passwords_are_not_of_erased BEFORE INSERT ON passwords
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
