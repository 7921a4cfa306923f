// The doctor's checks of backups: a recent one exists, on another disk than the data; and the disk space of older data states.

import { lstatSync, readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CheckContext,
  type CheckTime,
  type Diagnosis,
  diagnosesOf,
  type ReadContext,
} from '../../src/app/checks/check.ts'
import { isOlderState } from '../../src/app/process/data-paths.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import { isAbsent } from '../../src/store/folder.ts'
import { sizeText } from '../../src/utilities/size-text.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import type { Archive, Place } from './places/place.ts'
import { configuredPlace } from './places/where.ts'
import { type BackupSettings, backup_section } from './settings.ts'

const backup_place = diagnosesOf('backup place')
const older_states = diagnosesOf('older states')

const { fail, ok, warn } = diagnosesOf('backups')
/** Time for the backup itself and for retries after a failure. */
const LATE_MS = 2 * HOUR_MS
/** The limit for backups without a schedule, which a person or another program makes. */
const MAX_AGE_BY_HAND_MS = 8 * DAY_MS

/** An alert is raised only for late or impossible backups. Only the doctor warns if no backup exists. */
export async function checkBackups(context: ReadContext, time: CheckTime = 'doctor'): Promise<Diagnosis[]> {
  const { data_folder, catalogue, now } = context
  const settings = backup_section.of(catalogue)
  if (time === 'alert')
    return await lateBackups(settings, () => configuredPlace({ settings, data_folder }), now())
  // The gateway's environment may have the variable, though this command's does not.
  if (settings.unavailable !== undefined)
    return [
      warn(
        `not checked: ${settings.unavailable}`,
        'Set it for this command, too, and check that the gateway has it.',
      ),
    ]
  try {
    const place = configuredPlace({ settings, data_folder })
    const [newest] = await place.list()
    const judged = judge({ settings, newest, where: place.where, now_ms: now() })
    return [judged, ...(await sameDisk(settings, place.where, data_folder))]
  } catch (refusal) {
    return [fail(messageOf(refusal), 'Until you fix this, backups cannot be created or restored there.')]
  }
}

/** @param place returns the place of [backup]; called only if its settings are complete */
export async function lateBackups(
  settings: BackupSettings,
  place: () => Pick<Place, 'where' | 'list'>,
  now_ms: number,
): Promise<Diagnosis[]> {
  if (settings.unavailable !== undefined)
    return [
      fail(
        `no backup is possible: ${settings.unavailable}`,
        'Set it where the gateway is started, and restart.',
      ),
    ]
  const of_backups = place()
  const [newest] = await of_backups.list()
  return newest ? [judge({ settings, newest, where: of_backups.where, now_ms })] : []
}

interface NewestBackup {
  settings: BackupSettings
  newest: Archive | undefined
  where: string
  now_ms: number
}

function judge({ settings: { schedule }, newest, where, now_ms }: NewestBackup): Diagnosis {
  if (!newest && schedule)
    return warn(
      `none yet in ${where}`,
      'The first one runs a minute after the start. If it does not, check the log.',
    )
  if (!newest)
    return warn(
      `none in ${where}, and no schedule`,
      'Set `at = "03:00"` in [backup], or run `tollgate backup`.',
    )
  const age_ms = now_ms - newest.made_at_ms
  const found = `${newest.name}, ${ageText(age_ms)} old, is the newest in ${where}`
  if (!schedule)
    return age_ms > maxAgeOf(undefined)
      ? warn(found, 'Run `tollgate backup`, or set `at` or `every` in [backup] for scheduled backups.')
      : ok(found)
  if (age_ms > maxAgeOf(schedule))
    return fail(
      found,
      'A scheduled backup is missing: check that the gateway runs, and look for the cause on the System page or in the log.',
    )
  return ok(found)
}

/** The age that the newest backup may reach. @param schedule undefined for backups by hand */
function maxAgeOf(schedule: BackupSettings['schedule']): number {
  if (!schedule) return MAX_AGE_BY_HAND_MS
  return ('every_ms' in schedule ? schedule.every_ms : DAY_MS) + LATE_MS
}

function ageText(age_ms: number): string {
  if (age_ms < HOUR_MS) return 'less than 1 h'
  return age_ms < 2 * DAY_MS ? `${Math.round(age_ms / HOUR_MS)} h` : `${Math.round(age_ms / DAY_MS)} days`
}

/** Warns if backups and data share a disk, whose failure would lose both. */
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
    backup_place.warn(
      `${where} is on the same disk as the data folder: if it fails, both are lost`,
      'Set a bucket, or a folder on another disk, in [backup].',
    ),
  ]
}

export function checkPutAside({ data_folder }: Pick<CheckContext, 'data_folder'>): Diagnosis[] {
  // `checkFolder` reports a missing folder.
  if (isAbsent(data_folder)) return []
  const names = readdirSync(data_folder).filter(isOlderState)
  if (names.length === 0) return []
  const bytes = names.reduce((sum, name) => sum + bytesIn(join(data_folder, name)), 0)
  const found = `${sizeText(bytes)} of older states: ${names.sort().join(', ')}`
  return [older_states.ok(`${found}; delete what you no longer need`)]
}

function bytesIn(path: string): number {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
