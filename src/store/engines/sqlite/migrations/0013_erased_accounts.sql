-- Accounts whose person's data was erased. They are closed for good and have a pseudonym; their amounts stay.
CREATE TABLE erased_accounts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  -- When it began.
  erased_at_ms INTEGER NOT NULL
) STRICT;

-- What was under way when an erasure began leaves nothing behind it.
CREATE TRIGGER files_are_not_of_erased BEFORE INSERT ON files
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER generations_are_not_of_erased BEFORE INSERT ON generations
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER responses_are_not_of_erased BEFORE INSERT ON responses
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER idempotency_keys_are_not_of_erased BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER passwords_are_not_of_erased BEFORE INSERT ON passwords
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER sessions_are_not_of_erased BEFORE INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER sign_in_links_are_not_of_erased BEFORE INSERT ON sign_in_links
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- The one change that entries allow: the note of an erased account is blanked.
DROP TRIGGER entries_are_never_changed;
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
WHEN NOT (
  new.note = ''
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id = old.id
  AND new.account_id = old.account_id
  AND new.kind = old.kind
  AND new.amount_nanos = old.amount_nanos
  AND new.call_id IS old.call_id
  AND new.created_at_ms = old.created_at_ms
)
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
