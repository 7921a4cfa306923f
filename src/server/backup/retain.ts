// What follows a scheduled backup: it is recorded, and those of the schedule that are too many are deleted.
import { pastKeeping } from '../../backup/archives.ts'
import type { Place } from '../../backup/places.ts'
import { keepUnreadable, madeIn, readRecord, writeRecord } from './record.ts'

export interface RetainOptions {
  data_folder: string
  place: Place
  keep: number
}

/** @returns what the operator should know of it */
export function recordMade(
  { data_folder, place }: Pick<RetainOptions, 'data_folder' | 'place'>,
  name: string,
  made_at_ms: number,
): string[] {
  const unreadable = keepUnreadable(data_folder)
  writeRecord(data_folder, [...readRecord(data_folder), { place: place.id, name, made_at_ms }])
  if (unreadable === undefined) return []
  return [
    `The record of what the schedule made could not be read, and was moved to ${unreadable}: what it made until now is kept until you delete it.`,
  ]
}

/** Deletes what is past keeping. @returns the names of what was deleted */
export async function retain({ data_folder, place, keep }: RetainOptions): Promise<string[]> {
  const listed = await place.list()
  const gone = pastKeeping(listed, madeIn(data_folder, place), keep)
  for (const name of gone) await place.remove(name)
  // What is not there any longer is of no interest; of other places nothing is known now.
  const there = new Set(listed.map(({ name }) => name))
  writeRecord(
    data_folder,
    readRecord(data_folder).filter(
      ({ place: at, name }) => at !== place.id || (there.has(name) && !gone.includes(name)),
    ),
  )
  return gone
}
