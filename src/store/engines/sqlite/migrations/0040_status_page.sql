-- The public status page: how the calls of each model went by day, and incidents as the operator tells of them.

-- Bounded by the catalogue: a row for each model that was called on a day, of 90 days.
CREATE TABLE model_days (
  -- When the day begins (UTC), in seconds since 1970. A call counts where it ended.
  day_s INTEGER NOT NULL CHECK (day_s % 86400 = 0),
  model TEXT NOT NULL,
  answered INTEGER NOT NULL CHECK (answered >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  PRIMARY KEY (day_s, model)
) STRICT, WITHOUT ROWID;
INSERT INTO model_days
SELECT start_s / 86400 * 86400, model, sum(CASE WHEN result = 'answered' THEN calls ELSE 0 END),
       sum(CASE WHEN result = 'answered' THEN 0 ELSE calls END)
  FROM route_sums WHERE span_s = 3600 AND result <> 'bad_request' AND calls > 0 GROUP BY 1, 2;

CREATE TABLE incidents (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL CHECK (title <> ''),
  -- Ids of models as a list of JSON; empty: the service as a whole.
  models TEXT NOT NULL CHECK (json_valid(models)),
  -- That of its last update.
  state TEXT NOT NULL CHECK (state IN ('investigating', 'identified', 'monitoring', 'resolved')),
  opened_at_ms INTEGER NOT NULL,
  resolved_at_ms INTEGER CHECK (resolved_at_ms >= opened_at_ms),
  CHECK ((state = 'resolved') = (resolved_at_ms IS NOT NULL))
) STRICT;

CREATE TABLE incident_updates (
  id INTEGER PRIMARY KEY,
  incident_id INTEGER NOT NULL REFERENCES incidents (id),
  state TEXT NOT NULL CHECK (state IN ('investigating', 'identified', 'monitoring', 'resolved')),
  text TEXT NOT NULL CHECK (text <> ''),
  written_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX incident_updates_by_incident ON incident_updates (incident_id, id);
