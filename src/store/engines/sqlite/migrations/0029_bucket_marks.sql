-- By which the bucket of this database's files is known: an object in it has the same name. No row: they are in folders, or were until now.
CREATE TABLE bucket_marks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mark TEXT NOT NULL CHECK (mark <> '')
) STRICT;
