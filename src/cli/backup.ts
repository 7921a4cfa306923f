// Owns `backup`: a proven copy of the database, taken beside a running server.
import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import { writeSnapshot } from './snapshot.ts'
import type { CliDeps } from './terminal.ts'

export function addBackupCommand(program: Command, deps: CliDeps): void {
  program
    .command('backup <file>')
    .summary('copy the database, beside a running server')
    .description(
      'Writes a copy of the database as of now, checked and audited; a server may run meanwhile.\n' +
        'It holds accounts, keys (hashed) and calls. The catalogue, images and files are files of the data\n' +
        'folder: copy those as they are.',
    )
    .action((file: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { totals } = withDatabase(folder, 'read', (db) => writeSnapshot(db, file))
      const { size } = statSync(file)
      answer(
        { file, bytes: size, accounts: totals.accounts, calls: totals.calls, clean: true },
        `${file}: accounts ${totals.accounts}, calls ${totals.calls}, bytes ${size}; checked, and its audit is clean.`,
      )
    })
}
