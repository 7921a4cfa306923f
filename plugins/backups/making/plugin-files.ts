// The files of plugins in an archive: as they are, but databases of SQLite as snapshots, since others write to them.
import { Database } from 'bun:sqlite'
import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_BUSY_WAIT_MS } from '../../../src/store/busy.ts'
import { createForOwner } from '../../../src/store/folder.ts'
import { atEnd, closing } from '../../../src/utilities/at-end.ts'
import { codeOf, messageOf } from '../../../src/utilities/thrown.ts'
import { isArchivePath } from '../archive/names.ts'
import type { Source } from '../archive/pack.ts'
import { isDatabase } from '../restoring/unpacked.ts'

export interface PluginFilesOptions {
  /** Where snapshots are, each until it is packed. */
  staging: string
  /** Called with each path that an archive cannot have: links, and names that it does not take. */
  onLeftOut(path: string): void
  /** Called with each database that cannot be read. */
  onUnreadable(path: string, why: string): void
}

/** Packages are left out: they are installed anew by what names them. */
export function* pluginFiles(folder: string, path: string, options: PluginFilesOptions): Generator<Source> {
  const entries = entriesOf(folder)
  const databases = new Set(
    entries.flatMap((entry) =>
      entry.isFile() && beginsAsDatabase(join(folder, entry.name)) ? [entry.name] : [],
    ),
  )
  for (const entry of entries) {
    if (entry.name === 'node_modules' || isBesideOneOf(databases, entry.name)) continue
    const inside = { path: `${path}/${entry.name}`, file: join(folder, entry.name) }
    if (entry.isDirectory()) yield* pluginFiles(inside.file, inside.path, options)
    else if (!entry.isFile() || !isArchivePath(inside.path)) options.onLeftOut(inside.path)
    else if (databases.has(entry.name)) yield* snapshotOf(inside, options)
    else yield inside
  }
}

/** A file whose content is in a snapshot already. https://sqlite.org/tempfiles.html */
const isBesideOneOf = (databases: ReadonlySet<string>, name: string): boolean =>
  databases.has(name.replace(/-(wal|shm|journal)$/, '')) && !databases.has(name)

/** The copy goes once it is packed. */
function* snapshotOf(
  { path, file }: { path: string; file: string },
  { staging, onUnreadable }: PluginFilesOptions,
): Generator<Source> {
  const copy = join(staging, 'plugin.db')
  using _removing = atEnd(() => rmSync(copy, { force: true }))
  createForOwner(copy)
  try {
    writeCopy(file, copy)
  } catch (thrown) {
    return onUnreadable(path, messageOf(thrown))
  }
  yield { path, file: copy }
}

/** Keeps the numbers of rows, as a plain VACUUM does not: SQLite copies them where it writes INTO another file. */
function writeCopy(file: string, copy: string): void {
  using db = closing(new Database(file, { readonly: true }))
  db.run(`PRAGMA busy_timeout = ${MAX_BUSY_WAIT_MS}`)
  db.query('VACUUM INTO ?').run(copy)
}

const HEADER_BYTES = 16

/** A file that disappears meanwhile, as a journal does, is no database. */
function beginsAsDatabase(file: string): boolean {
  const descriptor = unlessAbsent(() => openSync(file, 'r'))
  if (descriptor === undefined) return false
  using _closing = atEnd(() => closeSync(descriptor))
  const first = Buffer.alloc(HEADER_BYTES)
  return readSync(descriptor, first) === HEADER_BYTES && isDatabase(first)
}

function entriesOf(folder: string) {
  const entries = unlessAbsent(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}

function unlessAbsent<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (failure) {
    if (codeOf(failure) === 'ENOENT') return undefined
    throw failure
  }
}
