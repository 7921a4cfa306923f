// Generated and uploaded images: their tables for Drizzle, and their personal data.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ImageMime } from '../../domain/image-formats.ts'
import {
  accountTable,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  NOT_EXPORTED,
  type StoredTable,
} from '../stored-table.ts'

/** Generated images. Their cost is in the record of their call: `call_id` is the id of both the hold and the call. */
export const generations = sqliteTable('generations', {
  id: integer().primaryKey(),
  /** The public id, in lower case. */
  uuid: text().notNull().unique(),
  account_id: integer().notNull(),
  call_id: integer().notNull(),
  /** The image's index within its call, from 0. */
  position: integer().notNull(),
  kind: text({ enum: ['generation', 'edit', 'compose'] }).notNull(),
  state: text({ enum: ['generating', 'stored', 'failed'] }).notNull(),
  model: text().notNull(),
  prompt: text().notNull(),
  revised_prompt: text(),
  /** The file keys and generation ids that it was made from, without inline images. */
  parents: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** The file in the image store. This column and those below, up to `sha256`, are set once the image is stored. */
  file_key: text().unique(),
  mime: text().$type<ImageMime>(),
  width: integer(),
  height: integer(),
  bytes: integer(),
  sha256: text(),
  created_at_ms: integer().notNull(),
  /** Since when the file of a stored image has been missing; null while it exists. */
  missing_since_ms: integer(),
  /** The gateway that generates or generated it. */
  gateway_id: integer(),
})

/** Uploaded images. All rows of an account count against its quota, including those being stored or missing. */
export const files = sqliteTable('files', {
  id: integer().primaryKey(),
  /** files/<account_id>/<uuid>_<name>.<ext> */
  key: text().notNull().unique(),
  account_id: integer().notNull(),
  /** The caller's file name, sanitized. */
  name: text().notNull(),
  state: text({ enum: ['storing', 'stored'] }).notNull(),
  mime: text().$type<ImageMime>().notNull(),
  bytes: integer().notNull(),
  sha256: text(),
  width: integer(),
  height: integer(),
  created_at_ms: integer().notNull(),
  /** Since when a stored file has been missing on the disk; null while it exists. */
  missing_since_ms: integer(),
  /** The gateway that receives or received it. */
  gateway_id: integer(),
})

export const image_tables: readonly StoredTable[] = [
  accountTable(generations, {
    erases: 'rows',
    described: 'images made for it, with their prompts',
    file: "'images/' || file_key",
    columns: {
      ...columns('id uuid account_id call_id position kind state model prompt revised_prompt', EXPORTED),
      parents: EXPORTED_JSON,
      ...columns('file_key mime width height bytes sha256 created_at_ms missing_since_ms', EXPORTED),
      gateway_id: NOT_EXPORTED,
    },
  }),
  accountTable(files, {
    erases: 'rows',
    described: 'images that it uploaded',
    file: "CASE WHEN state = 'stored' THEN key END",
    columns: {
      ...columns('id key account_id name state mime bytes sha256 width height', EXPORTED),
      ...columns('created_at_ms missing_since_ms', EXPORTED),
      gateway_id: NOT_EXPORTED,
    },
  }),
]

export type Generation = typeof generations.$inferSelect
export type FileRow = typeof files.$inferSelect
