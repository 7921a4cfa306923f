-- People who sign in to the console: a person for each account that can, who owns it, and one for the operator.
CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  -- Whose erasure erases the person, too. Null: staff.
  account_id INTEGER REFERENCES accounts (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- In lower case; null: not known.
  email TEXT UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
  -- When the person has shown that the address is theirs.
  email_verified_at_ms INTEGER,
  -- Since when they cannot sign in.
  disabled_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  CHECK (email IS NOT NULL OR email_verified_at_ms IS NULL)
) STRICT;
CREATE INDEX people_by_account ON people (account_id);
CREATE TRIGGER people_are_not_of_erased BEFORE INSERT ON people
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

CREATE TABLE memberships (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'billing')),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (person_id, account_id)
) STRICT;
CREATE INDEX memberships_by_account ON memberships (account_id, id);
CREATE TRIGGER memberships_are_not_of_erased BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

CREATE TABLE staff (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL UNIQUE REFERENCES people (id),
  role TEXT NOT NULL CHECK (role IN ('operator', 'support', 'auditor')),
  created_at_ms INTEGER NOT NULL
) STRICT;

INSERT INTO people (account_id, name, created_at_ms)
SELECT NULL, 'operator', coalesce(min(at_ms), 0) FROM (
  SELECT set_at_ms AS at_ms FROM passwords WHERE account_id IS NULL
  UNION ALL SELECT created_at_ms FROM sign_in_links WHERE account_id IS NULL
  UNION ALL SELECT created_at_ms FROM sessions WHERE account_id IS NULL
  UNION ALL SELECT signed_in_at_ms FROM known_addresses WHERE account_id IS NULL
) HAVING count(*) > 0;
INSERT INTO staff (person_id, role, created_at_ms) SELECT id, 'operator', created_at_ms FROM people;
INSERT INTO people (account_id, name, created_at_ms)
SELECT id, name, created_at_ms FROM accounts WHERE id IN (
  SELECT account_id FROM passwords
  UNION SELECT account_id FROM sign_in_links
  UNION SELECT account_id FROM sessions WHERE key_id IS NULL
  UNION SELECT account_id FROM known_addresses
) AND NOT EXISTS (SELECT 1 FROM erased_accounts WHERE erased_accounts.account_id = accounts.id) ORDER BY id;
INSERT INTO memberships (person_id, account_id, role, created_at_ms)
SELECT id, account_id, 'owner', created_at_ms FROM people WHERE account_id IS NOT NULL ORDER BY id;

CREATE TABLE new_passwords (
  id INTEGER PRIMARY KEY,
  -- argon2id, or bcrypt of another gateway, with its parameters and its salt.
  hash TEXT NOT NULL CHECK (hash LIKE '$argon2id$%' OR hash LIKE '$2_$%'),
  set_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL UNIQUE REFERENCES people (id)
) STRICT;
INSERT INTO new_passwords
SELECT passwords.id, hash, set_at_ms, people.id FROM passwords JOIN people ON people.account_id IS passwords.account_id;
DROP TABLE passwords;
ALTER TABLE new_passwords RENAME TO passwords;

CREATE TABLE new_sessions (
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
  -- Who is signed in; null where it is by a key.
  person_id INTEGER REFERENCES people (id),
  CHECK ((role = 'operator') = (account_id IS NULL)),
  CHECK ((role = 'key') = (key_id IS NOT NULL)),
  CHECK ((role = 'key') = (person_id IS NULL))
) STRICT;
INSERT INTO new_sessions
SELECT sessions.id, sha256, role, sessions.account_id, key_id, address, user_agent, sessions.created_at_ms, last_seen_at_ms, expires_at_ms, people.id
  FROM sessions LEFT JOIN people ON people.account_id IS sessions.account_id AND sessions.role <> 'key'
 WHERE role = 'key' OR people.id IS NOT NULL;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
CREATE INDEX sessions_by_owner ON sessions (account_id, key_id, id);
CREATE INDEX sessions_by_person ON sessions (person_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);
CREATE TRIGGER sessions_are_not_of_erased BEFORE INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

CREATE TABLE new_sign_in_links (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL UNIQUE REFERENCES people (id)
) STRICT;
INSERT INTO new_sign_in_links
SELECT sign_in_links.id, sha256, sign_in_links.created_at_ms, expires_at_ms, people.id
  FROM sign_in_links JOIN people ON people.account_id IS sign_in_links.account_id;
DROP TABLE sign_in_links;
ALTER TABLE new_sign_in_links RENAME TO sign_in_links;

CREATE TABLE new_known_addresses (
  id INTEGER PRIMARY KEY,
  -- An IPv4 address, or the first 64 bits of an IPv6 address.
  place TEXT NOT NULL CHECK (place <> ''),
  -- The last time.
  signed_in_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL REFERENCES people (id),
  UNIQUE (person_id, place)
) STRICT;
INSERT INTO new_known_addresses
SELECT known_addresses.id, place, signed_in_at_ms, people.id
  FROM known_addresses JOIN people ON people.account_id IS known_addresses.account_id;
DROP TABLE known_addresses;
ALTER TABLE new_known_addresses RENAME TO known_addresses;
CREATE INDEX known_addresses_by_time ON known_addresses (signed_in_at_ms);

CREATE TRIGGER passwords_are_not_of_erased BEFORE INSERT ON passwords
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER sign_in_links_are_not_of_erased BEFORE INSERT ON sign_in_links
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER known_addresses_are_not_of_erased BEFORE INSERT ON known_addresses
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- Who did it at the console; people may be gone by then.
ALTER TABLE actions ADD COLUMN person_id INTEGER;
DROP TRIGGER actions_are_never_changed;
CREATE TRIGGER actions_are_never_changed BEFORE UPDATE ON actions
WHEN NOT (
  EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND (new.before IS NULL OR new.before IS old.before)
  AND (new.after IS NULL OR new.after IS old.after)
  AND (new.address IS NULL OR new.address IS old.address)
  AND new.id = old.id
  AND new.created_at_ms = old.created_at_ms
  AND new.action = old.action
  AND new.actor = old.actor
  AND new.session_id IS old.session_id
  AND new.command IS old.command
  AND new.machine_user IS old.machine_user
  AND new.request_id IS old.request_id
  AND new.account_id IS old.account_id
  AND new.key_id IS old.key_id
  AND new.subject IS old.subject
  AND new.person_id IS old.person_id
)
BEGIN SELECT RAISE (ABORT, 'actions are append-only'); END;
