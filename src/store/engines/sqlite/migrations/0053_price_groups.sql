-- The price group of an account, by its name in the catalogue; NULL: it pays list prices.
ALTER TABLE accounts ADD COLUMN price_group TEXT CHECK (length(price_group) BETWEEN 1 AND 64);
