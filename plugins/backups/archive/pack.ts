// Writing an archive: the head entry, the files, and the manifest.

import { compressedTar, type PackedEntry, type TarWriter } from '../../../src/store/tar.ts'
import { HEAD_NAME, type Head, MANIFEST_NAME, type Manifest } from './manifest.ts'

/** A file to be packed. */
export interface Source {
  /** The path in the archive. */
  path: string
  /** The path on disk, or a function that reads the whole file from elsewhere and returns undefined if it no longer exists. */
  file: string | (() => Promise<Uint8Array | undefined>)
  /** According to the file's row; undefined if the row does not record it. */
  expected_bytes?: number | undefined
  expected_sha256?: string | undefined
}

interface Packing {
  head: Head
  /** Read one after another: later sources may depend on the outcome of earlier ones. */
  sources: AsyncIterable<Source> | Iterable<Source>
  /** Called for each file that is absent, or differs from its row. */
  onTrouble(path: string, trouble: 'absent' | 'changed'): void
  /** Returns the rest of the manifest, once all sources are packed. */
  atEnd(): Pick<Manifest, 'deleted_meanwhile' | 'missing'>
  onProgress?: ((files: number, bytes: number) => void) | undefined
}

/**
 * Generates the bytes of an archive as the consumer reads them.
 *
 * @param onPacked called with the manifest once it is written
 * @throws while it is read: errors of reading a file, also if the size of a file changes during the read
 */
export const packArchive = (
  packing: Packing,
  onPacked: (manifest: Manifest) => void,
): AsyncGenerator<Uint8Array> =>
  compressedTar(packing.head.made_at_ms, async (tar) => onPacked(await writeEntries(tar, packing)))

async function writeEntries(
  tar: TarWriter,
  { head, sources, onTrouble, atEnd, onProgress }: Packing,
): Promise<Manifest> {
  await tar.addText(HEAD_NAME, JSON.stringify(head))
  const entries: Manifest['entries'] = []
  let packed_bytes = 0
  for await (const source of sources) {
    const entry = await addSource(tar, source, (bytes) => onProgress?.(entries.length, packed_bytes + bytes))
    if (entry) entries.push(entry)
    else onTrouble(source.path, 'absent')
    if (entry && isChanged(entry, source)) onTrouble(source.path, 'changed')
    packed_bytes += entry?.bytes ?? 0
    onProgress?.(entries.length, packed_bytes)
  }
  const manifest: Manifest = { ...head, entries, ...atEnd() }
  await tar.addText(MANIFEST_NAME, JSON.stringify(manifest))
  return manifest
}

const isChanged = (
  { bytes, sha256 }: PackedEntry,
  { expected_bytes = bytes, expected_sha256 = sha256 }: Source,
): boolean => bytes !== expected_bytes || sha256 !== expected_sha256

/** @returns undefined if the file does not exist */
async function addSource(
  tar: TarWriter,
  { path, file }: Source,
  onRead: (bytes: number) => void,
): Promise<PackedEntry | undefined> {
  if (typeof file === 'string') return await tar.addFile(path, file, onRead)
  const content = await file()
  return content && (await tar.addBytes(path, content))
}
