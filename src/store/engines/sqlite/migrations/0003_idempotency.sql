-- What was answered to requests that carried an Idempotency-Key: one row for a key of an account, kept for a day.
CREATE TABLE idempotency_keys (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_sha256 BLOB NOT NULL CHECK (length(request_sha256) = 32),
  request_id TEXT NOT NULL,
  -- The newest hold when this request began: its own, and its call, have a greater id.
  after_hold_id INTEGER NOT NULL,
  status INTEGER,
  headers TEXT CHECK (json_valid(headers)),
  body BLOB,
  body_file TEXT UNIQUE,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, key),
  -- Answered with all of an answer, or not at all; its body in the row, or in a file where it is large.
  CHECK (
    (status IS NULL AND headers IS NULL AND body IS NULL AND body_file IS NULL)
    OR (status IS NOT NULL AND headers IS NOT NULL AND (body IS NULL) <> (body_file IS NULL))
  )
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
