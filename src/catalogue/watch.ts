// The catalogue of a running gateway: the last valid version of its file, or of the text in the database, replaced on changes.

import { dirname } from 'node:path'
import type { Catalogue } from '../domain/catalogue.ts'
import { messageOf } from '../utilities/thrown.ts'
import { onceSettled, stampsOf } from './file-stamps.ts'
import { keyFilesIn } from './key-files.ts'
import type { ReadOptions } from './load.ts'
import { type FileReading, readCatalogueFile, type SharedReading, type SharedText } from './load-file.ts'
import type { Mistake } from './mistakes.ts'
import { addedSection, addedSections, type Section } from './sections.ts'

/** Settings of the core that apply only after a restart. */
const NEEDS_RESTART = {
  server: ['listen', 'tls_certificate', 'tls_key'],
  storage: ['database', 'files'],
} as const satisfies { [Section in keyof Catalogue]?: (keyof Catalogue[Section])[] }

export interface CatalogueChange {
  catalogue: Catalogue
  /** Settings, such as `server.listen`, that differ from those at the start, and need a restart. */
  waiting_for_restart: string[]
  /** As in `CatalogueReading`. */
  warnings: readonly Mistake[]
  shared: SharedReading | undefined
}

interface WatchOptions extends ReadOptions {
  /** Reads the text in force in the database, if there may be one; undefined while the file is in force. */
  readShared?: (() => Promise<SharedText | undefined>) | undefined
  /** Called after a valid version was read again. Neither this nor `onMistakes` may throw. */
  onChange: (change: CatalogueChange) => void
  /** Called after a version with mistakes was read again; the catalogue does not change. */
  onMistakes: (mistakes: Mistake[], shared: SharedReading | undefined) => void
  /** The interval of checks for changes. */
  poll_ms?: number
}

export interface WatchedCatalogue {
  /** Returns the last valid version. Get it once per call, since it may be replaced at any time. */
  current(): Catalogue
  /** Returns its text, from the file or the database. */
  text(): string
  /** Returns the shared version of the last valid reading; undefined if it is the file's. */
  shared(): SharedReading | undefined
  /** The warnings of the first reading, as in `CatalogueReading`. */
  first_warnings: readonly Mistake[]
  /** Returns settings, such as `server.listen`, that need a restart. */
  waitingForRestart(): readonly string[]
  /** Reads the file again now, even if unchanged (on SIGHUP, since environment variables may have changed). Never throws. */
  reload(): Promise<void>
  /** Reads again if the database has another version than the last one read; undefined if the file is in force. Never throws. */
  reloadIfChanged(version: number | undefined): Promise<void>
  /** Stops watching. */
  close(): void
}

type Watching =
  | { ok: true; watched: WatchedCatalogue }
  | { ok: false; mistakes: Mistake[]; shared?: SharedReading | undefined }

/**
 * Reads the catalogue, and reads it again whenever its file or the text in the database changes.
 *
 * It polls the file's time and size once a second instead of watching it: a watch on the file is lost when an editor
 * replaces it, and a watch on its folder wakes for every write of the ledger in it, which doubled the ledger's measured
 * cost. Polling also works through links and on network drives.
 *
 * @returns the watched catalogue, or the mistakes of the first reading @throws what `readShared` throws at the first reading
 */
export async function watchCatalogue(path: string, options: WatchOptions): Promise<Watching> {
  const { onChange, onMistakes, readShared, poll_ms = 1_000 } = options
  const stamps = await stampsOf([path])
  /** The key files of the last reading, which are watched, too. */
  let key_paths: readonly string[] = []
  /** The version in the database at the last reading, so that one with mistakes is not read repeatedly. Null if unknown. */
  let seen_version: number | undefined | null = null
  const readWithKeys = async (): Promise<FileReading> => {
    for (;;) {
      // Taken before the reading: no later change is missed, and the text read here is not read again for its changed time.
      await stamps.take([path, ...key_paths])
      const key_files = keyFilesIn(dirname(path))
      seen_version = null
      const shared = await readShared?.()
      seen_version = shared?.version
      const reading = await readCatalogueFile(path, options, key_files, shared)
      const read_paths = key_files.paths()
      const are_watched = read_paths.every((each) => key_paths.includes(each))
      key_paths = read_paths
      if (are_watched) return reading
    }
  }
  const first = await readWithKeys()
  if (!first.ok) return first
  const started_with = first.catalogue
  let current = started_with
  let { text, shared } = first
  let waiting_for_restart: string[] = []

  const closed = new AbortController()

  const read = async (): Promise<void> => {
    const reading = await readWithKeys().catch(unreadable)
    if (closed.signal.aborted) return
    if (!reading.ok) return onMistakes(reading.mistakes, reading.shared)
    current = reading.catalogue
    text = reading.text
    shared = reading.shared
    waiting_for_restart = changedForRestart(started_with, current)
    onChange({ catalogue: current, waiting_for_restart, warnings: reading.warnings, shared })
  }

  /** Readings run one after the other, so that an older version never replaces a newer one. */
  let last_read = Promise.resolve()
  const reload = (): Promise<void> => {
    last_read = last_read.then(read)
    return last_read
  }

  void onceSettled(stamps, reload, poll_ms, closed.signal)
  const close = () => closed.abort()
  return {
    ok: true,
    watched: {
      current: () => current,
      text: () => text,
      shared: () => shared,
      first_warnings: first.warnings,
      waitingForRestart: () => waiting_for_restart,
      reload,
      reloadIfChanged: async (version) => {
        await last_read
        if (version !== seen_version) await reload()
      },
      close,
    },
  }
}

/** The result if the database cannot be read: the last version stays in use. */
const unreadable = (thrown: unknown): FileReading => ({
  ok: false,
  mistakes: [{ path: '', line: 1, message: `cannot be read from the database: ${messageOf(thrown)}` }],
})

/** Whether a setting applies only after a restart. @param path such as `['server', 'listen']` */
export function needsRestart([section = '', field = '']: readonly string[]): boolean {
  const of_core = new Map<string, readonly string[]>(Object.entries(NEEDS_RESTART)).get(section)
  return (of_core ?? addedSection(section)?.needs_restart ?? []).includes(field)
}

function changedForRestart(before: Catalogue, after: Catalogue): string[] {
  return [
    ...changedOfCore(before, after),
    ...addedSections().flatMap((each) => changedOf(each, before, after)),
  ]
}

const changedOf = (section: Section, before: Catalogue, after: Catalogue): string[] =>
  section.needs_restart
    .filter((field) => {
      const [was, is] = [before, after].map((catalogue) => Reflect.get(Object(section.of(catalogue)), field))
      return !Bun.deepEquals(was, is)
    })
    .map((field) => `${section.name}.${field}`)

function changedOfCore(before: Catalogue, after: Catalogue): string[] {
  const sections = Object.keys(NEEDS_RESTART) as (keyof typeof NEEDS_RESTART)[]
  return sections.flatMap((section) =>
    NEEDS_RESTART[section]
      .filter(
        (field) => !Bun.deepEquals(Reflect.get(before[section], field), Reflect.get(after[section], field)),
      )
      .map((field) => `${section}.${field}`),
  )
}
