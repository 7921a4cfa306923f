-- What the operator is told of: once until it is over.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY,
  rule TEXT NOT NULL CHECK (rule <> ''),
  -- What it is of: an account, a key, a model, a provider, a route; empty for the gateway as a whole.
  subject TEXT NOT NULL,
  -- The account that it is of, or whose key.
  account_id INTEGER REFERENCES accounts (id),
  sentence TEXT NOT NULL CHECK (sentence <> ''),
  raised_at_ms INTEGER NOT NULL,
  -- Since when it is over; it ends some minutes later, unless it comes back before.
  over_since_ms INTEGER CHECK (over_since_ms >= raised_at_ms),
  ended_at_ms INTEGER CHECK (ended_at_ms >= over_since_ms)
) STRICT;
CREATE UNIQUE INDEX open_alerts ON alerts (rule, subject) WHERE ended_at_ms IS NULL;
CREATE TRIGGER alerts_are_not_of_erased BEFORE INSERT ON alerts
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- What was sent of them to the webhook, and what is to be tried again.
CREATE TABLE alert_sendings (
  id INTEGER PRIMARY KEY,
  alert_id INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  -- That of the alert.
  account_id INTEGER REFERENCES accounts (id),
  event TEXT NOT NULL CHECK (event IN ('raised', 'ended')),
  -- The same in each try, so that whoever receives it can tell repeats.
  webhook_id TEXT NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL CHECK (tries >= 0),
  -- When it is tried next; null once it arrived or was given up.
  due_at_ms INTEGER,
  sent_at_ms INTEGER CHECK (sent_at_ms IS NULL OR due_at_ms IS NULL),
  -- Of the last try: the status that came, and why it failed.
  status INTEGER,
  failure TEXT
) STRICT;
CREATE INDEX alert_sendings_by_alert ON alert_sendings (alert_id);
CREATE INDEX alert_sendings_by_due ON alert_sendings (due_at_ms) WHERE due_at_ms IS NOT NULL;
CREATE TRIGGER alert_sendings_are_not_of_erased BEFORE INSERT ON alert_sendings
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
