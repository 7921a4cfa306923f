// The last audit of the books: the gateway's own at its start and each day, or one on request in a separate process.
import { AuditReport } from '../../src/app/process/full-audit.ts'
import { LastReport } from '../../src/app/process/last-report.ts'
import { reportInProcess } from '../../src/app/process/own-process.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'

export type Books = LastReport<AuditReport>

export const createBooks = (data_folder: string, now: () => number): Books =>
  new LastReport(() => reportInProcess(['audit'], AuditReport, data_folder), now)

/** Opens the books of a gateway and keeps the reports of its own audits. */
export function openBooks({ calls: { now }, operations: { data_folder, onAudit } }: Gateway): Books {
  const books = createBooks(data_folder, now)
  onAudit((audit) => books.keep(audit))
  return books
}
