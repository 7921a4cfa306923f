-- Links by which accounts refer others, and who signed up by them.
CREATE TABLE referral_links (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  code TEXT NOT NULL UNIQUE CHECK (code <> ''),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE referrals (
  id INTEGER PRIMARY KEY,
  -- Who signed up: bound once.
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  referrer_id INTEGER NOT NULL REFERENCES accounts (id),
  created_at_ms INTEGER NOT NULL,
  CHECK (referrer_id <> account_id)
) STRICT;
CREATE INDEX referrals_by_referrer ON referrals (referrer_id, id);
