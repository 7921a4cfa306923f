// Kept content: bytes in a row, or in a file if there are many, within the bounds of the account and of all accounts.
import { ignoreStorageFailure, payloadTooLarge } from '../../domain/errors.ts'
import type { StoredBytes } from '../../domain/stored-bytes.ts'
import type { Room } from './room.ts'
import type { KeepLimits } from './space.ts'

/** Up to this size bytes are in the row; SQLite reads and writes rows of that size faster than files. https://sqlite.org/intern-v-extern-blob.html */
export const MAX_ROW_BYTES = 64 * 1024

/** Bytes in the row, or the key of a file, whose bytes count as being written until the row is written. */
export type KeptBody = { bytes: Uint8Array } | { file: string; size_bytes: number }

/** The columns of a row that has content. */
export interface BodyColumns {
  body: Buffer | null
  body_file: string | null
  kept_bytes: number
}

/** The methods of the file store for large bodies. A file under its key is complete and safe from power loss. */
export interface ContentFiles {
  /** Writes a file; nothing is left of a failed write. @throws the disk's error; GatewayError payload_too_large over the cap */
  put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options: { cap_bytes: number },
  ): Promise<unknown>
  /** Opens a file; undefined if not found. */
  open(key: string): Promise<StoredBytes | undefined>
  remove(key: string): Promise<unknown>
  list(): AsyncIterable<{ key: string; bytes: number }>
  /** Undefined for a bucket, which several gateways write to at the same time. */
  readonly folder: { removeLeftovers(): Promise<void> } | undefined
}

interface ContentDeps {
  files: ContentFiles
  room: Room
  limits: () => KeepLimits
}

/**
 * Writes a file, and makes room for each chunk before it is written.
 *
 * @throws GatewayError payload_too_large over the cap, or if there is no room; the error of the content or the disk.
 * No file is left then
 */
export async function writeContent(
  { files, room, limits }: ContentDeps,
  account_id: number,
  content: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  cap_bytes = Number.POSITIVE_INFINITY,
): Promise<KeptBody> {
  const file = crypto.randomUUID()
  const space = await room.space()
  let size_bytes = 0
  async function* chunksWithRoom() {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      // Otherwise older content would be dropped for content that cannot be kept.
      if (size_bytes + chunk.length > Math.min(cap_bytes, limits().kept_bytes_per_account)) throw noRoom()
      size_bytes += chunk.length
      space.write(account_id, chunk.length)
      if (!(await room.make(account_id))) throw noRoom()
      yield chunk
    }
  }
  try {
    await files.put(file, chunksWithRoom(), { cap_bytes })
  } catch (failure) {
    space.write(account_id, -size_bytes)
    throw failure
  }
  return { file, size_bytes }
}

/**
 * Makes room for a body, writes its row, and counts it. If no row is written, the body's file is removed.
 *
 * @param more_bytes the bytes that the row keeps besides the body
 * @param write writes the row, in one statement or transaction. @returns whether it did
 * @returns the result of `write`
 * @throws GatewayError payload_too_large if there is no room; as `write`
 */
export async function keepContent(
  { files, room }: Pick<ContentDeps, 'files' | 'room'>,
  { account_id, body, more_bytes }: { account_id: number; body: KeptBody; more_bytes: number },
  write: (columns: BodyColumns) => Promise<boolean>,
): Promise<boolean> {
  const in_file = 'file' in body
  const size_bytes = in_file ? body.size_bytes : body.bytes.length
  const kept_bytes = more_bytes + size_bytes
  const columns = in_file
    ? { body: null, body_file: body.file, kept_bytes }
    : { body: Buffer.from(body.bytes), body_file: null, kept_bytes }
  let kept = false
  const space = await room.space()
  space.write(account_id, kept_bytes - (in_file ? size_bytes : 0))
  try {
    if (!(await room.make(account_id))) throw noRoom()
    kept = await write(columns)
    if (kept) space.keep(account_id, kept_bytes)
    return kept
  } finally {
    space.write(account_id, -kept_bytes)
    // An error here would hide why it was not kept; a file without a row is removed as in room.ts.
    if (!kept && in_file) await files.remove(body.file).catch(ignoreStorageFailure)
  }
}

/** Opens the bytes of a row's content; undefined if its file is missing. */
export async function openContent(
  files: Pick<ContentFiles, 'open'>,
  { body, body_file }: Pick<BodyColumns, 'body' | 'body_file'>,
): Promise<Uint8Array | StoredBytes | undefined> {
  return body_file === null ? (body ?? undefined) : await files.open(body_file)
}

/**
 * Deletes the files of a folder that no row names, and the remains of interrupted writes. Only at start: it would delete files in
 * progress, too. Does nothing for a bucket, where others may be writing.
 *
 * @returns how many files no row named
 */
export async function removeStrays(files: ContentFiles, names: ReadonlySet<string | null>): Promise<number> {
  if (!files.folder) return 0
  await files.folder.removeLeftovers()
  let strays = 0
  for await (const { key } of files.list()) {
    if (names.has(key)) continue
    await files.remove(key)
    strays += 1
  }
  return strays
}

const noRoom = () => payloadTooLarge('It is larger than what may be kept.')
