-- The price group of an account: see SQLite's migration of this name.
ALTER TABLE accounts ADD COLUMN price_group text COLLATE "C" CHECK (length(price_group) BETWEEN 1 AND 64);
