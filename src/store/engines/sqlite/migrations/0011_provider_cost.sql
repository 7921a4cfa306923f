-- What providers take of the operator: of each call, and in the sums.

-- Null where it is not known: the route has no cost in the catalogue, nothing was delivered, or an older version recorded it.
ALTER TABLE calls ADD COLUMN provider_cost_nanos INTEGER CHECK (provider_cost_nanos BETWEEN 0 AND 9007199254740991);

-- Of the calls of which it is known: what their providers take, and what they cost their account. Older calls are not.
ALTER TABLE call_sums ADD COLUMN provider_cost_nanos INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call_sums ADD COLUMN known_revenue_nanos INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER calls_are_summed;
DROP TRIGGER calls_to_sum_are_added;
DROP VIEW calls_to_sum;

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
