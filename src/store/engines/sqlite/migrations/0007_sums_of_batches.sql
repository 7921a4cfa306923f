-- Calls that the ledger commits together are added to the sums together, a kind at a time: 4 µs in place of 9 a call.

-- 1: the writer adds the call to the sums, with the others of its batch. 0, as an older version of the program leaves it: the
-- trigger adds it.
ALTER TABLE calls ADD COLUMN summed INTEGER NOT NULL DEFAULT 0 CHECK (summed = 0 OR summed = 1);

-- What is written here is added to the sums: some calls of one account, key, model and outcome, of one quarter of an hour.
CREATE VIEW calls_to_sum AS
SELECT account_id, start_s * 1000 AS started_at_ms, key_id, model, outcome, calls,
       input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
       thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos, first_call_id, last_call_id
  FROM call_sums WHERE span_s = 900;

CREATE TRIGGER calls_to_sum_are_added INSTEAD OF INSERT ON calls_to_sum
BEGIN
  INSERT INTO call_sums
  SELECT new.account_id, span_s, new.started_at_ms / (1000 * span_s) * span_s, new.key_id, new.model, new.outcome, new.calls,
         new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens,
         new.cache_write_1h_tokens, new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images,
         new.cost_nanos, new.unpaid_nanos, new.first_call_id, new.last_call_id
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
    first_call_id = min(first_call_id, new.first_call_id),
    last_call_id = max(last_call_id, new.last_call_id);
END;

DROP TRIGGER calls_are_summed;
CREATE TRIGGER calls_are_summed AFTER INSERT ON calls WHEN new.summed = 0
BEGIN
  INSERT INTO calls_to_sum VALUES (
    new.account_id, new.started_at_ms, new.key_id, new.model, new.outcome, 1,
    new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens, new.cache_write_1h_tokens,
    new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images, new.cost_nanos, new.unpaid_nanos,
    new.id, new.id);
END;
