// The audit at the start: at once where there is little to check, else in a process of its own, beside the calls.
import type { Database } from 'bun:sqlite'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Finding } from '../domain/finding.ts'
import { audit } from '../ledger/audit.ts'
import { auditLibrary } from '../library/audit.ts'
import type { Library } from '../library/library.ts'
import { createFileStore } from '../media/store.ts'
import type { Logger } from '../observe/log.ts'
import { auditResponses } from '../responses/audit.ts'
import { RESPONSES_FOLDER } from '../responses/store.ts'
import { isCompiled } from './relaunch.ts'
import { reportFindings } from './reports.ts'

/** Up to here an audit takes less than 30 ms; a process of its own, 150. */
const MAX_ROWS_AT_ONCE = 5_000

export interface StartAuditOptions {
  db: Database
  library: Library
  data_folder: string
  log: Logger
  /** More rows of a table than this are audited beside the calls. */
  max_rows_at_once?: number
}

/** An audit that may still go on. */
export interface StartAudit {
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
  const { db, library, data_folder, log, max_rows_at_once = MAX_ROWS_AT_ONCE } = options
  if (rowsOf(db) > max_rows_at_once) return auditBeside(data_folder, log)
  const in_responses = await auditResponses(db, createFileStore(join(data_folder, RESPONSES_FOLDER)))
  reportFindings([...audit(db).findings, ...(await auditLibrary(library)), ...in_responses], log)
  return { ended: Promise.resolve(), stop() {} }
}

/** The greatest number of a row in the tables that grow with calls: found at once, unlike their count. */
function rowsOf(db: Database): number {
  const newest = ['holds', 'generations', 'files', 'responses'].map(
    (table) => `SELECT max(id) AS id FROM ${table}`,
  )
  return (
    db.query<{ rows: number | null }, []>(`SELECT max(id) AS rows FROM (${newest.join(' UNION ALL ')})`).get()
      ?.rows ?? 0
  )
}

function auditBeside(data_folder: string, log: Logger): StartAudit {
  const program = isCompiled() ? [] : [fileURLToPath(new URL('../main.ts', import.meta.url))]
  const command = [process.execPath, ...program, 'audit', '--json', '--data', data_folder]
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  let stopped = false
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It may be over already, or the system has no priorities: it then takes its turn like any other process.
  }
  const report = async () => {
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    if (stopped) return
    const findings = findingsIn(output)
    if (findings) reportFindings(findings, log)
    else log.warn({ cause: errors.trim() }, 'the audit at the start could not run: run `tollgate audit`')
  }
  return {
    ended: report(),
    stop() {
      stopped = true
      child.kill('SIGKILL')
    },
  }
}

/** The findings in the answer of `tollgate audit --json`; undefined where it is none. */
function findingsIn(output: string): Finding[] | undefined {
  try {
    const { findings } = JSON.parse(output) as { findings?: Finding[] }
    return findings
  } catch {
    // It ended before it answered: its caller says so.
    return undefined
  }
}
