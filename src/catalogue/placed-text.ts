// The text of a catalogue where it is stored: in the file of a machine, or in the database for all gateways over it.
import { readFile } from 'node:fs/promises'
import type { SharedText } from './load-file.ts'
import type { NewVersion } from './past.ts'
import { readToml, type TomlDocument } from './toml.ts'

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
