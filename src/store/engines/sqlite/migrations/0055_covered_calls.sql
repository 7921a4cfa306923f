-- Statements and reports of calls that a plan covers: a call that the balance pays for is not in it.
CREATE INDEX calls_covered ON calls (started_at_ms, account_id) WHERE plan_period_id IS NOT NULL;
