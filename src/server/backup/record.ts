// The record of what the schedule made, so that nothing else is ever deleted: a small file of the data folder.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type { Place } from '../../backup/places.ts'
import { flush } from '../../db/copy.ts'
import { giveToFolderOwner } from '../../db/folder.ts'
import { readJsonAs } from '../../domain/validation.ts'

const Record = Type.Object({
  made: Type.Array(
    Type.Object({
      /** The place's `id`. */
      place: Type.String(),
      name: Type.String(),
      made_at_ms: Type.Integer({ minimum: 0 }),
    }),
  ),
})
export type MadeBySchedule = Static<typeof Record>['made'][number]

const NAME = 'backups.json'

const recordAt = (path: string) => readJsonAs(Record, readFileSync(path, 'utf8'))

/** Nothing, too, where the file is none of ours: nothing is deleted by it then. */
export function readRecord(data_folder: string): MadeBySchedule[] {
  const path = join(data_folder, NAME)
  return existsSync(path) ? (recordAt(path)?.made ?? []) : []
}

/** The names of what the schedule made in a place. */
export const madeIn = (data_folder: string, { id }: Pick<Place, 'id'>): Set<string> =>
  new Set(
    readRecord(data_folder)
      .filter(({ place }) => place === id)
      .map(({ name }) => name),
  )

/** Moves a file away that is none of ours, before another one takes its place. @returns where it is; undefined where there is none */
export function keepUnreadable(data_folder: string): string | undefined {
  const path = join(data_folder, NAME)
  if (!existsSync(path) || recordAt(path)) return undefined
  const kept = `${path}.unreadable`
  renameSync(path, kept)
  return kept
}

export function writeRecord(data_folder: string, made: readonly MadeBySchedule[]): void {
  const path = join(data_folder, NAME)
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify({ made }, null, 2)}\n`, { mode: 0o600 })
  giveToFolderOwner(unfinished)
  flush(unfinished)
  renameSync(unfinished, path)
  flush(data_folder)
}
