// A compressed tar as it is written: a stream whose memory does not grow with what is in it.
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { createZstdCompress } from 'node:zlib'
import { pack as createPack, type Pack } from 'tar-stream'
import { atEnd } from '../utilities/at-end.ts'

/** The packed part of an entry. */
export interface PackedEntry {
  path: string
  bytes: number
  sha256: string
}

export interface TarWriter {
  /** Adds a file of the disk. @param onRead told how much of it has been read @returns undefined if not found @throws what reading it throws, and where it becomes shorter */
  addFile(path: string, file: string, onRead?: (bytes: number) => void): Promise<PackedEntry | undefined>
  /** Adds content that is made as it is written. @param bytes its exact length, which tar writes before it */
  addBlocks(path: string, bytes: number, blocks: AsyncIterable<Uint8Array>): Promise<PackedEntry>
  addBytes(path: string, content: Uint8Array): Promise<PackedEntry>
  addText(path: string, text: string): Promise<PackedEntry>
}

/**
 * The bytes of a tar, compressed by zstd, made as they are read.
 *
 * @param made_at_ms the time of what is no file of the disk
 * @param fill adds all entries
 * @throws (while it is read) what `fill` throws
 */
export async function* packedTar(
  made_at_ms: number,
  fill: (tar: TarWriter) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const tar = createPack()
  const compressed = createZstdCompress()
  tar.on('error', (failure: Error) => compressed.destroy(failure))
  tar.pipe(compressed)
  fill(writerOf(tar, new Date(made_at_ms))).then(
    () => tar.finalize(),
    (failure: Error) => tar.destroy(failure),
  )
  using _ending = atEnd(() => {
    tar.destroy()
    compressed.destroy()
  })
  for await (const bytes of compressed) yield bytes
}

const writerOf = (tar: Pack, made_at: Date): TarWriter => ({
  async addFile(path, file, onRead) {
    await using handle = await open(file, 'r').catch((failure: NodeJS.ErrnoException) => {
      if (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') return undefined
      throw failure
    })
    if (!handle) return undefined
    try {
      const { size, mtime } = await handle.stat()
      return await addEntry(tar, { path, bytes: size, mtime }, blocksOf(handle, { size, file, onRead }))
    } catch (failure) {
      // An error while reading an open file lacks its name.
      throw failure instanceof Error && 'syscall' in failure
        ? Object.assign(failure, { path: file })
        : failure
    }
  },
  addBlocks: (path, bytes, blocks) => addEntry(tar, { path, bytes, mtime: made_at }, blocks),
  addBytes: (path, content) => addEntry(tar, { path, bytes: content.length, mtime: made_at }, [content]),
  addText(path, text) {
    const bytes = Buffer.from(text)
    return addEntry(tar, { path, bytes: bytes.length, mtime: made_at }, [bytes])
  },
})

async function addEntry(
  tar: Pack,
  { path, bytes, mtime }: { path: string; bytes: number; mtime: Date },
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<PackedEntry> {
  const ended = Promise.withResolvers<void>()
  const entry = tar.entry({ name: path, size: bytes, mode: 0o600, mtime }, (failure) =>
    failure ? ended.reject(failure) : ended.resolve(),
  )
  // Where reading fails, the whole tar is destroyed for it, and its reader is told; both of these failures are dropped here.
  ended.promise.catch(() => {})
  entry.on('error', () => {})
  const hash = new Bun.CryptoHasher('sha256')
  for await (const block of blocks) {
    hash.update(block)
    // The reader is slower: wait for it, or for its end.
    if (!entry.write(block)) await Promise.race([once(entry, 'drain'), ended.promise])
  }
  entry.end(undefined)
  await ended.promise
  return { path, bytes, sha256: hash.digest('hex') }
}

const BLOCK_BYTES = 256 * 1024

/** The content in blocks of their own memory, as long as the file was when it was opened. */
async function* blocksOf(
  handle: FileHandle,
  { size, file, onRead }: { size: number; file: string; onRead: ((bytes: number) => void) | undefined },
): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at))
    const { bytesRead } = await handle.read(block, 0, block.length, at)
    if (bytesRead === 0) throw new Error(`${file} became shorter while it was read: make the backup again.`)
    at += bytesRead
    onRead?.(at)
    yield block.subarray(0, bytesRead)
  }
}
