-- Refunds of calls: see SQLite's 0034. The ledger's own statement takes them from the kept sums.
ALTER TABLE calls ADD COLUMN refunded_nanos bigint NOT NULL DEFAULT 0 CHECK (refunded_nanos BETWEEN 0 AND cost_nanos);

ALTER TABLE entries
  DROP CONSTRAINT entries_kind_check,
  DROP CONSTRAINT entries_check,
  DROP CONSTRAINT entries_check1,
  ADD CONSTRAINT entries_kind_check CHECK (kind IN ('top_up', 'withdrawal', 'charge', 'debt_payment', 'refund')),
  ADD CONSTRAINT entries_check CHECK (
    amount_nanos BETWEEN -9007199254740991 AND 9007199254740991
    AND (amount_nanos >= 0) = (kind IN ('top_up', 'refund'))
  ),
  ADD CONSTRAINT entries_check1 CHECK ((kind IN ('charge', 'refund')) = (call_id IS NOT NULL));
CREATE INDEX entries_of_refunds ON entries (call_id) WHERE kind = 'refund';
