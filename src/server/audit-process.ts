// `tollgate audit` in a process of its own, at a low priority, beside the calls.
import { fits } from '../domain/validation.ts'
import { AuditReport } from '../surface/books.ts'
import { startOwnCommand } from './own-process.ts'

export interface AuditProcess {
  /** The report; where it could not be made, why, in the words of the process. */
  ended: Promise<{ report: AuditReport } | { failure: string }>
  /** Ends it. `ended` resolves to a failure then. */
  stop(): void
}

/** Starts an audit of a data folder. */
export function auditInProcess(data_folder: string): AuditProcess {
  const child = startOwnCommand(['audit', '--json', '--data', data_folder])
  const read = async () => {
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    const report = reportIn(output)
    return report ? { report } : { failure: errors.trim() || 'it ended without a report' }
  }
  return { ended: read(), stop: () => child.kill('SIGKILL') }
}

/** The report in the answer of `tollgate audit --json`; undefined where it is none. */
function reportIn(output: string): AuditReport | undefined {
  try {
    const answer: unknown = JSON.parse(output)
    // The program's file may have been replaced by another version since this process began.
    return fits(AuditReport, answer) ? answer : undefined
  } catch {
    // It ended before it answered: whoever asked says so.
    return undefined
  }
}
