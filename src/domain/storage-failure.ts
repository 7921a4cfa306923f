// The failure of a storage (database, disk, bucket) that cannot be read or written now, independent of the operation.

/** The kind of failure. `unreachable`: the disk or the machine fails, or the file cannot be opened. */
export type StorageTrouble = 'full' | 'busy' | 'read_only' | 'unreachable' | 'damaged'

/** Thrown by a storage engine, which maps its own codes. The same operation may succeed later. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  readonly trouble: StorageTrouble
  /** The engine's code, for the log and for operators. */
  readonly code: string

  constructor(
    trouble: StorageTrouble,
    { code, message, cause }: { code: string; message: string; cause?: unknown },
  ) {
    super(message, { cause })
    this.trouble = trouble
    this.code = code
  }
}

const IN_WORDS: Readonly<Record<StorageTrouble, string>> = {
  full: 'the disk is full',
  busy: "another process holds the database's write lock",
  read_only: 'the database may only be read',
  unreachable: 'the disk fails, or is full',
  damaged: 'the database is damaged',
}

/** Returns the failure in words for the public. */
export const troubleInWords = (trouble: StorageTrouble): string => IN_WORDS[trouble]
