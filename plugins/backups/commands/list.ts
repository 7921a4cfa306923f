// `backup list`: the archives in the place of [backup], the newest first.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { rowFor, tableColumnsOf } from '../../../src/app/list/columns.ts'
import { archive_columns } from '../list.ts'
import { configuredPlace, whereOptions } from '../places/where.ts'

export function addBackupListCommand(backup: Command, deps: CliDeps): void {
  const list = backup
    .command('list')
    .summary('List the archives.')
    .description('List the archives at the place in [backup], newest first.')
  addExample(list, 'backup list').action(async () => {
    const context = contextOf(list, deps)
    const place = configuredPlace(await whereOptions(context, deps))
    const archives = await place.list()
    const table = context.tableOf(
      tableColumnsOf(archive_columns),
      archives,
      'No archives yet. `tollgate backup` makes one.',
    )
    context.answer(
      {
        place: place.where,
        backups: archives.map((archive) => rowFor(archive_columns, 'command', archive)),
      },
      `${place.where}\n\n${table}`,
    )
  })
}
