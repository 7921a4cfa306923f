// The table of customers as Drizzle sees it: how a payment method knows an account, and the card that it keeps for it.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accountTable, columns, EXPORTED, type StoredTable } from '../../../src/store/stored-table.ts'

export const payment_customers = sqliteTable('payment_customers', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  provider: text().notNull(),
  /** The provider's live mode and its test mode know different customers. */
  is_live: integer().notNull(),
  /** The provider's number of the customer. */
  reference: text().notNull(),
  /** The page on which somebody saves a card, until it is known what became of it. */
  card_setup: text(),
  /** The provider's number of the saved card; null: none is saved. */
  card_reference: text(),
  card_brand: text(),
  card_last4: text(),
  /** Its last month, as `2027-08`. */
  card_expires: text(),
  /** The person who saved it. Null: an erased one. */
  card_person_id: integer(),
  card_saved_at_ms: integer(),
  created_at_ms: integer().notNull(),
})

export type PaymentCustomer = typeof payment_customers.$inferSelect

/** An erased account leaves the number of its customer alone, until the provider has deleted that: erased-customers.ts. */
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
      // The saved card that charges are made by.
      ...columns('card_setup card_reference', { erased: 'NULL' }),
    },
  }),
]
