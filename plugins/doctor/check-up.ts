// The doctor on request: one round at a time, in a process of its own.
import { internal } from '../../src/domain/errors.ts'
import { type Doctor, DoctorReport } from '../../src/surface/diagnosis.ts'
import { type ReportProcess, reportInProcess } from '../../src/server/own-process.ts'

export interface OpenDoctor extends Doctor {
  /** Ends what is running. */
  stop(): void
}

/** @param start begins a round; tests replace it */
export function createDoctor(
  data_folder: string,
  start: (data_folder: string) => ReportProcess<DoctorReport> = (folder) =>
    reportInProcess(['doctor'], DoctorReport, folder),
): OpenDoctor {
  let round: { process: ReportProcess<DoctorReport>; report: Promise<DoctorReport> } | undefined

  async function reported({ ended }: ReportProcess<DoctorReport>): Promise<DoctorReport> {
    const made = await ended
    round = undefined
    if ('report' in made) return made.report
    throw internal(`The doctor could not make its round: ${made.failure}`, { cause: made.failure })
  }

  return {
    examine() {
      if (!round) {
        const process = start(data_folder)
        round = { process, report: reported(process) }
      }
      return round.report
    },
    stop: () => round?.process.stop(),
  }
}
