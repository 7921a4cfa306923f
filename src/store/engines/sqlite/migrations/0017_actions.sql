-- What was done, by whom: a line for each change that a person, a command or the gateway itself made.
CREATE TABLE actions (
  id INTEGER PRIMARY KEY,
  created_at_ms INTEGER NOT NULL,
  -- Such as key.revoked.
  action TEXT NOT NULL CHECK (action <> ''),
  actor TEXT NOT NULL CHECK (actor IN ('operator', 'account', 'key', 'command', 'system')),
  -- Of the console; sessions are deleted when they are over.
  session_id INTEGER,
  -- The network address of the session.
  address TEXT,
  -- Of the command line: its words without arguments, and the machine's user.
  command TEXT,
  machine_user TEXT,
  request_id TEXT,
  -- What it is about: an account, one of its keys, or the name of a model, provider, setting or backup.
  account_id INTEGER REFERENCES accounts (id),
  key_id INTEGER REFERENCES keys (id),
  subject TEXT,
  -- JSON objects with the fields that changed. Never a secret.
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  after TEXT CHECK (after IS NULL OR json_valid(after)),
  -- Accounts and keys act for themselves alone.
  CHECK (actor NOT IN ('account', 'key') OR account_id IS NOT NULL),
  CHECK (actor <> 'key' OR key_id IS NOT NULL),
  CHECK ((actor = 'command') = (command IS NOT NULL))
) STRICT;
CREATE INDEX actions_by_account ON actions (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX actions_by_key ON actions (key_id, id) WHERE key_id IS NOT NULL;
CREATE INDEX actions_by_subject ON actions (subject, id) WHERE subject IS NOT NULL;

-- Append-only, but for the texts of an erased account and the addresses of its person.
CREATE TRIGGER actions_are_never_changed BEFORE UPDATE ON actions
WHEN NOT (
  EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND (new.before IS NULL OR new.before IS old.before)
  AND (new.after IS NULL OR new.after IS old.after)
  AND (new.address IS NULL OR new.address IS old.address)
  AND new.id = old.id
  AND new.created_at_ms = old.created_at_ms
  AND new.action = old.action
  AND new.actor = old.actor
  AND new.session_id IS old.session_id
  AND new.command IS old.command
  AND new.machine_user IS old.machine_user
  AND new.request_id IS old.request_id
  AND new.account_id IS old.account_id
  AND new.key_id IS old.key_id
  AND new.subject IS old.subject
)
BEGIN SELECT RAISE (ABORT, 'actions are append-only'); END;

-- Lines go when one that is 400 days younger is there, and an account holder's when they have made 1,000 newer ones: so
-- nobody pushes out the lines of others.
CREATE TRIGGER actions_are_never_deleted BEFORE DELETE ON actions
WHEN old.created_at_ms > (SELECT created_at_ms FROM actions ORDER BY id DESC LIMIT 1) - 34560000000
AND NOT (
  old.actor IN ('account', 'key')
  AND (
    SELECT count(*) FROM (
      SELECT 1 FROM actions
      WHERE account_id = old.account_id AND id > old.id AND actor IN ('account', 'key') LIMIT 1000
    )
  ) = 1000
)
BEGIN SELECT RAISE (ABORT, 'actions are append-only'); END;
