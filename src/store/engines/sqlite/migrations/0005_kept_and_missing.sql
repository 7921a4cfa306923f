-- Kept answers are counted in bytes, and images whose file cannot be found are marked, until it is back.

-- Headers and body of the answer that is kept; 0 where none is. The bytes of bodies in files are counted at the next start.
ALTER TABLE idempotency_keys ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0
  CHECK (kept_bytes >= 0 AND (kept_bytes = 0 OR status IS NOT NULL));
UPDATE idempotency_keys SET kept_bytes = length(headers) + coalesce(length(body), 0) WHERE status IS NOT NULL;
-- The oldest keys and the oldest answers of an account; their counts and sums at a start, which otherwise would read every body.
CREATE INDEX idempotency_keys_by_account ON idempotency_keys (account_id, id);
CREATE INDEX idempotency_keys_kept ON idempotency_keys (account_id, created_at_ms, id, kept_bytes) WHERE kept_bytes > 0;

-- Since when the file could not be found. The row keeps all that it says of it.
ALTER TABLE generations ADD COLUMN missing_since_ms INTEGER CHECK (missing_since_ms IS NULL OR state = 'stored');
CREATE INDEX generations_missing ON generations (id) WHERE missing_since_ms IS NOT NULL;
ALTER TABLE files ADD COLUMN missing_since_ms INTEGER CHECK (missing_since_ms IS NULL OR state = 'stored');
CREATE INDEX files_missing ON files (id) WHERE missing_since_ms IS NOT NULL;
