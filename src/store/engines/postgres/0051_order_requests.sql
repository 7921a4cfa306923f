-- Orders that are asked for again, and money that is on its way: see SQLite's 0051.
ALTER TABLE orders ADD COLUMN request_key text COLLATE "C" CHECK (request_key <> '');
ALTER TABLE orders ADD COLUMN pending_since_ms bigint;
CREATE UNIQUE INDEX orders_by_request_key ON orders (account_id, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX orders_by_payment ON orders (paid_at_ms, id) WHERE paid_at_ms IS NOT NULL;
CREATE INDEX orders_lost ON orders (changed_at_ms, id) WHERE state = 'lost';
CREATE INDEX order_refunds_done ON order_refunds (changed_at_ms, id) WHERE state = 'done';
