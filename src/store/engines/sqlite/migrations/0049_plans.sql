-- Paid months of plans: what an account bought, as it was offered then, and what became of it.
CREATE TABLE plan_periods (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'active', 'ended', 'replaced', 'lapsed')),
  -- The name in the catalogue. It is not erased: it says nothing about the account.
  plan TEXT NOT NULL CHECK (plan <> ''),
  title TEXT NOT NULL,
  price_nanos INTEGER NOT NULL CHECK (price_nanos BETWEEN 0 AND 9007199254740991),
  -- What is paid of the price: less than all of it where the rest of another plan is counted against it.
  due_nanos INTEGER NOT NULL CHECK (due_nanos BETWEEN 0 AND price_nanos),
  models TEXT NOT NULL CHECK (json_valid(models)),
  -- Nano-dollars by period: {"5h": …, "day": …, "week": …, "month": …}.
  limits TEXT NOT NULL CHECK (json_valid(limits)),
  concurrent_calls INTEGER CHECK (concurrent_calls > 0),
  overflow INTEGER NOT NULL CHECK (overflow IN (0, 1)),
  -- The period that it renews or takes the place of.
  follows_id INTEGER REFERENCES plan_periods (id),
  -- Months are counted from here: it is the last one of so many.
  anchor_ms INTEGER NOT NULL,
  month_number INTEGER NOT NULL CHECK (month_number > 0),
  starts_ms INTEGER NOT NULL,
  ends_ms INTEGER NOT NULL CHECK (ends_ms > starts_ms),
  -- Its end, or that of the days of grace.
  covers_until_ms INTEGER NOT NULL CHECK (covers_until_ms >= ends_ms),
  renews INTEGER NOT NULL CHECK (renews IN (0, 1)),
  -- The plan that it renews as, where that is another one.
  next_plan TEXT CHECK (next_plan <> ''),
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX plan_periods_of_accounts ON plan_periods (account_id, id);
-- An account has one that waits to be paid, one that is about to begin, and one that covers calls.
CREATE UNIQUE INDEX plan_periods_in_hand ON plan_periods (account_id, state) WHERE state = 'open' OR state = 'paid' OR state = 'active';
CREATE INDEX plan_periods_by_end ON plan_periods (ends_ms) WHERE state = 'open' OR state = 'paid' OR state = 'active';

-- The period whose plan covers the account's calls; null: it has none. Holds look here whether there is a plan.
ALTER TABLE accounts ADD COLUMN plan_period_id INTEGER;

-- Limits of a plan's calls.
ALTER TABLE budgets ADD COLUMN plan_period_id INTEGER REFERENCES plan_periods (id) CHECK (
  plan_period_id IS NULL OR (key_id IS NULL AND person_id IS NULL)
);
DROP INDEX budgets_of_accounts;
CREATE UNIQUE INDEX budgets_of_accounts ON budgets (account_id, period)
  WHERE key_id IS NULL AND person_id IS NULL AND plan_period_id IS NULL;
CREATE UNIQUE INDEX budgets_of_plans ON budgets (plan_period_id, period) WHERE plan_period_id IS NOT NULL;

-- A covered call takes nothing from the balance: it counts against the plan, first with the most that it can cost, then with its cost.
ALTER TABLE holds ADD COLUMN covered_nanos INTEGER NOT NULL DEFAULT 0 CHECK (covered_nanos BETWEEN 0 AND 9007199254740991);
ALTER TABLE holds ADD COLUMN plan_period_id INTEGER CHECK (
  (plan_period_id IS NULL AND covered_nanos = 0) OR (plan_period_id IS NOT NULL AND amount_nanos = 0)
);
ALTER TABLE calls ADD COLUMN covered_nanos INTEGER NOT NULL DEFAULT 0 CHECK (covered_nanos BETWEEN 0 AND 9007199254740991);
ALTER TABLE calls ADD COLUMN plan_period_id INTEGER CHECK (
  (plan_period_id IS NULL AND covered_nanos = 0) OR (plan_period_id IS NOT NULL AND cost_nanos = 0)
);
