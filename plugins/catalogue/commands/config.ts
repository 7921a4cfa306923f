// `config check` lists mistakes and warnings with path and line; `config show` prints the catalogue. Other `config` commands have their own files.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import {
  type DataFolder,
  readCatalogueAt,
  readCatalogueOf,
} from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../../src/app/command-line/terminal.ts'
import { sharedOfFolder } from '../../../src/app/process/shared-catalogue.ts'
import { redactorFor } from '../../../src/catalogue/drafts.ts'
import { hideSecrets } from '../../../src/catalogue/hidden-text.ts'
import { nameOf } from '../../../src/catalogue/load-file.ts'
import { withoutMark } from '../../../src/catalogue/toml.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { createRedactor } from '../../../src/observe/redact.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import { addConfigApply } from './apply.ts'
import { addConfigHistory, addConfigRestore } from './history.ts'
import { addConfigSet } from './set.ts'

/** The catalogue's text without its keys. */
interface VisibleCatalogue {
  /** Version in the database; null for the text of the file. */
  version: number | null
  text: string
}

function addConfigShow(config: Command, deps: CliDeps): void {
  addExample(config.command('show'), 'config show')
    .summary('Print the catalogue in force.')
    .description(
      'Print the catalogue in force, from the data folder or from the database, with marks (hidden:…) in place of keys. ' +
        'That from the database can be changed and given to `tollgate config apply`.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer, remark } = contextOf(command, deps)
      const { version, text } = await visibleCatalogue(folder)
      answer(
        { file: version === null ? folder.catalogue_path : null, version, text },
        withoutTrailing(text, '\n'),
      )
      if (version !== null) remark(`This is ${nameOf({ version })}, in the database, for all gateways.`)
    })
}

/** @throws GatewayError unprocessable if the file is not TOML, because its keys cannot be hidden */
async function visibleCatalogue(folder: DataFolder): Promise<VisibleCatalogue> {
  const { catalogue_path, env } = folder
  const shared = await sharedOfFolder(folder, env)
  const text = withoutMark(shared?.text ?? (await readFile(catalogue_path, 'utf8')))
  const reading = await readCatalogueAt(catalogue_path, env, shared)
  const redactor = 'catalogue' in reading ? redactorFor(reading.catalogue) : createRedactor([])
  const hidden = hideSecrets(text, redactor)
  if (!hidden)
    throw unprocessable(
      `${catalogue_path} is not TOML, and is not shown, because its keys could not be hidden. \`tollgate config check\` names the line.`,
    )
  return { version: shared?.version ?? null, text: hidden.text }
}

export function addConfigCommands(program: Command, deps: CliDeps): void {
  const config = program
    .command('config')
    .description(
      'Check, show and change the catalogue, put one in force for all gateways, show its history, and restore a version.',
    )
  addConfigHistory(config, deps)
  addConfigRestore(config, deps)
  addConfigShow(config, deps)
  addConfigApply(config, deps)
  addConfigSet(config, deps)
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
