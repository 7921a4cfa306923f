-- Rows of another gateway that were imported: a second import brings only what is new.
CREATE TABLE imported_rows (
  id INTEGER PRIMARY KEY,
  -- The name of the import: new-api, or as --as says.
  source TEXT NOT NULL CHECK (source <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('account', 'key', 'link')),
  -- The row there, such as "user 17".
  source_id TEXT NOT NULL CHECK (source_id <> ''),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER REFERENCES keys (id),
  -- Digests by which a row is known again: of an account of its name and its email, of a key of its text.
  identity TEXT NOT NULL,
  -- The amounts and limits that it had, a JSON object: a later import lists what changed since.
  content TEXT NOT NULL CHECK (json_valid(content)),
  imported_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX imported_rows_by_source ON imported_rows (source, kind, source_id);
CREATE INDEX imported_rows_by_account ON imported_rows (account_id, id);

-- Calls of accounts before they were imported: sums by day and model. They are history: no sum of usage and no balance counts them.
CREATE TABLE imported_usage (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL CHECK (source <> ''),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- The start of the day in UTC.
  day_s INTEGER NOT NULL CHECK (day_s % 86400 = 0),
  model TEXT NOT NULL,
  calls INTEGER NOT NULL CHECK (calls BETWEEN 0 AND 9007199254740991),
  input_tokens INTEGER NOT NULL CHECK (input_tokens BETWEEN 0 AND 9007199254740991),
  output_tokens INTEGER NOT NULL CHECK (output_tokens BETWEEN 0 AND 9007199254740991),
  charged_nanos INTEGER NOT NULL CHECK (charged_nanos BETWEEN 0 AND 9007199254740991)
) STRICT;
CREATE UNIQUE INDEX imported_usage_by_source ON imported_usage (source, account_id, day_s, model);
CREATE INDEX imported_usage_by_account ON imported_usage (account_id, day_s, id);
CREATE INDEX imported_usage_by_day ON imported_usage (day_s, id);
CREATE TRIGGER imported_usage_are_not_of_erased BEFORE INSERT ON imported_usage
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
