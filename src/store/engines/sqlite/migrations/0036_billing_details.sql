-- The buyer on an account's statements: its name and address, as the operator writes them.
ALTER TABLE account_details ADD COLUMN billing_details TEXT NOT NULL DEFAULT '' CHECK (length(billing_details) <= 1000);
