// The library of images: rows in the database, two folders of files, and the quota of each account.

import { join } from 'node:path'
import type { Db } from '../db/db.ts'
import { createFileStore, type FileStore } from '../media/store.ts'
import { createQuota, type Quota, usedBytes } from './quota.ts'

export interface Library {
  db: Db
  /** Produced images: `<account id>/<uuid>.<ext>`. */
  images: FileStore
  /** Uploaded images: `<account id>/<uuid>_<name>.<ext>`, which is their key without its first segment. */
  files: FileStore
  quota: Quota
  /** The gateway that makes images and takes them in. */
  gateway_id: number
  /** Unix time in milliseconds. */
  now: () => number
  /** Called after each step with its name; for tests of crashes. */
  probe: (point: string) => void
}

export interface LibraryOptions extends Pick<Library, 'db' | 'now' | 'probe' | 'gateway_id'> {
  /** The folder that has the two folders. */
  data_folder: string
}

/** The two folders of files of a data folder, whether they exist or not. */
export const foldersIn = (data_folder: string): Pick<Library, 'images' | 'files'> => ({
  images: createFileStore(join(data_folder, 'images')),
  files: createFileStore(join(data_folder, 'files')),
})

/** The library of a data folder. One per process, because the bytes of uploads in progress are counted in memory. */
export function openLibrary({ data_folder, ...parts }: LibraryOptions): Library {
  return {
    ...parts,
    ...foldersIn(data_folder),
    quota: createQuota((account_id) => usedBytes(parts.db, account_id)),
  }
}
