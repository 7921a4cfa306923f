-- Responses that are kept for their callers: what was asked and answered, so that a later request can continue it.
CREATE TABLE responses (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- The public id.
  response_id TEXT NOT NULL CHECK (length(response_id) BETWEEN 1 AND 255),
  -- The response that this one continues. It stays while this one does, so that the conversation stays whole.
  previous INTEGER REFERENCES responses (id) CHECK (previous < id),
  -- How many responses continue this one.
  later INTEGER NOT NULL DEFAULT 0 CHECK (later >= 0),
  -- Deleted by its caller while others continue it: it is shown no more, and goes with the last of them.
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1) AND (deleted = 0 OR later > 0)),
  -- The input items and the response; in the row, or in a file where they are large.
  body BLOB,
  body_file TEXT UNIQUE,
  kept_bytes INTEGER NOT NULL CHECK (kept_bytes > 0),
  -- The conversation up to and with this response.
  chain_bytes INTEGER NOT NULL CHECK (chain_bytes >= kept_bytes),
  chain_length INTEGER NOT NULL CHECK (chain_length > 0),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, response_id),
  CHECK ((body IS NULL) <> (body_file IS NULL)),
  CHECK ((previous IS NULL) = (chain_length = 1))
) STRICT;
CREATE INDEX responses_by_previous ON responses (previous) WHERE previous IS NOT NULL;
-- Those that may go: the oldest of an account, and those past their time. Sums at a start, which otherwise would read every body.
CREATE INDEX responses_last ON responses (account_id, id) WHERE later = 0;
CREATE INDEX responses_last_by_age ON responses (created_at_ms) WHERE later = 0;
CREATE INDEX responses_kept ON responses (account_id, kept_bytes);

-- The entries of an account by their time; those that move money without a call are few, and found without the others.
CREATE INDEX entries_by_account ON entries (account_id, created_at_ms);
CREATE INDEX entries_without_call ON entries (account_id, created_at_ms) WHERE kind <> 'charge';

-- Accounts that are closed: suspended for good, with all of their keys revoked. Money and books stay.
CREATE TABLE closed_accounts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  closed_at_ms INTEGER NOT NULL
) STRICT;
