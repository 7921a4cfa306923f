// `config check`: every mistake and warning in a catalogue file, with its path and line; config-history.ts has its past.
import type { Command } from 'commander'
import { addConfigHistory, addConfigRestore } from './config-history.ts'
import { contextOf } from './context.ts'
import { readCatalogueOf } from './data-folder.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

export function addConfigCommands(program: Command, deps: CliDeps): void {
  const config = program
    .command('config')
    .description('Check the catalogue file, show its history, and restore a version.')
  addConfigHistory(config, deps)
  addConfigRestore(config, deps)
  config
    .command('check [file]')
    .summary('List every mistake in a catalogue file.')
    .description(
      'List every mistake in a catalogue file (default: the one in the data folder). Also warn of missing environment ' +
        'variables and of addresses that look wrong; warnings leave the exit status 0. ' +
        '`tollgate providers test` asks the providers themselves.',
    )
    .action(async (file: string | undefined, _: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const path = file ?? folder.catalogue_path
      const reading = await readCatalogueOf(path, deps.env)
      if ('catalogue' in reading) {
        const { catalogue, warnings, warning_lines } = reading
        const { models, providers } = catalogue
        for (const line of warning_lines) remark(`warning: ${line}`)
        const counted = `models ${models.size}, providers ${providers.size}`
        const warned = warnings.length === 0 ? '' : `; warnings ${warnings.length}`
        answer(
          { ok: true, file: path, models: models.size, providers: providers.size, mistakes: [], warnings },
          `${path} has no mistakes: ${counted}${warned}.`,
        )
        return
      }
      const { mistakes, lines } = reading
      remark(lines.join('\n'))
      answer(
        { ok: false, file: path, mistakes, warnings: [] },
        `Mistakes: ${mistakes.length}. A running gateway keeps the last good version.`,
      )
      throw new Exit(EXIT.failed)
    })
}
