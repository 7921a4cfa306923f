-- Limits of spending of a person: of all their keys in an account together. They may be erased while the row stays.
ALTER TABLE budgets ADD COLUMN person_id INTEGER CHECK (person_id IS NULL OR key_id IS NULL);
DROP INDEX budgets_of_accounts;
CREATE UNIQUE INDEX budgets_of_accounts ON budgets (account_id, period) WHERE key_id IS NULL AND person_id IS NULL;
CREATE UNIQUE INDEX budgets_of_people ON budgets (person_id, account_id, period) WHERE person_id IS NOT NULL;
-- The first hold that counts against the limits of its person: that of the moment in which they got the key.
ALTER TABLE keys ADD COLUMN person_from_hold_id INTEGER NOT NULL DEFAULT 0;
