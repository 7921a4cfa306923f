// The doctor's look at backups: whether there is a good recent one where they are kept, and what older states take of the disk.
import { lstatSync, readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../backup/archives.ts'
import { isAbsent } from '../../db/folder.ts'
import type { BackupSettings } from '../../domain/catalogue.ts'
import { sizeText } from '../../domain/size-text.ts'
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { configuredPlace } from '../backup/where.ts'
import { fail, ok, type Patient, type ReadPatient, warn } from './diagnosis.ts'

const CHECK = 'backups'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What a backup may take, and its attempts after a failure. */
const LATE_MS = 2 * HOUR_MS
/** Of who makes them by hand, or lets another program do it. */
const OLD_DAYS = 8

export async function checkBackups({ data_folder, catalogue, now }: ReadPatient): Promise<Diagnosis[]> {
  const settings = catalogue.backup
  // The gateway's own environment may have it.
  if (settings.unavailable !== undefined)
    return [
      warn(
        CHECK,
        `not looked at: ${settings.unavailable}`,
        'Set it here, too, and see that the gateway has it.',
      ),
    ]
  try {
    const place = configuredPlace({ settings, data_folder })
    const [newest] = await place.list()
    const judged = judge({ settings, newest, where: place.where, now_ms: now() })
    return [judged, ...(await sameDisk(settings, place.where, data_folder))]
  } catch (refusal) {
    return [
      fail(CHECK, messageOf(refusal), 'Until then no backup is made, and none can be restored from there.'),
    ]
  }
}

interface Known {
  settings: BackupSettings
  newest: Archive | undefined
  where: string
  now_ms: number
}

function judge({ settings: { schedule }, newest, where, now_ms }: Known): Diagnosis {
  if (!newest && schedule)
    return warn(
      CHECK,
      `none yet in ${where}`,
      'The first is made a minute after the start: see the log if it is not.',
    )
  if (!newest)
    return warn(
      CHECK,
      `none in ${where}, and no schedule`,
      'Set `at = "03:00"` in [backup], or make one: `tollgate backup`.',
    )
  const age_ms = now_ms - newest.made_at_ms
  const found = `${newest.name}, ${ageText(age_ms)} old, is the newest in ${where}`
  if (!schedule)
    return age_ms > OLD_DAYS * DAY_MS
      ? warn(
          CHECK,
          found,
          'Make one: `tollgate backup`. With `at` or `every` in [backup] it is made by itself.',
        )
      : ok(CHECK, found)
  const period_ms = 'every_ms' in schedule ? schedule.every_ms : DAY_MS
  if (age_ms > period_ms + LATE_MS)
    return fail(
      CHECK,
      found,
      'The schedule should have made another: see the System page or the log for why it failed, and whether the gateway runs.',
    )
  return ok(CHECK, found)
}

function ageText(age_ms: number): string {
  if (age_ms < HOUR_MS) return 'less than 1 h'
  return age_ms < 2 * DAY_MS ? `${Math.round(age_ms / HOUR_MS)} h` : `${Math.round(age_ms / DAY_MS)} days`
}

/** One that breaks takes both. */
async function sameDisk({ place }: BackupSettings, where: string, data_folder: string): Promise<Diagnosis[]> {
  if (place.kind === 'bucket') return []
  const devices = await Promise.all(
    [where, data_folder].map((folder) =>
      stat(folder).then(
        ({ dev }) => dev,
        () => undefined,
      ),
    ),
  )
  if (devices[0] === undefined || devices[0] !== devices[1]) return []
  return [
    warn(
      'backup place',
      `${where} is on the disk of the data folder, and is lost with it`,
      'Name a bucket, or a folder on another disk, in [backup].',
    ),
  ]
}

/** What a restore or a migration put aside. */
const PUT_ASIDE = /^(before-restore-|tollgate\.db\.(before|replaced)-)/

export function checkPutAside({ data_folder }: Pick<Patient, 'data_folder'>): Diagnosis[] {
  // That it is not there is another check's finding.
  if (isAbsent(data_folder)) return []
  const names = readdirSync(data_folder).filter((name) => PUT_ASIDE.test(name))
  if (names.length === 0) return []
  const bytes = names.reduce((sum, name) => sum + bytesIn(join(data_folder, name)), 0)
  const found = `${sizeText(bytes)} of older states: ${names.sort().join(', ')}`
  return [ok('older states', `${found}; delete what is not needed any more`)]
}

function bytesIn(path: string): number {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
