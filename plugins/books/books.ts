// The last audit of the books: that of the start or of the day, or one on request, in a process of its own.
import { AuditReport } from '../../src/app/process/full-audit.ts'
import { LastReport } from '../../src/app/process/last-report.ts'
import { reportInProcess } from '../../src/app/process/own-process.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'

export type Books = LastReport<AuditReport>

export const createBooks = (data_folder: string, now: () => number): Books =>
  new LastReport(() => reportInProcess(['audit'], AuditReport, data_folder), now)

/** The books of a gateway, with the audits that it makes by itself. */
export function openBooks({ calls: { now }, operations: { data_folder, onAudit } }: Gateway): Books {
  const books = createBooks(data_folder, now)
  onAudit((audit) => books.keep(audit))
  return books
}
