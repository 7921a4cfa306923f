-- How tries at routes went, summed by five minutes for the last hour and by hour for the last day: what health is read from.
-- They are bounded by the catalogue: routes times results times some forty periods.
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

-- Of the last day, as far as calls are recorded.
WITH recent AS (
  SELECT model, provider, upstream_model, outcome, status, first_byte_ms, failed_tries,
    (started_at_ms + duration_ms) / 1000 AS ended_s,
    iif(failed_tries > 0 AND trace <> '', trace, '{}') AS trace
  FROM calls
  WHERE id >= (SELECT min(first_call_id) FROM call_sums WHERE span_s = 900 AND start_s >= unixepoch() - 90000)
    AND started_at_ms >= (unixepoch() - 86400) * 1000
),
tried AS (
  SELECT model, value ->> 'provider' AS provider, value ->> 'model' AS upstream_model,
    value ->> 'failure_class' AS result, ended_s, 0 AS first_byte_ms,
    outcome = 'failed' AND key = json_array_length(trace, '$.tried') - 1 AS is_last
  FROM recent, json_each(trace, '$.tried')
  UNION ALL
  SELECT model, provider, upstream_model,
    CASE WHEN outcome = 'broken' THEN 'broke_off' WHEN outcome <> 'failed' THEN 'answered'
      WHEN status < 500 THEN 'bad_request' ELSE 'failed' END,
    ended_s, iif(outcome IN ('completed', 'cancelled'), coalesce(first_byte_ms, 0), 0), 1
  FROM recent
  WHERE outcome IN ('completed', 'broken') OR (outcome = 'cancelled' AND first_byte_ms IS NOT NULL)
    OR (outcome = 'failed' AND json_array_length(trace, '$.tried') IS NULL)
)
INSERT INTO route_sums
SELECT span_s, ended_s / span_s * span_s AS begun_s, model, provider, upstream_model, result,
  count(*), sum(is_last), sum(first_byte_ms)
FROM tried, (SELECT 300 AS span_s UNION ALL SELECT 3600)
WHERE result <> '' AND ended_s >= unixepoch() - iif(span_s = 300, 7200, 90000)
GROUP BY span_s, begun_s, model, provider, upstream_model, result;
