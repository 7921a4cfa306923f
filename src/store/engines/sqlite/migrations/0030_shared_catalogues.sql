-- 1: a text that all gateways over the database take, in place of those of their files; of these the newest is in force. It says nothing on
-- SQLite, where the file counts.
ALTER TABLE catalogues ADD COLUMN shared INTEGER NOT NULL DEFAULT 0 CHECK (shared IN (0, 1));
