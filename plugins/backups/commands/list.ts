// `backup list`: the archives in the place of [backup], the newest first.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { addExample } from '../../../src/app/command-line/example.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import type { Archive } from '../places/place.ts'
import { configuredPlace, whereOptions } from '../places/where.ts'

export function addBackupListCommand(backup: Command, deps: CliDeps): void {
  const list = backup
    .command('list')
    .summary('List the archives.')
    .description('List the archives at the place in [backup], newest first.')
    .action(async () => {
      const context = contextOf(list, deps)
      const options = await whereOptions(context, deps)
      const place = configuredPlace(options)
      const archives = await place.list()
      const shown = context.tableOf<Archive>(
        [
          { head: 'NAME', text: ({ name }) => name },
          { head: 'BYTES', text: ({ bytes }) => String(bytes), right: true },
          { head: 'ENCRYPTED', text: ({ is_encrypted }) => (is_encrypted ? 'yes' : 'no') },
          { head: 'BY', text: ({ is_scheduled }) => (is_scheduled ? 'schedule' : 'hand') },
        ],
        archives,
        'No archives yet. `tollgate backup` makes one.',
      )
      context.answer(
        {
          place: place.where,
          backups: archives.map(({ name, bytes, made_at_ms, is_encrypted, is_scheduled }) => ({
            name,
            bytes,
            made_at: new Date(made_at_ms).toISOString(),
            made_at_ms,
            encrypted: is_encrypted,
            scheduled: is_scheduled,
          })),
        },
        `${place.where}\n\n${shown}`,
      )
    })
  addExample(list, 'backup list')
}
