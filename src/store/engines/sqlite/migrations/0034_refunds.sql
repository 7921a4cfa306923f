-- Refunds of calls: a call keeps what it was charged, and says how much of that its account got back; the kept sums are of the rest.
ALTER TABLE calls ADD COLUMN refunded_nanos INTEGER NOT NULL DEFAULT 0 CHECK (refunded_nanos BETWEEN 0 AND cost_nanos);

CREATE TRIGGER calls_refunds_are_summed AFTER UPDATE OF refunded_nanos ON calls WHEN new.refunded_nanos <> old.refunded_nanos
BEGIN
  UPDATE call_sums
     SET cost_nanos = cost_nanos - (new.refunded_nanos - old.refunded_nanos),
         known_revenue_nanos = known_revenue_nanos - iif(new.provider_cost_nanos IS NULL, 0, new.refunded_nanos - old.refunded_nanos)
   WHERE span_s IN (86400, 900)
     AND start_s = new.started_at_ms / (1000 * span_s) * span_s
     AND account_id = new.account_id
     AND key_id = new.key_id
     AND model = new.model
     AND outcome = new.outcome;
END;

-- A refund is an entry of its call, as a charge is, and adds to the balance, as a top-up does.
-- Kinds are compared one by one: for a list of three and more SQLite builds an index at each insert, which took 3 µs of every call.
CREATE TABLE new_entries (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (
    kind = 'top_up' OR kind = 'withdrawal' OR kind = 'charge' OR kind = 'debt_payment' OR kind = 'refund'
  ),
  amount_nanos INTEGER NOT NULL CHECK (
    amount_nanos BETWEEN -9007199254740991 AND 9007199254740991
    AND (amount_nanos >= 0) = (kind IN ('top_up', 'refund'))
  ),
  call_id INTEGER,
  note TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  request_key TEXT CHECK (request_key <> ''),
  CHECK ((kind IN ('charge', 'refund')) = (call_id IS NOT NULL))
) STRICT;
INSERT INTO new_entries SELECT * FROM entries;
DROP TABLE entries;
ALTER TABLE new_entries RENAME TO entries;
CREATE INDEX entries_by_account ON entries (account_id, created_at_ms);
CREATE INDEX entries_without_call ON entries (account_id, created_at_ms) WHERE kind <> 'charge';
CREATE UNIQUE INDEX entries_by_request_key ON entries (account_id, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX entries_of_refunds ON entries (call_id) WHERE kind = 'refund';
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
WHEN NOT (
  new.note = ''
  AND new.request_key IS NULL
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id = old.id
  AND new.account_id = old.account_id
  AND new.kind = old.kind
  AND new.amount_nanos = old.amount_nanos
  AND new.call_id IS old.call_id
  AND new.created_at_ms = old.created_at_ms
)
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
