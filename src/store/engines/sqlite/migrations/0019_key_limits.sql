-- Limits of a key a day and a month (UTC), what counts against them, and how many of its calls may run at the same time.
ALTER TABLE keys ADD COLUMN daily_limit_nanos INTEGER CHECK (daily_limit_nanos BETWEEN 0 AND 9007199254740991);
ALTER TABLE keys ADD COLUMN monthly_limit_nanos INTEGER CHECK (monthly_limit_nanos BETWEEN 0 AND 9007199254740991);
ALTER TABLE keys ADD COLUMN concurrent_calls INTEGER CHECK (concurrent_calls BETWEEN 1 AND 1000000);

-- The day in which the last hold was opened, the first hold of it, and what its holds hold and its calls cost: a call counts
-- in the day in which its hold was opened. Null: no hold since this version. The month alike.
ALTER TABLE keys ADD COLUMN day_start_ms INTEGER;
ALTER TABLE keys ADD COLUMN day_first_hold_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE keys ADD COLUMN day_nanos INTEGER NOT NULL DEFAULT 0 CHECK (day_nanos BETWEEN 0 AND 9007199254740991);
ALTER TABLE keys ADD COLUMN month_start_ms INTEGER;
ALTER TABLE keys ADD COLUMN month_first_hold_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE keys ADD COLUMN month_nanos INTEGER NOT NULL DEFAULT 0 CHECK (month_nanos BETWEEN 0 AND 9007199254740991);
