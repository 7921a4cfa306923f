-- Sums of the calls that plans cover: see SQLite's 0057. A program that does not know them would leave covered calls out.
ALTER TABLE call_sums ADD COLUMN covered_calls bigint NOT NULL DEFAULT 0;
-- Their list price.
ALTER TABLE call_sums ADD COLUMN covered_nanos bigint NOT NULL DEFAULT 0;
-- The part of provider_cost_nanos that is of them.
ALTER TABLE call_sums ADD COLUMN covered_cost_nanos bigint NOT NULL DEFAULT 0;
-- Fees of plans by the time of their payment.
CREATE INDEX state_changes_paid_months ON state_changes (at_ms) WHERE subject = 'plan_periods' AND to_state = 'paid';

UPDATE call_sums
   SET covered_calls = covered.calls, covered_nanos = covered.nanos, covered_cost_nanos = covered.cost_nanos
  FROM (SELECT span_s, started_at_ms / (1000 * span_s) * span_s AS start_s, account_id, key_id, model, outcome, provider,
               upstream_model, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(nanos) AS BIGINT) AS nanos, CAST(sum(cost_nanos) AS BIGINT) AS cost_nanos
          FROM (SELECT started_at_ms, account_id, key_id, model, outcome, provider, upstream_model, 1 AS calls, covered_nanos AS nanos,
                       coalesce(provider_cost_nanos, 0) - CASE WHEN costs_elsewhere IS NULL THEN 0
                         ELSE (SELECT CAST(sum(CAST((SELECT value FROM json_each(part.value) WHERE key = 2) AS BIGINT)) AS BIGINT) FROM json_each(costs_elsewhere) AS part) END AS cost_nanos
                  FROM calls WHERE plan_period_id IS NOT NULL
                UNION ALL
                SELECT started_at_ms, account_id, key_id, model, outcome, (SELECT value FROM json_each(part.value) WHERE key = 0), (SELECT value FROM json_each(part.value) WHERE key = 1), 0, 0, CAST((SELECT value FROM json_each(part.value) WHERE key = 2) AS BIGINT)
                  FROM calls CROSS JOIN json_each(costs_elsewhere) AS part
                 WHERE plan_period_id IS NOT NULL AND costs_elsewhere IS NOT NULL) AS of_routes
               CROSS JOIN (SELECT 86400 AS span_s UNION ALL SELECT 900) AS spans
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS covered
 WHERE call_sums.span_s = covered.span_s AND call_sums.start_s = covered.start_s AND call_sums.account_id = covered.account_id
   AND call_sums.key_id = covered.key_id AND call_sums.model = covered.model AND call_sums.outcome = covered.outcome
   AND call_sums.provider = covered.provider AND call_sums.upstream_model = covered.upstream_model;
