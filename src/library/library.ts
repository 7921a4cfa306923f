// Owns what the library of images is made of: rows in the database, and two folders of files.
import type { Database } from 'bun:sqlite'
import type { FileStore } from '../media/store.ts'

export interface Library {
  db: Database
  /** Produced images: `<account id>/<uuid>.<ext>`. */
  images: FileStore
  /** Uploaded images: `<account id>/<uuid>_<name>.<ext>`, which is their key without its first segment. */
  files: FileStore
  now: () => number
  /** Told of each step that was passed; for tests of crashes. */
  probe: (point: string) => void
}
