// Backups for other plugins: the archives at their place, their greatest age, and the checks of the doctor.
import { configuredPlace } from '../../src/app/process/backup/where.ts'
import type { Place } from '../../src/backup/archives.ts'
import type { BackupSettings } from '../../src/domain/catalogue.ts'

export { checkBackups, checkPutAside } from './check.ts'
export { maxAgeOf } from './max-age.ts'

/** The archives at the place of [backup]. */
export type BackupPlace = Pick<Place, 'where' | 'list'>

/** The place of [backup], resolved with each use. */
export function backupPlace(settings: BackupSettings, data_folder: string): BackupPlace {
  const place = () => configuredPlace({ settings, data_folder })
  return {
    get where() {
      return place().where
    },
    list: async () => await place().list(),
  }
}
