-- The person of an account whose key it is: see SQLite's 0043. A program that does not know it would show a member everybody's calls.
ALTER TABLE keys ADD COLUMN person_id bigint REFERENCES people (id);
CREATE INDEX keys_by_person ON keys (person_id) WHERE person_id IS NOT NULL;
