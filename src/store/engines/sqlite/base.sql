-- The tables of a new database, as migrations 0001 to 0059 leave them: what they hold is said there, and in the files of store/tables/.
-- A database that has none of them gets these at once, in a tenth of the time. `bun test/tools/base.ts` has written it; later migrations follow.
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
  status TEXT NOT NULL CHECK (status = 'active' OR status = 'suspended'),
  balance_nanos INTEGER NOT NULL CHECK (balance_nanos BETWEEN 0 AND 9007199254740991),
  held_nanos INTEGER NOT NULL CHECK (held_nanos BETWEEN 0 AND balance_nanos),
  debt_nanos INTEGER NOT NULL CHECK (debt_nanos BETWEEN 0 AND 9007199254740991),
  created_at_ms INTEGER NOT NULL
, plan_period_id INTEGER, price_group TEXT CHECK (length(price_group) BETWEEN 1 AND 64)) STRICT;
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
, concurrent_calls INTEGER CHECK (concurrent_calls BETWEEN 1 AND 1000000), person_id INTEGER REFERENCES people (id), person_from_hold_id INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX keys_by_account ON keys (account_id);
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
, summed INTEGER NOT NULL DEFAULT 0 CHECK (summed = 0 OR summed = 1), failed_tries INTEGER NOT NULL DEFAULT 0 CHECK (failed_tries >= 0), trace TEXT NOT NULL DEFAULT '' CHECK (length(trace) <= 2048), provider_cost_nanos INTEGER CHECK (provider_cost_nanos BETWEEN 0 AND 9007199254740991), price_id INTEGER REFERENCES prices (id) CHECK (price_id IS NULL OR price = ''), counted TEXT NOT NULL DEFAULT '' CHECK (counted = '' OR price_id IS NOT NULL), reported_cost_nanos INTEGER CHECK (reported_cost_nanos BETWEEN 0 AND 9007199254740991), computed_cost_nanos INTEGER CHECK (computed_cost_nanos BETWEEN 0 AND 9007199254740991), refunded_nanos INTEGER NOT NULL DEFAULT 0 CHECK (refunded_nanos BETWEEN 0 AND cost_nanos), costs_elsewhere TEXT CHECK (costs_elsewhere IS NULL OR json_valid(costs_elsewhere)), covered_nanos INTEGER NOT NULL DEFAULT 0 CHECK (covered_nanos BETWEEN 0 AND 9007199254740991), plan_period_id INTEGER CHECK (
  (plan_period_id IS NULL AND covered_nanos = 0) OR (plan_period_id IS NOT NULL AND cost_nanos = 0)
)) STRICT;
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
CREATE TABLE closed_accounts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  closed_at_ms INTEGER NOT NULL
) STRICT;
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
  after TEXT CHECK (after IS NULL OR json_valid(after)), person_id INTEGER,
  -- Accounts and keys act for themselves alone.
  CHECK (actor NOT IN ('account', 'key') OR account_id IS NOT NULL),
  CHECK (actor <> 'key' OR key_id IS NOT NULL),
  CHECK ((actor = 'command') = (command IS NOT NULL))
) STRICT;
CREATE INDEX actions_by_key ON actions (key_id, id) WHERE key_id IS NOT NULL;
CREATE INDEX actions_by_subject ON actions (subject, id) WHERE subject IS NOT NULL;
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
, billing_details TEXT NOT NULL DEFAULT '' CHECK (length(billing_details) <= 1000)) STRICT;
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
, gateway_id INTEGER, covered_nanos INTEGER NOT NULL DEFAULT 0 CHECK (covered_nanos BETWEEN 0 AND 9007199254740991), plan_period_id INTEGER CHECK (
  (plan_period_id IS NULL AND covered_nanos = 0) OR (plan_period_id IS NOT NULL AND amount_nanos = 0)
)) STRICT;
CREATE INDEX holds_pending ON holds (expires_at_ms) WHERE state = 'pending';
CREATE TRIGGER holds_have_no_call BEFORE INSERT ON holds WHEN EXISTS (SELECT 1 FROM calls WHERE id = new.id)
BEGIN SELECT RAISE (ABORT, 'the hold has its call'); END;
CREATE TRIGGER generations_are_of_calls BEFORE INSERT ON generations
WHEN NOT EXISTS (SELECT 1 FROM holds WHERE id = new.call_id AND account_id = new.account_id)
 AND NOT EXISTS (SELECT 1 FROM calls WHERE id = new.call_id AND account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the image has no call'); END;
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
, person_id INTEGER CHECK (person_id IS NULL OR key_id IS NULL), plan_period_id INTEGER REFERENCES plan_periods (id) CHECK (
  plan_period_id IS NULL OR (key_id IS NULL AND person_id IS NULL)
)) STRICT;
CREATE UNIQUE INDEX budgets_of_keys ON budgets (key_id, period) WHERE key_id IS NOT NULL;
CREATE TABLE opening_debts (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos BETWEEN 1 AND 9007199254740991),
  note TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- Such as the row of the other gateway, once in an account; null where the account is erased.
  request_key TEXT CHECK (request_key <> '')
) STRICT;
CREATE UNIQUE INDEX opening_debts_by_account ON opening_debts (account_id, request_key);
CREATE TRIGGER opening_debts_are_never_deleted BEFORE DELETE ON opening_debts
BEGIN SELECT RAISE (ABORT, 'opening_debts are append-only'); END;
CREATE TRIGGER opening_debts_are_never_changed BEFORE UPDATE ON opening_debts
WHEN NOT (
  new.note = ''
  AND new.request_key IS NULL
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id = old.id
  AND new.account_id = old.account_id
  AND new.amount_nanos = old.amount_nanos
  AND new.created_at_ms = old.created_at_ms
)
BEGIN SELECT RAISE (ABORT, 'opening_debts are append-only'); END;
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
CREATE TABLE "entries" (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (
    kind = 'top_up' OR kind = 'withdrawal' OR kind = 'charge' OR kind = 'debt_payment' OR kind = 'refund'
  ),
  amount_nanos INTEGER NOT NULL CHECK (
    amount_nanos BETWEEN -9007199254740991 AND 9007199254740991
    AND (amount_nanos >= 0) = (kind IN ('top_up', 'refund'))
  ),
  call_id INTEGER,
  note TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  request_key TEXT CHECK (request_key <> ''),
  CHECK ((kind IN ('charge', 'refund')) = (call_id IS NOT NULL))
) STRICT;
CREATE INDEX entries_by_account ON entries (account_id, created_at_ms);
CREATE INDEX entries_without_call ON entries (account_id, created_at_ms) WHERE kind <> 'charge';
CREATE UNIQUE INDEX entries_by_request_key ON entries (account_id, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX entries_of_refunds ON entries (call_id) WHERE kind = 'refund';
CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN SELECT RAISE (ABORT, 'entries are append-only'); END;
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
CREATE TABLE health_states (
  -- ["route", model, provider, upstream model] or ["key", name, mark].
  subject TEXT NOT NULL PRIMARY KEY CHECK (json_valid(subject)),
  state TEXT NOT NULL CHECK (json_valid(state)),
  version INTEGER NOT NULL CHECK (version > 0),
  changed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE call_sums (
  account_id INTEGER NOT NULL,
  -- A day or a quarter of an hour.
  span_s INTEGER NOT NULL CHECK (span_s = 86400 OR span_s = 900),
  -- When it begins, in seconds since 1970: a multiple of the span. A call belongs to where it started.
  start_s INTEGER NOT NULL,
  key_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  outcome TEXT NOT NULL,
  -- Both empty for calls that reached no route.
  provider TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  -- 0 where only a part of the cost of others is of this route.
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
  -- Answered calls of which it is not known what their providers take.
  uncosted_calls INTEGER NOT NULL, covered_calls INTEGER NOT NULL DEFAULT 0, covered_nanos INTEGER NOT NULL DEFAULT 0, covered_cost_nanos INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (span_s, start_s, account_id, key_id, model, outcome, provider, upstream_model)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_sums_by_day ON call_sums (account_id, start_s, key_id, model, outcome) WHERE span_s <> 900;
CREATE TRIGGER calls_refunds_are_summed AFTER UPDATE OF refunded_nanos ON calls WHEN new.refunded_nanos <> old.refunded_nanos
BEGIN
  UPDATE call_sums
     SET cost_nanos = cost_nanos - (new.refunded_nanos - old.refunded_nanos),
         known_revenue_nanos = known_revenue_nanos - iif(new.provider_cost_nanos IS NULL, 0, new.refunded_nanos - old.refunded_nanos)
   -- As values, not by the column span_s: so the key of the table finds both rows, and no other is looked at.
   WHERE (span_s, start_s) IN (
           VALUES (86400, new.started_at_ms / 86400000 * 86400), (900, new.started_at_ms / 900000 * 900))
     AND account_id = new.account_id
     AND key_id = new.key_id
     AND model = new.model
     AND outcome = new.outcome
     AND provider = new.provider
     AND upstream_model = new.upstream_model;
END;
CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  -- Whose erasure erases the person, too. Null: staff.
  account_id INTEGER REFERENCES accounts (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- In lower case; null: not known.
  email TEXT UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
  -- When the person has shown that the address is theirs.
  email_verified_at_ms INTEGER,
  -- Since when they cannot sign in.
  disabled_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  CHECK (email IS NOT NULL OR email_verified_at_ms IS NULL)
) STRICT;
CREATE INDEX people_by_account ON people (account_id);
CREATE TRIGGER people_are_not_of_erased BEFORE INSERT ON people
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE memberships (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'billing')),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (person_id, account_id)
) STRICT;
CREATE INDEX memberships_by_account ON memberships (account_id, id);
CREATE TRIGGER memberships_are_not_of_erased BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE staff (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL UNIQUE REFERENCES people (id),
  role TEXT NOT NULL CHECK (role IN ('operator', 'support', 'auditor')),
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE "passwords" (
  id INTEGER PRIMARY KEY,
  -- argon2id, or bcrypt of another gateway, with its parameters and its salt.
  hash TEXT NOT NULL CHECK (hash LIKE '$argon2id$%' OR hash LIKE '$2_$%'),
  set_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL UNIQUE REFERENCES people (id)
) STRICT;
CREATE TABLE "sessions" (
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
  -- Who is signed in; null where it is by a key.
  person_id INTEGER REFERENCES people (id), proof TEXT CHECK (proof IN ('password', 'link', 'key', 'passkey', 'identity')), confirmed_at_ms INTEGER, identity_id INTEGER REFERENCES identities (id), provider_session TEXT CHECK (length(provider_session) BETWEEN 1 AND 255),
  CHECK ((role = 'operator') = (account_id IS NULL)),
  CHECK ((role = 'key') = (key_id IS NOT NULL)),
  CHECK ((role = 'key') = (person_id IS NULL))
) STRICT;
CREATE INDEX sessions_by_owner ON sessions (account_id, key_id, id);
CREATE INDEX sessions_by_person ON sessions (person_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);
CREATE TRIGGER sessions_are_not_of_erased BEFORE INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE "known_addresses" (
  id INTEGER PRIMARY KEY,
  -- An IPv4 address, or the first 64 bits of an IPv6 address.
  place TEXT NOT NULL CHECK (place <> ''),
  -- The last time.
  signed_in_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL REFERENCES people (id),
  UNIQUE (person_id, place)
) STRICT;
CREATE INDEX known_addresses_by_time ON known_addresses (signed_in_at_ms);
CREATE TRIGGER passwords_are_not_of_erased BEFORE INSERT ON passwords
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TRIGGER known_addresses_are_not_of_erased BEFORE INSERT ON known_addresses
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
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
  AND new.person_id IS old.person_id
)
BEGIN SELECT RAISE (ABORT, 'actions are append-only'); END;
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
CREATE TABLE model_days (
  -- When the day begins (UTC), in seconds since 1970. A call counts where it ended.
  day_s INTEGER NOT NULL CHECK (day_s % 86400 = 0),
  model TEXT NOT NULL,
  answered INTEGER NOT NULL CHECK (answered >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  PRIMARY KEY (day_s, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE incidents (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL CHECK (title <> ''),
  -- Ids of models as a list of JSON; empty: the service as a whole.
  models TEXT NOT NULL CHECK (json_valid(models)),
  -- That of its last update.
  state TEXT NOT NULL CHECK (state IN ('investigating', 'identified', 'monitoring', 'resolved')),
  opened_at_ms INTEGER NOT NULL,
  resolved_at_ms INTEGER CHECK (resolved_at_ms >= opened_at_ms),
  CHECK ((state = 'resolved') = (resolved_at_ms IS NOT NULL))
) STRICT;
CREATE TABLE incident_updates (
  id INTEGER PRIMARY KEY,
  incident_id INTEGER NOT NULL REFERENCES incidents (id),
  state TEXT NOT NULL CHECK (state IN ('investigating', 'identified', 'monitoring', 'resolved')),
  text TEXT NOT NULL CHECK (text <> ''),
  written_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX incident_updates_by_incident ON incident_updates (incident_id, id);
CREATE TABLE "sign_in_links" (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  person_id INTEGER NOT NULL REFERENCES people (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('password', 'reset', 'sign_in', 'email')),
  -- The address that it was mailed to, for it to become the person's.
  email TEXT CHECK (length(email) BETWEEN 3 AND 254),
  UNIQUE (person_id, purpose),
  CHECK ((purpose = 'email') = (email IS NOT NULL))
) STRICT;
CREATE TRIGGER sign_in_links_are_not_of_erased BEFORE INSERT ON sign_in_links
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE sign_up_codes (
  id INTEGER PRIMARY KEY,
  -- Of the code in the link, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- The only address that may use it; null: any, and once it was used.
  email TEXT CHECK (length(email) BETWEEN 3 AND 254),
  max_uses INTEGER NOT NULL CHECK (max_uses > 0),
  uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND max_uses),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;
CREATE TABLE sign_ups (
  id INTEGER PRIMARY KEY,
  -- Null until the account is made.
  account_id INTEGER REFERENCES accounts (id),
  -- In lower case.
  email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  -- How the address was shown to be theirs: by the link of a mail, or by a provider of identities.
  proof TEXT NOT NULL CHECK (proof IN ('mail', 'identity')),
  -- Of the link's token, which is stored nowhere; null once it was used.
  sha256 BLOB UNIQUE CHECK (length(sha256) = 32),
  -- The network of the first request; null where that is not known.
  network TEXT CHECK (network <> ''),
  -- The code that invited to it.
  code_id INTEGER REFERENCES sign_up_codes (id),
  -- How many mails with a link were sent.
  mails INTEGER NOT NULL CHECK (mails >= 0),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  completed_at_ms INTEGER,
  CHECK ((account_id IS NULL) = (completed_at_ms IS NULL)),
  CHECK ((sha256 IS NULL) = (completed_at_ms IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX sign_ups_pending ON sign_ups (email) WHERE completed_at_ms IS NULL;
CREATE INDEX sign_ups_by_expiry ON sign_ups (expires_at_ms) WHERE completed_at_ms IS NULL;
CREATE INDEX sign_ups_by_account ON sign_ups (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX sign_ups_by_code ON sign_ups (code_id) WHERE code_id IS NOT NULL;
CREATE TRIGGER sign_ups_are_not_of_erased BEFORE INSERT ON sign_ups
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE sign_up_counts (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('network', 'domain', 'mailbox', 'mail', 'challenge')),
  subject TEXT NOT NULL CHECK (subject <> ''),
  until_ms INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  UNIQUE (kind, subject, until_ms)
) STRICT;
CREATE INDEX sign_up_counts_by_end ON sign_up_counts (until_ms);
CREATE TABLE sign_up_keys (
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL CHECK (length(secret) = 32),
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE terms_acceptances (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- They may be gone by then.
  person_id INTEGER NOT NULL,
  url TEXT NOT NULL CHECK (url <> ''),
  -- As the operator names it; empty: they name none.
  version TEXT NOT NULL,
  accepted_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX terms_acceptances_by_account ON terms_acceptances (account_id, id);
CREATE TRIGGER terms_acceptances_are_not_of_erased BEFORE INSERT ON terms_acceptances
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE INDEX keys_by_person ON keys (person_id) WHERE person_id IS NOT NULL;
CREATE TABLE identities (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people (id),
  issuer TEXT NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2048),
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  -- The name of the provider in the catalogue.
  provider TEXT NOT NULL CHECK (provider <> ''),
  -- As the provider told it last; null: not told.
  email TEXT CHECK (length(email) BETWEEN 1 AND 254),
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER NOT NULL CHECK (last_used_at_ms >= created_at_ms),
  UNIQUE (issuer, subject)
) STRICT;
CREATE INDEX identities_by_person ON identities (person_id, id);
CREATE TRIGGER identities_are_not_of_erased BEFORE INSERT ON identities
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE INDEX sessions_by_identity ON sessions (identity_id) WHERE identity_id IS NOT NULL;
CREATE TABLE spent_tokens (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_tokens_by_expiry ON spent_tokens (expires_at_ms);
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- In lower case.
  email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'billing')),
  -- Of the link's token, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- 1: the link was mailed to the address and shown to nobody, so whoever has it reads that mail.
  is_mailed INTEGER NOT NULL CHECK (is_mailed IN (0, 1)),
  -- They may be gone by then; null: a command.
  invited_by INTEGER,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, email)
) STRICT;
CREATE INDEX invitations_by_expiry ON invitations (expires_at_ms);
CREATE TRIGGER invitations_are_not_of_erased BEFORE INSERT ON invitations
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE passkeys (
  id INTEGER PRIMARY KEY,
  person_id INTEGER NOT NULL REFERENCES people (id),
  -- As the device chose it.
  credential_id BLOB NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 1023),
  public_key BLOB NOT NULL CHECK (length(public_key) > 0),
  -- How often it was used, as its device says; 0: the device does not count.
  counter INTEGER NOT NULL CHECK (counter >= 0),
  -- How browsers reach it, as JSON.
  transports TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER
) STRICT;
CREATE INDEX passkeys_by_person ON passkeys (person_id, id);
CREATE TRIGGER passkeys_are_not_of_erased BEFORE INSERT ON passkeys
WHEN EXISTS (SELECT 1 FROM erased_accounts JOIN people USING (account_id) WHERE people.id = new.person_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE passkey_challenges (
  id INTEGER PRIMARY KEY,
  -- Of the token in the browser's cookie.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  challenge TEXT NOT NULL CHECK (challenge <> ''),
  purpose TEXT NOT NULL CHECK (purpose IN ('add', 'sign_in', 'confirm')),
  -- Whose it is, unless somebody signs in by it.
  session_id INTEGER,
  expires_at_ms INTEGER NOT NULL,
  CHECK ((purpose = 'sign_in') = (session_id IS NULL))
) STRICT;
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at_ms);
CREATE UNIQUE INDEX budgets_of_people ON budgets (person_id, account_id, period) WHERE person_id IS NOT NULL;
CREATE TABLE state_changes (
  id INTEGER PRIMARY KEY,
  -- The table of the row. Its id is not given again.
  subject TEXT NOT NULL CHECK (subject <> ''),
  subject_id INTEGER NOT NULL,
  account_id INTEGER REFERENCES accounts (id),
  -- The same where only the line is kept, as of a payment that does not fit.
  from_state TEXT NOT NULL CHECK (from_state <> ''),
  to_state TEXT NOT NULL CHECK (to_state <> ''),
  source TEXT NOT NULL CHECK (source <> ''),
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX state_changes_of_subjects ON state_changes (subject, subject_id, id);
CREATE INDEX state_changes_of_accounts ON state_changes (account_id, id) WHERE account_id IS NOT NULL;
CREATE TRIGGER state_changes_are_never_deleted BEFORE DELETE ON state_changes
BEGIN SELECT RAISE (ABORT, 'state_changes are append-only'); END;
CREATE TRIGGER state_changes_are_never_changed BEFORE UPDATE ON state_changes
WHEN NOT (
  new.detail = '{}'
  AND EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = old.account_id)
  AND new.id IS old.id
  AND new.subject IS old.subject
  AND new.subject_id IS old.subject_id
  AND new.account_id IS old.account_id
  AND new.from_state IS old.from_state
  AND new.to_state IS old.to_state
  AND new.source IS old.source
  AND new.at_ms IS old.at_ms
)
BEGIN SELECT RAISE (ABORT, 'state_changes are append-only'); END;
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- Null: the gateway itself, as of an automatic top-up; and of an erased person.
  person_id INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('top_up', 'automatic', 'plan')),
  provider TEXT NOT NULL CHECK (provider <> ''),
  -- The provider's own number of it; null until the provider has given one.
  reference TEXT CHECK (reference <> ''),
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  -- In the smallest unit of the currency.
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  -- Nano-dollars of credit for one unit of the currency, as the payer was told.
  rate_nanos INTEGER NOT NULL CHECK (rate_nanos > 0),
  credit_nanos INTEGER NOT NULL CHECK (credit_nanos > 0),
  bonus_nanos INTEGER NOT NULL CHECK (bonus_nanos >= 0),
  state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'partly_refunded', 'refunded', 'refund_failed', 'disputed', 'won', 'lost', 'expired', 'cancelled')),
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  -- No payment is begun after it. One that comes all the same is credited.
  expires_at_ms INTEGER NOT NULL,
  paid_at_ms INTEGER,
  -- When the provider is asked next what has become of it; null: when a webhook names it.
  next_look_at_ms INTEGER,
  looks INTEGER NOT NULL DEFAULT 0 CHECK (looks >= 0),
  -- Since when the provider does not answer.
  unanswered_since_ms INTEGER,
  -- Why somebody has to look at it, such as a payment of another amount.
  trouble TEXT CHECK (trouble <> ''),
  -- What the provider reports of the payment: its own number, its fee, the tax in it, its receipt.
  payment_reference TEXT CHECK (payment_reference <> ''),
  fee_minor INTEGER,
  tax_minor INTEGER,
  tax_country TEXT CHECK (tax_country <> ''),
  receipt_url TEXT CHECK (receipt_url <> ''),
  refunded_minor INTEGER NOT NULL DEFAULT 0 CHECK (refunded_minor BETWEEN 0 AND amount_minor),
  -- 0: no money moves, as in Stripe's test mode.
  is_live INTEGER NOT NULL CHECK (is_live IN (0, 1)), request_key TEXT CHECK (request_key <> ''), pending_since_ms INTEGER, plan_period_id INTEGER REFERENCES plan_periods (id),
  UNIQUE (provider, reference)
) STRICT;
CREATE INDEX orders_of_accounts ON orders (account_id, id);
CREATE INDEX orders_to_look_at ON orders (next_look_at_ms) WHERE next_look_at_ms IS NOT NULL;
CREATE INDEX orders_in_trouble ON orders (id) WHERE trouble IS NOT NULL;
CREATE INDEX orders_by_time ON orders (created_at_ms);
CREATE TABLE order_refunds (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  debit_nanos INTEGER NOT NULL CHECK (debit_nanos >= 0),
  -- 1: what the balance lacks becomes debt.
  into_debt INTEGER NOT NULL CHECK (into_debt IN (0, 1)),
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'debited', 'done', 'failed', 'cancelled')),
  -- The provider's own number of it.
  reference TEXT CHECK (reference <> ''),
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  next_look_at_ms INTEGER
) STRICT;
CREATE INDEX order_refunds_of_orders ON order_refunds (order_id, id);
CREATE INDEX order_refunds_of_accounts ON order_refunds (account_id, id);
CREATE INDEX order_refunds_to_look_at ON order_refunds (next_look_at_ms) WHERE next_look_at_ms IS NOT NULL;
CREATE TABLE plan_periods (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  state TEXT NOT NULL CHECK (state IN ('open', 'paid', 'active', 'ended', 'replaced', 'lapsed')),
  -- The name in the catalogue. It is not erased: it says nothing about the account.
  plan TEXT NOT NULL CHECK (plan <> ''),
  title TEXT NOT NULL,
  price_nanos INTEGER NOT NULL CHECK (price_nanos BETWEEN 0 AND 9007199254740991),
  -- What is paid of the price: less than all of it where the rest of another plan is counted against it.
  due_nanos INTEGER NOT NULL CHECK (due_nanos BETWEEN 0 AND price_nanos),
  models TEXT NOT NULL CHECK (json_valid(models)),
  -- Nano-dollars by period: {"5h": …, "day": …, "week": …, "month": …}.
  limits TEXT NOT NULL CHECK (json_valid(limits)),
  concurrent_calls INTEGER CHECK (concurrent_calls > 0),
  overflow INTEGER NOT NULL CHECK (overflow IN (0, 1)),
  -- The period that it renews or takes the place of.
  follows_id INTEGER REFERENCES plan_periods (id),
  -- Months are counted from here: it is the last one of so many.
  anchor_ms INTEGER NOT NULL,
  month_number INTEGER NOT NULL CHECK (month_number > 0),
  starts_ms INTEGER NOT NULL,
  ends_ms INTEGER NOT NULL CHECK (ends_ms > starts_ms),
  -- Its end, or that of the days of grace.
  covers_until_ms INTEGER NOT NULL CHECK (covers_until_ms >= ends_ms),
  renews INTEGER NOT NULL CHECK (renews IN (0, 1)),
  -- The plan that it renews as, where that is another one.
  next_plan TEXT CHECK (next_plan <> ''),
  created_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL
, card_method TEXT CHECK (card_method <> ''), card_currency TEXT CHECK (length(card_currency) = 3), returned_nanos INTEGER NOT NULL DEFAULT 0 CHECK (returned_nanos BETWEEN 0 AND due_nanos)) STRICT;
CREATE INDEX plan_periods_of_accounts ON plan_periods (account_id, id);
CREATE UNIQUE INDEX plan_periods_in_hand ON plan_periods (account_id, state) WHERE state = 'open' OR state = 'paid' OR state = 'active';
CREATE INDEX plan_periods_by_end ON plan_periods (ends_ms) WHERE state = 'open' OR state = 'paid' OR state = 'active';
CREATE UNIQUE INDEX budgets_of_accounts ON budgets (account_id, period)
  WHERE key_id IS NULL AND person_id IS NULL AND plan_period_id IS NULL;
