-- The buyer on statements: see SQLite's 0036.
ALTER TABLE account_details ADD COLUMN billing_details text COLLATE "C" NOT NULL DEFAULT '' CHECK (length(billing_details) <= 1000);
