-- The calls under way of one account are counted without a look at those of others.
CREATE INDEX holds_of_accounts ON holds (account_id, state);
