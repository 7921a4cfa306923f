-- Each price that calls were charged at, once: with every call it took more than half of a call's row.
CREATE TABLE prices (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  json TEXT NOT NULL CHECK (json_valid(json))
) STRICT;
CREATE TRIGGER prices_are_never_changed BEFORE UPDATE ON prices
BEGIN SELECT RAISE (ABORT, 'prices are append-only'); END;
CREATE TRIGGER prices_are_never_deleted BEFORE DELETE ON prices
BEGIN SELECT RAISE (ABORT, 'prices are append-only'); END;

-- A call has its price here, or as before as a text of its own; neither where nothing was charged.
ALTER TABLE calls ADD COLUMN price_id INTEGER REFERENCES prices (id) CHECK (price_id IS NULL OR price = '');
-- What was counted for this call alone besides its usage: units, extras, partial images.
ALTER TABLE calls ADD COLUMN counted TEXT NOT NULL DEFAULT '' CHECK (counted = '' OR price_id IS NOT NULL);

-- How far the calls have been written anew, in the order of their ids, by the gateway as it serves.
CREATE TABLE call_rewrites (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name = 'prices' OR name = 'traces'),
  -- No call up to this id is looked at again.
  done_id INTEGER NOT NULL CHECK (done_id >= 0),
  -- The last call that there is anything to do about; null: all that come.
  last_id INTEGER
) STRICT;
INSERT INTO call_rewrites (name, done_id, last_id) SELECT 'prices', 0, coalesce(max(id), 0) FROM calls;
INSERT INTO call_rewrites (name, done_id) VALUES ('traces', 0);
