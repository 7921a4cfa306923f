-- The person of an account whose key it is: a member sees their own keys, and the calls of these. Null: the account's.
ALTER TABLE keys ADD COLUMN person_id INTEGER REFERENCES people (id);
CREATE INDEX keys_by_person ON keys (person_id) WHERE person_id IS NOT NULL;
