// `config show`: the text of the catalogue in force, without its keys.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { type DataFolder, readCatalogueAt } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { sharedOfFolder } from '../../../src/app/process/shared-catalogue.ts'
import { redactorFor } from '../../../src/catalogue/drafts.ts'
import { hideSecrets } from '../../../src/catalogue/hidden-text.ts'
import { nameOf } from '../../../src/catalogue/load-file.ts'
import { withoutMark } from '../../../src/catalogue/toml.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { createRedactor } from '../../../src/observe/redact.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'

/** A catalogue without its keys. */
interface VisibleCatalogue {
  /** In the database; null: it is the file's. */
  version: number | null
  text: string
}

export function addConfigShow(config: Command, deps: CliDeps): void {
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

/** @throws GatewayError unprocessable for a file that is no TOML: its keys could not be hidden */
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
