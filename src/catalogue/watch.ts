// The catalogue of a running gateway: the last good reading of its file, or of the text in the database, replaced when that changes.

import { dirname } from 'node:path'
import type { Catalogue } from '../domain/catalogue.ts'
import { messageOf } from '../utilities/thrown.ts'
import { onceSettled, stampsOf } from './file-stamps.ts'
import { keyFilesIn } from './key-files.ts'
import type { ReadOptions } from './load.ts'
import { type FileReading, readCatalogueFile, type SharedReading, type SharedText } from './load-file.ts'
import type { Mistake } from './mistakes.ts'
import { addedSection, addedSections, type Section } from './sections.ts'

/** Settings of the core that a running server cannot apply. */
const NEEDS_RESTART = {
  server: ['listen', 'tls_certificate', 'tls_key'],
  storage: ['database', 'files'],
} as const satisfies { [Section in keyof Catalogue]?: (keyof Catalogue[Section])[] }

export interface CatalogueChange {
  catalogue: Catalogue
  /** Settings (`server.listen`) that differ from those that the gateway started with, and wait for a restart. */
  waiting_for_restart: string[]
  /** As in `CatalogueReading`. */
  warnings: readonly Mistake[]
  shared: SharedReading | undefined
}

interface WatchOptions extends ReadOptions {
  /** The text that is in force in the database, where there may be one; undefined while the file is. */
  readShared?: (() => Promise<SharedText | undefined>) | undefined
  /** The file has been read again and has no mistakes. Neither this nor `onMistakes` may throw. */
  onChange: (change: CatalogueChange) => void
  /** The file has been read again and has mistakes: the catalogue stays as it was. */
  onMistakes: (mistakes: Mistake[], shared: SharedReading | undefined) => void
  /** How often the file is checked for changes. */
  poll_ms?: number
}

export interface WatchedCatalogue {
  /** The last good reading. Take it once for each call: it may be replaced a moment later. */
  current(): Catalogue
  /** The text that it was read from: the file's, or that in the database. */
  text(): string
  /** Of the last good reading; undefined: it is the file's. */
  shared(): SharedReading | undefined
  /** Of the first reading, as in `CatalogueReading`. */
  first_warnings: readonly Mistake[]
  /** Settings (`server.listen`) of the last good reading that wait for a restart. */
  waitingForRestart(): readonly string[]
  /** Reads the file now, changed or not (on SIGHUP: an environment variable may have changed). Never throws. */
  reload(): Promise<void>
  /** Reads it where the database has another text than was read last. @param version that is in force there; undefined: the file is. Never throws. */
  hear(version: number | undefined): Promise<void>
  /** Stops watching. */
  close(): void
}

type Watching =
  | { ok: true; watched: WatchedCatalogue }
  | { ok: false; mistakes: Mistake[]; shared?: SharedReading | undefined }

/**
 * Reads the catalogue, and again whenever its file changes, or what is in the database.
 *
 * It polls the file's time and size once a second instead of watching it: a watch on the file is lost when an editor
 * replaces it, and a watch on its folder wakes for every write of the ledger beside it, which doubled the ledger's cost
 * when it was measured. Polling also works through links and on network drives.
 *
 * @returns the watched catalogue, or the mistakes of the first reading @throws what `readShared` throws at that one
 */
export async function watchCatalogue(path: string, options: WatchOptions): Promise<Watching> {
  const { onChange, onMistakes, readShared, poll_ms = 1_000 } = options
  const stamps = await stampsOf([path])
  /** The files that the last reading asked for are read again when they change. */
  let key_paths: readonly string[] = []
  /** In the database, when it was read last: one with mistakes is not read again and again. Null: it could not be told. */
  let seen_version: number | undefined | null = null
  const readWithKeys = async (): Promise<FileReading> => {
    for (;;) {
      // A text that is read here need not be read again for the change of its time.
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

  /** Readings run one after the other, so that an older one never replaces a newer one. */
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
      hear: async (version) => {
        await last_read
        if (version !== seen_version) await reload()
      },
      close,
    },
  }
}

/** The database cannot be asked: what was read last stays in use. */
const unreadable = (thrown: unknown): FileReading => ({
  ok: false,
  mistakes: [{ path: '', line: 1, message: `cannot be read from the database: ${messageOf(thrown)}` }],
})

/** Whether a running gateway applies a setting at its next start only. @param path `['server', 'listen']` */
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
