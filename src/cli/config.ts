// `config check`: every mistake in a catalogue file, with its path and line.
import type { Command } from 'commander'
import { contextOf } from './context.ts'
import { readCatalogueOf } from './data-folder.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

export function addConfigCommands(program: Command, deps: CliDeps): void {
  program
    .command('config')
    .description('Check the catalogue file.')
    .command('check [file]')
    .description('List every mistake in a catalogue file; by default in the one of the data folder.')
    .action(async (file: string | undefined, _: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const path = file ?? folder.catalogue_path
      const reading = await readCatalogueOf(path, deps.env)
      if ('catalogue' in reading) {
        const { models, providers } = reading.catalogue
        answer(
          { ok: true, file: path, models: models.size, providers: providers.size, mistakes: [] },
          `${path} has no mistakes: models ${models.size}, providers ${providers.size}.`,
        )
        return
      }
      const { mistakes, lines } = reading
      remark(lines.join('\n'))
      answer(
        { ok: false, file: path, mistakes },
        `Mistakes: ${mistakes.length}. A running gateway keeps the last good version.`,
      )
      throw new Exit(EXIT.failed)
    })
}
