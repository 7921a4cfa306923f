-- Who may sign in to the console, who is signed in, and the links by which a password is set.

-- At most one of the operator, which has no account, and one of each account.
CREATE TABLE passwords (
  id INTEGER PRIMARY KEY,
  account_id INTEGER UNIQUE REFERENCES accounts (id),
  -- argon2id, with its parameters and its salt.
  hash TEXT NOT NULL CHECK (hash LIKE '$argon2id$%'),
  set_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX passwords_of_operator ON passwords (account_id IS NULL) WHERE account_id IS NULL;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  -- Of the token in the cookie, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  role TEXT NOT NULL CHECK (role IN ('operator', 'account', 'key')),
  account_id INTEGER REFERENCES accounts (id),
  key_id INTEGER REFERENCES keys (id),
  -- Where it was signed in from; null where that is not known.
  address TEXT,
  user_agent TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL CHECK (last_seen_at_ms >= created_at_ms),
  expires_at_ms INTEGER NOT NULL,
  CHECK ((role = 'operator') = (account_id IS NULL)),
  CHECK ((role = 'key') = (key_id IS NOT NULL))
) STRICT;
CREATE INDEX sessions_by_owner ON sessions (account_id, key_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);

-- A link works once: it is deleted when it is used, and replaced by a newer one for the same person.
CREATE TABLE sign_in_links (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- Null: the operator.
  account_id INTEGER UNIQUE REFERENCES accounts (id),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sign_in_links_of_operator ON sign_in_links (account_id IS NULL) WHERE account_id IS NULL;
