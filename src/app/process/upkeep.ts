// Upkeep of recorded calls: they are rewritten in smaller form in the background, a few at a time.
import type { Catalogue } from '../../domain/catalogue.ts'
import { DAY_MS } from '../../domain/ranges.ts'
import { type RewriteName, rewriteCalls } from '../../money/ledger/rewriting.ts'
import type { Logger } from '../../observe/log.ts'
import type { Db } from '../../store/db.ts'
import { reportRewritten } from './reports.ts'

export interface UpkeepParts {
  db: Db
  catalogue: () => Catalogue
  /** The reason why nothing can be written now, as `Readiness.closed`. */
  closed: () => string | undefined
  log: Logger
  now: () => number
  /** The upkeep starts after this: the audit of the start, a long read. */
  after: Promise<void>
}

interface Upkeep {
  /** Rewrites all due calls, unless a run is in progress. @throws StorageFailure: the next run continues there */
  run(): Promise<void>
  stop(): Promise<void>
}

/** On SQLite a step of this size blocks the event loop and the write lock for about 4 ms. */
const CALLS_A_STEP = 150
/** After each step it sleeps for this many times the step's duration. */
const PAUSES_A_STEP = 2
const MIN_PAUSE_MS = 2
/** Then the write-ahead log has about 500 pages (2 MB) of them, which are copied into the file in the time of a step. */
const STEPS_A_CHECKPOINT = 4
/** A long reader, such as a backup, keeps the log from being emptied. The upkeep pauses while the log is longer than this (16 MB). */
const MAX_LOGGED_PAGES = 4_000
const READER_PAUSE_MS = 250

export function createUpkeep({ db, catalogue, closed, log, now, after }: UpkeepParts): Upkeep {
  let stopping = false
  let running: Promise<void> | undefined

  const rewrite = async (name: RewriteName, began_before_ms: number): Promise<void> => {
    const began_ms = performance.now()
    let calls = 0
    let steps = 0
    while (!stopping && closed() === undefined) {
      let step_began_ms = 0
      const step = await rewriteCalls(db, name, {
        max_calls: CALLS_A_STEP,
        began_before_ms,
        onBegin() {
          step_began_ms = performance.now()
        },
      })
      const took_ms = performance.now() - step_began_ms
      calls += step.rewritten
      if (step.looked_at === 0) break
      await Bun.sleep(Math.max(took_ms * PAUSES_A_STEP, MIN_PAUSE_MS))
      steps += 1
      if (db.file && steps % STEPS_A_CHECKPOINT === 0)
        while ((await db.file.copyLog()) > MAX_LOGGED_PAGES && !stopping) await Bun.sleep(READER_PAUSE_MS)
    }
    reportRewritten({ name, calls, took_ms: Math.round(performance.now() - began_ms) }, log)
  }

  const runAll = async (): Promise<void> => {
    await after
    await rewrite('prices', Number.POSITIVE_INFINITY)
    const { traces } = catalogue().retention
    if (traces > 0) await rewrite('traces', now() - traces * DAY_MS)
  }

  return {
    async run() {
      if (stopping) return
      running ??= runAll().finally(() => {
        running = undefined
      })
      await running
    },
    async stop() {
      stopping = true
      // Dropped: the caller of `run` receives the failure.
      await running?.catch(() => undefined)
    },
  }
}
