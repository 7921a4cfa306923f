// Backups of a running gateway: those of the schedule and those on request, one at a time, each in a process of its own.
import { readArchiveName } from '../../backup/names.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { notFound } from '../../domain/errors.ts'
import type { Backups } from '../../surface/backups.ts'
import { nextDue, RETRY_MS } from './due.ts'
import { madeIn, readRecord } from './record.ts'
import { configuredPlace } from './where.ts'
import { createWorker, type WorkerOptions } from './worker.ts'

export interface OpenBackups extends Backups {
  /** Begins the scheduled one where it is due. */
  tick(): void
  /** Looks regularly whether one is due. */
  watch(): void
  /** Ends what is running. */
  stop(): Promise<void>
}

export interface BackupsOptions extends WorkerOptions {
  catalogue: () => Pick<Catalogue, 'backup'>
}

const CHECK_EVERY_MS = 15_000

export function createBackups(options: BackupsOptions): OpenBackups {
  const { data_folder, catalogue, now } = options
  const started_at_ms = now()
  const worker = createWorker(options)
  let timer: Timer | undefined
  const place = () => configuredPlace({ settings: catalogue().backup, data_folder })

  function due(): number | undefined {
    const { schedule, unavailable } = catalogue().backup
    if (!schedule || unavailable !== undefined) return undefined
    const now_ms = now()
    const times = readRecord(data_folder)
      .map(({ made_at_ms }) => made_at_ms)
      .filter((at_ms) => at_ms <= now_ms)
    const last_made_at_ms = times.length === 0 ? undefined : Math.max(...times)
    const { last_failed_at_ms } = worker
    return nextDue(schedule, { last_made_at_ms, last_failed_at_ms, started_at_ms, now_ms })
  }

  /** What stands in the way of looking, such as a record that cannot be read, is told at the same pace as what fails. */
  function hasJustFailed(): boolean {
    const { last_failed_at_ms } = worker
    return last_failed_at_ms !== undefined && Math.abs(now() - last_failed_at_ms) < RETRY_MS
  }

  return {
    get where() {
      const { place: settings } = catalogue().backup
      return settings.kind === 'folder' ? place().where : `s3://${settings.bucket}/${settings.prefix}`
    },
    get next_at_ms() {
      return due()
    },
    get running() {
      return worker.running
    },
    last: worker.last,
    async list() {
      const { id, list } = place()
      const made = madeIn(data_folder, { id })
      return (await list()).map((archive) => ({ ...archive, is_scheduled: made.has(archive.name) }))
    },
    make: () => worker.begin({ deed: 'make', scheduled: false }),
    verify(name) {
      requireName(name)
      worker.begin({ deed: 'verify', name })
    },
    async open(name) {
      requireName(name)
      return await place().open(name)
    },
    tick() {
      if (worker.running || hasJustFailed()) return
      try {
        const at_ms = due()
        if (at_ms !== undefined && at_ms <= now()) worker.begin({ deed: 'make', scheduled: true })
      } catch (cause) {
        worker.failed(cause)
      }
    },
    watch() {
      timer ??= setInterval(this.tick, CHECK_EVERY_MS)
    },
    async stop() {
      clearInterval(timer)
      await worker.stop()
    },
  }
}

/** Nothing else of the place is read by a name from outside. */
function requireName(name: string): void {
  if (!readArchiveName(name)) throw notFound(`There is no backup ${name}: a name is one that the list shows.`)
}
