-- The tables of a new database, as migrations 0001 to 0031 leave them: what they hold is said there, and in the files of store/tables/.
-- A database that has none of them gets these at once, in a tenth of the time. Later migrations follow, so this file does not change.
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
  status TEXT NOT NULL CHECK (status = 'active' OR status = 'suspended'),
  balance_nanos INTEGER NOT NULL CHECK (balance_nanos BETWEEN 0 AND 9007199254740991),
  held_nanos INTEGER NOT NULL CHECK (held_nanos BETWEEN 0 AND balance_nanos),
  debt_nanos INTEGER NOT NULL CHECK (debt_nanos BETWEEN 0 AND 9007199254740991),
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  models TEXT CHECK (models IS NULL OR json_valid(models)),
  spend_limit_nanos INTEGER CHECK (spend_limit_nanos BETWEEN 0 AND 9007199254740991),
  spent_nanos INTEGER NOT NULL CHECK (spent_nanos BETWEEN 0 AND 9007199254740991),
  held_nanos INTEGER NOT NULL CHECK (held_nanos BETWEEN 0 AND 9007199254740991),
  addresses TEXT CHECK (addresses IS NULL OR json_valid(addresses)),
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL
, concurrent_calls INTEGER CHECK (concurrent_calls BETWEEN 1 AND 1000000)) STRICT;
CREATE INDEX keys_by_account ON keys (account_id);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (
    kind = 'top_up' OR kind = 'withdrawal' OR kind = 'charge' OR kind = 'debt_payment'
  ),
  amount_nanos INTEGER NOT NULL CHECK (
    amount_nanos BETWEEN -9007199254740991 AND 9007199254740991
    AND (amount_nanos >= 0) = (kind = 'top_up')
  ),
  call_id INTEGER,
  note TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL, request_key TEXT CHECK (request_key <> ''),
  CHECK ((kind = 'charge') = (call_id IS NOT NULL))
) STRICT;
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
CREATE TABLE "calls" (
  id INTEGER PRIMARY KEY REFERENCES "calls" (id),
  request_id TEXT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  surface TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (
    outcome = 'completed' OR outcome = 'cancelled' OR outcome = 'broken' OR outcome = 'failed'
  ),
  status INTEGER NOT NULL,
  streamed INTEGER NOT NULL CHECK (streamed = 0 OR streamed = 1),
  estimated INTEGER NOT NULL CHECK (estimated = 0 OR estimated = 1),
  input_tokens INTEGER NOT NULL CHECK (input_tokens BETWEEN 0 AND 9007199254740991),
  input_audio_tokens INTEGER NOT NULL CHECK (input_audio_tokens BETWEEN 0 AND 9007199254740991),
  cache_read_tokens INTEGER NOT NULL CHECK (cache_read_tokens BETWEEN 0 AND 9007199254740991),
  cache_write_5m_tokens INTEGER NOT NULL CHECK (cache_write_5m_tokens BETWEEN 0 AND 9007199254740991),
  cache_write_1h_tokens INTEGER NOT NULL CHECK (cache_write_1h_tokens BETWEEN 0 AND 9007199254740991),
  output_tokens INTEGER NOT NULL CHECK (output_tokens BETWEEN 0 AND 9007199254740991),
  thinking_tokens INTEGER NOT NULL CHECK (thinking_tokens BETWEEN 0 AND 9007199254740991),
  output_image_tokens INTEGER NOT NULL CHECK (output_image_tokens BETWEEN 0 AND 9007199254740991),
  images INTEGER NOT NULL CHECK (images BETWEEN 0 AND 9007199254740991),
  hold_nanos INTEGER NOT NULL CHECK (hold_nanos BETWEEN 0 AND 9007199254740991),
  cost_nanos INTEGER NOT NULL CHECK (cost_nanos BETWEEN 0 AND 9007199254740991),
  unpaid_nanos INTEGER NOT NULL CHECK (unpaid_nanos BETWEEN 0 AND cost_nanos),
  price TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  duration_ms INTEGER NOT NULL
, summed INTEGER NOT NULL DEFAULT 0 CHECK (summed = 0 OR summed = 1), failed_tries INTEGER NOT NULL DEFAULT 0 CHECK (failed_tries >= 0), trace TEXT NOT NULL DEFAULT '' CHECK (length(trace) <= 2048), provider_cost_nanos INTEGER CHECK (provider_cost_nanos BETWEEN 0 AND 9007199254740991), price_id INTEGER REFERENCES prices (id) CHECK (price_id IS NULL OR price = ''), counted TEXT NOT NULL DEFAULT '' CHECK (counted = '' OR price_id IS NOT NULL), reported_cost_nanos INTEGER CHECK (reported_cost_nanos BETWEEN 0 AND 9007199254740991), computed_cost_nanos INTEGER CHECK (computed_cost_nanos BETWEEN 0 AND 9007199254740991)) STRICT;
CREATE INDEX calls_by_account ON "calls" (account_id, id);
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  -- As callers see it: files/<account_id>/<uuid>_<name>.<ext>
  key TEXT NOT NULL UNIQUE CHECK (key GLOB 'files/[0-9]*/*'),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- A file that is being stored takes its part of the quota before its bytes are there.
  state TEXT NOT NULL CHECK (state = 'storing' OR state = 'stored'),
  mime TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes BETWEEN 0 AND 9007199254740991),
  sha256 TEXT CHECK (length(sha256) = 64),
  width INTEGER CHECK (width > 0),
  height INTEGER CHECK (height > 0),
  created_at_ms INTEGER NOT NULL, missing_since_ms INTEGER CHECK (missing_since_ms IS NULL OR state = 'stored'), gateway_id INTEGER,
  CHECK (
    (state = 'storing') OR (sha256 IS NOT NULL AND width IS NOT NULL AND height IS NOT NULL)
  )
) STRICT;
CREATE INDEX files_by_account ON files (account_id, id);
CREATE TABLE idempotency_keys (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_sha256 BLOB NOT NULL CHECK (length(request_sha256) = 32),
  request_id TEXT NOT NULL,
  -- The newest hold when this request began: its own, and its call, have a greater id.
  after_hold_id INTEGER NOT NULL,
  status INTEGER,
  headers TEXT CHECK (json_valid(headers)),
  body BLOB,
  body_file TEXT UNIQUE,
  created_at_ms INTEGER NOT NULL, kept_bytes INTEGER NOT NULL DEFAULT 0
  CHECK (kept_bytes >= 0 AND (kept_bytes = 0 OR status IS NOT NULL)), replays INTEGER NOT NULL DEFAULT 0 CHECK (replays >= 0), replayed_at_ms INTEGER CHECK ((replayed_at_ms IS NULL) = (replays = 0)), gateway_id INTEGER,
  UNIQUE (account_id, key),
  -- Answered with all of an answer, or not at all; its body in the row, or in a file where it is large.
  CHECK (
    (status IS NULL AND headers IS NULL AND body IS NULL AND body_file IS NULL)
    OR (status IS NOT NULL AND headers IS NOT NULL AND (body IS NULL) <> (body_file IS NULL))
  )
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms);
CREATE INDEX idempotency_keys_by_account ON idempotency_keys (account_id, id);
CREATE INDEX idempotency_keys_kept ON idempotency_keys (account_id, created_at_ms, id, kept_bytes) WHERE kept_bytes > 0;
CREATE INDEX files_missing ON files (id) WHERE missing_since_ms IS NOT NULL;
CREATE TABLE responses (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- The public id.
  response_id TEXT NOT NULL CHECK (length(response_id) BETWEEN 1 AND 255),
  -- The response that this one continues. It stays while this one does, so that the conversation stays whole.
  previous INTEGER REFERENCES responses (id) CHECK (previous < id),
  -- How many responses continue this one.
  later INTEGER NOT NULL DEFAULT 0 CHECK (later >= 0),
  -- Deleted by its caller while others continue it: it is shown no more, and goes with the last of them.
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1) AND (deleted = 0 OR later > 0)),
  -- The input items and the response; in the row, or in a file where they are large.
  body BLOB,
  body_file TEXT UNIQUE,
  kept_bytes INTEGER NOT NULL CHECK (kept_bytes > 0),
  -- The conversation up to and with this response.
  chain_bytes INTEGER NOT NULL CHECK (chain_bytes >= kept_bytes),
  chain_length INTEGER NOT NULL CHECK (chain_length > 0),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, response_id),
  CHECK ((body IS NULL) <> (body_file IS NULL)),
  CHECK ((previous IS NULL) = (chain_length = 1))
) STRICT;
CREATE INDEX responses_by_previous ON responses (previous) WHERE previous IS NOT NULL;
CREATE INDEX responses_last ON responses (account_id, id) WHERE later = 0;
CREATE INDEX responses_last_by_age ON responses (created_at_ms) WHERE later = 0;
CREATE INDEX responses_kept ON responses (account_id, kept_bytes);
CREATE INDEX entries_by_account ON entries (account_id, created_at_ms);
CREATE INDEX entries_without_call ON entries (account_id, created_at_ms) WHERE kind <> 'charge';
CREATE TABLE closed_accounts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  closed_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE passwords (
  id INTEGER PRIMARY KEY,
  account_id INTEGER UNIQUE REFERENCES accounts (id),
  -- argon2id, with its parameters and its salt.
  hash TEXT NOT NULL CHECK (hash LIKE '$argon2id$%'),
  set_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX passwords_of_operator ON passwords (account_id IS NULL) WHERE account_id IS NULL;
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  -- Of the token in the cookie, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  role TEXT NOT NULL CHECK (role IN ('operator', 'account', 'key')),
  account_id INTEGER REFERENCES accounts (id),
  key_id INTEGER REFERENCES keys (id),
  -- Where it was signed in from; null where that is not known.
  address TEXT,
  user_agent TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL CHECK (last_seen_at_ms >= created_at_ms),
  expires_at_ms INTEGER NOT NULL,
  CHECK ((role = 'operator') = (account_id IS NULL)),
  CHECK ((role = 'key') = (key_id IS NOT NULL))
) STRICT;
CREATE INDEX sessions_by_owner ON sessions (account_id, key_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);
CREATE TABLE sign_in_links (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- Null: the operator.
  account_id INTEGER UNIQUE REFERENCES accounts (id),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sign_in_links_of_operator ON sign_in_links (account_id IS NULL) WHERE account_id IS NULL;
CREATE INDEX calls_with_failures ON "calls" (id) WHERE failed_tries > 0;
CREATE TABLE prices (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  json TEXT NOT NULL CHECK (json_valid(json))
) STRICT;
CREATE TRIGGER prices_are_never_changed BEFORE UPDATE ON prices
BEGIN SELECT RAISE (ABORT, 'prices are append-only'); END;
CREATE TRIGGER prices_are_never_deleted BEFORE DELETE ON prices
BEGIN SELECT RAISE (ABORT, 'prices are append-only'); END;
CREATE TABLE call_rewrites (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name = 'prices' OR name = 'traces'),
  -- No call up to this id is looked at again.
  done_id INTEGER NOT NULL CHECK (done_id >= 0),
  -- The last call that there is anything to do about; null: all that come.
  last_id INTEGER
) STRICT;
CREATE TABLE erased_accounts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  -- When it began.
  erased_at_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER files_are_not_of_erased BEFORE INSERT ON files
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER responses_are_not_of_erased BEFORE INSERT ON responses
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER idempotency_keys_are_not_of_erased BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER passwords_are_not_of_erased BEFORE INSERT ON passwords
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER sessions_are_not_of_erased BEFORE INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER sign_in_links_are_not_of_erased BEFORE INSERT ON sign_in_links
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE known_addresses (
  id INTEGER PRIMARY KEY,
  -- Null: the operator.
  account_id INTEGER REFERENCES accounts (id),
  -- An IPv4 address, or the first 64 bits of an IPv6 address.
  place TEXT NOT NULL CHECK (place <> ''),
  -- The last time.
  signed_in_at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX known_addresses_by_person ON known_addresses (coalesce(account_id, 0), place);
CREATE INDEX known_addresses_by_time ON known_addresses (signed_in_at_ms);
CREATE TRIGGER known_addresses_are_not_of_erased BEFORE INSERT ON known_addresses
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE UNIQUE INDEX entries_by_request_key ON entries (account_id, request_key) WHERE request_key IS NOT NULL;
CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
WHEN NOT (
  new.note = ''
  AND new.request_key IS NULL
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id = old.id
  AND new.account_id = old.account_id
  AND new.kind = old.kind
  AND new.amount_nanos = old.amount_nanos
  AND new.call_id IS old.call_id
  AND new.created_at_ms = old.created_at_ms
)
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
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
CREATE INDEX actions_by_key ON actions (key_id, id) WHERE key_id IS NOT NULL;
CREATE INDEX actions_by_subject ON actions (subject, id) WHERE subject IS NOT NULL;
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
CREATE TABLE refusals (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  request_id TEXT NOT NULL CHECK (request_id <> ''),
  -- When it was refused.
  at_ms INTEGER NOT NULL,
  surface TEXT NOT NULL,
  -- As it was asked for; null if no model was named, or not in a name's characters.
  model TEXT CHECK (model <> ''),
  status INTEGER NOT NULL CHECK (status BETWEEN 400 AND 599),
  -- The kind of refusal, one of a few.
  code TEXT NOT NULL CHECK (code <> ''),
  -- What the caller was told.
  sentence TEXT NOT NULL
) STRICT;
CREATE INDEX refusals_by_account ON refusals (account_id, at_ms);
CREATE INDEX refusals_by_time ON refusals (at_ms);
CREATE INDEX refusals_by_request ON refusals (request_id);
CREATE TRIGGER refusals_are_not_of_erased BEFORE INSERT ON refusals
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (IGNORE); END;
CREATE TABLE refusal_sums (
  -- An hour or a minute.
  span_s INTEGER NOT NULL CHECK (span_s = 3600 OR span_s = 60),
  account_id INTEGER NOT NULL,
  -- When it begins, in seconds since 1970: a multiple of the span.
  start_s INTEGER NOT NULL,
  -- 0: of all keys, by minute; or of those that are too many to be told apart.
  key_id INTEGER NOT NULL,
  code TEXT NOT NULL,
  refusals INTEGER NOT NULL CHECK (refusals > 0),
  PRIMARY KEY (span_s, account_id, start_s, key_id, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX refusal_sums_by_start ON refusal_sums (span_s, start_s, refusals);
CREATE TABLE route_sums (
  span_s INTEGER NOT NULL CHECK (span_s IN (300, 3600)),
  -- The begin of the period, in seconds since 1970. A try counts where its call ended.
  start_s INTEGER NOT NULL CHECK (start_s % span_s = 0),
  -- The model that was called.
  model TEXT NOT NULL,
  -- Both empty for a call that failed before a route was tried.
  provider TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  -- 'answered', or what kind of failure it was.
  result TEXT NOT NULL CHECK (result <> ''),
  tries INTEGER NOT NULL CHECK (tries > 0),
  -- Of these, the last tries of their calls.
  calls INTEGER NOT NULL CHECK (calls BETWEEN 0 AND tries),
  -- How long they took to their first byte, in all; 0 where none was answered.
  first_byte_ms INTEGER NOT NULL CHECK (first_byte_ms >= 0),
  -- In the order in which they are added up.
  PRIMARY KEY (span_s, model, provider, upstream_model, result, start_s)
) STRICT, WITHOUT ROWID;
CREATE INDEX route_sums_by_start ON route_sums (span_s, start_s);
CREATE TABLE catalogues (
  -- Counts on: the newest is the text in force.
  version INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  made_at_ms INTEGER NOT NULL,
  -- session:12 of the console, command:prices import, or file where somebody edited it.
  made_by TEXT NOT NULL CHECK (made_by = 'file' OR made_by GLOB 'session:[0-9]*' OR made_by GLOB 'command:?*')
, shared INTEGER NOT NULL DEFAULT 0 CHECK (shared IN (0, 1))) STRICT;
CREATE TABLE account_details (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  display_name TEXT NOT NULL CHECK (length(display_name) <= 100),
  email TEXT NOT NULL CHECK (length(email) <= 254),
  note TEXT NOT NULL CHECK (length(note) <= 1000),
  -- Whether sessions and requests by a limited key see all calls of the account.
  keys_see_account INTEGER NOT NULL CHECK (keys_see_account IN (0, 1))
) STRICT;
CREATE TRIGGER account_details_are_not_of_erased BEFORE INSERT ON account_details
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
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
CREATE INDEX actions_by_account ON actions (account_id, id, actor, action, created_at_ms) WHERE account_id IS NOT NULL;
CREATE INDEX refusal_sums_by_reason ON refusal_sums (span_s, account_id, code, start_s, refusals);
CREATE TABLE "call_sums" (
  account_id INTEGER NOT NULL,
  -- A day or a quarter of an hour.
  span_s INTEGER NOT NULL CHECK (span_s = 86400 OR span_s = 900),
  -- When it begins, in seconds since 1970: a multiple of the span. A call belongs to where it started.
  start_s INTEGER NOT NULL,
  key_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  input_audio_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_5m_tokens INTEGER NOT NULL,
  cache_write_1h_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  thinking_tokens INTEGER NOT NULL,
  output_image_tokens INTEGER NOT NULL,
  images INTEGER NOT NULL,
  cost_nanos INTEGER NOT NULL,
  unpaid_nanos INTEGER NOT NULL,
  -- The least and the greatest id of its calls: a search for them looks nowhere else.
  first_call_id INTEGER NOT NULL,
  last_call_id INTEGER NOT NULL,
  -- Of the calls of which it is known: what their providers take, and what they cost their account.
  provider_cost_nanos INTEGER NOT NULL,
  known_revenue_nanos INTEGER NOT NULL,
  PRIMARY KEY (span_s, start_s, account_id, key_id, model, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_sums_by_day ON call_sums (account_id, start_s, key_id, model, outcome) WHERE span_s <> 900;
CREATE TABLE "generations" (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36 AND uuid = lower(uuid)),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- The call that made it, whose id is that of its hold: what the image cost is in the call's record.
  call_id INTEGER NOT NULL,
  -- Which of the call's images it is, from 0.
  position INTEGER NOT NULL CHECK (position >= 0),
  kind TEXT NOT NULL CHECK (kind = 'generation' OR kind = 'edit' OR kind = 'compose'),
  state TEXT NOT NULL CHECK (state = 'generating' OR state = 'stored' OR state = 'failed'),
  model TEXT NOT NULL,
  prompt TEXT NOT NULL,
  revised_prompt TEXT,
  -- Keys of files and ids of generations that it was made from.
  parents TEXT NOT NULL CHECK (json_valid(parents)),
  file_key TEXT UNIQUE,
  mime TEXT,
  width INTEGER CHECK (width > 0),
  height INTEGER CHECK (height > 0),
  bytes INTEGER CHECK (bytes > 0),
  sha256 TEXT CHECK (length(sha256) = 64),
  created_at_ms INTEGER NOT NULL,
  -- Since when the file could not be found. The row keeps all that it says of it.
  missing_since_ms INTEGER CHECK (missing_since_ms IS NULL OR state = 'stored'), gateway_id INTEGER,
  UNIQUE (call_id, position),
  -- What is stored has a file, and nothing else has one.
  CHECK (
    (state = 'stored') = (file_key IS NOT NULL)
    AND (file_key IS NULL) = (mime IS NULL)
    AND (file_key IS NULL) = (width IS NULL)
    AND (file_key IS NULL) = (height IS NULL)
    AND (file_key IS NULL) = (bytes IS NULL)
    AND (file_key IS NULL) = (sha256 IS NULL)
  )
) STRICT;
CREATE INDEX generations_by_account ON generations (account_id, id);
CREATE INDEX generations_under_way ON generations (state) WHERE state = 'generating';
CREATE INDEX generations_missing ON generations (id) WHERE missing_since_ms IS NOT NULL;
CREATE TRIGGER generations_are_not_of_erased BEFORE INSERT ON generations
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE "holds" (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  request_id TEXT NOT NULL,
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos BETWEEN 0 AND 9007199254740991),
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'expired'),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
, gateway_id INTEGER) STRICT;
CREATE INDEX holds_pending ON holds (expires_at_ms) WHERE state = 'pending';
CREATE TRIGGER holds_have_no_call BEFORE INSERT ON holds WHEN EXISTS (SELECT 1 FROM calls WHERE id = new.id)
BEGIN SELECT RAISE (ABORT, 'the hold has its call'); END;
CREATE TRIGGER generations_are_of_calls BEFORE INSERT ON generations
WHEN NOT EXISTS (SELECT 1 FROM holds WHERE id = new.call_id AND account_id = new.account_id)
 AND NOT EXISTS (SELECT 1 FROM calls WHERE id = new.call_id AND account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the image has no call'); END;
CREATE VIEW calls_to_sum AS
SELECT account_id, start_s * 1000 AS started_at_ms, key_id, model, outcome, calls,
       input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
       thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos, provider_cost_nanos, known_revenue_nanos,
       first_call_id, last_call_id
  FROM call_sums WHERE span_s = 900;
CREATE TRIGGER calls_to_sum_are_added INSTEAD OF INSERT ON calls_to_sum
BEGIN
  INSERT INTO call_sums (
         account_id, span_s, start_s, key_id, model, outcome, calls,
         input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens,
         cache_write_1h_tokens, output_tokens, thinking_tokens, output_image_tokens, images,
         cost_nanos, unpaid_nanos, provider_cost_nanos, known_revenue_nanos, first_call_id, last_call_id)
  SELECT new.account_id, span_s, new.started_at_ms / (1000 * span_s) * span_s, new.key_id, new.model, new.outcome, new.calls,
         new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens,
         new.cache_write_1h_tokens, new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images,
         new.cost_nanos, new.unpaid_nanos, new.provider_cost_nanos, new.known_revenue_nanos, new.first_call_id, new.last_call_id
    FROM (SELECT 86400 AS span_s UNION ALL SELECT 900) WHERE true
  ON CONFLICT DO UPDATE SET
    calls = calls + new.calls,
    input_tokens = input_tokens + new.input_tokens,
    input_audio_tokens = input_audio_tokens + new.input_audio_tokens,
    cache_read_tokens = cache_read_tokens + new.cache_read_tokens,
    cache_write_5m_tokens = cache_write_5m_tokens + new.cache_write_5m_tokens,
    cache_write_1h_tokens = cache_write_1h_tokens + new.cache_write_1h_tokens,
    output_tokens = output_tokens + new.output_tokens,
    thinking_tokens = thinking_tokens + new.thinking_tokens,
    output_image_tokens = output_image_tokens + new.output_image_tokens,
    images = images + new.images,
    cost_nanos = cost_nanos + new.cost_nanos,
    unpaid_nanos = unpaid_nanos + new.unpaid_nanos,
    provider_cost_nanos = provider_cost_nanos + new.provider_cost_nanos,
    known_revenue_nanos = known_revenue_nanos + new.known_revenue_nanos,
    first_call_id = min(first_call_id, new.first_call_id),
    last_call_id = max(last_call_id, new.last_call_id);
END;
CREATE TRIGGER calls_are_summed AFTER INSERT ON calls WHEN new.summed = 0
BEGIN
  INSERT INTO calls_to_sum VALUES (
    new.account_id, new.started_at_ms, new.key_id, new.model, new.outcome, 1,
    new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens, new.cache_write_1h_tokens,
    new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images, new.cost_nanos, new.unpaid_nanos,
    coalesce(new.provider_cost_nanos, 0), iif(new.provider_cost_nanos IS NULL, 0, new.cost_nanos), new.id, new.id);
END;
CREATE TABLE gateways (
  id INTEGER PRIMARY KEY,
  version TEXT NOT NULL CHECK (version <> ''),
  started_at_ms INTEGER NOT NULL,
  -- NULL while it is alive.
  ended_at_ms INTEGER
, node TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', catalogue TEXT NOT NULL DEFAULT '', catalogue_since_ms INTEGER NOT NULL DEFAULT 0, seen_at_ms INTEGER) STRICT;
CREATE TABLE rates (
  scope TEXT NOT NULL CHECK (scope IN ('account', 'key')),
  id INTEGER NOT NULL,
  at_s INTEGER NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (scope, id, at_s)
) STRICT, WITHOUT ROWID;
CREATE TABLE image_rates (
  id INTEGER PRIMARY KEY,
  taken TEXT NOT NULL CHECK (json_valid(taken))
) STRICT;
CREATE TABLE bucket_marks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mark TEXT NOT NULL CHECK (mark <> '')
) STRICT;
INSERT INTO call_rewrites VALUES (1, 'prices', 0, 0), (2, 'traces', 0, NULL);
CREATE TABLE budgets (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- Null: of all calls of the account.
  key_id INTEGER REFERENCES keys (id),
  period TEXT NOT NULL CHECK (period IN ('5h', 'day', 'week', 'month')),
  limit_nanos INTEGER NOT NULL CHECK (limit_nanos BETWEEN 0 AND 9007199254740991),
  -- When the period of the last hold began, the first hold of it, and what its holds hold and its calls cost. Null: no hold yet.
  started_ms INTEGER,
  first_hold_id INTEGER NOT NULL DEFAULT 0,
  used_nanos INTEGER NOT NULL DEFAULT 0 CHECK (used_nanos BETWEEN 0 AND 9007199254740991)
) STRICT;
CREATE UNIQUE INDEX budgets_of_accounts ON budgets (account_id, period) WHERE key_id IS NULL;
CREATE UNIQUE INDEX budgets_of_keys ON budgets (key_id, period) WHERE key_id IS NOT NULL;
