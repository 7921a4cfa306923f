-- The last answers of each route and key: see SQLite's 0035.
CREATE TABLE health_states (
  subject text COLLATE "C" NOT NULL PRIMARY KEY CHECK (json_valid(subject)),
  state text COLLATE "C" NOT NULL CHECK (json_valid(state)),
  version bigint NOT NULL CHECK (version > 0),
  changed_at_ms bigint NOT NULL
);
