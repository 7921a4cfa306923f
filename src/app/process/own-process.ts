// A command of this same program in a process of its own, at a low priority, beside the calls; and the report of one.
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Static, TSchema } from '@sinclair/typebox'
import { readJsonAs } from '../../domain/validation.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { isCompiled } from './relaunch.ts'

/** The command of this same program. Tests, which run from source, name a build of it: that starts in a quarter of the CPU. */
export const ownProgram: { command: readonly string[] } = {
  command: isCompiled()
    ? [process.execPath]
    : [process.execPath, fileURLToPath(new URL('../../main.ts', import.meta.url))],
}

/** Starts `tollgate …`. @throws what the system says where it starts no process: for lack of memory, or of the program's file */
export function startOwnCommand(args: readonly string[]) {
  const child = Bun.spawn([...ownProgram.command, ...args], {
    // As it is now: left out, Bun gives that of the start, without what --env-file has added.
    env: process.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    // A tenth of what a busy process gets. At the lowest, a sixtieth, it would not come to its end on a busy machine.
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may be over already, or the system has no priorities: it then takes its turn like any other process.
  }
  return child
}

export interface ReportProcess<Report> {
  /** The report; where it could not be made, why, in the words of the process. */
  ended: Promise<{ report: Report } | { failure: string }>
  /** Ends it. `ended` resolves to a failure then. */
  stop(): void
}

/** Runs a command on a data folder. A process that cannot be started is a failure, too: nobody waits for the audit of a day. */
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
    // None where it ended too early, or another version has replaced the program's file since this process began.
    const report = readJsonAs(schema, output)
    return report === undefined ? { failure: errors.trim() || 'it ended without a report' } : { report }
  }
  return { ended: read(), stop: () => child.kill('SIGKILL') }
}
