// `config set`: changes settings and fields of models and providers by name, all or none, in the file or the database.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { readCatalogueOf } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { configurationOf, savedWords } from '../../../src/app/commands/configuration.ts'
import { formatMistake } from '../../../src/catalogue/mistakes.ts'
import { sectionSchemas } from '../../../src/catalogue/sections.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import { invalidRequest, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { saveValues, valueAt } from '../console/values.ts'
import { fieldsOfNamed, settingSections } from '../setting-fields.ts'
import { BLOCKS, type Blocks, placeOf, variablesIn } from './editing.ts'

export function addConfigSet(config: Command, deps: CliDeps): void {
  addExample(config.command('set'), 'config set server.log_level=warn')
    .summary('Change settings by their names.')
    .description(
      'Change settings of the catalogue in force, as the console does: comments stay, and nothing is written if one of them has a ' +
        'mistake. NAME= without a value takes a setting out. Lists are separated by commas. A field of a model or a provider is ' +
        'named by its id or name, and a route of a model by its place, from 0: models."gpt-4.1".routes.0.cost.input=2. An identity provider ' +
        'is named, too, and added by its name: sign_in.oidc.google.preset=google.',
    )
    .argument(
      '<setting...>',
      'NAME=VALUE, such as limits.accounts.alice.requests_per_minute=60 or models.sim-flash.price.input=0.30',
    )
    .action(async (settings: string[], _: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const changes = settings.map(readSetting)
      const reading = await readCatalogueOf(folder)
      if (!('catalogue' in reading))
        throw unprocessable(
          `Nothing was written. The catalogue has mistakes:\n${reading.mistakes.map((each) => formatMistake(folder.catalogue_path, each)).join('\n')}`,
        )
      const variables = variablesIn(...changes.map(({ text }) => text))
      const configuration = configurationOf(folder, reading.catalogue, deps, new Set(variables))
      const { values: file } = await configuration.read()
      const values = resolveListNames(file ?? {}, changes).map(({ path: names, value }) => {
        const path = filePathOf(file ?? {}, names)
        return { path, value, was: valueAt(file, path) }
      })
      const saved = await saveValues(configuration, { values }, 'command:config set')
      answer({ version: saved.version, written: true }, savedWords(folder, saved))
    })
}

const PART = /^(?:"((?:[^"\\]|\\.)*)"|([\w-]+))([.=])/

interface ReadSetting {
  path: string[]
  text: string
  /** Undefined removes the setting. */
  value: string | number | boolean | string[] | undefined
}

/** @throws GatewayError invalid_request unless the text is NAME=VALUE of a known section */
function readSetting(written: string): ReadSetting {
  const path: string[] = []
  let rest = written
  for (;;) {
    const [taken, quoted, bare, end] = PART.exec(rest) ?? []
    if (taken === undefined) throw notASetting(written)
    path.push(quoted ?? bare ?? '')
    rest = rest.slice(taken.length)
    if (end === '=') break
  }
  const [section = ''] = path
  const is_block = isBlocks(section) && path.length > 2
  if (!is_block && (path.length < 2 || !Object.hasOwn(sectionSchemas(), section))) throw notASetting(written)
  return { path, text: rest, value: parseValue(path, rest) }
}

type Change = { path: readonly (string | number)[]; value: ReadSetting['value'] }

/**
 * Replaces names in lists of named tables by indices: `sign_in.oidc.google.title`. A table that is not in the file is added with its name.
 *
 * @throws GatewayError not_found for an index beyond the list, and for the removal of a table that does not exist
 */
function resolveListNames(file: TomlTable, changes: readonly ReadSetting[]): Change[] {
  const known = new Map<string, string[]>()
  return changes.flatMap(({ path, value }): Change[] => {
    const [section = '', list = '', which, ...field] = path
    if (which === undefined || !fieldsOfNamed(path)) return [{ path, value }]
    const key = `${section}.${list}`
    const rows = valueAt(file, [section, list])
    const names =
      known.get(key) ?? (Array.isArray(rows) ? rows.map((row) => String(valueAt(row, ['name']))) : [])
    known.set(key, names)
    const place = names.indexOf(which)
    if (place >= 0) return [{ path: [section, list, place, ...field], value }]
    if (/^\d{1,4}$/.test(which) && Number(which) < names.length) return [{ path, value }]
    if (/^\d{1,4}$/.test(which) || value === undefined || field.length === 0)
      throw nameNotFound(key, which, names)
    const added = names.push(which) - 1
    const name: Change = { path: [section, list, added, 'name'], value: which }
    return field.join('.') === 'name' ? [name] : [name, { path: [section, list, added, ...field], value }]
  })
}

const nameNotFound = (list: string, name: string, names: readonly string[]) =>
  notFound(
    `${list} "${name}" not found. There are: ${names.join(', ') || 'none'}. Add one by a name, such as ${list}.example.title=Example.`,
  )

const isBlocks = (name: string): name is Blocks => Object.hasOwn(BLOCKS, name)

/** Converts names to a path in the file: models, providers and list elements by index. @throws GatewayError not_found */
function filePathOf(
  file: TomlTable,
  [list = '', name = '', ...rest]: readonly (string | number)[],
): (string | number)[] {
  if (typeof list === 'number') return []
  const is_block = isBlocks(list)
  const path: (string | number)[] = is_block ? [list, placeOf(file, list, String(name))] : [list]
  for (const part of is_block ? rest : [name, ...rest]) {
    const is_place = Array.isArray(valueAt(file, path)) && typeof part === 'string' && /^\d{1,4}$/.test(part)
    path.push(is_place ? Number(part) : part)
  }
  return path
}

function parseValue([section, ...path]: readonly string[], text: string): ReadSetting['value'] {
  if (text === '') return undefined
  const of_named = fieldsOfNamed([section ?? '', ...path])
  const fields = of_named ?? settingSections().find(({ name }) => name === section)?.fields ?? []
  const within = (of_named ? path.slice(2) : path).join('.')
  const kind = fields.find((field) => field.path.join('.') === within)?.kind
  if (kind === 'list')
    return text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  if ((kind === 'switch' || kind === undefined) && /^(?:true|false)$/.test(text)) return text === 'true'
  if ((kind === 'number' || kind === undefined) && /^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  return text
}

const notASetting = (written: string) =>
  invalidRequest(
    `${written}: must be NAME=VALUE of a section of settings (${Object.keys(sectionSchemas()).join(', ')}), such as server.log_level=warn, or of a model or a provider, such as models.sim-flash.price.input=0.30.`,
  )
