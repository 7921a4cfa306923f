-- Who serves: each start adds a row. What is under way names its gateway, and is left alone until that one has ended.
CREATE TABLE gateways (
  id INTEGER PRIMARY KEY,
  version TEXT NOT NULL CHECK (version <> ''),
  started_at_ms INTEGER NOT NULL,
  -- NULL while it is alive.
  ended_at_ms INTEGER
) STRICT;
-- No references: the row of a gateway that has ended goes, and what it made stays. NULL: of an earlier version.
ALTER TABLE holds ADD COLUMN gateway_id INTEGER;
ALTER TABLE idempotency_keys ADD COLUMN gateway_id INTEGER;
ALTER TABLE generations ADD COLUMN gateway_id INTEGER;
ALTER TABLE files ADD COLUMN gateway_id INTEGER;
