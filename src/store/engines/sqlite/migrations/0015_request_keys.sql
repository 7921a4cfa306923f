-- A movement of money by the operator happens once for each key under which it is asked for.
ALTER TABLE entries ADD COLUMN request_key TEXT CHECK (request_key <> '');
CREATE UNIQUE INDEX entries_by_request_key ON entries (account_id, request_key) WHERE request_key IS NOT NULL;

-- The one change that entries allow: the note and the key of an erased account are blanked.
DROP TRIGGER entries_are_never_changed;
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
