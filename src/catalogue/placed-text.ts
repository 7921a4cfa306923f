// The stored text of a catalogue: in the file of a machine, or in the database for all its gateways.
import { chmod, chown, type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../utilities/thrown.ts'
import type { SharedText } from './load-file.ts'
import type { NewVersion } from './past.ts'
import { readToml, type TomlDocument } from './toml.ts'

const PERMISSION_BITS = 0o7777

/**
 * Replaces the text of an existing file, and keeps its owner and mode. For a link, its target is replaced. A file
 * that cannot be replaced, such as a single file mounted into a container, is overwritten in place.
 *
 * @throws the file system's error; the file is then unchanged, unless it had to be overwritten in place
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path)
  const { mode, uid, gid } = await stat(file)
  const beside = join(dirname(file), `.${crypto.randomUUID()}.tmp`)
  try {
    await writeSynced(await open(beside, 'wx', 0o600), text)
    await chmod(beside, mode & PERMISSION_BITS)
    const made = await stat(beside)
    if (made.uid !== uid || made.gid !== gid) await chown(beside, uid, gid)
    await rename(beside, file)
  } catch (thrown) {
    await rm(beside, { force: true })
    if (!isBound(thrown)) throw thrown
    await writeSynced(await open(file, 'w'), text)
  }
}

/** EBUSY and EXDEV: the file is a mount point (rename(2)); EPERM: another user's file, which this user may write, but not chown. */
const isBound = (thrown: unknown): boolean => ['EBUSY', 'EXDEV', 'EPERM'].includes(codeOf(thrown))

async function writeSynced(opened: FileHandle, text: string): Promise<void> {
  await using handle = opened
  await handle.writeFile(text)
  await handle.sync()
}

/** The place of the catalogue in the database. */
export interface SharedPlace {
  /** As `newestShared`. */
  read(): Promise<SharedText | undefined>
  /** As `applyShared`, in its own transaction. @returns the version */
  apply(next: NewVersion, from: number): Promise<number>
}

export interface Placed {
  text: string
  /** The hash of its bytes. */
  hash: string
  /** Changes whenever anything changes that determines the catalogue. */
  state: string
  /** The version in the database; undefined if the text is the file's. */
  version?: number | undefined
  /** The machine's file, if the text is in the database. */
  machine?: TomlDocument | undefined
}

/**
 * Reads the text from the database if it has one, otherwise from the file.
 *
 * @param path of the machine's file @param shared the place in the database, if there may be one
 * @throws the file system's error if the file cannot be read; StorageFailure
 */
export async function readPlaced(path: string, shared: SharedPlace | undefined): Promise<Placed> {
  const bytes = await readFile(path)
  const file_hash = hashOf(bytes)
  const in_database = await shared?.read()
  const file = bytes.toString()
  const machine = in_database && readToml(file)
  // A file that is no TOML is returned, so that its mistake is reported.
  if (!in_database || !machine?.ok) return { text: file, hash: file_hash, state: file_hash }
  const { text, version } = in_database
  return { text, hash: hashOf(Buffer.from(text)), state: `${version} ${file_hash}`, version, machine }
}

export const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
