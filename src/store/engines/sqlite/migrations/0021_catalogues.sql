-- The catalogue's past: each text that the file had while it was in force, with marks in place of the keys.
CREATE TABLE catalogues (
  -- Counts on: the newest is the text in force.
  version INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  made_at_ms INTEGER NOT NULL,
  -- session:12 of the console, command:prices import, or file where somebody edited it.
  made_by TEXT NOT NULL CHECK (made_by = 'file' OR made_by GLOB 'session:[0-9]*' OR made_by GLOB 'command:?*')
) STRICT;
