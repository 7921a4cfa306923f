-- What follows from other rows is written no more, and sums lie where a batch finds them together.

-- The sums of one time lie together, whoever called: a batch changes two or three pages of them, and not two for each
-- account. Those of an account are found by its days, or quarter by quarter.
DROP TRIGGER calls_are_summed;
DROP VIEW calls_to_sum;
CREATE TABLE sums_by_time (
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
-- By this index they come in their new order: nothing is sorted.
INSERT INTO sums_by_time SELECT * FROM call_sums INDEXED BY call_sums_by_start
 ORDER BY span_s, start_s, account_id, key_id, model, outcome;
DROP TABLE call_sums;
ALTER TABLE sums_by_time RENAME TO call_sums;
-- Of days alone. A query that says so in these words finds it, and nothing in the key of the table.
CREATE INDEX call_sums_by_day ON call_sums (account_id, start_s, key_id, model, outcome) WHERE span_s <> 900;

-- An image is of a hold, and then of the call that settled it.
CREATE TABLE images_of_calls (
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
  missing_since_ms INTEGER CHECK (missing_since_ms IS NULL OR state = 'stored'),
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
INSERT INTO images_of_calls SELECT * FROM generations;
DROP TABLE generations;
ALTER TABLE images_of_calls RENAME TO generations;
CREATE INDEX generations_by_account ON generations (account_id, id);
CREATE INDEX generations_under_way ON generations (state) WHERE state = 'generating';
CREATE INDEX generations_missing ON generations (id) WHERE missing_since_ms IS NOT NULL;
CREATE TRIGGER generations_are_not_of_erased BEFORE INSERT ON generations
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;

-- A hold has a row until its call is recorded, which says all that it said; one that expired has no call, and stays.
CREATE TABLE open_holds (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id INTEGER NOT NULL REFERENCES keys (id),
  request_id TEXT NOT NULL,
  amount_nanos INTEGER NOT NULL CHECK (amount_nanos BETWEEN 0 AND 9007199254740991),
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'expired'),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO open_holds SELECT * FROM holds WHERE state = 'pending' OR state = 'expired';
-- A call refers to its hold no more, without being written anew, which takes seconds for a million calls. The names of the
-- tables are changed so that its reference is to itself, which always holds.
ALTER TABLE calls RENAME TO calls_of_holds;
ALTER TABLE holds RENAME TO calls;
DROP TABLE calls;
ALTER TABLE calls_of_holds RENAME TO calls;
ALTER TABLE open_holds RENAME TO holds;
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
