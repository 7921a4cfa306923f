-- How a session was signed in to, and when its person last showed who they are.
ALTER TABLE sessions ADD COLUMN proof TEXT CHECK (proof IN ('password', 'link', 'key', 'passkey', 'identity'));
ALTER TABLE sessions ADD COLUMN confirmed_at_ms INTEGER;

-- Links with a purpose: one open link of each for a person.
CREATE TABLE new_sign_in_links (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL REFERENCES people (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('password', 'reset', 'sign_in', 'email')),
  -- The address that it was mailed to, for it to become the person's.
  email TEXT CHECK (length(email) BETWEEN 3 AND 254),
  UNIQUE (person_id, purpose),
  CHECK ((purpose = 'email') = (email IS NOT NULL))
) STRICT;
INSERT INTO new_sign_in_links
SELECT id, sha256, created_at_ms, expires_at_ms, person_id, 'password', NULL FROM sign_in_links;
DROP TABLE sign_in_links;
ALTER TABLE new_sign_in_links RENAME TO sign_in_links;
CREATE TRIGGER sign_in_links_are_not_of_erased BEFORE INSERT ON sign_in_links
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
