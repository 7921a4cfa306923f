// The interface of a place for archives, a folder or a bucket, and the selection of archives among its files.
import type { NoteUnfinished } from '../../../src/store/work-folder.ts'
import { type ArchiveName, readArchiveName } from '../archive/names.ts'

export interface Place {
  /** The address in messages: a folder's path, or `s3://bucket/prefix`. */
  where: string
  /** Throws if no archive can be stored, before one is made. */
  check(): Promise<void>
  /**
   * Stores an archive. The name appears once the archive is complete and synced; if `content` throws, nothing remains.
   *
   * @param expected_bytes the estimated length of the content
   * @param goesWith called with the path of the unfinished file, if the place is a folder
   * @returns the size in bytes
   * @throws GatewayError conflict if the name exists
   */
  put(
    name: string,
    content: AsyncIterable<Uint8Array>,
    expected_bytes: number,
    goesWith?: NoteUnfinished,
  ): Promise<number>
  /** Streams an archive. @throws GatewayError not_found */
  open(name: string): Promise<AsyncIterable<Uint8Array>>
  /** The size in bytes of an archive that `open` has found. */
  size(name: string): Promise<number>
  /** Lists archives, recognized by their names, newest first. Other files are ignored. */
  list(): Promise<Archive[]>
  remove(name: string): Promise<void>
}

/** An archive as its place lists it. */
export interface Archive extends ArchiveName {
  name: string
  bytes: number
}

/** Selects the archives, recognized by their names, newest first. */
export const archivesAmong = (files: readonly { name: string; bytes: number }[]): Archive[] =>
  files
    .flatMap(({ name, bytes }) => {
      const read = readArchiveName(name)
      return read ? [{ name, bytes, ...read }] : []
    })
    .sort((one, other) => other.made_at_ms - one.made_at_ms)

/**
 * Names the scheduled archives to delete: all but the newest `keep`, of which there is at least one. Archives made by hand are
 * never deleted.
 */
export function pastKeeping(archives: readonly Archive[], keep: number): string[] {
  return archives
    .filter(({ is_scheduled }) => is_scheduled)
    .sort((one, other) => other.made_at_ms - one.made_at_ms)
    .slice(Math.max(1, keep))
    .map(({ name }) => name)
}
