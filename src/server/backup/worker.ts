// The work on backups that goes on beside the calls: one at a time, each in a process of its own.
import { conflict } from '../../domain/errors.ts'
import type { Logger } from '../../observe/log.ts'
import type { Backups, BackupWork, EndedBackupWork } from '../../surface/backups.ts'
import { type BackupDeed, type BackupProcess, type EndedDeed, startBackupProcess } from './process.ts'

export interface BackupWorker extends Pick<Backups, 'running' | 'last'> {
  /** When the last scheduled one failed; undefined where it did not. */
  readonly last_failed_at_ms: number | undefined
  /** @throws GatewayError conflict while something is under way */
  begin(deed: BackupDeed): void
  /** Takes note that a scheduled one could not be begun. */
  failed(cause: unknown): void
  stop(): Promise<void>
}

export interface WorkerOptions {
  data_folder: string
  log: Logger
  now: () => number
  /** Begins a deed; tests replace it. */
  start?: typeof startBackupProcess
}

interface Running extends BackupWork {
  process: BackupProcess
  is_scheduled: boolean
}

export function createWorker({
  data_folder,
  log,
  now,
  start = startBackupProcess,
}: WorkerOptions): BackupWorker {
  const last: Record<BackupWork['kind'], EndedBackupWork | undefined> = { make: undefined, verify: undefined }
  let running: Running | undefined
  let last_failed_at_ms: number | undefined
  let stopped = false

  async function end(work: Running): Promise<void> {
    const ended = await work.process.ended
    running = undefined
    if (stopped) return
    const has_failed = 'failure' in ended
    last[work.kind] = {
      kind: work.kind,
      name: has_failed ? work.name : ended.name,
      ended_at_ms: now(),
      failure: has_failed ? ended.failure : undefined,
      result: has_failed ? undefined : resultOf(work, ended),
      warnings: has_failed ? [] : ended.warnings,
    }
    if (work.is_scheduled) last_failed_at_ms = has_failed ? now() : undefined
    const facts = { kind: work.kind, scheduled: work.is_scheduled, took_ms: now() - work.since_ms }
    if (has_failed) log.error({ ...facts, failure: ended.failure }, FAILED)
    else tellDone(log, ended, facts)
  }

  return {
    get running() {
      return running
    },
    last,
    get last_failed_at_ms() {
      return last_failed_at_ms
    },
    begin(deed) {
      if (stopped) throw conflict('The gateway is stopping: make the backup when it runs again.')
      if (running)
        throw conflict(
          `A backup is being ${running.kind === 'make' ? 'made' : 'verified'} already: wait until that has ended.`,
        )
      const process = start(data_folder, deed, (progress) => {
        if (running) running.progress = progress
      })
      running = {
        kind: deed.deed,
        name: deed.deed === 'verify' ? deed.name : undefined,
        since_ms: now(),
        progress: undefined,
        is_scheduled: deed.deed === 'make' && deed.scheduled,
        process,
      }
      void end(running)
    },
    failed(cause) {
      last_failed_at_ms = now()
      log.error({ cause }, FAILED)
    },
    async stop() {
      stopped = true
      await running?.process.stop()
    },
  }
}

function tellDone(
  log: Logger,
  { name, deleted, warnings }: EndedDeed,
  facts: Pick<BackupWork, 'kind'>,
): void {
  const told = { ...facts, name, deleted }
  if (warnings.length > 0) log.warn({ ...told, warnings }, `backup: ${facts.kind} done`)
  else log.info(told, `backup: ${facts.kind} done`)
}

const FAILED = 'backup failed; a scheduled one is tried again'

const resultOf = ({ kind }: BackupWork, { name, files }: EndedDeed): string =>
  kind === 'make'
    ? `${name} was made, with ${files} files.`
    : `${name} can be restored: ${files} files, every hash is right, and the audit is clean.`
