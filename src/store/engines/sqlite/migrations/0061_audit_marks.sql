-- How far the last clean audit looked, and what the rows up to there come to, as JSON with its hash (money/ledger/audit-mark.ts): one row, or none.
CREATE TABLE audit_marks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  json TEXT NOT NULL CHECK (json_valid(json)),
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32)
) STRICT;
