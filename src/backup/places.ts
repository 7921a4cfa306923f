// Places where archives are kept: a folder, or a bucket; both list, take and give them alike.
import type { Archive } from './archives.ts'

export interface Place {
  /** What tells it from every other place. */
  id: string
  /** In words for people: a folder's path, or `s3://bucket/prefix`. */
  where: string
  /** Fails early where nothing could be put: before an archive is made for it. */
  check(): Promise<void>
  /**
   * Takes an archive. It has its name once it is whole and safe; where `content` fails nothing stays of it.
   *
   * @param expected_bytes about as much as will come
   * @returns its bytes
   * @throws GatewayError conflict where the name is taken
   */
  put(name: string, content: AsyncIterable<Uint8Array>, expected_bytes: number): Promise<number>
  /** Its bytes, read as they are consumed. @throws GatewayError not_found */
  open(name: string): Promise<AsyncIterable<Uint8Array>>
  /** Archives by this program's names, the newest first; all else is left alone. */
  list(): Promise<Archive[]>
  remove(name: string): Promise<void>
}
