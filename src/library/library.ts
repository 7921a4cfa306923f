// The library of images: rows in the database, two stores of files, and the quota of each account.
import { join } from 'node:path'
import { overloaded } from '../domain/errors.ts'
import { createFileStore, type FileStore } from '../media/store.ts'
import type { Db } from '../store/db.ts'
import { createQuota, type Quota, usedBytes } from './quota.ts'

export interface Library {
  db: Db
  /** Produced images: `<account id>/<uuid>.<ext>`. */
  images: FileStore
  /** Uploaded images: `<account id>/<uuid>_<name>.<ext>`, which is their key without its first segment. */
  files: FileStore
  quota: Quota
  /** Whether files cannot be stored at the moment. Costs nothing. */
  isFailing: () => boolean
  /** The gateway that makes images and takes them in. */
  gateway_id: number
  /** Unix time in milliseconds. */
  now: () => number
  /** Called after each step with its name; for tests of crashes. */
  probe: (point: string) => void
}

/** The stores of the two folders of a data folder, whether they exist or not. */
export const foldersIn = (data_folder: string): Pick<Library, 'images' | 'files'> => ({
  images: createFileStore(join(data_folder, 'images')),
  files: createFileStore(join(data_folder, 'files')),
})

type LibraryOptions = Omit<Library, 'quota' | 'isFailing'> & Partial<Pick<Library, 'isFailing'>>

/** A library over stores of files. One per process, because the bytes of uploads in progress are counted in memory. */
export const openLibrary = (parts: LibraryOptions): Library => ({
  // A folder is tried by each write.
  isFailing: () => false,
  ...parts,
  quota: createQuota((account_id) => usedBytes(parts.db, account_id)),
})

/** @throws GatewayError overloaded while files cannot be stored: what is made could not be kept */
export function refuseUnstorable({ isFailing }: Pick<Library, 'isFailing'>): void {
  if (!isFailing()) return
  throw overloaded('The gateway cannot store files at the moment. Please try again.', {
    code: 'storage_unavailable',
    retry_after_s: 5,
  })
}
