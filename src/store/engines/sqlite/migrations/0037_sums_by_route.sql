-- Sums of calls by route too, so that what a provider takes is added up by whom; and of how many calls that is not known.

-- What other routes than the call's own take of its cost, failed tries included: [["provider", "their model", nano-dollars], ...]. NULL: none.
ALTER TABLE calls ADD COLUMN costs_elsewhere TEXT CHECK (costs_elsewhere IS NULL OR json_valid(costs_elsewhere));

DROP TRIGGER calls_are_summed;
DROP TRIGGER calls_refunds_are_summed;
DROP VIEW calls_to_sum;
DROP TABLE call_sums;
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
  uncosted_calls INTEGER NOT NULL,
  PRIMARY KEY (span_s, start_s, account_id, key_id, model, outcome, provider, upstream_model)
) STRICT, WITHOUT ROWID;
INSERT INTO call_sums (
       account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model, calls, input_tokens,
       input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
       thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos, first_call_id, last_call_id,
       provider_cost_nanos, known_revenue_nanos, uncosted_calls)
SELECT account_id, 900, started_at_ms / 900000 * 900, key_id, model, outcome, provider, upstream_model, count(*),
       sum(input_tokens), sum(input_audio_tokens), sum(cache_read_tokens), sum(cache_write_5m_tokens),
       sum(cache_write_1h_tokens), sum(output_tokens), sum(thinking_tokens), sum(output_image_tokens), sum(images),
       sum(cost_nanos - refunded_nanos), sum(unpaid_nanos), min(id), max(id), coalesce(sum(provider_cost_nanos), 0),
       sum(CASE WHEN provider_cost_nanos IS NULL THEN 0 ELSE cost_nanos - refunded_nanos END),
       sum(CASE WHEN provider_cost_nanos IS NULL AND (price_id IS NOT NULL OR price <> '') THEN 1 ELSE 0 END)
  FROM calls GROUP BY 3, account_id, key_id, model, outcome, provider, upstream_model;
INSERT INTO call_sums (
       account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model, calls, input_tokens,
       input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
       thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos, first_call_id, last_call_id,
       provider_cost_nanos, known_revenue_nanos, uncosted_calls)
SELECT account_id, 86400, start_s / 86400 * 86400, key_id, model, outcome, provider, upstream_model, sum(calls),
       sum(input_tokens), sum(input_audio_tokens), sum(cache_read_tokens), sum(cache_write_5m_tokens),
       sum(cache_write_1h_tokens), sum(output_tokens), sum(thinking_tokens), sum(output_image_tokens), sum(images),
       sum(cost_nanos), sum(unpaid_nanos), min(first_call_id), max(last_call_id), sum(provider_cost_nanos),
       sum(known_revenue_nanos), sum(uncosted_calls)
  FROM call_sums GROUP BY 3, account_id, key_id, model, outcome, provider, upstream_model;
-- Of days alone. A query that says so in these words finds it, and nothing in the key of the table.
CREATE INDEX call_sums_by_day ON call_sums (account_id, start_s, key_id, model, outcome) WHERE span_s <> 900;

CREATE VIEW calls_to_sum AS
SELECT account_id, start_s * 1000 AS started_at_ms, key_id, model, outcome, provider, upstream_model, calls,
       input_tokens, input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
       output_tokens, thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos,
       provider_cost_nanos, known_revenue_nanos, uncosted_calls, first_call_id, last_call_id
  FROM call_sums WHERE span_s = 900;
CREATE TRIGGER calls_to_sum_are_added INSTEAD OF INSERT ON calls_to_sum
BEGIN
  INSERT INTO call_sums (
         account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model, calls, input_tokens,
         input_audio_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
         thinking_tokens, output_image_tokens, images, cost_nanos, unpaid_nanos, first_call_id, last_call_id,
         provider_cost_nanos, known_revenue_nanos, uncosted_calls)
  SELECT new.account_id, span_s, new.started_at_ms / (1000 * span_s) * span_s, new.key_id, new.model, new.outcome,
         new.provider, new.upstream_model,
         new.calls, new.input_tokens, new.input_audio_tokens, new.cache_read_tokens, new.cache_write_5m_tokens,
         new.cache_write_1h_tokens, new.output_tokens, new.thinking_tokens, new.output_image_tokens, new.images,
         new.cost_nanos, new.unpaid_nanos, new.first_call_id, new.last_call_id, new.provider_cost_nanos,
         new.known_revenue_nanos, new.uncosted_calls
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
    new.provider_cost_nanos IS NULL AND (new.price_id IS NOT NULL OR new.price <> ''), new.id, new.id);
END;
CREATE TRIGGER costs_elsewhere_are_summed AFTER INSERT ON calls WHEN new.summed = 0 AND new.costs_elsewhere IS NOT NULL
BEGIN
  INSERT INTO calls_to_sum
  SELECT new.account_id, new.started_at_ms, new.key_id, new.model, new.outcome,
         json_extract(value, '$[0]'), json_extract(value, '$[1]'), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
         json_extract(value, '$[2]'), 0, 0, new.id, new.id
    FROM json_each(new.costs_elsewhere);
END;
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
