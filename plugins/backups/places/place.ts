// Places where archives are kept: a folder, or a bucket; both list, take and give them alike. And the archives among their files.
import type { NoteUnfinished } from '../../../src/store/work-folder.ts'
import { type ArchiveName, readArchiveName } from '../archive/names.ts'

export interface Place {
  /** In words for people: a folder's path, or `s3://bucket/prefix`. */
  where: string
  /** Fails early where nothing could be put: before an archive is made for it. */
  check(): Promise<void>
  /**
   * Takes an archive. It has its name once it is whole and safe; where `content` fails nothing stays of it.
   *
   * @param expected_bytes about as much as will come
   * @param goesWith called with the file in which it is written, where it is a file
   * @returns its bytes
   * @throws GatewayError conflict if the name is taken
   */
  put(
    name: string,
    content: AsyncIterable<Uint8Array>,
    expected_bytes: number,
    goesWith?: NoteUnfinished,
  ): Promise<number>
  /** Its bytes, read as they are consumed. @throws GatewayError not_found */
  open(name: string): Promise<AsyncIterable<Uint8Array>>
  /** How many they are. Asked of what could be opened. */
  size(name: string): Promise<number>
  /** Archives by this program's names, the newest first; all else is left alone. */
  list(): Promise<Archive[]>
  remove(name: string): Promise<void>
}

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
 * The archives that the schedule deletes: of those that it made, all but the newest `keep`, and always one. Other
 * archives are never among them.
 */
export function pastKeeping(archives: readonly Archive[], keep: number): string[] {
  return archives
    .filter(({ is_scheduled }) => is_scheduled)
    .sort((one, other) => other.made_at_ms - one.made_at_ms)
    .slice(Math.max(1, keep))
    .map(({ name }) => name)
}
