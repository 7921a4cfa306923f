-- How payment methods know accounts, and the card that they keep for each.
CREATE TABLE payment_customers (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  provider TEXT NOT NULL CHECK (provider <> ''),
  -- The provider's live mode and its test mode know different customers.
  is_live INTEGER NOT NULL CHECK (is_live IN (0, 1)),
  -- The provider's own number of the customer.
  reference TEXT NOT NULL CHECK (reference <> ''),
  -- The page on which somebody saves a card, until it is known what became of it.
  card_setup TEXT CHECK (card_setup <> ''),
  -- The provider's own number of the saved card.
  card_reference TEXT CHECK (card_reference <> ''),
  card_brand TEXT,
  card_last4 TEXT,
  -- Its last month, as 2027-08.
  card_expires TEXT,
  -- Who saved it. Null: of an erased person.
  card_person_id INTEGER,
  card_saved_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (account_id, provider, is_live)
) STRICT;
CREATE INDEX payment_customers_by_setup ON payment_customers (card_setup) WHERE card_setup IS NOT NULL;
CREATE TRIGGER payment_customers_are_not_of_erased BEFORE INSERT ON payment_customers
WHEN EXISTS (SELECT 1 FROM erased_accounts WHERE account_id = new.account_id)
BEGIN SELECT RAISE (ABORT, 'the account is erased'); END;
