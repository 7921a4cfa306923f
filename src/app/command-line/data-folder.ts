// The data folder as commands see it: the paths of its files, and access to its database and catalogue.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { SharedReading, SharedText } from '../../catalogue/load-file.ts'
import type { Mistake } from '../../catalogue/mistakes.ts'
import type { Environment } from '../../catalogue/providers.ts'
import type { ActionContext } from '../../domain/actions.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { invalidRequest, unprocessable } from '../../domain/errors.ts'
import type { Awaitable, Db } from '../../store/db.ts'
import { type DataPaths, dataPaths, refuseHalfRestored } from '../process/data-paths.ts'
import type { Engine, EngineOptions } from '../process/engine/engine.ts'
import { engineIn, storageOfFolder } from '../process/engine/of.ts'
import type { FileStores } from '../process/files/stores.ts'
import { removeLeftovers, tidy } from '../process/leftovers.ts'
import { withPath } from './failure.ts'

/** A remark if the catalogue has limits under an account's old name; undefined if it has none or cannot be read. */
export async function remarkOnLimits(name: string, folder: DataFolder): Promise<string | undefined> {
  const reading = await readCatalogueOf(folder)
  if (!('catalogue' in reading) || !Object.hasOwn(reading.catalogue.limits.accounts ?? {}, name))
    return undefined
  return `The catalogue has limits for ${name}: change [limits.accounts.${name}] there, too.`
}

export interface DataFolder extends DataPaths {
  /** The variables for `env:NAME` in its catalogue. */
  env: Environment
  /** Prints a note on changes to the folder that are not the command's own work. */
  remark?: (text: string) => void
  /** The actor in the audit log; the gateway itself if absent. */
  by?: ActionContext
}

/** The Debian package alone installs to /usr/bin; that program works on the data of its service. */
export const DEFAULT_DATA_FOLDER = process.execPath === '/usr/bin/tollgate' ? '/var/lib/tollgate' : './data'

/** The data folder of a command. @param options of the command line */
export const dataFolderOf = ({ data }: { data?: string | undefined }, env: Environment): string =>
  data ?? (env.TOLLGATE_DATA || DEFAULT_DATA_FOLDER)

/**
 * The paths of a data folder's files, whether or not they exist.
 * @throws GatewayError invalid_request if `dir` is a file; the file system's error if it cannot be read
 */
export function dataFolder(dir: string, env: Environment): DataFolder {
  if (statSync(dir, { throwIfNoEntry: false })?.isFile()) {
    throw invalidRequest(
      `${dir} is a file. Set --data or TOLLGATE_DATA to the folder with tollgate.toml and tollgate.db, such as ${resolve(dirname(dir))}.`,
    )
  }
  return { ...dataPaths(dir), env }
}

/**
 * Runs `work` with the database, and closes it afterwards. A gateway may be running.
 * @throws as `Engine.open`, and what `work` throws
 */
export async function withDatabase<T>(
  folder: DataFolder,
  access: EngineOptions['access'],
  work: (db: Db) => Awaitable<T>,
): Promise<T> {
  await using db = await (await engineOfFolder(folder)).open({ ...folder, access })
  return await work(db)
}

/** @throws as `engineIn` */
export const engineOfFolder = (folder: DataFolder): Promise<Engine> =>
  inPreparedFolder(folder, () => engineIn(folder, folder.env))

/** @throws as `storageOfFolder` */
export const filesOfFolder = (folder: DataFolder): Promise<FileStores> =>
  inPreparedFolder(folder, async () => {
    const { fileStoresOf } = await import('../process/files/stores.ts')
    return fileStoresOf(await storageOfFolder(folder, folder.env), folder.dir)
  })

async function inPreparedFolder<T>(folder: DataFolder, open: () => Promise<T>): Promise<T> {
  prepareFolder(folder)
  try {
    return await open()
  } catch (thrown) {
    throw withPath(thrown, folder.catalogue_path)
  }
}

/** Refuses a half-restored folder, and removes files that killed commands left. */
function prepareFolder({ dir, remark }: DataFolder): void {
  refuseHalfRestored(dir)
  const removed = tidy(() => removeLeftovers(dir))
  if (removed.length > 0)
    remark?.(`Removed files that earlier versions or killed commands left: ${removed.join(', ')}.`)
}

/** A valid catalogue, with its warnings, also as lines of text. */
export interface GoodCatalogue {
  catalogue: Catalogue
  warnings: readonly Mistake[]
  warning_lines: readonly string[]
  /** Set if the catalogue is in the database instead of the file. */
  shared: SharedReading | undefined
}

interface BadCatalogue {
  mistakes: Mistake[]
  lines: string[]
  shared: SharedReading | undefined
}

/**
 * Reads the catalogue that a gateway of this folder uses, or its mistakes, also as lines of text.
 * @throws as opening the database, if [storage] names one on a server
 */
export async function readCatalogueOf(folder: DataFolder): Promise<GoodCatalogue | BadCatalogue> {
  const { sharedOfFolder } = await import('../process/shared-catalogue.ts')
  return await readCatalogueAt(folder.catalogue_path, folder.env, await sharedOfFolder(folder, folder.env))
}

/** Reads the catalogue at a path. @param shared the text in the database that replaces the file */
export async function readCatalogueAt(
  path: string,
  env: Environment,
  shared?: SharedText | undefined,
): Promise<GoodCatalogue | BadCatalogue> {
  // Loaded late: these modules are half of the load time, and most commands do not read the catalogue.
  const [{ mistakeLines, readCatalogueFile, warningLines }, { BUILT_IN_REGISTRY }] = await Promise.all([
    import('../../catalogue/load-file.ts'),
    import('../../protocols/registry.ts'),
  ])
  const options = { env, protocols: BUILT_IN_REGISTRY }
  const reading = await readCatalogueFile(path, options, undefined, shared)
  if (!reading.ok) {
    const { mistakes, shared } = reading
    return { mistakes, lines: mistakeLines(path, mistakes, shared), shared }
  }
  const { catalogue, warnings } = reading
  return { catalogue, warnings, warning_lines: warningLines(path, reading), shared: reading.shared }
}

/** Returns a valid catalogue, as `readCatalogueOf`. @throws GatewayError unprocessable with a line for each mistake */
export async function requireCatalogue(folder: DataFolder): Promise<GoodCatalogue> {
  const reading = await readCatalogueOf(folder)
  if ('catalogue' in reading) return reading
  throw unprocessable(`The catalogue has mistakes:\n${reading.lines.join('\n')}`)
}
