// Drizzle table of customers: the account's customer at a payment method, and its saved card.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accountTable, columns, EXPORTED, type StoredTable } from '../../../src/store/stored-table.ts'

export const payment_customers = sqliteTable('payment_customers', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  provider: text().notNull(),
  /** The provider has different customers in live and test mode. */
  is_live: integer().notNull(),
  /** The provider's ID of the customer. */
  reference: text().notNull(),
  /** ID of the page on which a person saves a card, until its result is known. */
  card_setup: text(),
  /** The provider's ID of the saved card; null without one. */
  card_reference: text(),
  card_brand: text(),
  card_last4: text(),
  /** Last month of validity, such as `2027-08`. */
  card_expires: text(),
  /** The person who saved the card. Null: an erased person. */
  card_person_id: integer(),
  card_saved_at_ms: integer(),
  created_at_ms: integer().notNull(),
})

export type PaymentCustomer = typeof payment_customers.$inferSelect

/** Of an erased account only the customer's ID stays, until the provider has deleted the customer: erased-customers.ts. */
export const customer_tables: readonly StoredTable[] = [
  accountTable(payment_customers, {
    erases: 'columns',
    described: 'how payment methods know it, and its saved card',
    columns: {
      ...columns('id account_id provider is_live reference created_at_ms', EXPORTED),
      ...columns('card_brand card_last4 card_expires card_person_id card_saved_at_ms', {
        exported: 'as_is',
        erased: 'NULL',
      }),
      // IDs that allow charges.
      ...columns('card_setup card_reference', { erased: 'NULL' }),
    },
  }),
]
