// The files of plugins in an archive. SQLite databases are packed as snapshots, because plugins may write to them at the same time.
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
  /** The folder for snapshots. Each is removed once it is packed. */
  staging: string
  /** Called with each path that an archive cannot contain: links and unsupported names. */
  onLeftOut(path: string): void
  /** Called with each database that SQLite cannot read. */
  onUnreadable(path: string, why: string): void
}

/** Yields the files of a plugin folder. Leaves out node_modules, which the operator installs again from package.json. */
export function* pluginFiles(folder: string, path: string, options: PluginFilesOptions): Generator<Source> {
  const entries = entriesOf(folder)
  const databases = new Set(
    entries.flatMap((entry) =>
      entry.isFile() && beginsAsDatabase(join(folder, entry.name)) ? [entry.name] : [],
    ),
  )
  for (const entry of entries) {
    if (entry.name === 'node_modules' || isSidecarFile(databases, entry.name)) continue
    const inside = { path: `${path}/${entry.name}`, file: join(folder, entry.name) }
    if (entry.isDirectory()) yield* pluginFiles(inside.file, inside.path, options)
    else if (!entry.isFile() || !isArchivePath(inside.path)) options.onLeftOut(inside.path)
    else if (databases.has(entry.name)) yield* snapshotOf(inside, options)
    else yield inside
  }
}

/** Whether a file is a journal of a database, whose snapshot already includes it. https://sqlite.org/tempfiles.html */
const isSidecarFile = (databases: ReadonlySet<string>, name: string): boolean =>
  databases.has(name.replace(/-(wal|shm|journal)$/, '')) && !databases.has(name)

/** Yields a snapshot of a database and removes it once it is packed. */
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

/** Copies a database. VACUUM INTO preserves rowids, unlike a plain VACUUM. */
function writeCopy(file: string, copy: string): void {
  using db = closing(new Database(file, { readonly: true }))
  db.run(`PRAGMA busy_timeout = ${MAX_BUSY_WAIT_MS}`)
  db.query('VACUUM INTO ?').run(copy)
}

const HEADER_BYTES = 16

/** Whether a file begins with SQLite's header; false if the file disappears, as journals do. */
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
