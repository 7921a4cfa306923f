// The check-up on request: one at a time, in a process of its own, beside the calls.

import { type ReportProcess, reportInProcess } from '../../src/app/process/own-process.ts'
import { internal } from '../../src/domain/errors.ts'
import { DoctorReport } from './report.ts'

export interface Doctor {
  /**
   * Examines the gateway. Requests during a check-up get its report.
   *
   * @throws GatewayError internal with the reason if there is no report
   */
  examine(): Promise<DoctorReport>
  /** Ends the check-up under way. */
  stop(): void
}

/** @param start starts a check-up; tests replace it */
export function createDoctor(
  data_folder: string,
  start: (data_folder: string) => ReportProcess<DoctorReport> = (folder) =>
    reportInProcess(['doctor'], DoctorReport, folder),
): Doctor {
  let current: { process: ReportProcess<DoctorReport>; report: Promise<DoctorReport> } | undefined

  async function reported({ ended }: ReportProcess<DoctorReport>): Promise<DoctorReport> {
    const outcome = await ended
    current = undefined
    if ('report' in outcome) return outcome.report
    throw internal(`The check could not run: ${outcome.failure}`, { cause: outcome.failure })
  }

  return {
    examine() {
      if (!current) {
        const process = start(data_folder)
        current = { process, report: reported(process) }
      }
      return current.report
    },
    stop: () => current?.process.stop(),
  }
}
