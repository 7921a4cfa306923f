-- The catalogue in the database: see SQLite's 0030. A version for all gateways has no keys, not even marks of any.
ALTER TABLE catalogues ADD COLUMN shared bigint NOT NULL DEFAULT 0 CHECK (shared IN (0, 1));
