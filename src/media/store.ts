// The interface of file stores, and the store on disk: under its final name a file is complete and survives power loss, or does not exist.
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { payloadTooLarge } from '../domain/errors.ts'
import { BlobBytes, type StoredBytes } from '../domain/stored-bytes.ts'
import { giveFoldersToOwner, giveToFolderOwner } from '../store/folder.ts'
import { assertFileKey, isFileKey } from './keys.ts'
import { tooLargeMessage } from './limits.ts'

export interface PutOptions {
  /** The maximum size. Larger content is refused while it is written, and deleted. */
  cap_bytes?: number
}

export interface PutResult {
  readonly bytes: number
  /** The content's hash, in lower-case hexadecimal. */
  readonly sha256: string
}

export interface FileEntry {
  readonly key: string
  readonly bytes: number
  /** The time of the last write, in Unix milliseconds. */
  readonly modified_at_ms: number
}

/** A store of files by key: a folder, or a part of a bucket. */
export interface FileStore {
  /**
   * Writes a file. When it returns, the file survives power loss; a file with the same key is replaced atomically.
   * @throws GatewayError invalid_request (`invalid_image_key`); payload_too_large (`IMAGE_TOO_LARGE`) over the cap;
   * the error of the content or the store. After an error the key is unchanged
   */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>
  /** Returns the file, read as it is consumed; undefined if not found. @throws GatewayError for a malformed key */
  open(key: string): Promise<StoredBytes | undefined>
  /** Deletes a file, if it exists. @throws GatewayError for a malformed key */
  remove(key: string): Promise<void>
  /** Whether the file exists. @throws GatewayError for a malformed key */
  has(key: string): Promise<boolean>
  /** Deletes all files whose keys begin with this segment, including quarantined ones. @throws GatewayError for a malformed segment */
  removeAllOf(segment: string): Promise<void>
  /** Lists all files in no particular order, without entries that the store did not write. */
  list(): AsyncIterable<FileEntry>
  /** Maintenance that only a folder needs; undefined for a bucket. */
  readonly folder: FolderKeeping | undefined
}

/** Maintenance of a folder of one gateway: a crash may leave files without rows, and the folder may be missing. */
interface FolderKeeping {
  /** Whether the folder exists. */
  hasFolder(): Promise<boolean>
  /** Moves a file into the store's quarantine folder, which no key can address. */
  quarantine(key: string): Promise<void>
  /** Moves a quarantined file back unless its key has a file. @returns whether it did */
  takeBack(key: string): Promise<boolean>
  /** Deletes the remains of interrupted writes. Only for the folder's gateway at its start, since it would also delete running writes. */
  removeLeftovers(): Promise<void>
}

/** A store in a folder. */
export interface FolderStore extends FileStore {
  readonly folder: FolderKeeping
}

/** Begins with a dot, so that no key addresses it. It is inside the store since a rename is atomic only within one file system. */
const INCOMING = '.incoming'

/** The quarantine of files without a row. A database restored from a backup may refer to them again. */
const QUARANTINE = '.strays'

/** @param folder the folder of the files, created on first use */
export function createFileStore(folder: string): FolderStore {
  const incoming = join(folder, INCOMING)

  const pathOf = (key: string): string => {
    assertFileKey(key)
    return join(folder, key)
  }

  return {
    async put(key, content, { cap_bytes = Number.POSITIVE_INFINITY } = {}) {
      const path = pathOf(key)
      const temporary = join(incoming, crypto.randomUUID())
      await makeFolder(incoming)
      try {
        const result = await writeSynced(temporary, content, cap_bytes)
        await move(temporary, path)
        return result
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },

    async open(key) {
      const path = pathOf(key)
      const size = await sizeOf(path)
      return size === undefined ? undefined : new BlobBytes(Bun.file(path), size)
    },

    async remove(key) {
      const path = pathOf(key)
      if ((await sizeOf(path)) === undefined) return
      await unlink(path).catch(orIfMissing(undefined))
      await syncFolder(dirname(path))
    },

    list: () => entriesIn(folder),

    has: async (key) => (await sizeOf(pathOf(key))) !== undefined,

    removeAllOf: (segment) => removeAllIn([folder, join(folder, QUARANTINE)], segment),

    folder: {
      hasFolder: () => stat(folder).then((entry) => entry.isDirectory(), orIfMissing(false)),

      async takeBack(key) {
        const path = pathOf(key)
        const quarantined = join(folder, QUARANTINE, key)
        if ((await sizeOf(quarantined)) === undefined || (await sizeOf(path)) !== undefined) return false
        await move(quarantined, path)
        return true
      },

      quarantine: (key) => move(pathOf(key), join(folder, QUARANTINE, key)),

      removeLeftovers: () => rm(incoming, { recursive: true, force: true }),
    },
  }
}

const ENTRIES_AT_ONCE = 500

/** Lists the files below a folder that have valid keys. */
async function* entriesIn(folder: string): AsyncGenerator<FileEntry> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(orIfMissing([]))
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, key: relative(folder, path).split(sep).join('/') }))
    .filter(({ key }) => isFileKey(key))
  for (let at = 0; at < files.length; at += ENTRIES_AT_ONCE) {
    const some = files.slice(at, at + ENTRIES_AT_ONCE)
    const found = await Promise.all(some.map(async ({ path, key }) => ({ key, entry: await fileAt(path) })))
    for (const { key, entry } of found)
      if (entry) yield { key, bytes: entry.size, modified_at_ms: entry.mtimeMs }
  }
}

/** Deletes the entry of this name in each folder. */
async function removeAllIn(folders: readonly string[], segment: string): Promise<void> {
  assertFileKey(segment)
  for (const folder of folders) {
    await rm(join(folder, segment), { recursive: true, force: true })
    await syncFolder(folder).catch(orIfMissing(undefined))
  }
}

/** Writes and fsyncs a new file, counting and hashing its content. */
async function writeSynced(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  cap_bytes: number,
): Promise<PutResult> {
  const hash = new Bun.CryptoHasher('sha256')
  let bytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    giveToFolderOwner(path)
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      bytes += chunk.byteLength
      if (bytes > cap_bytes) throw tooLarge(cap_bytes)
      hash.update(chunk)
      await writeAll(file, chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Repeats writes, since a single one may write less than it was given. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, offset)
    offset += bytesWritten
  }
}

/** Renames a complete file durably, and creates missing folders. */
async function move(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to))
  await rename(from, to)
  await syncFolder(dirname(to))
}

/** Creates a folder and its parents with the owner of the folder above, and fsyncs each parent: otherwise a power loss may remove them. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  giveFoldersToOwner(first, folder)
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Syncs a folder, which makes a rename or a deletion in it survive power loss. fsync(2), "Notes". */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the file's status; undefined if there is no file at this path, or it was just removed. */
const fileAt = (path: string) =>
  stat(path).then((entry) => (entry.isFile() ? entry : undefined), orIfMissing(undefined))

const sizeOf = async (path: string): Promise<number | undefined> => (await fileAt(path))?.size

/** Creates an error handler that returns `absent` for ENOENT and ENOTDIR, and rethrows all other errors. */
const orIfMissing =
  <T>(absent: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return absent
    throw error
  }

/** Creates the error for content over its cap. */
export const tooLarge = (cap_bytes: number): Error =>
  payloadTooLarge(tooLargeMessage(cap_bytes), { code: 'IMAGE_TOO_LARGE' })
