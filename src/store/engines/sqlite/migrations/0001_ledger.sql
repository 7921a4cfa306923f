-- Accounts, keys, and the ledger. STRICT and CHECK refuse what the code should never write; amounts and counts stay
-- within what JavaScript counts exactly.
-- Words are compared with OR: a list after IN of more than two is built anew as a temporary table by every statement
-- that checks it, which took half of the time of a hold and its charge.
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
  status TEXT NOT NULL CHECK (status = 'active' OR status = 'suspended'),
  balance_nanos INTEGER NOT NULL CHECK (balance_nanos BETWEEN 0 AND 9007199254740991),
  held_nanos INTEGER NOT NULL CHECK (held_nanos BETWEEN 0 AND balance_nanos),
  debt_nanos INTEGER NOT NULL CHECK (debt_nanos BETWEEN 0 AND 9007199254740991),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  models TEXT CHECK (models IS NULL OR json_valid(models)),
  spend_limit_nanos INTEGER CHECK (spend_limit_nanos BETWEEN 0 AND 9007199254740991),
  spent_nanos INTEGER NOT NULL CHECK (spent_nanos BETWEEN 0 AND 9007199254740991),
  held_nanos INTEGER NOT NULL CHECK (held_nanos BETWEEN 0 AND 9007199254740991),
  addresses TEXT CHECK (addresses IS NULL OR json_valid(addresses)),
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX keys_by_account ON keys (account_id);

CREATE TABLE holds (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  request_id TEXT NOT NULL,
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos BETWEEN 0 AND 9007199254740991),
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'posted' OR state = 'voided' OR state = 'expired'),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX holds_pending ON holds (expires_at_ms) WHERE state = 'pending';

CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (
    kind = 'top_up' OR kind = 'withdrawal' OR kind = 'charge' OR kind = 'debt_payment'
  ),
  amount_nanos INTEGER NOT NULL CHECK (
    amount_nanos BETWEEN -9007199254740991 AND 9007199254740991
    AND (amount_nanos >= 0) = (kind = 'top_up')
  ),
  call_id INTEGER,
  note TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  CHECK ((kind = 'charge') = (call_id IS NOT NULL))
) STRICT;
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;

CREATE TABLE calls (
  id INTEGER PRIMARY KEY REFERENCES holds (id),
  request_id TEXT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  surface TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (
    outcome = 'completed' OR outcome = 'cancelled' OR outcome = 'broken' OR outcome = 'failed'
  ),
  status INTEGER NOT NULL,
  streamed INTEGER NOT NULL CHECK (streamed = 0 OR streamed = 1),
  estimated INTEGER NOT NULL CHECK (estimated = 0 OR estimated = 1),
  input_tokens INTEGER NOT NULL CHECK (input_tokens BETWEEN 0 AND 9007199254740991),
  input_audio_tokens INTEGER NOT NULL CHECK (input_audio_tokens BETWEEN 0 AND 9007199254740991),
  cache_read_tokens INTEGER NOT NULL CHECK (cache_read_tokens BETWEEN 0 AND 9007199254740991),
  cache_write_5m_tokens INTEGER NOT NULL CHECK (cache_write_5m_tokens BETWEEN 0 AND 9007199254740991),
  cache_write_1h_tokens INTEGER NOT NULL CHECK (cache_write_1h_tokens BETWEEN 0 AND 9007199254740991),
  output_tokens INTEGER NOT NULL CHECK (output_tokens BETWEEN 0 AND 9007199254740991),
  thinking_tokens INTEGER NOT NULL CHECK (thinking_tokens BETWEEN 0 AND 9007199254740991),
  output_image_tokens INTEGER NOT NULL CHECK (output_image_tokens BETWEEN 0 AND 9007199254740991),
  images INTEGER NOT NULL CHECK (images BETWEEN 0 AND 9007199254740991),
  hold_nanos INTEGER NOT NULL CHECK (hold_nanos BETWEEN 0 AND 9007199254740991),
  cost_nanos INTEGER NOT NULL CHECK (cost_nanos BETWEEN 0 AND 9007199254740991),
  unpaid_nanos INTEGER NOT NULL CHECK (unpaid_nanos BETWEEN 0 AND cost_nanos),
  price TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX calls_by_account ON calls (account_id, id);
