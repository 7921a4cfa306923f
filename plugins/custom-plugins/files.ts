// The files of custom plugins: the ones that a start loads, in order, and the file owners whose code may run.
import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const WRITABLE_BY_ALL = 0o002
const ROOT = 0

/** Refuses a plugin that other users can write: they could run code with the gateway's rights. @throws Error with advice */
export function refuseForeignOwners(path: string, user: number | undefined): void {
  for (const one of [dirname(path), path]) {
    const { mode, uid } = statSync(one)
    if ((mode & WRITABLE_BY_ALL) !== 0)
      throw new Error(`everybody on this machine may write to ${one}; run \`chmod o-w ${one}\``)
    if (user !== undefined && uid !== ROOT && uid !== user)
      throw new Error(
        `${one} belongs to user ${uid}, who could change what runs here as user ${user}; run \`chown ${user} ${one}\`, or this command as user ${uid}`,
      )
  }
}

/** The user that the gateway of a folder runs as: the folder's owner if this process runs as root. */
export function userOfGateway(data_folder: string): number | undefined {
  const user = process.geteuid?.()
  return user === ROOT ? statSync(data_folder).uid : user
}

export interface PluginFile {
  /** The file's name without `.ts`. */
  name: string
  file: string
  /** The absolute path. */
  path: string
}

interface PluginFiles {
  /** Sorted by file name, in code unit order. */
  files: readonly PluginFile[]
  skipped: readonly string[]
}

/** The types that `tollgate plugin types` writes. */
export const TYPES_FILE = 'tollgate.d.ts'

const OTHER_CODE = /\.([cm]?js|[cm]ts|[jt]sx)$/

/** The absolute path of the plugins folder in a data folder. */
export const pluginsFolder = (data_folder: string): string => resolve(data_folder, 'plugins')

/** Lists the plugins of a folder; none if it does not exist. @throws Error if it is no folder or cannot be read */
export function findPlugins(folder: string): PluginFiles {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) return { files: [], skipped: [] }
  if (!stats.isDirectory())
    throw new Error(`${folder} is a file. Plugins are files in a folder of this name: rename it.`)
  const names = readdirSync(folder)
    .filter((name) => !name.startsWith('.') && isFile(join(folder, name)))
    .sort(byCharacters)
  const files = names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((file) => ({ name: file.slice(0, -'.ts'.length), file, path: join(folder, file) }))
  return { files, skipped: names.filter((name) => OTHER_CODE.test(name)) }
}

/** Follows links; a broken link is no file. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const byCharacters = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
