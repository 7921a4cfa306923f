-- Open invitations of people into accounts, one for an address. One that was accepted, revoked or replaced has no row.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- In lower case.
  email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'billing')),
  -- Of the link's token, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- 1: the link was mailed to the address and shown to nobody, so whoever has it reads that mail.
  is_mailed INTEGER NOT NULL CHECK (is_mailed IN (0, 1)),
  -- They may be gone by then; null: a command.
  invited_by INTEGER,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, email)
) STRICT;
CREATE INDEX invitations_by_expiry ON invitations (expires_at_ms);
CREATE TRIGGER invitations_are_not_of_erased BEFORE INSERT ON invitations
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
