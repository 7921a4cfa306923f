-- Mails: queued in the transaction of what they report, sent by one gateway each, kept for 90 days.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY,
  -- Null: about no account, such as a test.
  account_id INTEGER REFERENCES accounts (id),
  -- A request that is repeated queues no second mail.
  request_key TEXT NOT NULL UNIQUE CHECK (request_key <> ''),
  -- The name of its template, and what that fills in: no secrets.
  purpose TEXT NOT NULL CHECK (purpose <> ''),
  fields TEXT NOT NULL CHECK (json_valid(fields)),
  recipient TEXT NOT NULL CHECK (recipient <> ''),
  language TEXT NOT NULL CHECK (language <> ''),
  -- The path of its link, with the token: only until it is sent or given up.
  link TEXT CHECK (link IS NULL OR state = 'queued'),
  link_expires_at_ms INTEGER,
  -- The same in each attempt, so that mail servers can tell repeats.
  message_id TEXT NOT NULL UNIQUE CHECK (message_id <> ''),
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed', 'cancelled')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  queued_at_ms INTEGER NOT NULL,
  -- When it is tried next; while it is being sent, when others may take it.
  next_at_ms INTEGER CHECK ((next_at_ms IS NULL) = (state <> 'queued')),
  sent_at_ms INTEGER CHECK ((sent_at_ms IS NULL) = (state <> 'sent')),
  -- Why the last attempt failed, or why it was not sent.
  failure TEXT
) STRICT;
CREATE INDEX mails_due ON mails (next_at_ms) WHERE state = 'queued';
CREATE INDEX mails_by_time ON mails (queued_at_ms);
CREATE INDEX mails_by_account ON mails (account_id, id) WHERE account_id IS NOT NULL;
CREATE TRIGGER mails_are_not_of_erased BEFORE INSERT ON mails
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- Where notices of an account go, with the token of the link by which the recipient unsubscribes.
CREATE TABLE mail_recipients (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  recipient TEXT NOT NULL CHECK (recipient <> ''),
  token TEXT NOT NULL UNIQUE CHECK (token <> ''),
  unsubscribed_at_ms INTEGER,
  UNIQUE (account_id, recipient)
) STRICT;
CREATE TRIGGER mail_recipients_are_not_of_erased BEFORE INSERT ON mail_recipients
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
