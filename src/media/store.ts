// Owns image files on disk: a file under its final name is whole and safe from power loss, or is not there.
import { createHash, randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { payloadTooLarge } from '../domain/errors.ts'
import { assertFileKey, isFileKey } from './keys.ts'

export interface PutOptions {
  /** More than this is refused while it comes in, and nothing of it stays. */
  cap_bytes?: number
}

export interface PutResult {
  readonly bytes: number
  /** Of the content, in lower-case hexadecimal. */
  readonly sha256: string
}

export interface StoredFile {
  readonly key: string
  readonly bytes: number
}

export interface FileStore {
  /**
   * Writes a file. When it returns, the file survives power loss; a file of the same key is replaced at once.
   *
   * @throws GatewayError invalid_request (`invalid_image_key`); payload_too_large (`IMAGE_TOO_LARGE`) over the cap;
   * what the content or the disk threw. In each case nothing is left under the key that was not there before
   */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>
  /** The file, read as it is consumed; undefined where there is none. @throws GatewayError for no key */
  open(key: string): Promise<Blob | undefined>
  /** @returns whether there was such a file. @throws GatewayError for no key */
  remove(key: string): Promise<boolean>
  /** Takes a file out of the store without deleting it: it lies in the folder STRAYS from then on. */
  quarantine(key: string): Promise<void>
  /** All files, in no order; what is not of the store's making is passed over. */
  list(): Promise<StoredFile[]>
  /** Deletes what writes that a crash cut short left behind. Only at start: it would cut short those under way, too. */
  removeLeftovers(): Promise<void>
}

/** A dot first: no key can name it. Inside the store, because a rename is atomic only within one file system. */
const INCOMING = '.incoming'

/** Where files lie that no row names: a database that is put back from a backup may name them again one day. */
export const STRAYS = '.strays'

/** @param folder where the files are; made when first needed */
export function createFileStore(folder: string): FileStore {
  const incoming = join(folder, INCOMING)

  const pathOf = (key: string): string => {
    assertFileKey(key)
    return join(folder, key)
  }

  return {
    async put(key, content, { cap_bytes = Number.POSITIVE_INFINITY } = {}) {
      const path = pathOf(key)
      const temporary = join(incoming, randomUUID())
      await makeFolder(incoming)
      try {
        const result = await writeSynced(temporary, content, cap_bytes)
        await makeFolder(dirname(path))
        await rename(temporary, path)
        await syncFolder(dirname(path))
        return result
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },

    async open(key) {
      const path = pathOf(key)
      return (await sizeOf(path)) === undefined ? undefined : Bun.file(path)
    },

    async remove(key) {
      const path = pathOf(key)
      if ((await sizeOf(path)) === undefined) return false
      const removed = await unlink(path).then(() => true, orIfMissing(false))
      await syncFolder(dirname(path))
      return removed
    },

    async list() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(orIfMissing([]))
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => ({ path, key: relative(folder, path).split(sep).join('/') }))
        .filter(({ key }) => isFileKey(key))
      const sized = files.map(async ({ path, key }) => ({ key, bytes: await sizeOf(path) }))
      return (await Promise.all(sized)).flatMap(({ key, bytes }) =>
        bytes === undefined ? [] : [{ key, bytes }],
      )
    },

    async quarantine(key) {
      const path = join(folder, STRAYS, key)
      await makeFolder(dirname(path))
      await rename(pathOf(key), path)
      await syncFolder(dirname(path))
    },

    removeLeftovers: () => rm(incoming, { recursive: true, force: true }),
  }
}

/** Writes and fsyncs a new file, counting and hashing what passes. */
async function writeSynced(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  cap_bytes: number,
): Promise<PutResult> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
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

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, offset)
    offset += bytesWritten
  }
}

/** Makes a folder and those above it, and fsyncs the parent of each that is new, without which it may vanish. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** A rename or a deletion is safe from power loss once the folder that it changed is. fsync(2), "Notes". */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Undefined where there is no file of this path, be it that it has just been removed. */
const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then((entry) => (entry.isFile() ? entry.size : undefined), orIfMissing(undefined))

/** Takes ENOENT, and a file where a folder should be, for absence; throws on what else there is. */
const orIfMissing =
  <T>(absent: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return absent
    throw error
  }

const tooLarge = (cap_bytes: number): Error =>
  payloadTooLarge(`An image may have at most ${Math.floor(cap_bytes / 1024 / 1024)} MB.`, {
    code: 'IMAGE_TOO_LARGE',
  })
