-- Identities at other providers by which people sign in, bound to issuer and subject; the addresses that the providers tell decide nothing.
CREATE TABLE identities (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people (id),
  issuer TEXT NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2048),
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  -- The name of the provider in the catalogue.
  provider TEXT NOT NULL CHECK (provider <> ''),
  -- As the provider told it last; null: not told.
  email TEXT CHECK (length(email) BETWEEN 1 AND 254),
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER NOT NULL CHECK (last_used_at_ms >= created_at_ms),
  UNIQUE (issuer, subject)
) STRICT;
CREATE INDEX identities_by_person ON identities (person_id, id);
CREATE TRIGGER identities_are_not_of_erased BEFORE INSERT ON identities
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- The identity that a session was opened by, and the provider's own session: the provider can end both.
ALTER TABLE sessions ADD COLUMN identity_id INTEGER REFERENCES identities (id);
ALTER TABLE sessions ADD COLUMN provider_session TEXT CHECK (length(provider_session) BETWEEN 1 AND 255);
CREATE INDEX sessions_by_identity ON sessions (identity_id) WHERE identity_id IS NOT NULL;

-- Tokens of providers that were used, until they expire: each works once.
CREATE TABLE spent_tokens (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_tokens_by_expiry ON spent_tokens (expires_at_ms);
