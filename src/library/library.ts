// The library of images: rows in the database, two stores of files, and the quota of each account.
import { join } from 'node:path'
import { overloaded } from '../domain/errors.ts'
import { createFileStore, type FileStore } from '../media/store.ts'
import type { Db } from '../store/db.ts'
import { createQuota, type Quota, usedBytes } from './quota.ts'

export interface Library {
  db: Db
  /** Generated images: `<account id>/<uuid>.<ext>`. */
  images: FileStore
  /** Uploaded images: `<account id>/<uuid>_<name>.<ext>`, which is their key without its first segment. */
  files: FileStore
  quota: Quota
  /** Whether files cannot be stored now. Cheap. */
  isFailing: () => boolean
  /** This gateway, recorded with images that it generates or receives. */
  gateway_id: number
  /** Unix time in milliseconds. */
  now: () => number
  /** Called with the name of each step, for crash tests. */
  probe: (point: string) => void
}

/** Returns the stores of a data folder's two folders, which need not exist. */
export const foldersIn = (data_folder: string): Pick<Library, 'images' | 'files'> => ({
  images: createFileStore(join(data_folder, 'images')),
  files: createFileStore(join(data_folder, 'files')),
})

type LibraryOptions = Omit<Library, 'quota' | 'isFailing'> & Partial<Pick<Library, 'isFailing'>>

/** Creates the library of a gateway. Only one per process, since the bytes of running uploads are counted in memory. */
export const openLibrary = (parts: LibraryOptions): Library => ({
  // A folder needs no such state: each write tries it.
  isFailing: () => false,
  ...parts,
  quota: createQuota((account_id) => usedBytes(parts.db, account_id)),
})

/** @throws GatewayError overloaded if files cannot be stored now, so that generated images would be lost */
export function refuseUnstorable({ isFailing }: Pick<Library, 'isFailing'>): void {
  if (!isFailing()) return
  throw overloaded('The gateway cannot store files at the moment. Please try again.', {
    code: 'storage_unavailable',
    retry_after_s: 5,
  })
}
