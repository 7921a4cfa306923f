-- The calls under way of one account: see SQLite's 0060.
CREATE INDEX holds_of_accounts ON holds (account_id, state);

-- Rows that change with each call stay on their page, so that no index changes with them. Of the sums only the newest change.
ALTER TABLE budgets SET (fillfactor = 50);
ALTER TABLE call_sums SET (fillfactor = 90);
ALTER TABLE rates SET (fillfactor = 50);
