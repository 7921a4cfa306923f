// The paths of a data folder: its files, its older states, and temporary files of commands.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from '../../domain/errors.ts'
import type { WorkLocation } from '../../store/work-folder.ts'

export interface DataPaths {
  dir: string
  catalogue_path: string
  database_path: string
}

export const dataPaths = (dir: string): DataPaths => ({
  dir,
  catalogue_path: join(dir, 'tollgate.toml'),
  database_path: join(dir, 'tollgate.db'),
})

/** A file readable only by its owner: where the running gateway accepts withdrawals of commands, and the secret that they require. */
export const WITHDRAWALS_FILE = 'serve.withdrawals'

/** The unpacked files of a restore, until they are moved into place. */
export const INCOMING = '.restore'
/** Exists while a restore moves its files into place. Earlier versions, which replaced files, wrote a plan under that name. */
export const RESTORE_MARK = '.restore.json'

/** @throws GatewayError conflict for a folder in which a restore was killed while it moved its files into place */
export function refuseHalfRestored(dir: string): void {
  if (existsSync(join(dir, RESTORE_MARK)))
    throw conflict(
      `${dir} has only a part of a backup: a restore into it was interrupted. Restore the backup into a new folder with --to, then start with it.`,
    )
}

/** Whether a name in a data folder is that of an older state, kept by a restore or a migration. */
export const isOlderState = (name: string): boolean =>
  /^(before-restore-|tollgate\.(db|toml)\.(before|replaced)-)/.test(name)

/** Returns the work folder for copies of the database: in the data folder, whose disk has room for them. */
export const databaseCopyWork = (dir: string): WorkLocation => ({
  parent: dir,
  prefix: '.backup-',
  is_data_folder: true,
})
