// The reading of the catalogue of a data folder: its file, or the text in the database with what the file has of the machine.
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, messageOf } from '../utilities/thrown.ts'
import { type KeyFiles, keyFilesIn } from './key-files.ts'
import { type CatalogueReading, notToml, type ReadOptions, readCatalogue } from './load.ts'
import { formatMistake, type Mistake } from './mistakes.ts'
import { isOfTheMachine, othersIn } from './of-the-machine.ts'
import { readToml } from './toml.ts'

/** The text in the database that all gateways over it take in place of their files. */
export interface SharedText {
  version: number
  /** Without keys. */
  text: string
  made_at_ms: number
}

/** Which of these texts was read, beside which file. */
export interface SharedReading {
  version: number
  /** What the file has that counts for nothing then, by name. */
  unused: readonly string[]
}

/** As of its text, which it has, too. */
export type FileReading = (
  | Exclude<CatalogueReading, { ok: true }>
  | (CatalogueReading & { ok: true; text: string })
) & { shared?: SharedReading | undefined }

export type FileReadOptions = Omit<ReadOptions, 'changed_at_ms' | 'read_key_file' | 'machine'>

/**
 * Reads the catalogue file at `path`; a file that cannot be read is a mistake too. Never throws.
 *
 * @param shared the text in the database that is in force; undefined: the file is
 */
export async function readCatalogueFile(
  path: string,
  options: FileReadOptions,
  { read: read_key_file }: KeyFiles = keyFilesIn(dirname(path)),
  shared?: SharedText | undefined,
): Promise<FileReading> {
  try {
    const { mtimeMs } = await stat(path)
    const text = await readFile(path, 'utf8')
    if (shared) return readShared(shared, text, { ...options, read_key_file })
    const reading = readCatalogue(text, { ...options, read_key_file, changed_at_ms: Math.floor(mtimeMs) })
    return reading.ok ? { ...reading, text } : { ok: false, mistakes: ofUnknownPlace(reading.mistakes) }
  } catch (error) {
    const message = `cannot be read: ${UNREADABLE[codeOf(error)] ?? messageOf(error)}`
    return { ok: false, mistakes: [{ path: '', line: 1, message }] }
  }
}

function readShared(
  { version, text, made_at_ms }: SharedText,
  file: string,
  options: Omit<ReadOptions, 'machine'>,
): FileReading {
  const machine = readToml(file)
  if (!machine.ok) return { ok: false, mistakes: [notToml(machine)] }
  const shared = { version, unused: othersIn(machine.value) }
  const reading = readCatalogue(text, { ...options, machine, changed_at_ms: made_at_ms })
  return reading.ok ? { ...reading, text, shared } : { ...reading, shared }
}

/** A mistake in [storage] leaves open where the catalogue is: what a file lacks may be in the database. */
function ofUnknownPlace(mistakes: Mistake[]): Mistake[] {
  const lacks = (name: string) => mistakes.some(({ path }) => path === name)
  const of_storage = mistakes.filter(({ path }) => path.split('.')[0] === 'storage')
  return of_storage.length > 0 && lacks('providers') && lacks('models') ? of_storage : mistakes
}

/** A line for each mistake, which names the file or the version that has it. */
export const mistakeLines = (path: string, mistakes: readonly Mistake[], shared?: SharedReading): string[] =>
  mistakes.map((mistake) =>
    formatMistake(shared && !isOfTheMachine(mistake.path) ? nameOf(shared) : path, mistake),
  )

/** The same for what is worth a warning, in the file beside the database, too. */
export const warningLines = (
  path: string,
  { warnings, shared }: { warnings: readonly Mistake[]; shared?: SharedReading | undefined },
): string[] => [
  ...(shared && shared.unused.length > 0
    ? [
        `${path}: not used: ${shared.unused.join(', ')}. The catalogue is in the database, for all gateways: change it by \`tollgate config apply\`, or in the console`,
      ]
    : []),
  ...mistakeLines(path, warnings, shared),
]

/** What a version is called where a file would be named. */
export const nameOf = ({ version }: Pick<SharedReading, 'version'>): string =>
  `version ${version} of the catalogue`

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'file not found; the first `tollgate serve` writes one',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied: check its owner, or run this as the user that runs the gateway',
}
