// `doctor`: looks for trouble in the folder, the machine and the providers, and says what to do.
import type { Command } from 'commander'
import { examine } from '../server/doctor/examine.ts'
import { contextOf } from './context.ts'
import { describeReport } from './doctor-table.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

export function addDoctorCommand(program: Command, deps: CliDeps): void {
  program
    .command('doctor')
    .summary('Look for trouble, and say what to do.')
    .description(
      'Check the catalogue, the data folder and who can read it, the database, the disk, the limit of open files, the ' +
        'address, the certificate, backups, plugins, the clock, and each provider with each key by a request that costs nothing. It ' +
        'changes nothing, also beside a running gateway. The exit status is 1 if anything failed.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const report = await examine({ data_folder: folder.dir, env: deps.env, now: deps.now })
      answer(report, describeReport(report))
      if (!report.healthy) throw new Exit(EXIT.failed)
    })
}
