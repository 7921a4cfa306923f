// The audit at the start: immediate if there is little to check, otherwise in a separate process; and again each day.

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

/** Up to this size an audit takes less than 100 ms of CPU (4,900 calls 92, 2,000 calls 49, none 14); a separate process takes four times that. */
const MAX_ROWS_AT_ONCE = 5_000
/** An audit reads the whole database. */
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024

/** A daily audit starts from the last one's mark; once a week it checks all rows. */
const AGAIN_EVERY_MS = DAY_MS

interface StartAuditOptions {
  db: Db
  own_gateway: Pick<OwnGateway, 'id' | 'alive'>
  engine: Pick<Engine, 'openIntegrity' | 'about'>
  files: FileStores
  data_folder: string
  log: Logger
  now?: () => number
  /** Called with each audit. */
  listeners?: readonly ((audit: MadeAudit) => void)[]
  /** With more rows in a table the audit runs in a separate process. */
  max_rows_at_once?: number
  again_every_ms?: number
}

interface StartAudit {
  /** Resolves when the audit of the start has ended, with any result. */
  ended: Promise<void>
  /** Kills a running audit without a report, and starts no other. */
  stop(): void
}

/**
 * Audits the books, the images and the kept responses, and logs findings. Findings do not stop the gateway, so a large ledger,
 * which takes seconds, is audited at a low priority while the gateway serves. The audit is repeated each day, by one of all gateways.
 * @returns once the audit has ended, or runs in a separate process
 */
export async function auditAtStart(options: StartAuditOptions): Promise<StartAudit> {
  const { db, engine, files, log, now = Date.now, max_rows_at_once = MAX_ROWS_AT_ONCE } = options
  const onReport = (report: AuditReport, started_ms: number) => {
    const ended_at_ms = now()
    const made = { report, ended_at_ms, took_ms: ended_at_ms - started_ms }
    for (const listener of options.listeners ?? []) listener(made)
    reportFindings(report.findings, log)
  }
  let running: StartAudit | undefined
  const startProcess = async (): Promise<void> => {
    const started_ms = now()
    running = auditInProcess(options, (report) => onReport(report, started_ms))
    await running.ended
    running = undefined
  }
  const started_ms = now()
  let ended: Promise<void> = Promise.resolve()
  try {
    if ((await rowsOf(db)) > max_rows_at_once || (await engine.about(db)).bytes > MAX_BYTES_AT_ONCE)
      ended = startProcess()
    else {
      using integrity = engine.openIntegrity(db)
      onReport(reportOf(await fullAudit({ ...files, db, integrity })), started_ms)
      // A daily audit that started from an older mark would miss the findings of this one.
      if (await auditMark(db)) await forgetAuditMark(db)
    }
  } catch (cause) {
    // The gateway already serves, so a failure here does not end its start.
    warnOfFailure(log, cause)
  }
  const timer = setInterval(() => {
    if (!running && isEldest(options.own_gateway)) void startProcess()
  }, options.again_every_ms ?? AGAIN_EVERY_MS)
  return {
    ended,
    stop() {
      clearInterval(timer)
      running?.stop()
    },
  }
}

/** The largest row ID in the tables that grow with calls: an index lookup, unlike a count. Settled holds have no row. */
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

function auditInProcess(
  { data_folder, log }: StartAuditOptions,
  onReport: (report: AuditReport) => void,
): StartAudit {
  const audit = reportInProcess([AUDIT_AT_START], AuditReport, data_folder)
  let stopped = false
  const report = async () => {
    const ended = await audit.ended
    if (stopped) return
    if ('report' in ended) onReport(ended.report)
    else warnOfFailure(log, ended.failure)
  }
  return {
    ended: report(),
    stop() {
      stopped = true
      audit.stop()
    },
  }
}
