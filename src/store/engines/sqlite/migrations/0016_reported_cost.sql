-- Of calls whose provider says what it took: that, and what the route's cost in the catalogue comes to.

-- Null where the provider says nothing that is believed, and of calls that an older version recorded.
ALTER TABLE calls ADD COLUMN reported_cost_nanos INTEGER CHECK (reported_cost_nanos BETWEEN 0 AND 9007199254740991);

-- Null where the provider says nothing, or the route has no cost in the catalogue.
ALTER TABLE calls ADD COLUMN computed_cost_nanos INTEGER CHECK (computed_cost_nanos BETWEEN 0 AND 9007199254740991);
