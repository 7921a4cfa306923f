// Owns the catalogue of a running gateway: the last good reading of its file, replaced when the file changes.
import { stat } from 'node:fs/promises'
import type { Catalogue } from '../domain/catalogue.ts'
import { type ReadOptions, readCatalogueFile } from './load.ts'
import type { Mistake } from './mistakes.ts'

/** Settings that a running server cannot take up. */
const NEEDS_RESTART = ['listen', 'ledger_writer'] as const satisfies (keyof Catalogue['server'])[]

export interface CatalogueChange {
  catalogue: Catalogue
  /** Settings (`server.listen`) that differ from those the gateway started with, and wait for a restart. */
  waiting_for_restart: string[]
}

export interface WatchOptions extends ReadOptions {
  /** The file has been read again, and is good. Must not throw, nor may `onMistakes`. */
  onChange: (change: CatalogueChange) => void
  /** The file has been read again, and is not good: the catalogue stays as it was. */
  onMistakes: (mistakes: Mistake[]) => void
  /** How often the file is looked at. */
  poll_ms?: number
}

export interface WatchedCatalogue {
  /** The last good reading. Take it once a call: it may be another one a moment later. */
  current(): Catalogue
  /** Reads the file now, changed or not (SIGHUP: a variable of the environment may be another). Never throws. */
  reload(): Promise<void>
  /** Stops looking. */
  close(): void
}

export type Watching = { ok: true; watched: WatchedCatalogue } | { ok: false; mistakes: Mistake[] }

/**
 * Reads the catalogue file, and again whenever it changes.
 *
 * It is asked for its time and size, once a second, rather than watched by the system: a watch on the file is lost when
 * an editor replaces it, and a watch on its folder wakes for every write of the ledger that lies beside it, which was
 * measured to double the ledger's cost. This also sees through links and network drives.
 *
 * @returns the catalogue held, or the mistakes of the first reading
 */
export async function watchCatalogue(path: string, options: WatchOptions): Promise<Watching> {
  const { onChange, onMistakes, poll_ms = 1_000 } = options
  let stamp = await stampOf(path)
  const first = await readCatalogueFile(path, options)
  if (!first.ok) return first
  const started_with = first.catalogue
  let current = started_with

  const closed = new AbortController()

  const read = async (): Promise<void> => {
    const reading = await readCatalogueFile(path, options)
    if (closed.signal.aborted) return
    if (!reading.ok) return onMistakes(reading.mistakes)
    current = reading.catalogue
    onChange({ catalogue: current, waiting_for_restart: changedForRestart(started_with, current) })
  }

  /** One reading after the other: an older one never replaces a newer. */
  let last_read = Promise.resolve()
  const reload = (): Promise<void> => {
    last_read = last_read.then(read)
    return last_read
  }

  /** A change is read once it has stood still for a whole interval: what is half written is left alone. */
  let settling = false
  const look = async (): Promise<void> => {
    const seen = await stampOf(path)
    if (seen !== stamp) {
      stamp = seen
      settling = true
    } else if (settling) {
      settling = false
      await reload()
    }
  }

  void repeat(look, poll_ms, closed.signal)
  return { ok: true, watched: { current: () => current, reload, close: () => closed.abort() } }
}

function changedForRestart(before: Catalogue, after: Catalogue): string[] {
  return NEEDS_RESTART.filter((field) => before.server[field] !== after.server[field]).map(
    (field) => `server.${field}`,
  )
}

/** What changes whenever the file does; empty where there is none. */
async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    return ''
  }
}

/** Does `task` again and again, never twice at once, and does not keep the process alive. */
async function repeat(task: () => Promise<void>, interval_ms: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => setTimeout(resolve, interval_ms).unref())
    if (!signal.aborted) await task()
  }
}
