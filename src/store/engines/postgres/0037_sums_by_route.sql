-- Sums of calls by route too: see SQLite's 0037. A program that does not name the route of a sum can add none.
ALTER TABLE calls ADD COLUMN costs_elsewhere text COLLATE "C" CHECK (costs_elsewhere IS NULL OR json_valid(costs_elsewhere));

DROP TABLE call_sums;
CREATE TABLE call_sums (
  account_id bigint NOT NULL,
  -- A day or a quarter of an hour.
  span_s bigint NOT NULL CHECK (span_s = 86400 OR span_s = 900),
  -- When it begins, in seconds since 1970: a multiple of the span. A call belongs to where it started.
  start_s bigint NOT NULL,
  key_id bigint NOT NULL,
  model text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  -- Both empty for calls that reached no route.
  provider text COLLATE "C" NOT NULL,
  upstream_model text COLLATE "C" NOT NULL,
  -- 0 where only a part of the cost of others is of this route.
  calls bigint NOT NULL,
  input_tokens bigint NOT NULL,
  input_audio_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL,
  cache_write_5m_tokens bigint NOT NULL,
  cache_write_1h_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  thinking_tokens bigint NOT NULL,
  output_image_tokens bigint NOT NULL,
  images bigint NOT NULL,
  cost_nanos bigint NOT NULL,
  unpaid_nanos bigint NOT NULL,
  -- The least and the greatest id of its calls: a search for them looks nowhere else.
  first_call_id bigint NOT NULL,
  last_call_id bigint NOT NULL,
  -- Of the calls of which it is known: what their providers take, and what they cost their account.
  provider_cost_nanos bigint NOT NULL,
  known_revenue_nanos bigint NOT NULL,
  -- Answered calls of which it is not known what their providers take.
  uncosted_calls bigint NOT NULL,
  PRIMARY KEY (span_s, start_s, account_id, key_id, model, outcome, provider, upstream_model)
);
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
CREATE INDEX call_sums_by_day ON call_sums (account_id, start_s, key_id, model, outcome) WHERE span_s <> 900;
