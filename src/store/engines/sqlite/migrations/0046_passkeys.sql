-- Passkeys of people: public keys, whose private halves never leave their devices.
CREATE TABLE passkeys (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people (id),
  -- As the device chose it.
  credential_id BLOB NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 1023),
  public_key BLOB NOT NULL CHECK (length(public_key) > 0),
  -- How often it was used, as its device says; 0: the device does not count.
  counter INTEGER NOT NULL CHECK (counter >= 0),
  -- How browsers reach it, as JSON.
  transports TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER
) STRICT;
CREATE INDEX passkeys_by_person ON passkeys (person_id, id);
CREATE TRIGGER passkeys_are_not_of_erased BEFORE INSERT ON passkeys
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- What a device has to sign, once, for the browser that asked.
CREATE TABLE passkey_challenges (
  id INTEGER PRIMARY KEY,
  -- Of the token in the browser's cookie.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  challenge TEXT NOT NULL CHECK (challenge <> ''),
  purpose TEXT NOT NULL CHECK (purpose IN ('add', 'sign_in', 'confirm')),
  -- Whose it is, unless somebody signs in by it.
  session_id INTEGER,
  expires_at_ms INTEGER NOT NULL,
  CHECK ((purpose = 'sign_in') = (session_id IS NULL))
) STRICT;
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at_ms);
