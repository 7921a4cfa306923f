-- Sums of calls by day (UTC), and by quarter of an hour, of which the days of any time zone are made: all offsets from
-- UTC are multiples of it. A trigger maintains them, so that they are part of the transaction that records a call,
-- whichever version of the program records it.
-- No references and no CHECKs of amounts: every value comes from a call, where they were checked (0.6 of 6 µs a call).
CREATE TABLE call_sums (
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
  PRIMARY KEY (account_id, span_s, start_s, key_id, model, outcome)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_sums_by_start ON call_sums (span_s, start_s);

INSERT INTO call_sums
SELECT account_id, span_s, started_at_ms / (1000 * span_s) * span_s, key_id, model, outcome, count(*),
       sum(input_tokens), sum(input_audio_tokens), sum(cache_read_tokens), sum(cache_write_5m_tokens),
       sum(cache_write_1h_tokens), sum(output_tokens), sum(thinking_tokens), sum(output_image_tokens), sum(images),
       sum(cost_nanos), sum(unpaid_nanos), min(id), max(id)
  FROM calls, (SELECT 86400 AS span_s UNION ALL SELECT 900)
 GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TRIGGER calls_are_summed AFTER INSERT ON calls
BEGIN
  INSERT INTO call_sums
  SELECT new.account_id, span_s, new.started_at_ms / (1000 * span_s) * span_s, new.key_id, new.model, new.outcome, 1,
         new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens,
         new.cache_write_1h_tokens, new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images,
         new.cost_nanos, new.unpaid_nanos, new.id, new.id
    FROM (SELECT 86400 AS span_s UNION ALL SELECT 900) WHERE true
  ON CONFLICT DO UPDATE SET
    calls = calls + 1,
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
    first_call_id = min(first_call_id, new.id),
    last_call_id = max(last_call_id, new.id);
END;
