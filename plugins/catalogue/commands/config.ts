// `config check`: every mistake and warning in a catalogue, with its path and line; the other commands of `config` have files of their own.

import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { readCatalogueAt, readCatalogueOf } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import { nameOf } from '../../../src/catalogue/load-file.ts'
import { addConfigApply } from './apply.ts'
import { addConfigHistory, addConfigRestore } from './history.ts'
import { addConfigShow } from './show.ts'

export function addConfigCommands(program: Command, deps: CliDeps): void {
  const config = program
    .command('config')
    .description(
      'Check and show the catalogue, put one in force for all gateways, show its history, and restore a version.',
    )
  addConfigHistory(config, deps)
  addConfigRestore(config, deps)
  addConfigShow(config, deps)
  addConfigApply(config, deps)
  addExample(config.command('check [file]'), 'config check')
    .summary('List every mistake in a catalogue file.')
    .description(
      'List every mistake in a catalogue file (default: the catalogue in force). Also warn of missing environment ' +
        'variables and of addresses that look wrong; warnings leave the exit status 0. ' +
        '`tollgate providers test` asks the providers themselves.',
    )
    .action(async (file: string | undefined, _: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const reading = await (file === undefined ? readCatalogueOf(folder) : readCatalogueAt(file, deps.env))
      const path = file ?? folder.catalogue_path
      const { shared } = reading
      const name = shared ? nameOf(shared) : path
      const where = shared ? { file: null, ...shared } : { file: path }
      if ('catalogue' in reading) {
        const { catalogue, warnings, warning_lines } = reading
        const { models, providers } = catalogue
        for (const line of warning_lines) remark(`warning: ${line}`)
        const counted = `models ${models.size}, providers ${providers.size}`
        const warned = warnings.length === 0 ? '' : `; warnings ${warnings.length}`
        answer(
          { ok: true, ...where, models: models.size, providers: providers.size, mistakes: [], warnings },
          `${name} has no mistakes: ${counted}${warned}.`,
        )
        return
      }
      const { mistakes, lines } = reading
      remark(lines.join('\n'))
      answer(
        { ok: false, ...where, mistakes, warnings: [] },
        `Mistakes: ${mistakes.length}. A running gateway keeps the last good version.`,
      )
      throw new Exit(EXIT.failed)
    })
}
