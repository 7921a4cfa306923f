// The audit of the books on request: one at a time, in a process of its own, and its last report kept.
import { AuditReport, type Books, type MadeAudit } from '../../src/app/process/audit-report.ts'
import { type ReportProcess, reportInProcess } from '../../src/app/process/own-process.ts'

type AuditProcess = ReportProcess<AuditReport>

/** Starts an audit of a data folder, beside the calls. */
export const auditInProcess = (data_folder: string): AuditProcess =>
  reportInProcess(['audit'], AuditReport, data_folder)

export interface OpenBooks extends Books {
  /** Keeps a report that was made elsewhere, such as that of the start. */
  keep(report: AuditReport, since_ms: number): void
  /** Ends what is running. */
  stop(): void
}

/** @param start begins an audit; tests replace it */
export function createBooks({
  data_folder,
  now,
  start = auditInProcess,
}: {
  data_folder: string
  now: () => number
  start?: (data_folder: string) => AuditProcess
}): OpenBooks {
  let last: MadeAudit | undefined
  let failure: string | undefined
  let running: { since_ms: number; process: AuditProcess } | undefined

  function keep(report: AuditReport, since_ms: number): void {
    const ended_at_ms = now()
    last = { report, ended_at_ms, took_ms: ended_at_ms - since_ms }
    failure = undefined
  }

  async function run(process: AuditProcess, since_ms: number): Promise<void> {
    const ended = await process.ended
    running = undefined
    if ('report' in ended) keep(ended.report, since_ms)
    else failure = ended.failure
  }

  return {
    get last() {
      return last
    },
    get running_since_ms() {
      return running?.since_ms
    },
    get failure() {
      return failure
    },
    begin() {
      if (running) return
      const process = start(data_folder)
      running = { since_ms: now(), process }
      void run(process, running.since_ms)
    },
    keep,
    stop: () => running?.process.stop(),
  }
}
