// A compressed tar as a stream, whose memory does not grow with its content.
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { createZstdCompress } from 'node:zlib'
import { pack as createPack, type Pack } from 'tar-stream'
import { atEnd } from '../utilities/at-end.ts'

/** An entry that was written. */
export interface PackedEntry {
  path: string
  bytes: number
  sha256: string
}

export interface TarWriter {
  /** Adds a file. @param onRead gets the bytes read so far @returns undefined if not found @throws its read error, and if it becomes shorter */
  addFile(path: string, file: string, onRead?: (bytes: number) => void): Promise<PackedEntry | undefined>
  /** Adds content that is generated while it is written. @param bytes its exact length, which tar writes first */
  addBlocks(path: string, bytes: number, blocks: AsyncIterable<Uint8Array>): Promise<PackedEntry>
  addBytes(path: string, content: Uint8Array): Promise<PackedEntry>
  addText(path: string, text: string): Promise<PackedEntry>
}

/**
 * Yields the bytes of a tar, compressed with zstd, generated as they are read.
 *
 * @param made_at_ms the time of entries that are not files
 * @param fill adds all entries
 * @throws (while it is read) as `fill`
 */
export async function* compressedTar(
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
  // If reading fails, the whole tar is destroyed with that error, which its reader gets. So both failures here are dropped.
  ended.promise.catch(() => {})
  entry.on('error', () => {})
  const hash = new Bun.CryptoHasher('sha256')
  for await (const block of blocks) {
    hash.update(block)
    // If the reader is slower, this waits for it, or for its end.
    if (!entry.write(block)) await Promise.race([once(entry, 'drain'), ended.promise])
  }
  entry.end(undefined)
  await ended.promise
  return { path, bytes, sha256: hash.digest('hex') }
}

const BLOCK_BYTES = 256 * 1024

/** Yields the content in separate buffers, up to the length that the file had when it was opened. */
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
