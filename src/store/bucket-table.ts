// The table of the bucket of files, as Drizzle sees it.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** By which the bucket is known: one row, or none. */
export const bucket_marks = sqliteTable('bucket_marks', {
  /** Always 1. */
  id: integer().primaryKey(),
  mark: text().notNull(),
})
