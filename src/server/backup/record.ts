// The record of what the schedule made, so that nothing else is ever deleted: a small file of the data folder.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { flush } from '../../db/copy.ts'
import { giveToFolderOwner } from '../../db/folder.ts'
import { unprocessable } from '../../domain/errors.ts'
import { fits } from '../../domain/validation.ts'

const Record = Type.Object({
  made: Type.Array(
    Type.Object({
      /** The place, as it is shown. */
      place: Type.String(),
      name: Type.String(),
      made_at_ms: Type.Integer({ minimum: 0 }),
    }),
  ),
})
export type MadeBySchedule = Static<typeof Record>['made'][number]

const NAME = 'backups.json'

/** @throws GatewayError unprocessable for a file that is none of ours: nothing is deleted by it then */
export function readRecord(data_folder: string): MadeBySchedule[] {
  const path = join(data_folder, NAME)
  if (!existsSync(path)) return []
  const record = parse(readFileSync(path, 'utf8'))
  if (fits(Record, record)) return record.made
  throw unprocessable(
    `${path} cannot be read: move it away. What the schedule made until now is kept until you delete it.`,
  )
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whoever asked says so.
    return undefined
  }
}
