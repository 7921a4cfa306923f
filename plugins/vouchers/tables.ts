// Drizzle tables of vouchers and their batches, with the rules for their personal data.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  NOT_EXPORTED,
  type StoredTable,
  unownedTable,
} from '../../src/store/stored-table.ts'

export const VOUCHER_STATES = ['new', 'redeemed', 'revoked', 'expired'] as const
export type VoucherState = (typeof VOUCHER_STATES)[number]

export const voucher_batches = sqliteTable('voucher_batches', {
  id: integer().primaryKey(),
  /** The operator's note, hidden from accounts. */
  note: text().notNull(),
  /** 1: an account may redeem only one voucher of the batch. */
  once_each: integer().notNull(),
  created_at_ms: integer().notNull(),
})

export const vouchers = sqliteTable('vouchers', {
  id: integer().primaryKey(),
  batch_id: integer().notNull(),
  /** The account that redeemed it. */
  account_id: integer(),
  /** Hash of the code, which itself is not stored. */
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  /** First characters of the code; empty for a short one. */
  hint: text().notNull(),
  amount_nanos: integer().notNull(),
  state: text({ enum: VOUCHER_STATES }).notNull(),
  changed_at_ms: integer().notNull(),
  /** Null: never. */
  expires_at_ms: integer(),
})

export const tables: readonly StoredTable[] = [
  accountTable(vouchers, {
    erases: 'columns',
    described: 'vouchers that it redeemed',
    columns: {
      ...columns('id batch_id account_id amount_nanos state changed_at_ms expires_at_ms', EXPORTED),
      ...columns('sha256 hint', NOT_EXPORTED),
    },
  }),
  unownedTable(voucher_batches),
]

export type VoucherRow = typeof vouchers.$inferSelect
export type VoucherBatchRow = typeof voucher_batches.$inferSelect
