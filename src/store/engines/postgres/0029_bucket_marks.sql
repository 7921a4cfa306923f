-- By which the bucket of this database's files is known: see SQLite's 0029.
CREATE TABLE bucket_marks (
  id bigint PRIMARY KEY CHECK (id = 1),
  mark text COLLATE "C" NOT NULL CHECK (mark <> '')
);
