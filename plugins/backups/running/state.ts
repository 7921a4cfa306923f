// Backups as plugins see them: what there is, what is being made or verified, and a new one on request.
import type { Archive } from '../../../src/backup/archives.ts'
import type { By } from '../../../src/domain/actions.ts'

export interface BackupWork {
  kind: 'make' | 'verify'
  /** The archive that is verified; undefined of one that is being made. */
  name: string | undefined
  since_ms: number
  /** Undefined until it is known. */
  progress: { files: number; bytes: number; of_bytes: number } | undefined
}

export interface EndedBackupWork {
  kind: BackupWork['kind']
  /** The archive; undefined of one that could not be made. */
  name: string | undefined
  ended_at_ms: number
  /** Why it failed; undefined if it did not. */
  failure: string | undefined
  /** What was found or done, in a sentence. */
  result: string | undefined
  /** What the operator should know of it all the same. */
  warnings: readonly string[]
}

export interface Backups {
  /** Where they are kept, in words. */
  readonly where: string
  /** When the next one is due; undefined if there is no schedule. */
  readonly next_at_ms: number | undefined
  readonly running: BackupWork | undefined
  /** The last of each kind since the start. */
  readonly last: { make: EndedBackupWork | undefined; verify: EndedBackupWork | undefined }
  /** @throws GatewayError if the place cannot be read */
  list(): Promise<Archive[]>
  /** Begins one beside the calls. @throws GatewayError conflict while one is being made or verified */
  make(by: By): void
  /** The same for the drill of a restore. @throws GatewayError conflict; not_found if no archive has this name */
  verify(name: string, by: By): void
  /** The bytes of an archive, read as they are consumed. @throws GatewayError not_found */
  open(name: string): Promise<AsyncIterable<Uint8Array>>
}
