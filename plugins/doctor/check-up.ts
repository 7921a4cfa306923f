// The last check-up of a gateway: on request, in a separate process.
import { LastReport } from '../../src/app/process/last-report.ts'
import { reportInProcess } from '../../src/app/process/own-process.ts'
import { DoctorReport } from './report.ts'

export type Doctor = LastReport<DoctorReport>

export const createDoctor = (data_folder: string, now: () => number): Doctor =>
  new LastReport(() => reportInProcess(['doctor'], DoctorReport, data_folder), now)
