// Reads the catalogue of a data folder: its file, or the text in the database together with the file's settings of the machine.
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, messageOf } from '../utilities/thrown.ts'
import { type KeyFiles, keyFilesIn } from './key-files.ts'
import {
  type CatalogueReading,
  type FileReadOptions,
  notToml,
  type ReadOptions,
  readCatalogue,
} from './load.ts'
import { formatMistake, type Mistake } from './mistakes.ts'
import { isOfTheMachine, sharedFieldsIn } from './of-the-machine.ts'
import { readToml } from './toml.ts'
import { isTable } from './toml-write.ts'

/** The text in the database, which all its gateways use instead of their files. */
export interface SharedText {
  version: number
  /** Without keys. */
  text: string
  made_at_ms: number
}

/** The version of the shared text that was read, and the unused sections of the file. */
export interface SharedReading {
  version: number
  /** The names of the file's sections that have no effect. */
  unused: readonly string[]
}

/** The result of reading a text, with the text. */
export type FileReading = (
  | Exclude<CatalogueReading, { ok: true }>
  | (CatalogueReading & { ok: true; text: string })
) & { shared?: SharedReading | undefined }

/**
 * Reads the catalogue file at `path`. An unreadable file is reported as a mistake. Never throws.
 *
 * @param shared the text in force in the database; undefined if the file is in force
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
    if (!reading.ok) return { ok: false, mistakes: ofUnknownPlace(reading.mistakes, text) }
    const keys = reading.catalogue.storage.database === undefined ? [] : await keysIn(text, path, options)
    return keys.length === 0 ? { ...reading, text } : { ok: false, mistakes: keys }
  } catch (error) {
    const message = `cannot be read: ${UNREADABLE[codeOf(error)] ?? messageOf(error)}`
    return { ok: false, mistakes: [{ path: '', line: 1, message }] }
  }
}

/** Returns mistakes for keys in a file whose first start would put it into the database, which must not contain keys. */
async function keysIn(text: string, path: string, options: FileReadOptions): Promise<Mistake[]> {
  const { applied } = await import('./applied.ts')
  return [...applied(text, { ...options, path, machine: text }).mistakes]
}

function readShared(
  { version, text, made_at_ms }: SharedText,
  file: string,
  options: Omit<ReadOptions, 'machine'>,
): FileReading {
  const machine = readToml(file)
  if (!machine.ok) return { ok: false, mistakes: [notToml(machine)] }
  const shared = { version, unused: sharedFieldsIn(machine.value) }
  const reading = readCatalogue(text, { ...options, machine, changed_at_ms: made_at_ms })
  return reading.ok ? { ...reading, text, shared } : { ...reading, shared }
}

/** Without providers and models the catalogue is probably meant to be in the database: [storage] has a mistake, or no text was applied yet. */
function ofUnknownPlace(mistakes: Mistake[], text: string): Mistake[] {
  const lacks = (name: string) => mistakes.some(({ path }) => path === name)
  if (!lacks('providers') || !lacks('models')) return mistakes
  const of_storage = mistakes.filter(({ path }) => path.split('.')[0] === 'storage')
  if (of_storage.length > 0) return of_storage
  return hasDatabase(text) ? [NO_CATALOGUE, ...mistakes.filter(({ path }) => !isOfCatalogue(path))] : mistakes
}

const isOfCatalogue = (path: string): boolean => path === 'providers' || path === 'models'

function hasDatabase(text: string): boolean {
  const file = readToml(text)
  return file.ok && isTable(file.value.storage) && file.value.storage.database !== undefined
}

const NO_CATALOGUE: Mistake = {
  path: '',
  line: 1,
  message:
    'has no providers and models: write them here, or put a catalogue into the database by `tollgate config apply FILE`',
}

/** Formats a line for each mistake, with the file or the version that has it. */
export const mistakeLines = (path: string, mistakes: readonly Mistake[], shared?: SharedReading): string[] =>
  mistakes.map((mistake) =>
    formatMistake(shared && !isOfTheMachine(mistake.path) ? nameOf(shared) : path, mistake),
  )

/** Formats a line for each warning, including unused sections of the file. */
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

/** The name of a version, in the place of a file name. */
export const nameOf = ({ version }: Pick<SharedReading, 'version'>): string =>
  `version ${version} of the catalogue`

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'file not found; the first `tollgate serve` writes one',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied: check its owner, or run this as the user that runs the gateway',
}
