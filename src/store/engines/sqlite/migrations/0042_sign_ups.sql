-- Sign-up: people who are about to get an account, or have got one so; codes that invite to it; what limits count; terms that people accepted.
CREATE TABLE sign_up_codes (
  id INTEGER PRIMARY KEY,
  -- Of the code in the link, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- The only address that may use it; null: any, and once it was used.
  email TEXT CHECK (length(email) BETWEEN 3 AND 254),
  max_uses INTEGER NOT NULL CHECK (max_uses > 0),
  uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND max_uses),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;

CREATE TABLE sign_ups (
  id INTEGER PRIMARY KEY,
  -- Null until the account is made.
  account_id INTEGER REFERENCES accounts (id),
  -- In lower case.
  email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  -- How the address was shown to be theirs: by the link of a mail, or by a provider of identities.
  proof TEXT NOT NULL CHECK (proof IN ('mail', 'identity')),
  -- Of the link's token, which is stored nowhere; null once it was used.
  sha256 BLOB UNIQUE CHECK (length(sha256) = 32),
  -- The network of the first request; null where that is not known.
  network TEXT CHECK (network <> ''),
  -- The code that invited to it.
  code_id INTEGER REFERENCES sign_up_codes (id),
  -- How many mails with a link were sent.
  mails INTEGER NOT NULL CHECK (mails >= 0),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  completed_at_ms INTEGER,
  CHECK ((account_id IS NULL) = (completed_at_ms IS NULL)),
  CHECK ((sha256 IS NULL) = (completed_at_ms IS NOT NULL))
) STRICT;
-- One that is pending for an address.
CREATE UNIQUE INDEX sign_ups_pending ON sign_ups (email) WHERE completed_at_ms IS NULL;
CREATE INDEX sign_ups_by_expiry ON sign_ups (expires_at_ms) WHERE completed_at_ms IS NULL;
CREATE INDEX sign_ups_by_account ON sign_ups (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX sign_ups_by_code ON sign_ups (code_id) WHERE code_id IS NOT NULL;
CREATE TRIGGER sign_ups_are_not_of_erased BEFORE INSERT ON sign_ups
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- What all gateways have counted of a subject until the end of its window.
CREATE TABLE sign_up_counts (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('network', 'domain', 'mailbox', 'mail', 'challenge')),
  subject TEXT NOT NULL CHECK (subject <> ''),
  until_ms INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  UNIQUE (kind, subject, until_ms)
) STRICT;
CREATE INDEX sign_up_counts_by_end ON sign_up_counts (until_ms);

-- By which challenges are signed: the same for all gateways.
CREATE TABLE sign_up_keys (
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL CHECK (length(secret) = 32),
  created_at_ms INTEGER NOT NULL
) STRICT;

-- The terms of service that a person accepted, and when.
CREATE TABLE terms_acceptances (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- They may be gone by then.
  person_id INTEGER NOT NULL,
  url TEXT NOT NULL CHECK (url <> ''),
  -- As the operator names it; empty: they name none.
  version TEXT NOT NULL,
  accepted_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX terms_acceptances_by_account ON terms_acceptances (account_id, id);
CREATE TRIGGER terms_acceptances_are_not_of_erased BEFORE INSERT ON terms_acceptances
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
