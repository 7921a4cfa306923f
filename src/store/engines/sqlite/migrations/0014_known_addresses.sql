-- Where people have signed in to the console before: strangers who guess passwords do not keep them out there.
CREATE TABLE known_addresses (
  id INTEGER PRIMARY KEY,
  -- Null: the operator.
  account_id INTEGER REFERENCES accounts (id),
  -- An IPv4 address, or the first 64 bits of an IPv6 address.
  place TEXT NOT NULL CHECK (place <> ''),
  -- The last time.
  signed_in_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX known_addresses_by_person ON known_addresses (coalesce(account_id, 0), place);
CREATE INDEX known_addresses_by_time ON known_addresses (signed_in_at_ms);
CREATE TRIGGER known_addresses_are_not_of_erased BEFORE INSERT ON known_addresses
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- Whoever signed in by password or link before this version and still has a session, from an IPv4 address; IPv6 is learnt
-- at the next sign-in.
INSERT INTO known_addresses (account_id, place, signed_in_at_ms)
SELECT account_id, address, max(created_at_ms) FROM sessions
WHERE key_id IS NULL AND address IS NOT NULL AND address NOT LIKE '%:%'
GROUP BY account_id, address;
