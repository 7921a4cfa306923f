// The audit at the start: at once where there is little to check, else in a process of its own, beside the calls.

import type { Logger } from '../../observe/log.ts'
import type { Db } from '../../store/db.ts'
import { auditInProcess, type OpenBooks } from '../../../plugins/books/books.ts'
import type { Engine } from './engine/engine.ts'
import type { FileStores } from './files/stores.ts'
import { fullAudit, reportOf } from './full-audit.ts'
import { reportFindings } from './reports.ts'

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
  /** Where its report is kept, and where others are made, which end with it. */
  books?: Pick<OpenBooks, 'keep' | 'stop'>
  /** More rows of a table than this are audited beside the calls. */
  max_rows_at_once?: number
}

/** An audit that may still go on. */
interface StartAudit {
  /** When it is over, whatever came of it. */
  ended: Promise<void>
  /** Ends it without a report. */
  stop(): void
}

/**
 * Audits the books, the images and the kept responses, and reports what is wrong. Wrong books are no reason to refuse calls: a large ledger,
 * which takes seconds, is audited while the gateway serves, by `tollgate audit` at a low priority.
 *
 * @returns once the audit is over, or goes on beside the calls
 */
export async function auditAtStart(options: StartAuditOptions): Promise<StartAudit> {
  const { db, engine, files, log, now = Date.now, books, max_rows_at_once = MAX_ROWS_AT_ONCE } = options
  const since_ms = now()
  if ((await rowsOf(db)) > max_rows_at_once || (await engine.about(db)).bytes > MAX_BYTES_AT_ONCE)
    return auditBeside(options, since_ms)
  using integrity = engine.openIntegrity(db)
  const audited = await fullAudit({ ...files, db, integrity })
  books?.keep(reportOf(audited), since_ms)
  reportFindings(audited.findings, log)
  return { ended: Promise.resolve(), stop: () => books?.stop() }
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

function auditBeside({ data_folder, log, books }: StartAuditOptions, since_ms: number): StartAudit {
  const beside = auditInProcess(data_folder)
  let stopped = false
  const report = async () => {
    const ended = await beside.ended
    if (stopped) return
    if ('report' in ended) {
      books?.keep(ended.report, since_ms)
      reportFindings(ended.report.findings, log)
    } else log.warn({ cause: ended.failure }, 'the audit at the start could not run: run `tollgate audit`')
  }
  return {
    ended: report(),
    stop() {
      stopped = true
      beside.stop()
      books?.stop()
    },
  }
}
