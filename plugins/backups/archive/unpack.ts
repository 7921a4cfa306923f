// Unpacking an archive: each entry is written to a new folder and checked against the manifest.
import { mkdir, open } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { extract } from 'tar-stream'
import { GatewayError, unprocessable } from '../../../src/domain/errors.ts'
import { codeOf } from '../../../src/utilities/thrown.ts'
import {
  HEAD_NAME,
  type Head,
  MANIFEST_NAME,
  type Manifest,
  readHead,
  readManifest,
  refuseNewerArchive,
} from './manifest.ts'
import { isArchivePath } from './names.ts'
import type { UnpackRoom } from './unpack-room.ts'

interface Unpacking {
  /** An empty folder that no other process uses. */
  folder: string
  /** The name of the archive in messages. */
  archive: string
  known_schema_version: number
  room: UnpackRoom
}

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer Each> ? Each : never
/** An entry yields its content in blocks, which the type of the package does not declare. */
const blocksOf = (entry: Entry) => entry as AsyncIterable<Buffer>

const MAX_HEAD_BYTES = 64 * 1024
/** With Node's default of 16 KB, unpacking takes eight times the CPU. */
const BLOCK_BYTES = 256 * 1024
/** A manifest has a path and a hash for each file, and the paths of deleted and missing files. */
const MAX_MANIFEST_BYTES = { per_file: 2 * 1024, beside: 64 * 1024 * 1024 }

/**
 * Unpacks an archive into a folder, syncs every file and compares its hash with the manifest.
 *
 * @param archived the decrypted bytes of the archive
 * @throws GatewayError unprocessable if the file is no archive, is cut off or damaged, was made by a newer program, has a path
 * outside the folder, or needs more than `room`
 */
export async function unpackArchive(
  archived: AsyncIterable<Uint8Array>,
  unpacking: Unpacking,
): Promise<Manifest> {
  const { archive, folder, known_schema_version, room } = unpacking
  const found = new Map<string, Manifest['entries'][number]>()
  let head: Head | undefined
  let manifest: Manifest | undefined
  try {
    for await (const entry of entriesOf(archived, room)) {
      const { name, type } = entry.header
      if (manifest) throw broken(archive, 'it has content after its manifest')
      if (type !== 'file') throw broken(archive, `${name} is not a plain file`)
      if (!head) {
        if (name !== HEAD_NAME) throw broken(archive, 'it does not begin like a backup')
        head = readHead(await textOf(entry, MAX_HEAD_BYTES, archive), archive)
        refuseNewerArchive(head, known_schema_version, archive)
      } else if (name === MANIFEST_NAME) {
        const { per_file, beside } = MAX_MANIFEST_BYTES
        manifest = readManifest(await textOf(entry, beside + found.size * per_file, archive), archive)
      } else {
        if (!isArchivePath(name))
          throw broken(archive, `${JSON.stringify(name)} is not a path in a data folder`)
        if (found.has(name)) throw broken(archive, `it has ${name} twice`)
        found.set(name, await writeEntry(entry, folder, room))
      }
    }
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOSPC')
      throw unprocessable(
        `${folder} has no room for what is in ${archive}: free some, or, to verify, name a folder on another disk in TMPDIR. Nothing was changed.`,
        { cause: thrown },
      )
    if (thrown instanceof GatewayError || isSystemError(thrown)) throw thrown
    // The age, zstd and tar readers throw errors whose messages do not help the operator.
    throw broken(archive, 'it is cut off or damaged', thrown)
  }
  if (!manifest) throw broken(archive, 'its end is missing')
  compare(found, manifest, archive)
  return manifest
}

function entriesOf(archived: AsyncIterable<Uint8Array>, room: UnpackRoom): AsyncIterable<Entry> {
  const tar = extract()
  async function* countBytes(plain: AsyncIterable<Buffer>) {
    for await (const block of plain) {
      room.expanded(block.length)
      yield block
    }
  }
  // The failure is ignored here, because the tar reader throws it, too.
  pipeline(archived, createZstdDecompress({ chunkSize: BLOCK_BYTES }), countBytes, tar).catch(() => {})
  return tar
}

async function textOf(entry: Entry, max_bytes: number, archive: string): Promise<string> {
  if ((entry.header.size ?? 0) > max_bytes) throw broken(archive, `${entry.header.name} is too large`)
  const blocks: Uint8Array[] = []
  for await (const block of blocksOf(entry)) blocks.push(block)
  return Buffer.concat(blocks).toString()
}

/** Writes and syncs a new file that only its owner can read. */
async function writeEntry(
  entry: Entry,
  folder: string,
  room: UnpackRoom,
): Promise<Manifest['entries'][number]> {
  const file = join(folder, entry.header.name)
  const made = await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const folders = made === undefined ? 0 : relative(made, file).split(sep).length
  room.take(entry.header.size ?? 0, folders)
  const hash = new Bun.CryptoHasher('sha256')
  await using handle = await open(file, 'wx', 0o600)
  let bytes = 0
  for await (const block of blocksOf(entry)) {
    hash.update(block)
    bytes += block.length
    await handle.writeFile(block)
  }
  await handle.sync()
  return { path: entry.header.name, bytes, sha256: hash.digest('hex') }
}

function compare(
  found: ReadonlyMap<string, Manifest['entries'][number]>,
  manifest: Manifest,
  archive: string,
): void {
  for (const { path, bytes, sha256 } of manifest.entries) {
    const entry = found.get(path)
    if (!entry) throw broken(archive, `${path} is missing in it`)
    if (entry.bytes !== bytes || entry.sha256 !== sha256) throw broken(archive, `${path} has changed`)
  }
  if (found.size !== manifest.entries.length)
    throw broken(archive, 'it has files that its manifest does not name')
  if (!found.has('tollgate.db')) throw broken(archive, 'it has no database')
}

const isSystemError = (thrown: unknown): boolean =>
  thrown instanceof Error && 'syscall' in thrown && typeof thrown.syscall === 'string'

const broken = (archive: string, why: string, cause?: unknown): GatewayError =>
  unprocessable(
    `${archive} is damaged or no backup of Tollgate: ${why}. Nothing was changed; use another backup.`,
    { cause },
  )
