// An archive as it is written: what says what it is, the files, and the manifest of them.

import { type PackedEntry, packedTar, type TarWriter } from '../../../src/store/tar.ts'
import { HEAD_NAME, type Head, MANIFEST_NAME, type Manifest } from './manifest.ts'

/** A file to be packed. */
export interface Source {
  /** In the archive. */
  path: string
  /** Its path on the disk; or what reads it elsewhere, whole: what is gone meanwhile is undefined, and no half of an entry. */
  file: string | (() => Promise<Uint8Array | undefined>)
  /** By its row; undefined where the row does not know. */
  expected_bytes?: number | undefined
  expected_sha256?: string | undefined
}

interface Packing {
  head: Head
  /** Read one after another: later ones may depend on the outcome of earlier ones. */
  sources: AsyncIterable<Source> | Iterable<Source>
  /** Called for each file that is absent, or differs from its row. */
  onTrouble(path: string, trouble: 'absent' | 'changed'): void
  /** Returns the rest of the manifest, once all sources are packed. */
  atEnd(): Pick<Manifest, 'deleted_meanwhile' | 'missing'>
  onProgress?: ((files: number, bytes: number) => void) | undefined
}

/**
 * The bytes of an archive, made as they are read.
 *
 * @param packed called with the manifest when it is written
 * @throws (while it is read) what reading a file throws; a file that changes its size meanwhile
 */
export const packArchive = (
  packing: Packing,
  packed: (manifest: Manifest) => void,
): AsyncGenerator<Uint8Array> =>
  packedTar(packing.head.made_at_ms, async (tar) => packed(await fill(tar, packing)))

async function fill(
  tar: TarWriter,
  { head, sources, onTrouble, atEnd, onProgress }: Packing,
): Promise<Manifest> {
  await tar.addText(HEAD_NAME, JSON.stringify(head))
  const entries: Manifest['entries'] = []
  let packed_bytes = 0
  for await (const source of sources) {
    const entry = await add(tar, source, (bytes) => onProgress?.(entries.length, packed_bytes + bytes))
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

/** @returns undefined if it is not there */
async function add(
  tar: TarWriter,
  { path, file }: Source,
  onRead: (bytes: number) => void,
): Promise<PackedEntry | undefined> {
  if (typeof file === 'string') return await tar.addFile(path, file, onRead)
  const content = await file()
  return content && (await tar.addBytes(path, content))
}
