// The temporary copy of the plugins folder, with the modules next to it that plugins can import.
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { FILE_FOLDERS } from '../../src/app/process/files/stores.ts'
import { codeOf } from '../../src/utilities/thrown.ts'

const PACKAGES = 'node_modules'
/** Names of files that plugins can import. */
const MODULE = /\.([cm]?[jt]sx?|jsonc?|toml|txt|wasm|node)$/
/** Names of the gateway's own files in a data folder, which no plugin imports. */
const GATEWAY_FILES = new RegExp(`^(tollgate\\b|\\.|(${FILE_FOLDERS.join('|')})$)`)

interface PluginCopy {
  /** The parent of the plugins folder, by its real path. */
  home: string
  /** The name of the plugins folder. */
  name: string
  /** An empty folder, which gets the copy under the same name. */
  copy: string
  /** If false, packages and neighbours of the plugins folder are linked. If true, modules are copied, read from the working folder. */
  reads_from_here: boolean
  /** Other paths of `home` that links may use. */
  aliases: readonly string[]
}

/** Copies the files that this user may read. Links stay links, so that imports of a linked plugin resolve from its real folder. */
export function copyPlugins(folders: PluginCopy): void {
  const { home, name, copy, reads_from_here } = folders
  copyEntry(name, folders, () => true)
  for (const neighbour of readdirSync(reads_from_here ? '.' : home)) {
    if (neighbour === name) continue
    if (!reads_from_here) symlinkSync(join(home, neighbour), join(copy, neighbour))
    else if (!GATEWAY_FILES.test(neighbour)) copyEntry(neighbour, folders, (file) => MODULE.test(file))
  }
}

function copyEntry(path: string, folders: PluginCopy, takes: (file: string) => boolean): void {
  const { home, name, copy, reads_from_here } = folders
  const from = reads_from_here ? path : join(home, path)
  const to = join(copy, path)
  if (!reads_from_here && path === join(name, PACKAGES)) {
    symlinkSync(from, to)
    return
  }
  const entry = lstatSync(from)
  try {
    if (entry.isSymbolicLink()) symlinkSync(targetOf(readlinkSync(from), path, folders), to)
    else if (entry.isDirectory()) {
      mkdirSync(to, { mode: 0o700 })
      for (const child of readdirSync(from)) copyEntry(join(path, child), folders, takes)
    } else if (entry.isFile() && takes(path)) copyFileSync(from, to)
  } catch (failure) {
    if (codeOf(failure) !== 'EACCES') throw failure
    // An unreadable file stays unreadable in the copy, so that its plugin fails with the same error as at a start.
    if (entry.isFile()) writeFileSync(to, '', { mode: 0 })
  }
}

/** Resolves the target of a link. A target within `home` becomes the same path within the copy. */
function targetOf(link: string, path: string, { home, copy, aliases }: PluginCopy): string {
  const target = resolve(dirname(join(home, path)), link)
  for (const place of [home, ...aliases]) {
    const within = relative(place, target)
    if (!within.startsWith('..')) return join(copy, within)
  }
  return target
}
