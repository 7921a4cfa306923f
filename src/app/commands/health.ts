// `health`: whether the gateway of a folder accepts calls, for container health checks.
import { accessSync, constants } from 'node:fs'
import type { Command } from 'commander'
import { codeOf } from '../../utilities/thrown.ts'
import type { Diagnosis } from '../checks/check.ts'
import { checkReady } from '../checks/ready.ts'
import { readSeconds } from '../command-line/arguments.ts'
import { contextOf } from '../command-line/context.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../command-line/terminal.ts'
import { servedAt } from '../process/served-at.ts'

const RETRY_MS = 200

export function addHealthCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('health'), 'health --data /var/lib/tollgate')
    .summary('Check whether the gateway takes calls.')
    .description(
      "Check whether a gateway serves the data folder and takes calls, for example as a container's HEALTHCHECK. The " +
        'exit status is 1 if not.',
    )
    .option('--wait <duration>', 'wait at most this long, such as 60s', readSeconds)
    .action(async ({ wait = 0 }: { wait?: number }, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const ends_ms = performance.now() + wait * 1_000
      let readiness = await readinessAt(folder.dir)
      while (readiness?.level !== 'ok' && performance.now() < ends_ms) {
        await Bun.sleep(RETRY_MS)
        readiness = await readinessAt(folder.dir)
      }
      const url = servedAt(folder.dir)
      const ready = readiness?.level === 'ok'
      const found = readiness?.found ?? notServedText(folder.dir)
      answer({ ready, url: url ?? null, found }, found)
      if (!ready) throw new Exit(EXIT.failed)
    })
}

/** Undefined if no gateway serves the folder. */
async function readinessAt(dir: string): Promise<Diagnosis | undefined> {
  const url = servedAt(dir)
  return url === undefined ? undefined : await checkReady(url)
}

function notServedText(dir: string): string {
  try {
    accessSync(dir, constants.R_OK | constants.X_OK)
  } catch (refusal) {
    if (codeOf(refusal) === 'EACCES')
      return `this user cannot read ${dir}: run this as the user that runs the gateway`
  }
  return `no gateway serves ${dir}`
}
