// The audit at the start: at once where there is little to check, else in a process of its own, beside the calls.
import type { Logger } from '../../observe/log.ts'
import type { Db } from '../../store/db.ts'
import type { Engine } from './engine/engine.ts'
import type { FileStores } from './files/stores.ts'
import { AuditReport, fullAudit, type MadeAudit, reportOf } from './full-audit.ts'
import { reportInProcess } from './own-process.ts'
import { reportFindings } from './reports.ts'

export const AUDIT_AT_START = 'audit-at-start'

/** Up to here an audit takes less than 40 ms; a process of its own, 150. */
const MAX_ROWS_AT_ONCE = 5_000
/** All of them are read. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024

interface StartAuditOptions {
  db: Db
  engine: Pick<Engine, 'openIntegrity' | 'about'>
  files: FileStores
  data_folder: string
  log: Logger
  now?: () => number
  onReport?: (audit: MadeAudit) => void
  /** More rows of a table than this are audited beside the calls. */
  max_rows_at_once?: number
}

interface StartAudit {
  /** When it is over, whatever came of it. */
  ended: Promise<void>
  /** Ends it without a report. */
  stop(): void
}

/**
 * Audits the books, the images and the kept responses, and reports what is wrong. Wrong books are no reason to refuse calls: a large ledger,
 * which takes seconds, is audited while the gateway serves, at a low priority.
 * @returns once the audit is over, or goes on beside the calls
 */
export async function auditAtStart(options: StartAuditOptions): Promise<StartAudit> {
  const { db, engine, files, log, now = Date.now, max_rows_at_once = MAX_ROWS_AT_ONCE } = options
  const started_ms = now()
  const onReport = (report: AuditReport) => {
    const ended_at_ms = now()
    options.onReport?.({ report, ended_at_ms, took_ms: ended_at_ms - started_ms })
    reportFindings(report.findings, log)
  }
  if ((await rowsOf(db)) > max_rows_at_once || (await engine.about(db)).bytes > MAX_BYTES_AT_ONCE)
    return auditBeside(options, onReport)
  using integrity = engine.openIntegrity(db)
  onReport(reportOf(await fullAudit({ ...files, db, integrity })))
  return { ended: Promise.resolve(), stop() {} }
}

/** The greatest number of a row in the tables that grow with calls: found at once, unlike their count. A hold has no row once it is settled. */
async function rowsOf(db: Db): Promise<number> {
  const newest = ['holds', 'calls', 'entries', 'generations', 'files', 'responses'].map(
    (table) => `SELECT max(id) AS id FROM ${table}`,
  )
  const [row] = await db.rows<{ rows: number | null }>(
    `SELECT max(id) AS rows FROM (${newest.join(' UNION ALL ')}) AS newest`,
  )
  return row?.rows ?? 0
}

function auditBeside(
  { data_folder, log }: StartAuditOptions,
  onReport: (report: AuditReport) => void,
): StartAudit {
  const beside = reportInProcess([AUDIT_AT_START], AuditReport, data_folder)
  let stopped = false
  const report = async () => {
    const ended = await beside.ended
    if (stopped) return
    if ('report' in ended) onReport(ended.report)
    else log.warn({ cause: ended.failure }, 'the audit at the start could not run: run `tollgate audit`')
  }
  return {
    ended: report(),
    stop() {
      stopped = true
      beside.stop()
    },
  }
}
