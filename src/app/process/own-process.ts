// A command of this program in a separate, low-priority process, and the report that it prints.
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Static, TSchema } from '@sinclair/typebox'
import { readJsonAs } from '../../domain/validation.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { isCompiled } from './relaunch.ts'

/** The command line of this program. Tests, which run from source, set it to a build, which starts with a quarter of the CPU time. */
export const ownProgram: { command: readonly string[] } = {
  command: isCompiled()
    ? [process.execPath]
    : [process.execPath, fileURLToPath(new URL('../../main.ts', import.meta.url))],
}

/** Starts `tollgate …`. @throws the system's error if the process cannot start, for lack of memory or of the program's file */
export function startOwnCommand(args: readonly string[]) {
  const child = Bun.spawn([...ownProgram.command, ...args], {
    // Passed explicitly: Bun's default is the environment at the start, without the variables of --env-file.
    env: process.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    // A tenth of a busy process's share. At the lowest priority, a sixtieth, it would not finish on a busy machine.
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Dropped: the process has already ended, or the system has no priorities.
  }
  return child
}

export interface ReportProcess<Report> {
  /** The report, or the failure in the words of the process. */
  ended: Promise<{ report: Report } | { failure: string }>
  /** Kills the process. `ended` then resolves to a failure. */
  stop(): void
}

/** Runs a command on a data folder. A process that cannot start is a reported failure, not an exception. */
export function reportInProcess<S extends TSchema>(
  command: readonly string[],
  schema: S,
  data_folder: string,
): ReportProcess<Static<S>> {
  let child: ReturnType<typeof startOwnCommand>
  try {
    child = startOwnCommand([...command, '--json', '--data', data_folder])
  } catch (thrown) {
    return { ended: Promise.resolve({ failure: messageOf(thrown) }), stop() {} }
  }
  const read = async () => {
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    // Undefined if the process ended too early, or another version has replaced the program's file since the start.
    const report = readJsonAs(schema, output)
    return report === undefined ? { failure: errors.trim() || 'it ended without a report' } : { report }
  }
  return { ended: read(), stop: () => child.kill('SIGKILL') }
}