CREATE UNIQUE INDEX budgets_of_plans ON budgets (plan_period_id, period) WHERE plan_period_id IS NOT NULL;
CREATE TABLE voucher_batches (
  id INTEGER PRIMARY KEY,
  note TEXT NOT NULL,
  -- 1: an account redeems one voucher of the batch at most.
  once_each INTEGER NOT NULL CHECK (once_each IN (0, 1)),
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE vouchers (
  id INTEGER PRIMARY KEY,
  batch_id INTEGER NOT NULL REFERENCES voucher_batches (id),
  -- The account that redeemed it.
  account_id INTEGER REFERENCES accounts (id),
  -- Of the code, which is stored nowhere.
  sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
  -- The first characters of the code; empty for one that is short.
  hint TEXT NOT NULL,
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos > 0),
  state TEXT NOT NULL CHECK (state IN ('new', 'redeemed', 'revoked', 'expired')),
  changed_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  CHECK ((state = 'redeemed') = (account_id IS NOT NULL))
) STRICT;
CREATE INDEX vouchers_of_batches ON vouchers (batch_id, id);
CREATE INDEX vouchers_of_accounts ON vouchers (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX vouchers_to_expire ON vouchers (expires_at_ms) WHERE state = 'new';
CREATE UNIQUE INDEX orders_by_request_key ON orders (account_id, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX orders_by_payment ON orders (paid_at_ms, id) WHERE paid_at_ms IS NOT NULL;
CREATE INDEX orders_lost ON orders (changed_at_ms, id) WHERE state = 'lost';
CREATE INDEX order_refunds_done ON order_refunds (changed_at_ms, id) WHERE state = 'done';
CREATE TABLE payment_customers (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  provider TEXT NOT NULL CHECK (provider <> ''),
  -- The provider's live mode and its test mode know different customers.
  is_live INTEGER NOT NULL CHECK (is_live IN (0, 1)),
  -- The provider's own number of the customer.
  reference TEXT NOT NULL CHECK (reference <> ''),
  -- The page on which somebody saves a card, until it is known what became of it.
  card_setup TEXT CHECK (card_setup <> ''),
  -- The provider's own number of the saved card.
  card_reference TEXT CHECK (card_reference <> ''),
  card_brand TEXT,
  card_last4 TEXT,
  -- Its last month, as 2027-08.
  card_expires TEXT,
  -- Who saved it. Null: of an erased person.
  card_person_id INTEGER,
  card_saved_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, provider, is_live)
) STRICT;
CREATE INDEX payment_customers_by_setup ON payment_customers (card_setup) WHERE card_setup IS NOT NULL;
CREATE TRIGGER payment_customers_are_not_of_erased BEFORE INSERT ON payment_customers
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE TABLE referral_links (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  code TEXT NOT NULL UNIQUE CHECK (code <> ''),
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE referrals (
  id INTEGER PRIMARY KEY,
  -- Who signed up: bound once.
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  referrer_id INTEGER NOT NULL REFERENCES accounts (id),
  created_at_ms INTEGER NOT NULL,
  CHECK (referrer_id <> account_id)
) STRICT;
CREATE INDEX referrals_by_referrer ON referrals (referrer_id, id);
CREATE INDEX calls_covered ON calls (started_at_ms, account_id) WHERE plan_period_id IS NOT NULL;
CREATE TABLE automatic_top_ups (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  -- The free balance below which a top-up is made.
  below_nanos INTEGER NOT NULL CHECK (below_nanos > 0 AND below_nanos <= 9007199254740991),
  provider TEXT NOT NULL CHECK (provider <> ''),
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  month_limit_minor INTEGER NOT NULL CHECK (month_limit_minor >= amount_minor AND month_limit_minor <= 9007199254740991),
  -- The order that is under way: no other one is made meanwhile.
  order_id INTEGER REFERENCES orders (id),
  -- In a row, since the last one that was paid.
  failures INTEGER NOT NULL CHECK (failures >= 0),
  -- Why the last one was not paid.
  failure TEXT,
  -- Why it is off.
  off_reason TEXT CHECK (off_reason IN ('person', 'failures', 'card', 'account')),
  next_try_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  CHECK ((is_on = 1) = (off_reason IS NULL))
) STRICT;
CREATE INDEX automatic_top_ups_under_way ON automatic_top_ups (order_id) WHERE order_id IS NOT NULL;
CREATE TRIGGER automatic_top_ups_are_not_of_erased BEFORE INSERT ON automatic_top_ups
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE INDEX state_changes_paid_months ON state_changes (at_ms) WHERE subject = 'plan_periods' AND to_state = 'paid';
CREATE VIEW calls_to_sum AS
SELECT account_id, start_s * 1000 AS started_at_ms, key_id, model, outcome, provider, upstream_model, calls,
       input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
       output_tokens, thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos,
       provider_cost_nanos, known_revenue_nanos, uncosted_calls, covered_calls, covered_nanos, covered_cost_nanos,
       first_call_id, last_call_id
  FROM call_sums WHERE span_s = 900;
CREATE TRIGGER calls_to_sum_are_added INSTEAD OF INSERT ON calls_to_sum
BEGIN
  INSERT INTO call_sums (
         account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model, calls, input_tokens,
         input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
         thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos, first_call_id, last_call_id,
         provider_cost_nanos, known_revenue_nanos, uncosted_calls, covered_calls, covered_nanos, covered_cost_nanos)
  SELECT new.account_id, span_s, new.started_at_ms / (1000 * span_s) * span_s, new.key_id, new.model, new.outcome,
         new.provider, new.upstream_model,
         new.calls, new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens,
         new.cache_write_1h_tokens, new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images,
         new.cost_nanos, new.unpaid_nanos, new.first_call_id, new.last_call_id, new.provider_cost_nanos,
         new.known_revenue_nanos, new.uncosted_calls, new.covered_calls, new.covered_nanos, new.covered_cost_nanos
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
    uncosted_calls = uncosted_calls + new.uncosted_calls,
    covered_calls = covered_calls + new.covered_calls,
    covered_nanos = covered_nanos + new.covered_nanos,
    covered_cost_nanos = covered_cost_nanos + new.covered_cost_nanos,
    first_call_id = min(first_call_id, new.first_call_id),
    last_call_id = max(last_call_id, new.last_call_id);
END;
CREATE TRIGGER calls_are_summed AFTER INSERT ON calls WHEN new.summed = 0
BEGIN
  INSERT INTO calls_to_sum VALUES (
    new.account_id, new.started_at_ms, new.key_id, new.model, new.outcome, new.provider, new.upstream_model, 1,
    new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens,
    new.cache_write_1h_tokens, new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images,
    new.cost_nanos - new.refunded_nanos, new.unpaid_nanos,
    coalesce(new.provider_cost_nanos, 0) - iif(new.costs_elsewhere IS NULL, 0,
      (SELECT sum(json_extract(value, '$[2]')) FROM json_each(new.costs_elsewhere))),
    iif(new.provider_cost_nanos IS NULL, 0, new.cost_nanos - new.refunded_nanos),
    new.provider_cost_nanos IS NULL AND (new.price_id IS NOT NULL OR new.price <> ''),
    new.plan_period_id IS NOT NULL, new.covered_nanos,
    iif(new.plan_period_id IS NULL, 0, coalesce(new.provider_cost_nanos, 0) - iif(new.costs_elsewhere IS NULL, 0,
      (SELECT sum(json_extract(value, '$[2]')) FROM json_each(new.costs_elsewhere)))),
    new.id, new.id);
END;
CREATE TRIGGER costs_elsewhere_are_summed AFTER INSERT ON calls WHEN new.summed = 0 AND new.costs_elsewhere IS NOT NULL
BEGIN
  INSERT INTO calls_to_sum
  SELECT new.account_id, new.started_at_ms, new.key_id, new.model, new.outcome,
         json_extract(value, '$[0]'), json_extract(value, '$[1]'), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
         json_extract(value, '$[2]'), 0, 0, 0, 0, iif(new.plan_period_id IS NULL, 0, json_extract(value, '$[2]')), new.id, new.id
    FROM json_each(new.costs_elsewhere);
END;
CREATE TABLE account_suspensions (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
  reason TEXT NOT NULL CHECK (reason IN ('operator', 'lost_dispute')),
  -- The operator's own, for the account's people; may be empty.
  words TEXT NOT NULL,
  suspended_at_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER account_suspensions_are_not_of_erased BEFORE INSERT ON account_suspensions
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
CREATE INDEX orders_of_plans ON orders (plan_period_id, id) WHERE plan_period_id IS NOT NULL;
CREATE INDEX plan_periods_returned ON plan_periods (id) WHERE returned_nanos > 0;
INSERT INTO call_rewrites VALUES (1, 'prices', 0, 0);
INSERT INTO call_rewrites VALUES (2, 'traces', 0, NULL);
