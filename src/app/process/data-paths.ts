// The paths of a data folder: its files, its older states, and those that commands make for their time.
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

/** For its owner alone: where the running gateway takes withdrawals of commands, and the secret that they need. */
export const WITHDRAWALS_FILE = 'serve.withdrawals'

/** The unpacked files of a restore, until they are put in their place. */
export const INCOMING = '.restore'
/** It is there while a restore puts its files in place. Earlier versions, which replaced files, had a plan of that name. */
export const RESTORE_MARK = '.restore.json'

/** @throws GatewayError conflict for a folder in which a restore was killed while it put its files in place */
export function refuseHalfRestored(dir: string): void {
  if (existsSync(join(dir, RESTORE_MARK)))
    throw conflict(
      `${dir} has only a part of a backup: a restore into it was interrupted. Restore the backup into a new folder with --to, then start with it.`,
    )
}

/** Whether a name in a data folder is of a database, a catalogue or more that a restore or a migration put aside. */
export const isOlderState = (name: string): boolean =>
  /^(before-restore-|tollgate\.(db|toml)\.(before|replaced)-)/.test(name)

/** Where copies of the database are made: in the data folder, where there is room for them. */
export const databaseCopyWork = (dir: string): WorkLocation => ({
  parent: dir,
  prefix: '.backup-',
  is_data_folder: true,
})
