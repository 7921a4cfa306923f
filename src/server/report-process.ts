// A report of one of our own commands, made in a process of its own at a low priority, beside the calls.
import type { Static, TSchema } from '@sinclair/typebox'
import { readJsonAs } from '../domain/validation.ts'
import { startOwnCommand } from './own-process.ts'

export interface ReportProcess<Report> {
  /** The report; where it could not be made, why, in the words of the process. */
  ended: Promise<{ report: Report } | { failure: string }>
  /** Ends it. `ended` resolves to a failure then. */
  stop(): void
}

/**
 * Runs a command on a data folder.
 *
 * @param schema of what the command answers with --json
 */
export function reportInProcess<S extends TSchema>(
  name: string,
  schema: S,
  data_folder: string,
): ReportProcess<Static<S>> {
  const child = startOwnCommand([name, '--json', '--data', data_folder])
  const read = async () => {
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    // None where it ended too early, or another version has replaced the program's file since this process began.
    const report = readJsonAs(schema, output)
    return report === undefined ? { failure: errors.trim() || 'it ended without a report' } : { report }
  }
  return { ended: read(), stop: () => child.kill('SIGKILL') }
}
