// The background worker for backups and trial restores: one task at a time, each in a separate process.

import type { Action, ActionContext } from '../../../src/domain/actions.ts'
import { conflict } from '../../../src/domain/errors.ts'
import type { Logger } from '../../../src/observe/log.ts'
import { counted } from '../../../src/utilities/counted.ts'
import { type BackupProcess, type BackupResult, type BackupTask, startBackupProcess } from './process.ts'

export interface BackupWork {
  kind: 'make' | 'verify'
  /** The archive that is verified; undefined while one is being made. */
  name: string | undefined
  since_ms: number
  /** Undefined until the process reports it. */
  progress: { files: number; bytes: number; of_bytes: number } | undefined
}

export interface EndedBackupWork {
  /** The archive; undefined if none could be made. */
  name: string | undefined
  ended_at_ms: number
  /** The reason of a failure; undefined after success. */
  failure: string | undefined
  /** The result in a sentence. */
  result: string | undefined
  /** Problems that did not make the backup fail. */
  warnings: readonly string[]
}

export interface BackupWorker {
  readonly running: BackupWork | undefined
  /** The last work of each kind since the start. */
  readonly last: { make: EndedBackupWork | undefined; verify: EndedBackupWork | undefined }
  readonly scheduled: Readonly<ScheduledTimes>
  /** Starts a task. @param by the actor; absent for the schedule @throws GatewayError conflict while another task runs */
  begin(task: BackupTask, by?: ActionContext): void
  /** Records that a scheduled backup could not start. */
  failed(cause: unknown): void
  stop(): Promise<void>
}

/** The times of scheduled backups since the start. */
interface ScheduledTimes {
  /** The start of the last successful one. */
  last_made_at_ms: number | undefined
  /** The end of the last one if it failed; otherwise undefined. */
  last_failed_at_ms: number | undefined
}

export interface WorkerOptions {
  data_folder: string
  log: Logger
  now: () => number
  /** Writes to the audit log. */
  record: (action: Action, by: ActionContext) => Promise<void>
  /** Starts a process; tests replace it. */
  start?: typeof startBackupProcess
}

interface Running extends BackupWork {
  process: BackupProcess
  is_scheduled: boolean
  by: ActionContext | undefined
}

export function createWorker({
  data_folder,
  log,
  now,
  record,
  start = startBackupProcess,
}: WorkerOptions): BackupWorker {
  const last: Record<BackupWork['kind'], EndedBackupWork | undefined> = { make: undefined, verify: undefined }
  let running: Running | undefined
  const scheduled: ScheduledTimes = { last_made_at_ms: undefined, last_failed_at_ms: undefined }
  let stopped = false

  async function end(work: Running): Promise<void> {
    const ended = await work.process.ended
    running = undefined
    if (stopped) return
    const has_failed = 'failure' in ended
    last[work.kind] = endedWork(work, ended, now())
    if (work.is_scheduled) {
      scheduled.last_failed_at_ms = has_failed ? now() : undefined
      if (!has_failed) scheduled.last_made_at_ms = work.since_ms
    }
    logEnd(log, ended, work, now() - work.since_ms)
    if (!has_failed && work.kind === 'make') await recordMade({ log, now, record }, ended, work)
  }

  return {
    get running() {
      return running
    },
    last,
    scheduled,
    begin(task, by) {
      if (stopped) throw conflict('The gateway is stopping. Back up when it runs again.')
      if (running)
        throw conflict(
          `A backup is already being ${running.kind === 'make' ? 'created' : 'verified'}. Wait until it finishes.`,
        )
      const process = start(data_folder, task, (progress) => {
        if (running) running.progress = progress
      })
      running = {
        kind: task.kind,
        name: task.kind === 'verify' ? task.name : undefined,
        since_ms: now(),
        progress: undefined,
        is_scheduled: task.kind === 'make' && task.scheduled,
        by,
        process,
      }
      void end(running)
    },
    failed(cause) {
      if (stopped) return
      scheduled.last_failed_at_ms = now()
      log.error({ cause }, FAILED)
    },
    async stop() {
      stopped = true
      await running?.process.stop()
    },
  }
}

const endedWork = (
  work: BackupWork,
  ended: BackupResult | { failure: string },
  ended_at_ms: number,
): EndedBackupWork =>
  'failure' in ended
    ? { name: work.name, ended_at_ms, failure: ended.failure, result: undefined, warnings: [] }
    : {
        name: ended.name,
        ended_at_ms,
        failure: undefined,
        result: resultOf(work, ended),
        warnings: ended.warnings,
      }

async function recordMade(
  { log, now, record }: Pick<WorkerOptions, 'log' | 'now' | 'record'>,
  { name, files }: BackupResult,
  { by, is_scheduled }: Running,
): Promise<void> {
  const now_ms = now()
  const after = { files, ...(is_scheduled ? { scheduled: true } : {}) }
  try {
    await record(
      { action: 'backup.created', subject: name, after },
      by ? { ...by, now_ms } : { actor: { kind: 'system' }, now_ms },
    )
  } catch (cause) {
    log.error({ cause, name }, 'the audit log lacks a backup that was made')
  }
}

function logEnd(
  log: Logger,
  ended: BackupResult | { failure: string },
  { by, kind, is_scheduled }: Running,
  took_ms: number,
): void {
  const facts = { request_id: by?.request_id, kind, scheduled: is_scheduled, took_ms }
  if ('failure' in ended) {
    log.error({ ...facts, failure: ended.failure }, FAILED)
    return
  }
  const { name, deleted, warnings } = ended
  const details = { ...facts, name, deleted }
  if (warnings.length > 0) log.warn({ ...details, warnings }, `backup: ${kind} done`)
  else log.info(details, `backup: ${kind} done`)
}

const FAILED = 'backup failed; a scheduled one is tried again'

const resultOf = ({ kind }: BackupWork, { name, files }: BackupResult): string =>
  kind === 'make'
    ? `Backup created: ${name}, ${counted(files, 'file')}.`
    : `${name} can be restored: ${counted(files, 'file')}, all hashes match, and the audit is clean.`
