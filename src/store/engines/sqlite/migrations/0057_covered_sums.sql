-- Sums of the calls that plans cover: their charge is 0, so the margin of what balances pay is without their cost.
ALTER TABLE call_sums ADD COLUMN covered_calls INTEGER NOT NULL DEFAULT 0;
-- Their list price.
ALTER TABLE call_sums ADD COLUMN covered_nanos INTEGER NOT NULL DEFAULT 0;
-- The part of provider_cost_nanos that is of them.
ALTER TABLE call_sums ADD COLUMN covered_cost_nanos INTEGER NOT NULL DEFAULT 0;
-- Fees of plans by the time of their payment.
CREATE INDEX state_changes_paid_months ON state_changes (at_ms) WHERE subject = 'plan_periods' AND to_state = 'paid';

UPDATE call_sums
   SET covered_calls = covered.calls, covered_nanos = covered.nanos, covered_cost_nanos = covered.cost_nanos
  FROM (SELECT span_s, started_at_ms / (1000 * span_s) * span_s AS start_s, account_id, key_id, model, outcome, provider,
               upstream_model, CAST(sum(calls) AS INTEGER) AS calls, CAST(sum(nanos) AS INTEGER) AS nanos, CAST(sum(cost_nanos) AS INTEGER) AS cost_nanos
          FROM (SELECT started_at_ms, account_id, key_id, model, outcome, provider, upstream_model, 1 AS calls, covered_nanos AS nanos,
                       coalesce(provider_cost_nanos, 0) - CASE WHEN costs_elsewhere IS NULL THEN 0
                         ELSE (SELECT CAST(sum(CAST(json_extract(part.value, '$[2]') AS INTEGER)) AS INTEGER) FROM json_each(costs_elsewhere) AS part) END AS cost_nanos
                  FROM calls WHERE plan_period_id IS NOT NULL
                UNION ALL
                SELECT started_at_ms, account_id, key_id, model, outcome, json_extract(part.value, '$[0]'), json_extract(part.value, '$[1]'), 0, 0, CAST(json_extract(part.value, '$[2]') AS INTEGER)
                  FROM calls CROSS JOIN json_each(costs_elsewhere) AS part
                 WHERE plan_period_id IS NOT NULL AND costs_elsewhere IS NOT NULL) AS of_routes
               CROSS JOIN (SELECT 86400 AS span_s UNION ALL SELECT 900) AS spans
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS covered
 WHERE call_sums.span_s = covered.span_s AND call_sums.start_s = covered.start_s AND call_sums.account_id = covered.account_id
   AND call_sums.key_id = covered.key_id AND call_sums.model = covered.model AND call_sums.outcome = covered.outcome
   AND call_sums.provider = covered.provider AND call_sums.upstream_model = covered.upstream_model;

DROP TRIGGER calls_are_summed;
DROP TRIGGER costs_elsewhere_are_summed;
DROP VIEW calls_to_sum;
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
