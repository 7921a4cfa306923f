// Stored records of imports: imported rows, and calls of accounts before the import as sums by day and model.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  NOT_EXPORTED,
  type StoredTable,
} from '../../src/store/stored-table.ts'

/** A row of another gateway with its account or key here: a second import skips it. Rows of erased accounts stay, so they are not imported again. */
export const imported_rows = sqliteTable('imported_rows', {
  id: integer().primaryKey(),
  source: text().notNull(),
  kind: text({ enum: ['account', 'key', 'link'] }).notNull(),
  source_id: text().notNull(),
  account_id: integer().notNull(),
  key_id: integer(),
  /** Digests that reveal another database under the same import name. */
  identity: text().notNull(),
  /** Amounts and limits at the import, a JSON object. */
  content: text().notNull(),
  imported_at_ms: integer().notNull(),
})

/** Calls before the import: sums by day and model. */
export const imported_usage = sqliteTable('imported_usage', {
  id: integer().primaryKey(),
  source: text().notNull(),
  account_id: integer().notNull(),
  day_s: integer().notNull(),
  model: text().notNull(),
  calls: integer().notNull(),
  input_tokens: integer().notNull(),
  output_tokens: integer().notNull(),
  charged_nanos: integer().notNull(),
})

export const tables: readonly StoredTable[] = [
  accountTable(imported_rows, {
    erases: 'columns',
    described: 'the rows of an earlier gateway that it was imported from',
    columns: {
      ...columns('id source kind source_id account_id key_id imported_at_ms', EXPORTED),
      content: EXPORTED_JSON,
      identity: { ...NOT_EXPORTED, erased: "''" },
    },
  }),
  accountTable(imported_usage, {
    erases: 'rows',
    described: 'its calls at an earlier gateway, by day and model',
    in_order_of: 'day_s',
    columns: columns(
      'id source account_id day_s model calls input_tokens output_tokens charged_nanos',
      EXPORTED,
    ),
  }),
]

export type ImportedRow = typeof imported_rows.$inferSelect
export type ImportedUsage = typeof imported_usage.$inferSelect
