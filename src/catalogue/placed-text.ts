// The text of a catalogue where it is stored: in the file of a machine, or in the database for all gateways over it.
import { chmod, chown, type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../utilities/thrown.ts'
import type { SharedText } from './load-file.ts'
import type { NewVersion } from './past.ts'
import { readToml, type TomlDocument } from './toml.ts'

const PERMISSION_BITS = 0o7777

/**
 * Replaces the text of an existing file, whose owner and mode stay. Of a link, the file that it leads to is replaced. A file
 * that cannot be replaced, such as one that is mounted alone into a container, is written in place.
 *
 * @throws the file system's error; the file is then as it was, unless it had to be written in place
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

/** EBUSY and EXDEV: a mount of its own (rename(2)); EPERM: another user's file, which this one may write but not give away. */
const isBound = (thrown: unknown): boolean => ['EBUSY', 'EXDEV', 'EPERM'].includes(codeOf(thrown))

async function writeSynced(opened: FileHandle, text: string): Promise<void> {
  await using handle = opened
  await handle.writeFile(text)
  await handle.sync()
}

/** The catalogue in the database. */
export interface SharedPlace {
  /** As `newestShared`. */
  read(): Promise<SharedText | undefined>
  /** As `applyShared`, in a transaction of its own. @returns the version */
  apply(next: NewVersion, from: number): Promise<number>
}

export interface Placed {
  text: string
  /** Of its bytes. */
  hash: string
  /** Another one where anything has changed that decides what it says. */
  state: string
  /** In the database; undefined: it is the file's. */
  version?: number | undefined
  /** The file beside the database. */
  machine?: TomlDocument | undefined
}

/**
 * @param path of the machine's file @param shared where there may be one in the database
 * @throws the file system's error where the file cannot be read; StorageFailure
 */
export async function readPlaced(path: string, shared: SharedPlace | undefined): Promise<Placed> {
  const bytes = await readFile(path)
  const file_hash = hashOf(bytes)
  const in_database = await shared?.read()
  const file = bytes.toString()
  const machine = in_database && readToml(file)
  // A text that is not TOML has its own mistake.
  if (!in_database || !machine?.ok) return { text: file, hash: file_hash, state: file_hash }
  const { text, version } = in_database
  return { text, hash: hashOf(Buffer.from(text)), state: `${version} ${file_hash}`, version, machine }
}

export const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
