// `tollgate audit` in a process of its own, at a low priority, beside the calls.
import { AuditReport } from '../surface/books.ts'
import { type ReportProcess, reportInProcess } from './report-process.ts'

export type AuditProcess = ReportProcess<AuditReport>

/** Starts an audit of a data folder. */
export const auditInProcess = (data_folder: string): AuditProcess =>
  reportInProcess('audit', AuditReport, data_folder)
