// An archive as it is written: a stream of tar, compressed, whose memory does not grow with what is in it.
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { createZstdCompress } from 'node:zlib'
import { pack as createPack, type Pack } from 'tar-stream'
import { HEAD_NAME, type Head, MANIFEST_NAME, type Manifest } from './manifest.ts'

/** A file to be packed. */
export interface Source {
  /** In the archive. */
  path: string
  /** On the disk. */
  file: string
  /** What it should have; undefined where that is not known. */
  expected_bytes?: number
}

export interface Packing {
  head: Head
  /** Asked for one after another: the later ones may depend on what became of those before. */
  sources: AsyncIterable<Source> | Iterable<Source>
  /** Told of each file that is not there, or has not the size that it should have. */
  onTrouble(path: string, trouble: 'absent' | 'size'): void
  /** Asked at the end. */
  told(): Pick<Manifest, 'deleted_meanwhile' | 'missing'>
  onProgress?: (files: number, bytes: number) => void
}

const BLOCK_BYTES = 256 * 1024

/**
 * The bytes of an archive, made as they are read.
 *
 * @param packed told the manifest when it is written
 * @throws (while it is read) what reading a file throws; a file that changes its size meanwhile
 */
export async function* packArchive(
  packing: Packing,
  packed: (manifest: Manifest) => void,
): AsyncGenerator<Uint8Array> {
  const tar = createPack()
  const compressed = createZstdCompress()
  tar.on('error', (failure: Error) => compressed.destroy(failure))
  tar.pipe(compressed)
  fill(tar, packing).then(packed, (failure: Error) => tar.destroy(failure))
  try {
    for await (const bytes of compressed) yield bytes
  } finally {
    tar.destroy()
    compressed.destroy()
  }
}

async function fill(tar: Pack, { head, sources, onTrouble, told, onProgress }: Packing): Promise<Manifest> {
  const mtime = new Date(head.made_at_ms)
  const addText = (name: string, value: unknown) =>
    written((done) => tar.entry({ name, mode: 0o600, mtime }, JSON.stringify(value), done))
  await addText(HEAD_NAME, head)
  const entries: Manifest['entries'] = []
  let packed_bytes = 0
  for await (const source of sources) {
    const entry = await addFile(tar, source)
    if (entry) entries.push(entry)
    else onTrouble(source.path, 'absent')
    if (entry && source.expected_bytes !== undefined && entry.bytes !== source.expected_bytes)
      onTrouble(source.path, 'size')
    packed_bytes += entry?.bytes ?? 0
    onProgress?.(entries.length, packed_bytes)
  }
  const manifest: Manifest = { ...head, entries, ...told() }
  await addText(MANIFEST_NAME, manifest)
  tar.finalize()
  return manifest
}

const written = (begin: (done: (failure?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => begin((failure) => (failure ? reject(failure) : resolve())))

/** @returns undefined where there is no such file */
async function addFile(tar: Pack, { path, file }: Source): Promise<Manifest['entries'][number] | undefined> {
  const handle = await open(file, 'r').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') return undefined
    throw failure
  })
  if (!handle) return undefined
  try {
    const { size, mtime } = await handle.stat()
    const ended = Promise.withResolvers<void>()
    const entry = tar.entry({ name: path, size, mode: 0o600, mtime }, (failure) =>
      failure ? ended.reject(failure) : ended.resolve(),
    )
    const hash = new Bun.CryptoHasher('sha256')
    for await (const block of blocksOf(handle, size, file)) {
      hash.update(block)
      // Whoever reads is slower than the disk: wait for them, or for their end.
      if (!entry.write(block)) await Promise.race([once(entry, 'drain'), ended.promise])
    }
    entry.end(undefined)
    await ended.promise
    return { path, bytes: size, sha256: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}

/** The content in blocks of their own memory, as long as the file was when it was opened. */
async function* blocksOf(handle: FileHandle, size: number, file: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at))
    const { bytesRead } = await handle.read(block, 0, block.length, at)
    if (bytesRead === 0) throw new Error(`${file} became shorter while it was read: make the backup again.`)
    at += bytesRead
    yield block.subarray(0, bytesRead)
  }
}
