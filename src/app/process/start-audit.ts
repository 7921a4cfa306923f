// The audit at the start: at once where there is little to check, else in a process of its own, beside the calls; and again each day.

import { DAY_MS } from '../../domain/ranges.ts'
import type { Logger } from '../../observe/log.ts'
import { auditMark, forgetAuditMark } from '../../store/audit-marks.ts'
import type { Db } from '../../store/db.ts'
import type { Engine } from './engine/engine.ts'
import { isEldest, type OwnGateway } from './engine/own-gateway.ts'
import type { FileStores } from './files/stores.ts'
import { AuditReport, fullAudit, type MadeAudit, reportOf } from './full-audit.ts'
import { reportInProcess } from './own-process.ts'
import { reportFindings } from './reports.ts'

export const AUDIT_AT_START = 'audit-at-start'

/** Up to here an audit takes less than 100 ms of CPU (4,900 calls 92, 2,000 calls 49, none 14); a process of its own takes four times that. */
const MAX_ROWS_AT_ONCE = 5_000
/** All of them are read. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024

/** From the mark of the last, and all rows once a week. */
const AGAIN_EVERY_MS = DAY_MS

interface StartAuditOptions {
  db: Db
  own_gateway: Pick<OwnGateway, 'id' | 'alive'>
  engine: Pick<Engine, 'openIntegrity' | 'about'>
  files: FileStores
  data_folder: string
  log: Logger
  now?: () => number
  /** They get each audit. */
  listeners?: readonly ((audit: MadeAudit) => void)[]
  /** More rows of a table than this are audited beside the calls. */
  max_rows_at_once?: number
  again_every_ms?: number
}

interface StartAudit {
  /** When that of the start is over, whatever came of it. */
  ended: Promise<void>
  /** Ends it without a report, and begins no other. */
  stop(): void
}

/**
 * Audits the books, the images and the kept responses, and reports what is wrong. Wrong books are no reason to refuse calls: a large ledger,
 * which takes seconds, is audited while the gateway serves, at a low priority.
 * Each day it is made again, by one of all gateways.
 * @returns once the audit is over, or goes on beside the calls
 */
export async function auditAtStart(options: StartAuditOptions): Promise<StartAudit> {
  const { db, engine, files, log, now = Date.now, max_rows_at_once = MAX_ROWS_AT_ONCE } = options
  const onReport = (report: AuditReport, started_ms: number) => {
    const ended_at_ms = now()
    const made = { report, ended_at_ms, took_ms: ended_at_ms - started_ms }
    for (const listener of options.listeners ?? []) listener(made)
    reportFindings(report.findings, log)
  }
  let beside: StartAudit | undefined
  const beginBeside = async (): Promise<void> => {
    const started_ms = now()
    beside = auditBeside(options, (report) => onReport(report, started_ms))
    await beside.ended
    beside = undefined
  }
  const started_ms = now()
  let ended: Promise<void> = Promise.resolve()
  try {
    if ((await rowsOf(db)) > max_rows_at_once || (await engine.about(db)).bytes > MAX_BYTES_AT_ONCE)
      ended = beginBeside()
    else {
      using integrity = engine.openIntegrity(db)
      onReport(reportOf(await fullAudit({ ...files, db, integrity })), started_ms)
      // The audit of the day would begin there, and not find again what this one may have found.
      if (await auditMark(db)) await forgetAuditMark(db)
    }
  } catch (cause) {
    // The gateway serves by now: what may end its start comes before.
    warnOfFailure(log, cause)
  }
  const timer = setInterval(() => {
    if (!beside && isEldest(options.own_gateway)) void beginBeside()
  }, options.again_every_ms ?? AGAIN_EVERY_MS)
  return {
    ended,
    stop() {
      clearInterval(timer)
      beside?.stop()
    },
  }
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

const warnOfFailure = (log: Logger, cause: unknown): void =>
  log.warn({ cause }, 'the audit could not run: run `tollgate audit`')

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
    else warnOfFailure(log, ended.failure)
  }
  return {
    ended: report(),
    stop() {
      stopped = true
      beside.stop()
    },
  }
}
