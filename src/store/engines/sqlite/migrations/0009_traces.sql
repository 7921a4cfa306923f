-- What happened to a call: each route that was tried, its times, why it failed. Bounded, and empty for calls before this.
ALTER TABLE calls ADD COLUMN failed_tries INTEGER NOT NULL DEFAULT 0 CHECK (failed_tries >= 0);
ALTER TABLE calls ADD COLUMN trace TEXT NOT NULL DEFAULT '' CHECK (length(trace) <= 2048);
-- Calls are looked for by the id that their callers were given; those of failing routes, which are few, by being it.
CREATE INDEX calls_by_request ON calls (request_id);
CREATE INDEX calls_with_failures ON calls (id) WHERE failed_tries > 0;

-- How often a kept answer was sent again.
ALTER TABLE idempotency_keys ADD COLUMN replays INTEGER NOT NULL DEFAULT 0 CHECK (replays >= 0);
ALTER TABLE idempotency_keys ADD COLUMN replayed_at_ms INTEGER CHECK ((replayed_at_ms IS NULL) = (replays = 0));
