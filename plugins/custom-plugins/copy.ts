// The scratch copy of the plugins' folder, with what plugins can import from beside it.
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
/** Files that can be imported. */
const MODULE = /\.([cm]?[jt]sx?|jsonc?|toml|txt|wasm|node)$/
/** The gateway's own part of a data folder, which no plugin imports. */
const OWN = new RegExp(`^(tollgate\\b|\\.|(${FILE_FOLDERS.join('|')})$)`)

interface PluginCopy {
  /** The folder with the plugins' folder, by its real path. */
  home: string
  /** The name of the plugins' folder there. */
  name: string
  /** An empty folder, in which the copy has the same name. */
  copy: string
  /** Absent: packages and what stands beside the plugins are linked. Else modules beside them are copied, read from the working folder. */
  reads_from_here: boolean
  /** Further paths by which links may name `home`. */
  aliases: readonly string[]
}

/** Copies what this user may read. Links stay links, so that a linked plugin's imports start from its own place. */
export function copyPlugins(folders: PluginCopy): void {
  const { home, name, copy, reads_from_here } = folders
  copyEntry(name, folders, () => true)
  for (const beside of readdirSync(reads_from_here ? '.' : home)) {
    if (beside === name) continue
    if (!reads_from_here) symlinkSync(join(home, beside), join(copy, beside))
    else if (!OWN.test(beside)) copyEntry(beside, folders, (file) => MODULE.test(file))
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
    // A start could not read it either: its plugin says so, as it does there.
    if (entry.isFile()) writeFileSync(to, '', { mode: 0 })
  }
}

/** Where a link leads: within the copy, if it leads within what is copied. */
function targetOf(link: string, path: string, { home, copy, aliases }: PluginCopy): string {
  const target = resolve(dirname(join(home, path)), link)
  for (const place of [home, ...aliases]) {
    const within = relative(place, target)
    if (!within.startsWith('..')) return join(copy, within)
  }
  return target
}
