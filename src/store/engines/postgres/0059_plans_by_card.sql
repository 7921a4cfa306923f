-- Plans that are paid by card: see SQLite's 0059.
ALTER TABLE orders ADD COLUMN plan_period_id bigint REFERENCES plan_periods (id);
CREATE INDEX orders_of_plans ON orders (plan_period_id, id) WHERE plan_period_id IS NOT NULL;
ALTER TABLE plan_periods ADD COLUMN card_method text COLLATE "C" CHECK (card_method <> '');
ALTER TABLE plan_periods ADD COLUMN card_currency text COLLATE "C" CHECK (length(card_currency) = 3);
ALTER TABLE plan_periods ADD COLUMN returned_nanos bigint NOT NULL DEFAULT 0 CHECK (returned_nanos BETWEEN 0 AND due_nanos);
CREATE INDEX plan_periods_returned ON plan_periods (id) WHERE returned_nanos > 0;
