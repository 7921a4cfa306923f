// What follows a scheduled backup: it is recorded, and those of the schedule that are too many are deleted.
import { pastKeeping } from '../../backup/archives.ts'
import type { Place } from '../../backup/places.ts'
import { readRecord, writeRecord } from './record.ts'

export interface RetainOptions {
  data_folder: string
  place: Place
  keep: number
}

/** Notes an archive that the schedule made. */
export function recordMade(
  { data_folder, place }: Pick<RetainOptions, 'data_folder' | 'place'>,
  name: string,
  made_at_ms: number,
): void {
  writeRecord(data_folder, [...readRecord(data_folder), { place: place.where, name, made_at_ms }])
}

/** Deletes what is past keeping. @returns the names of what was deleted */
export async function retain({ data_folder, place, keep }: RetainOptions): Promise<string[]> {
  const record = readRecord(data_folder)
  const made_here = new Set(record.filter((one) => one.place === place.where).map(({ name }) => name))
  const listed = await place.list()
  const gone = pastKeeping(listed, made_here, keep)
  for (const name of gone) await place.remove(name)
  // What is not there any longer is of no interest; of other places nothing is known now.
  const there = new Set(listed.map(({ name }) => name))
  writeRecord(
    data_folder,
    record.filter(({ place: at, name }) => at !== place.where || (there.has(name) && !gone.includes(name))),
  )
  return gone
}
