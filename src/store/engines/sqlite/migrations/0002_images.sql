-- Produced images, and the images that callers uploaded. The bytes are files; a row comes after its file, and goes before it.
CREATE TABLE generations (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36 AND uuid = lower(uuid)),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- The hold of the call that made it, whose id is the call's: what the image cost is in the call's record.
  call_id INTEGER NOT NULL REFERENCES holds (id),
  -- Which of the call's images it is, from 0.
  position INTEGER NOT NULL CHECK (position >= 0),
  kind TEXT NOT NULL CHECK (kind = 'generation' OR kind = 'edit' OR kind = 'compose'),
  state TEXT NOT NULL CHECK (state = 'generating' OR state = 'stored' OR state = 'failed'),
  model TEXT NOT NULL,
  prompt TEXT NOT NULL,
  revised_prompt TEXT,
  -- Keys of files and ids of generations that it was made from.
  parents TEXT NOT NULL CHECK (json_valid(parents)),
  file_key TEXT UNIQUE,
  mime TEXT,
  width INTEGER CHECK (width > 0),
  height INTEGER CHECK (height > 0),
  bytes INTEGER CHECK (bytes > 0),
  sha256 TEXT CHECK (length(sha256) = 64),
  created_at_ms INTEGER NOT NULL,
  UNIQUE (call_id, position),
  -- What is stored has a file, and nothing else has one.
  CHECK (
    (state = 'stored') = (file_key IS NOT NULL)
    AND (file_key IS NULL) = (mime IS NULL)
    AND (file_key IS NULL) = (width IS NULL)
    AND (file_key IS NULL) = (height IS NULL)
    AND (file_key IS NULL) = (bytes IS NULL)
    AND (file_key IS NULL) = (sha256 IS NULL)
  )
) STRICT;
CREATE INDEX generations_by_account ON generations (account_id, id);
CREATE INDEX generations_under_way ON generations (state) WHERE state = 'generating';

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  -- As callers see it: files/<account_id>/<uuid>_<name>.<ext>
  key TEXT NOT NULL UNIQUE CHECK (key GLOB 'files/[0-9]*/*'),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- A file that is being stored takes its part of the quota before its bytes are there.
  state TEXT NOT NULL CHECK (state = 'storing' OR state = 'stored'),
  mime TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes BETWEEN 0 AND 9007199254740991),
  sha256 TEXT CHECK (length(sha256) = 64),
  width INTEGER CHECK (width > 0),
  height INTEGER CHECK (height > 0),
  created_at_ms INTEGER NOT NULL,
  CHECK (
    (state = 'storing') OR (sha256 IS NOT NULL AND width IS NOT NULL AND height IS NOT NULL)
  )
) STRICT;
CREATE INDEX files_by_account ON files (account_id, id);
