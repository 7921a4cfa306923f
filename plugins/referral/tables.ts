// Drizzle tables of referral links and referrals, with the rules for their personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { accountTable, columns, EXPORTED, type StoredTable } from '../../src/store/stored-table.ts'

export const referral_links = sqliteTable('referral_links', {
  id: integer().primaryKey(),
  account_id: integer().notNull().unique(),
  code: text().notNull().unique(),
  created_at_ms: integer().notNull(),
})

export const referrals = sqliteTable('referrals', {
  id: integer().primaryKey(),
  /** The account that signed up. */
  account_id: integer().notNull().unique(),
  /** The account of the link. */
  referrer_id: integer().notNull(),
  created_at_ms: integer().notNull(),
})

// Of an erased account, IDs and times stay, since they explain the shares in the ledger.
export const tables: readonly StoredTable[] = [
  accountTable(referral_links, {
    erases: 'columns',
    described: 'its link for referring friends',
    columns: columns('id account_id code created_at_ms', EXPORTED),
  }),
  accountTable(referrals, {
    erases: 'columns',
    described: 'by whose link it signed up',
    columns: columns('id account_id referrer_id created_at_ms', EXPORTED),
  }),
]

export type ReferralRow = typeof referrals.$inferSelect
