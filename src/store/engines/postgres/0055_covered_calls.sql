-- Statements and reports of covered calls: see SQLite's migration of this name.
CREATE INDEX calls_covered ON calls (started_at_ms, account_id) WHERE plan_period_id IS NOT NULL;
