-- What gateways over one database know of each other: see SQLite's 0028. What is lost of the last minute in a crash of the server harms nobody.
ALTER TABLE gateways ADD COLUMN node text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE gateways ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE gateways ADD COLUMN catalogue text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE gateways ADD COLUMN catalogue_since_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE gateways ADD COLUMN seen_at_ms bigint;

CREATE UNLOGGED TABLE rates (
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('account', 'key')),
  id bigint NOT NULL,
  at_s bigint NOT NULL,
  requests bigint NOT NULL CHECK (requests >= 0),
  tokens bigint NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (scope, id, at_s)
);

CREATE UNLOGGED TABLE image_rates (
  id bigint PRIMARY KEY,
  taken text COLLATE "C" NOT NULL CHECK (tollgate.json_valid(taken))
);

-- By the clock that all gateways share, in milliseconds since 1970; not that of the transaction's begin.
CREATE FUNCTION now_ms() RETURNS bigint VOLATILE PARALLEL SAFE LANGUAGE sql
RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- What the newest transaction of a connection left, to be found where the answer to its COMMIT was lost (store/engines/postgres/commit-mark.ts). Not on SQLite.
CREATE TABLE commits (
  writer text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL,
  at_ms bigint NOT NULL
) WITH (fillfactor = 50);
