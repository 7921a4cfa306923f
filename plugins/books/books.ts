// The last audit of the books, made at the start or on request: one at a time, in a process of its own.
import { AuditReport, type MadeAudit } from '../../src/app/process/full-audit.ts'
import { type ReportProcess, reportInProcess } from '../../src/app/process/own-process.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'

type AuditProcess = ReportProcess<AuditReport>

const auditInProcess = (data_folder: string): AuditProcess =>
  reportInProcess(['audit'], AuditReport, data_folder)

export class Books {
  /** Undefined until an audit since the start has ended. */
  last: MadeAudit | undefined
  /** Why the last one could not run; undefined if it could. */
  failure: string | undefined
  running_since_ms: number | undefined
  readonly #data_folder: string
  readonly #now: () => number
  readonly #start: typeof auditInProcess
  #process: AuditProcess | undefined

  /** @param start starts an audit; tests replace it */
  constructor({ data_folder, now }: { data_folder: string; now: () => number }, start = auditInProcess) {
    this.#data_folder = data_folder
    this.#now = now
    this.#start = start
  }

  /** Starts an audit beside the calls, unless one is running. */
  begin(): void {
    if (this.#process) return
    this.#process = this.#start(this.#data_folder)
    this.running_since_ms = this.#now()
    void this.#follow(this.#process, this.running_since_ms)
  }

  keep(audit: MadeAudit): void {
    this.last = audit
    this.failure = undefined
  }

  stop(): void {
    this.#process?.stop()
  }

  async #follow({ ended }: AuditProcess, since_ms: number): Promise<void> {
    const outcome = await ended
    this.#process = undefined
    this.running_since_ms = undefined
    const ended_at_ms = this.#now()
    if ('report' in outcome)
      this.keep({ report: outcome.report, ended_at_ms, took_ms: ended_at_ms - since_ms })
    else this.failure = outcome.failure
  }
}

/** The books of a gateway, with the audit of its start. */
export function openBooks({ calls: { now }, operations: { data_folder, start_audit } }: Gateway): Books {
  const books = new Books({ data_folder, now })
  void start_audit.then((audit) => books.keep(audit))
  return books
}
