-- Limits of spending of a person: see SQLite's 0047. A program that does not know them would take those of a person for the account's.
ALTER TABLE budgets ADD COLUMN person_id bigint CHECK (person_id IS NULL OR key_id IS NULL);
DROP INDEX budgets_of_accounts;
CREATE UNIQUE INDEX budgets_of_accounts ON budgets (account_id, period) WHERE key_id IS NULL AND person_id IS NULL;
CREATE UNIQUE INDEX budgets_of_people ON budgets (person_id, account_id, period) WHERE person_id IS NOT NULL;
ALTER TABLE keys ADD COLUMN person_from_hold_id bigint NOT NULL DEFAULT 0;
