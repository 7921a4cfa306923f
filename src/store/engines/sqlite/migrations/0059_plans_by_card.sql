-- The month of a plan that an order pays for.
ALTER TABLE orders ADD COLUMN plan_period_id INTEGER REFERENCES plan_periods (id);
CREATE INDEX orders_of_plans ON orders (plan_period_id, id) WHERE plan_period_id IS NOT NULL;
-- The payment method and the currency that the next month is charged in where the balance is too low; null: it is paid from the balance alone.
ALTER TABLE plan_periods ADD COLUMN card_method TEXT CHECK (card_method <> '');
ALTER TABLE plan_periods ADD COLUMN card_currency TEXT CHECK (length(card_currency) = 3);
-- What of its price a refund gave back that ended it.
ALTER TABLE plan_periods ADD COLUMN returned_nanos INTEGER NOT NULL DEFAULT 0 CHECK (returned_nanos BETWEEN 0 AND due_nanos);
CREATE INDEX plan_periods_returned ON plan_periods (id) WHERE returned_nanos > 0;
