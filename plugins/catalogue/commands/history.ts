// `config history` and `config restore`: lists versions of the catalogue with their changes, and restores one.

import type { Command } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { readCount } from '../../../src/app/command-line/arguments.ts'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { type DataFolder, readCatalogueOf, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import type { Column } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { timeColumn } from '../../../src/app/command-line/times.ts'
import { configurationOf, savedWords } from '../../../src/app/commands/configuration.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import type { ChangedPart } from '../../../src/catalogue/changed-parts.ts'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import {
  type Author,
  MAX_VERSIONS,
  parseAuthor,
  requireVersion,
  type Version,
  versionBefore,
} from '../../../src/catalogue/past.ts'
import { unprocessable } from '../../../src/domain/errors.ts'
import { time } from '../../../src/http/views.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { type HistoryEntry, listHistory } from '../history.ts'

const DEFAULT_LIMIT = 20

export function addConfigHistory(config: Command, deps: CliDeps): void {
  addExample(config.command('history'), 'config history 12')
    .summary('List saved versions, or show what one changed.')
    .description(
      `List the versions of the catalogue that were in force, newest first: when, saved by whom, what changed. ` +
        `With a version, print its changes as a diff. The newest ${MAX_VERSIONS} are kept, without keys.`,
    )
    .argument('[version]', 'a number from the column VERSION', readCount())
    .option('--limit <count>', 'at most this many versions', readCount(1_000), DEFAULT_LIMIT)
    .action(async (version: number | undefined, { limit }: { limit: number }, command: Command) => {
      const { folder, answer, tableOf } = contextOf(command, deps)
      if (version !== undefined) {
        const { own, before } = await withDatabase(folder, 'read', async (db) => ({
          own: await requireVersion(db, version),
          before: await versionBefore(db, version),
        }))
        const patch = patchOf(before, own)
        return answer({ ...versionView(own), text: own.text, before: before?.version ?? null, patch }, patch)
      }
      const { rows } = await withDatabase(folder, 'read', (db) => listHistory(db, { limit }))
      answer(
        {
          versions: rows.map((row) => ({
            ...versionView({ ...row, version: row.id }),
            changed: row.changed,
          })),
        },
        tableOf(COLUMNS, rows, 'No versions yet: the first `tollgate serve` keeps one.'),
      )
    })
}

export function addConfigRestore(config: Command, deps: CliDeps): void {
  addExample(config.command('restore'), 'config restore 12')
    .summary('Put a saved version in force again.')
    .description(
      'Replace the catalogue with an earlier version. You see the changes before they are written. Keys are not part of ' +
        'a version: providers keep the keys that they have now.',
    )
    .argument('<version>', 'a number of `tollgate config history`', readCount())
    .option('--yes', 'write without asking')
    .action(async (number: number, { yes }: { yes?: boolean }, command: Command) => {
      const { folder, json, answer, remark } = contextOf(command, deps)
      const version = await withDatabase(folder, 'read', (db) => requireVersion(db, number))
      const configuration = configurationOf(folder, await catalogueFor(folder, version, deps), deps)
      const { text, hash } = await configuration.read()
      const { text: revived, other_keys } = await configuration.revive(version.text)
      const { mistakes, text: restored } = await configuration.check({ text: revived })
      const [mistake] = mistakes
      if (mistake) throw cannotRestore(number, mistake)
      const view = { version: number, other_keys }
      if (restored === text)
        return answer({ ...view, written: false }, `The catalogue is version ${number} already.`)
      const patch = createTwoFilesPatch('in force', `version ${number}`, text ?? '', restored)
      if (!json) answer(undefined, patch)
      if (other_keys.length > 0) remark(`Keys stay as they are now: ${other_keys.join(', ')}.`)
      const about = `This replaces the catalogue with version ${number}.`
      await confirm(deps, { yes, json, about, prompt: 'Write this to the catalogue? [y/N] ', agrees: isYes })
      const saved = await configuration.save({ text: restored }, hash, 'command:config restore')
      if (json) answer({ ...view, written: true, patch }, '')
      remark(savedWords(folder, saved))
    })
}

/** Returns the catalogue whose keys to hide: the file's, or the version's if the file has mistakes. */
async function catalogueFor(folder: DataFolder, { text, version }: Version, { env }: CliDeps) {
  const of_file = await readCatalogueOf(folder)
  if ('catalogue' in of_file) return of_file.catalogue
  const reading = readCatalogue(text, { env, protocols: BUILT_IN_REGISTRY })
  if (reading.ok) return reading.catalogue
  throw cannotRestore(version, reading.mistakes[0])
}

const cannotRestore = (version: number, mistake = { line: 1, path: '', message: 'cannot be read' }) =>
  unprocessable(
    `Version ${version} cannot be restored as it is: line ${mistake.line}: ${mistake.path} ${mistake.message}. ` +
      `\`tollgate config history ${version} --json\` prints its text. Nothing was written.`,
  )

/** Returns the difference to the version before; for the oldest, the whole text. */
const patchOf = (before: Version | undefined, { version, text }: Version): string =>
  createTwoFilesPatch(
    before ? `version ${before.version}` : 'nothing',
    `version ${version}`,
    before?.text ?? '',
    text,
  )

const versionView = ({
  version,
  made_at_ms,
  made_by,
}: Pick<Version, 'version' | 'made_at_ms' | 'made_by'>) => ({
  version,
  ...time('made', made_at_ms),
  made_by,
})

const COLUMNS: Column<HistoryEntry>[] = [
  { head: 'VERSION', text: ({ id }) => String(id), right: true },
  timeColumn('TIME', ({ made_at_ms }) => made_at_ms),
  { head: 'SAVED BY', text: ({ made_by }) => savedBy(made_by) },
  { head: 'CHANGES', text: ({ changed }) => (changed ? wordsOf(changed) : '-'), elastic: true },
]

const savedBy = (made_by: Author): string => {
  const { kind, name } = parseAuthor(made_by)
  return kind === 'session' ? 'console' : kind === 'command' ? name : 'file'
}

const wordsOf = (parts: readonly ChangedPart[]): string =>
  parts
    .map(({ kind, name, change, fields }) => {
      const what = kind === 'setting' ? name : `${kind.replaceAll('_', ' ')} ${name}`
      return change === 'changed'
        ? `${what}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
        : `${change} ${what}`
    })
    .join('; ') || 'comments'
