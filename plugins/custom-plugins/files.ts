// The files of custom plugins: which of a folder are loaded, in which order, and which look like plugins but are not.
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface PluginFile {
  /** The file's name without `.ts`. */
  name: string
  file: string
  /** Absolute. */
  path: string
}

interface PluginFiles {
  /** By the names of the files, in the order of their characters. */
  files: readonly PluginFile[]
  /** Code that is not loaded. */
  skipped: readonly string[]
}

/** The types that `tollgate plugin types` writes. */
export const TYPES_FILE = 'tollgate.d.ts'

const OTHER_CODE = /\.([cm]?js|[cm]ts|[jt]sx)$/

/** The folder of the plugins in a data folder, absolute: modules are imported from it. */
export const pluginsFolder = (data_folder: string): string => resolve(data_folder, 'plugins')

/**
 * Looks into the folder. One that is not there has no plugins.
 *
 * @throws Error for what is no folder, or cannot be read
 */
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

/** Links included. What a link no longer leads to is no file. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const byCharacters = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
