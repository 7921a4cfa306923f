// Parts of the catalogue that a draft of the console may not change: some sections of plugins, the storage, unlisted environment variables.
import { compileGlobs } from '../utilities/glob.ts'
import { FROM_FILE } from './key-files.ts'
import { type Mistake, writePath } from './mistakes.ts'
import { DEFAULT_ENV_NAMES } from './schema-parts.ts'
import type { VariableUse } from './secret-places.ts'
import { addedSection, addedSections } from './sections.ts'
import type { TomlTable } from './toml.ts'

interface DraftedChange {
  /** The values of the current text. */
  before: TomlTable
  /** The values of the draft; undefined if it is not TOML. */
  after: TomlTable | undefined
  /** The variables in the draft. */
  named: readonly VariableUse[]
  /** Variables that the text names, or has named since the gateway started. */
  known: { has(variable: string): boolean }
  /** Whether the catalogue is in the database. */
  is_shared?: boolean
}

/**
 * Returns changes that must be made in the file on the server. The bounds are those of the current text, not of the draft: the machine's
 * owner sets them, and a stolen session of an operator must not extend them.
 */
export function refusedChanges(change: DraftedChange): Mistake[] {
  const where = change.is_shared ? BY_COMMAND : IN_FILE
  const must = `must be changed ${where}`
  return [
    ...addedSections().flatMap(({ name, beyond_console, within_console }) =>
      beyond_console === undefined
        ? []
        : mistakeIfChanged(
            change,
            (file) => without(file[name], within_console),
            name,
            `${must}: ${beyond_console}`,
          ),
    ),
    ...mistakeIfChanged(change, ({ storage }) => storage, 'storage', STORAGE_ELSEWHERE),
    ...mistakeIfChanged(change, envNamesOf, 'server.env_names', `${must}: ${NAMES_ELSEWHERE}`),
    ...unlistedVariables(change, where),
  ]
}

/**
 * Returns the reason why the console may not change a setting; undefined if it may.
 *
 * @param path `['backup', 'bucket']`
 */
export function beyondConsole([section = '', field = '']: readonly string[]): string | undefined {
  if (section === 'storage') return '`tollgate migrate` moves rows and files first'
  if (section === 'server' && field === 'env_names') return NAMES_ELSEWHERE
  const added = addedSection(section)
  return added?.within_console.includes(field) ? undefined : added?.beyond_console
}

/** Returns a section without some fields; undefined if it has no others. */
function without(section: unknown, fields: readonly string[]): unknown {
  if (typeof section !== 'object' || section === null) return section
  const others = Object.entries(section).filter(([name]) => !fields.includes(name))
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

const IN_FILE = 'in the file on the server'
const BY_COMMAND = 'by `tollgate config apply` on a server'

/** Reports a change in a part of the text that the console may not change. */
function mistakeIfChanged(
  { before, after }: DraftedChange,
  part: (file: TomlTable) => unknown,
  path: string,
  message: string,
): Mistake[] {
  return !after || Bun.deepEquals(part(before), part(after)) ? [] : [{ path, line: 1, message }]
}

const STORAGE_ELSEWHERE =
  'must be changed in the file on the server, after `tollgate migrate` has moved the rows and files to the new place'

const envNamesOf = ({ server }: TomlTable): unknown => Reflect.get(Object(server), 'env_names')

const NAMES_ELSEWHERE = 'it lists the environment variables that the console may send to a provider'

const FILES_ELSEWHERE =
  'must be a file that the catalogue names already: paste the text of the file here, or name the file in the catalogue on the server'

/** Refuses variables outside env_names: a variable is sent to its provider's address, and must not be one with another purpose. */
function unlistedVariables({ before, named, known }: DraftedChange, where: string): Mistake[] {
  const written = envNamesOf(before) ?? DEFAULT_ENV_NAMES
  const globs = Array.isArray(written) ? written.filter((glob) => typeof glob === 'string') : []
  const isListed = compileGlobs(globs)
  const listed = globs.length === 0 ? 'it lists none' : `it lists ${globs.join(', ')}`
  return named
    .filter(({ variable }) => !known.has(variable) && (variable.startsWith(FROM_FILE) || !isListed(variable)))
    .map(({ path, line, variable }) => ({
      path: writePath(path),
      line,
      message: variable.startsWith(FROM_FILE)
        ? FILES_ELSEWHERE
        : `must name a variable that env_names in [server] lists (${listed}): write "env:${variable}" ${where}, or add "${variable}" to env_names there`,
    }))
}
