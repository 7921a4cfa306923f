// A command of this same program in a process of its own, at a low priority, beside the calls.
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isCompiled } from './relaunch.ts'

/** Starts `tollgate …`. */
export function startOwnCommand(args: readonly string[]) {
  const program = isCompiled() ? [] : [fileURLToPath(new URL('../main.ts', import.meta.url))]
  const child = Bun.spawn([process.execPath, ...program, ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It may be over already, or the system has no priorities: it then takes its turn like any other process.
  }
  return child
}
