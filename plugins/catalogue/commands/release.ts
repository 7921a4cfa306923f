// `config release`: the file of each machine in force again, in place of the catalogue in the database.

import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { readCatalogueAt, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { addExample } from '../../../src/app/command-line/example.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { newestShared, unshare } from '../../../src/catalogue/shared.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import type { Tx } from '../../../src/store/db.ts'

export function addConfigRelease(config: Command, deps: CliDeps): void {
  addExample(config.command('release'), 'config release')
    .summary('Go back from the database to the file of each machine.')
    .description(
      'Undo `tollgate config apply`: every gateway takes the catalogue from its own tollgate.toml again. Write it there ' +
        'first, on each machine: `tollgate config show` prints it. The versions stay in the history.',
    )
    .option('--yes', 'release without asking')
    .action(async ({ yes }: { yes?: boolean }, command: Command) => {
      const { folder, json, answer, remark } = contextOf(command, deps)
      const { catalogue_path, env } = folder
      const shared = await withDatabase(folder, 'read', newestShared)
      if (!shared) throw NOT_SHARED()
      const own = await readCatalogueAt(catalogue_path, env)
      if (!('catalogue' in own))
        throw unprocessable(
          `This machine's own catalogue has mistakes. Write it first: \`tollgate config show\` prints the one in the database.\n${own.lines.join('\n')}`,
        )
      const about =
        'Every gateway over this database goes back to the tollgate.toml of its machine. One whose file has mistakes keeps ' +
        'what it has in use, and does not start again.'
      await confirm(deps, { yes, json, about, prompt: 'Go back to the files? [y/N] ', agrees: isYes })
      await withDatabase(folder, 'write', (db) => db.begin((tx) => release(tx, shared.version)))
      answer({ released: shared.version }, `Version ${shared.version} is no longer in force.`)
      remark('Running gateways read their files within seconds.')
    })
}

async function release(tx: Tx, version: number): Promise<void> {
  await tx.lock(null)
  if ((await newestShared(tx))?.version !== version)
    throw conflict('The catalogue has changed meanwhile. Nothing was released; try again.')
  await unshare(tx)
  await recordAction(tx, {
    action: 'catalogue.saved',
    subject: 'tollgate.toml of each machine',
    before: { version },
  })
}

const NOT_SHARED = () =>
  conflict('The database has no catalogue: that of tollgate.toml is in force already. Nothing to do.')
