// The archives among the files of a place.
import { type ArchiveName, readArchiveName } from './names.ts'

/** An archive as its place lists it. */
export interface Archive extends ArchiveName {
  name: string
  bytes: number
}

/** Those of some files that are archives by their names, the newest first. */
export const archivesAmong = (files: readonly { name: string; bytes: number }[]): Archive[] =>
  files
    .flatMap(({ name, bytes }) => {
      const read = readArchiveName(name)
      return read ? [{ name, bytes, ...read }] : []
    })
    .sort((one, other) => other.made_at_ms - one.made_at_ms)

/**
 * What the schedule deletes: of the archives that it made, all but the newest `keep`, of which there is always one. What it
 * did not make is never named.
 */
export function pastKeeping(archives: readonly Archive[], made: ReadonlySet<string>, keep: number): string[] {
  return archives
    .filter(({ name }) => made.has(name))
    .sort((one, other) => other.made_at_ms - one.made_at_ms)
    .slice(Math.max(1, keep))
    .map(({ name }) => name)
}
