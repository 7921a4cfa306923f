-- Requests that were refused before they cost anything: no calls, and no part of the books.
CREATE TABLE refusals (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  request_id TEXT NOT NULL CHECK (request_id <> ''),
  -- When it was refused.
  at_ms INTEGER NOT NULL,
  surface TEXT NOT NULL,
  -- As it was asked for; null if no model was named, or not in a name's characters.
  model TEXT CHECK (model <> ''),
  status INTEGER NOT NULL CHECK (status BETWEEN 400 AND 599),
  -- The kind of refusal, one of a few.
  code TEXT NOT NULL CHECK (code <> ''),
  -- What the caller was told.
  sentence TEXT NOT NULL
) STRICT;
CREATE INDEX refusals_by_account ON refusals (account_id, at_ms);
CREATE INDEX refusals_by_time ON refusals (at_ms);
CREATE INDEX refusals_by_request ON refusals (request_id);
-- Left out in silence: a batch has refusals of others, too.
CREATE TRIGGER refusals_are_not_of_erased BEFORE INSERT ON refusals
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (IGNORE); END;

-- How many there were, recorded one by one or not: by hour, and for the last hours by minute. No references, since each
-- account and key was read by its request.
CREATE TABLE refusal_sums (
  -- An hour or a minute.
  span_s INTEGER NOT NULL CHECK (span_s = 3600 OR span_s = 60),
  account_id INTEGER NOT NULL,
  -- When it begins, in seconds since 1970: a multiple of the span.
  start_s INTEGER NOT NULL,
  -- 0: of all keys, by minute; or of those that are too many to be told apart.
  key_id INTEGER NOT NULL,
  code TEXT NOT NULL,
  refusals INTEGER NOT NULL CHECK (refusals > 0),
  PRIMARY KEY (span_s, account_id, start_s, key_id, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX refusal_sums_by_start ON refusal_sums (span_s, start_s, refusals);
