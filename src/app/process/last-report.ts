// The last report of a check that runs in a separate process: one at a time, on request.
import type { ReportProcess } from './own-process.ts'

export interface MadeReport<Report> {
  report: Report
  ended_at_ms: number
  took_ms: number
}

export class LastReport<Report> {
  /** Undefined until the first check since the start has ended. */
  last: MadeReport<Report> | undefined
  /** The failure of the last check; undefined if it succeeded. */
  failure: string | undefined
  running_since_ms: number | undefined
  readonly #start: () => ReportProcess<Report>
  readonly #now: () => number
  #process: ReportProcess<Report> | undefined

  /** @param start starts a check */
  constructor(start: () => ReportProcess<Report>, now: () => number) {
    this.#start = start
    this.#now = now
  }

  /** Starts a check, unless one is running. */
  begin(): void {
    if (this.#process) return
    this.#process = this.#start()
    this.running_since_ms = this.#now()
    void this.#follow(this.#process, this.running_since_ms)
  }

  keep(made: MadeReport<Report>): void {
    this.last = made
    this.failure = undefined
  }

  /** Ends the running check. */
  stop(): void {
    this.#process?.stop()
  }

  async #follow({ ended }: ReportProcess<Report>, since_ms: number): Promise<void> {
    const outcome = await ended
    this.#process = undefined
    this.running_since_ms = undefined
    const ended_at_ms = this.#now()
    if ('report' in outcome)
      this.keep({ report: outcome.report, ended_at_ms, took_ms: ended_at_ms - since_ms })
    else this.failure = outcome.failure
  }
}
