-- An order that is asked for again under the same key is the one that was made.
ALTER TABLE orders ADD COLUMN request_key TEXT CHECK (request_key <> '');
-- Since when the provider says that the money is on its way, as by a bank debit.
ALTER TABLE orders ADD COLUMN pending_since_ms INTEGER;
CREATE UNIQUE INDEX orders_by_request_key ON orders (account_id, request_key) WHERE request_key IS NOT NULL;
-- Reports by the time of payments, refunds and lost disputes.
CREATE INDEX orders_by_payment ON orders (paid_at_ms, id) WHERE paid_at_ms IS NOT NULL;
CREATE INDEX orders_lost ON orders (changed_at_ms, id) WHERE state = 'lost';
CREATE INDEX order_refunds_done ON order_refunds (changed_at_ms, id) WHERE state = 'done';
