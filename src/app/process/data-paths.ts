// The paths of a data folder that backups read and write.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkPlace } from '../../store/work-folder.ts'

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

/** Whether a name in a data folder is of a database or more that a restore or a migration put aside. */
export const isOlderState = (name: string): boolean =>
  /^(before-restore-|tollgate\.db\.(before|replaced)-)/.test(name)

/** Where copies of the database are made for backups: in the data folder, where there is room for them. */
export const backupWork = (dir: string): WorkPlace => ({
  parent: dir,
  prefix: '.backup-',
  is_data_folder: true,
})

/** Where drills unpack. Those of processes that are gone are removed by a start or the next drill: they hold the keys of the providers. */
export const drillWork = (): WorkPlace => ({ parent: tmpdir(), prefix: 'tollgate-verify-' })
