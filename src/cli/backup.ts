// `backup`: a checked copy of the database, taken with or without a running gateway.
import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import { writeSnapshot } from './snapshot.ts'
import type { CliDeps } from './terminal.ts'

export function addBackupCommand(program: Command, deps: CliDeps): void {
  program
    .command('backup <file>')
    .summary('Copy the database.')
    .description(
      'Write a checked and audited copy of the database, also while the gateway runs. It has the accounts, keys ' +
        '(hashed), calls and kept responses. The catalogue, the images, the uploaded files and large responses are ' +
        'plain files of the data folder: copy tollgate.toml, images/, files/ and responses/ after it.',
    )
    .action((file: string, _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const { totals } = withDatabase(folder, 'read', (db) => writeSnapshot(db, file))
      const { size } = statSync(file)
      answer(
        { file, bytes: size, accounts: totals.accounts, calls: totals.calls, clean: true },
        `${file}: accounts ${totals.accounts}, calls ${totals.calls}, bytes ${size}; checked, audit clean.`,
      )
    })
}
