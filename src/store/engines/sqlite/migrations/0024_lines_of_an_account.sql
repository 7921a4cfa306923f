-- Lines of an account are looked for by what their index has: of 200,000 those that do not match are not read.
DROP INDEX actions_by_account;
CREATE INDEX actions_by_account ON actions (account_id, id, actor, action, created_at_ms) WHERE account_id IS NOT NULL;
