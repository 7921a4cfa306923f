-- What gateways over one database know of each other. On SQLite, where a folder has one gateway, it says little, and the last two tables stay empty.
-- The data folder that the gateway runs in: a start ends what an earlier one there left. '' of an earlier version.
ALTER TABLE gateways ADD COLUMN node TEXT NOT NULL DEFAULT '';
-- The machine, for people.
ALTER TABLE gateways ADD COLUMN name TEXT NOT NULL DEFAULT '';
-- SHA-256 of the catalogue that it has in force, in hexadecimal digits, and since when; '' until it told.
ALTER TABLE gateways ADD COLUMN catalogue TEXT NOT NULL DEFAULT '';
ALTER TABLE gateways ADD COLUMN catalogue_since_ms INTEGER NOT NULL DEFAULT 0;
-- When it was last alive, by the clock of the database; NULL where nobody has to ask.
ALTER TABLE gateways ADD COLUMN seen_at_ms INTEGER;

-- Requests and tokens that count against the limits of accounts and keys, by the second. Older rows than a minute go.
CREATE TABLE rates (
  scope TEXT NOT NULL CHECK (scope IN ('account', 'key')),
  id INTEGER NOT NULL,
  at_s INTEGER NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (scope, id, at_s)
) STRICT, WITHOUT ROWID;

-- By accounts: the times of their image calls in the last minute, in milliseconds, oldest first: a list of JSON.
CREATE TABLE image_rates (
  id INTEGER PRIMARY KEY,
  taken TEXT NOT NULL CHECK (json_valid(taken))
) STRICT;
