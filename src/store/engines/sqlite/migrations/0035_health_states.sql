-- The last answers of each route and key, of which it is judged whether a route fails or a provider rejects its key.
-- Bounded by the catalogue: a row for each route that was called in the last day, and for each key that was rejected in it.
CREATE TABLE health_states (
  -- ["route", model, provider, upstream model] or ["key", name, mark].
  subject TEXT NOT NULL PRIMARY KEY CHECK (json_valid(subject)),
  state TEXT NOT NULL CHECK (json_valid(state)),
  version INTEGER NOT NULL CHECK (version > 0),
  changed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
