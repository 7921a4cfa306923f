// The paths of a data folder that backups read and write.
import { join } from 'node:path'

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
