-- Changes of rows that say what has become of money: orders, refunds of them, vouchers, plans.
CREATE TABLE state_changes (
  id INTEGER PRIMARY KEY,
  -- The table of the row. Its id is not given again.
  subject TEXT NOT NULL CHECK (subject <> ''),
  subject_id INTEGER NOT NULL,
  account_id INTEGER REFERENCES accounts (id),
  -- The same where only the line is kept, as of a payment that does not fit.
  from_state TEXT NOT NULL CHECK (from_state <> ''),
  to_state TEXT NOT NULL CHECK (to_state <> ''),
  source TEXT NOT NULL CHECK (source <> ''),
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX state_changes_of_subjects ON state_changes (subject, subject_id, id);
CREATE INDEX state_changes_of_accounts ON state_changes (account_id, id) WHERE account_id IS NOT NULL;
CREATE TRIGGER state_changes_are_never_deleted BEFORE DELETE ON state_changes
BEGIN SELECT RAISE (ABORT, 'state_changes are append-only'); END;
-- An erasure takes what is told beside the states.
CREATE TRIGGER state_changes_are_never_changed BEFORE UPDATE ON state_changes
WHEN NOT (
  new.detail = '{}'
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id IS old.id
  AND new.subject IS old.subject
  AND new.subject_id IS old.subject_id
  AND new.account_id IS old.account_id
  AND new.from_state IS old.from_state
  AND new.to_state IS old.to_state
  AND new.source IS old.source
  AND new.at_ms IS old.at_ms
)
BEGIN SELECT RAISE (ABORT, 'state_changes are append-only'); END;

-- An order is one attempt to pay: bound to its payment method, currency and amount from the beginning.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- Null: the gateway itself, as of an automatic top-up; and of an erased person.
  person_id INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('top_up', 'automatic', 'plan')),
  provider TEXT NOT NULL CHECK (provider <> ''),
  -- The provider's own number of it; null until the provider has given one.
  reference TEXT CHECK (reference <> ''),
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  -- In the smallest unit of the currency.
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  -- Nano-dollars of credit for one unit of the currency, as the payer was told.
  rate_nanos INTEGER NOT NULL CHECK (rate_nanos > 0),
  credit_nanos INTEGER NOT NULL CHECK (credit_nanos > 0),
  bonus_nanos INTEGER NOT NULL CHECK (bonus_nanos >= 0),
  state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'partly_refunded', 'refunded', 'refund_failed', 'disputed', 'won', 'lost', 'expired', 'cancelled')),
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  -- No payment is begun after it. One that comes all the same is credited.
  expires_at_ms INTEGER NOT NULL,
  paid_at_ms INTEGER,
  -- When the provider is asked next what has become of it; null: when a webhook names it.
  next_look_at_ms INTEGER,
  looks INTEGER NOT NULL DEFAULT 0 CHECK (looks >= 0),
  -- Since when the provider does not answer.
  unanswered_since_ms INTEGER,
  -- Why somebody has to look at it, such as a payment of another amount.
  trouble TEXT CHECK (trouble <> ''),
  -- What the provider reports of the payment: its own number, its fee, the tax in it, its receipt.
  payment_reference TEXT CHECK (payment_reference <> ''),
  fee_minor INTEGER,
  tax_minor INTEGER,
  tax_country TEXT CHECK (tax_country <> ''),
  receipt_url TEXT CHECK (receipt_url <> ''),
  refunded_minor INTEGER NOT NULL DEFAULT 0 CHECK (refunded_minor BETWEEN 0 AND amount_minor),
  -- 0: no money moves, as in Stripe's test mode.
  is_live INTEGER NOT NULL CHECK (is_live IN (0, 1)),
  UNIQUE (provider, reference)
) STRICT;
CREATE INDEX orders_of_accounts ON orders (account_id, id);
CREATE INDEX orders_to_look_at ON orders (next_look_at_ms) WHERE next_look_at_ms IS NOT NULL;
CREATE INDEX orders_in_trouble ON orders (id) WHERE trouble IS NOT NULL;
CREATE INDEX orders_by_time ON orders (created_at_ms);

-- A refund of an order: the money leaves the balance first, then the provider is asked, under the number of this row.
CREATE TABLE order_refunds (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  debit_nanos INTEGER NOT NULL CHECK (debit_nanos >= 0),
  -- 1: what the balance lacks becomes debt.
  into_debt INTEGER NOT NULL CHECK (into_debt IN (0, 1)),
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'debited', 'done', 'failed', 'cancelled')),
  -- The provider's own number of it.
  reference TEXT CHECK (reference <> ''),
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  next_look_at_ms INTEGER
) STRICT;
CREATE INDEX order_refunds_of_orders ON order_refunds (order_id, id);
CREATE INDEX order_refunds_of_accounts ON order_refunds (account_id, id);
CREATE INDEX order_refunds_to_look_at ON order_refunds (next_look_at_ms) WHERE next_look_at_ms IS NOT NULL;
