-- How far the last clean audit looked: see SQLite's 0061.
CREATE TABLE audit_marks (
  id bigint PRIMARY KEY CHECK (id = 1),
  json text COLLATE "C" NOT NULL CHECK (json_valid(json)),
  sha256 bytea NOT NULL CHECK (length(sha256) = 32)
);
