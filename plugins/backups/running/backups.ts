// Backups of a running gateway, scheduled or on request: one at a time, each in a separate process.

import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { readArchiveName } from '../archive/names.ts'
import type { Archive } from '../places/place.ts'
import { configuredPlace } from '../places/where.ts'
import type { BackupSettings } from '../settings.ts'
import { nextDue, RETRY_MS } from './due.ts'
import { type BackupWorker, createWorker, type WorkerOptions } from './worker.ts'

export interface Backups {
  /** The address of the place, for messages. */
  readonly where: string
  /** The time of the next scheduled backup; undefined without a schedule. */
  readonly next_at_ms: number | undefined
  readonly running: BackupWorker['running']
  readonly last: BackupWorker['last']
  /** @throws GatewayError if the place cannot be read */
  list(): Promise<Archive[]>
  /** Starts a backup in the background. @throws GatewayError conflict while one is being made or verified */
  make(by: ActionContext): void
  /** Starts a trial restore. @throws GatewayError conflict; not_found if no archive has this name */
  verify(name: string, by: ActionContext): void
  /** Streams an archive. @throws GatewayError not_found */
  open(name: string): Promise<AsyncIterable<Uint8Array>>
  /** Starts a scheduled backup if one is due. */
  tick(): Promise<void>
  /** Starts the timer that calls `tick`. */
  watch(): void
  /** Stops the timer and the running work. */
  stop(): Promise<void>
}

interface BackupsOptions extends WorkerOptions {
  settings: () => BackupSettings
  /** Whether this gateway makes the scheduled backups, which only one of several gateways does. Default: true. */
  isScheduler?: () => boolean
}

const CHECK_EVERY_MS = 15_000

export const openBackups = (
  { calls: { log, now }, operations: { data_folder, gateways }, db }: Gateway,
  settings: () => BackupSettings,
): Backups =>
  createBackups({
    data_folder,
    settings,
    log,
    now,
    record: (action, by) => db.begin((tx) => recordAction(tx, action), { by }),
    isScheduler: () => gateways()?.alive[0]?.is_this ?? true,
  })

export function createBackups(options: BackupsOptions): Backups {
  const { data_folder, settings } = options
  const worker = createWorker(options)
  const place = () => configuredPlace({ settings: settings(), data_folder })
  const { due, list, tick } = createSchedule(options, worker, () => place().list())
  let timer: Timer | undefined

  return {
    get where() {
      const { place: configured } = settings()
      return configured.kind === 'folder' ? place().where : `s3://${configured.bucket}/${configured.prefix}`
    },
    get next_at_ms() {
      return due()
    },
    get running() {
      return worker.running
    },
    last: worker.last,
    list,
    make: (by) => worker.begin({ kind: 'make', scheduled: false }, by),
    verify(name, by) {
      requireName(name)
      worker.begin({ kind: 'verify', name }, by)
    },
    async open(name) {
      requireName(name)
      return await place().open(name)
    },
    tick,
    watch() {
      timer ??= setInterval(() => void tick(), CHECK_EVERY_MS)
      void tick()
    },
    async stop() {
      clearInterval(timer)
      await worker.stop()
    },
  }
}

function createSchedule(
  { settings, now, isScheduler = () => true }: BackupsOptions,
  worker: BackupWorker,
  listPlace: () => Promise<Archive[]>,
) {
  const started_at_ms = now()
  let is_checking = false
  /** The times of the scheduled archives in the place; undefined until the place is listed. */
  let made_at_ms: number[] | undefined

  function due(): number | undefined {
    const { schedule, unavailable } = settings()
    if (!schedule || unavailable !== undefined) return undefined
    const now_ms = now()
    const times = [...(made_at_ms ?? []), worker.scheduled.last_made_at_ms ?? 0].filter(
      (at_ms) => at_ms <= now_ms,
    )
    const last_made_at_ms = Math.max(...times, 0) || undefined
    const { last_failed_at_ms } = worker.scheduled
    return nextDue(schedule, { last_made_at_ms, last_failed_at_ms, started_at_ms, now_ms })
  }

  async function list(): Promise<Archive[]> {
    const archives = await listPlace()
    made_at_ms = archives.filter((archive) => archive.is_scheduled).map((archive) => archive.made_at_ms)
    return archives
  }

  /** Listing the place, such as a bucket that does not answer, may fail. It is then retried as rarely as a failed backup. */
  function hasJustFailed(): boolean {
    const { last_failed_at_ms } = worker.scheduled
    return last_failed_at_ms !== undefined && Math.abs(now() - last_failed_at_ms) < RETRY_MS
  }

  function isDue(): boolean {
    const at_ms = due()
    return at_ms !== undefined && at_ms <= now() && !worker.running
  }

  /** Lists the place the first time, and again before each backup, because a command may have made one in between. */
  async function tick(): Promise<void> {
    if (!isScheduler() || is_checking || worker.running || hasJustFailed() || due() === undefined) return
    if (made_at_ms && !isDue()) return
    is_checking = true
    try {
      await list()
      if (isDue()) worker.begin({ kind: 'make', scheduled: true })
    } catch (cause) {
      worker.failed(cause)
    } finally {
      is_checking = false
    }
  }

  return { due, list, tick }
}

/** Refuses names that are not archives, so that a caller cannot read other files of the place. */
function requireName(name: string): void {
  if (!readArchiveName(name)) throw notFound(`Backup ${name} not found. Choose one from the list.`)
}
