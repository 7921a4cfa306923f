// Copies of the data that an erasure does not reach: the operator deletes them, or they expire.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isOlderState } from '../../src/app/process/data-paths.ts'
import { FILE_FOLDERS, type FileStores } from '../../src/app/process/files/stores.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import { bucketMark } from '../../src/store/bucket-marks.ts'
import type { Db } from '../../src/store/db.ts'
import { counted } from '../../src/utilities/counted.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { configuredPlace, type WhereOptions } from '../backups/index.ts'

interface LeftoverOptions extends WhereOptions {
  files: FileStores
  /** Whether the rows are on a database server: then a database file in the data folder is an old copy. */
  is_on_server: boolean
}

/** Sentences for the operator, one or more per kind of copy. */
export async function leftovers(db: Db, options: LeftoverOptions): Promise<string[]> {
  const { files } = options
  return [
    ...(await aboutBackups(options)),
    ...aboutCopies(options),
    ...(files.bucket ? aboutBucket(files, options.data_folder) : await aboutOlderBucket(db)),
    'Not erased: data of plugins, the log, and backups elsewhere. Restoring an older backup restores the data: erase it again then.',
  ]
}

async function aboutBackups(options: WhereOptions): Promise<string[]> {
  const { settings } = options
  try {
    const place = configuredPlace(options)
    const archives = await place.list()
    if (archives.length === 0) return []
    const by_schedule = archives.filter(({ is_scheduled }) => is_scheduled).length
    const others = archives.length - by_schedule
    return [
      `Earlier backups still have it: ${archives.length} in ${place.where}.`,
      ...(by_schedule === 0
        ? []
        : [
            settings?.schedule
              ? `The schedule deletes its ${by_schedule} with the next ${settings.keep}${spanOf(settings.schedule, settings.keep)}.`
              : `No backup schedule is set, so the ${by_schedule} scheduled ones are not deleted.`,
          ]),
      ...(others === 0 ? [] : [`Manual backups, for you to delete: ${others}.`]),
    ]
  } catch (thrown) {
    return [`Earlier backups still have it, and could not be listed: ${messageOf(thrown)}`]
  }
}

function spanOf(schedule: { every_ms: number } | { at_minute: number }, keep: number): string {
  const hours = ('every_ms' in schedule ? schedule.every_ms / HOUR_MS : 24) * keep
  return hours >= 48
    ? `, in about ${Math.ceil(hours / 24)} days`
    : `, in about ${counted(Math.ceil(hours), 'hour')}`
}

/** Copies of the database from before a migration or a move to a server, and data that restores replaced. */
function aboutCopies({ data_folder, is_on_server }: LeftoverOptions): string[] {
  const isCopy = (name: string) => isOlderState(name) || (is_on_server && name === 'tollgate.db')
  const copies = readdirSync(data_folder).filter(isCopy).sort()
  return copies.length === 0 ? [] : [`Earlier copies still have it, for you to delete: ${copies.join(', ')}.`]
}

/** Older versions in the bucket, and file folders from before the move to it. */
function aboutBucket({ address }: FileStores, data_folder: string): string[] {
  const left = FILE_FOLDERS.filter((name) => !isEmpty(join(data_folder, name)))
  return [
    `If ${address} keeps versions, older ones and unfinished uploads stay until its lifecycle rules delete them.`,
    'Kept answers and responses that were deleted while the bucket was unavailable may still be there, without an owner: ' +
      '`tollgate audit --files --remove` deletes them once they are a day old.',
    ...(left.length === 0
      ? []
      : [
          `Earlier folders may still have it, for you to delete: ${left.map((name) => `${name}/`).join(', ')}.`,
        ]),
  ]
}

/** A bucket keeps its files after they were copied into it or back from it. */
const aboutOlderBucket = async (db: Db): Promise<string[]> =>
  (await bucketMark(db)) === undefined
    ? []
    : [
        'The bucket that this gateway had, or that its files were copied to, may still have it. [storage] does not name it, so delete it yourself.',
      ]

/** True for a missing folder, too. */
const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0
