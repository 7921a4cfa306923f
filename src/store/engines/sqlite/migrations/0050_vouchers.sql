-- Vouchers, and the batches that they were created in. No row is deleted: its id names an entry of the ledger.
CREATE TABLE voucher_batches (
  id INTEGER PRIMARY KEY,
  note TEXT NOT NULL,
  -- 1: an account redeems one voucher of the batch at most.
  once_each INTEGER NOT NULL CHECK (once_each IN (0, 1)),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE vouchers (
  id INTEGER PRIMARY KEY,
  batch_id INTEGER NOT NULL REFERENCES voucher_batches (id),
  -- The account that redeemed it.
  account_id INTEGER REFERENCES accounts (id),
  -- Of the code, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- The first characters of the code; empty for one that is short.
  hint TEXT NOT NULL,
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos > 0),
  state TEXT NOT NULL CHECK (state IN ('new', 'redeemed', 'revoked', 'expired')),
  changed_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  CHECK ((state = 'redeemed') = (account_id IS NOT NULL))
) STRICT;
CREATE INDEX vouchers_of_batches ON vouchers (batch_id, id);
CREATE INDEX vouchers_of_accounts ON vouchers (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX vouchers_to_expire ON vouchers (expires_at_ms) WHERE state = 'new';
