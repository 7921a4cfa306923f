// Parts of the catalogue file that a draft of the console may not change: sections of plugins, the storage, environment variables that it cannot name.
import { compileGlobs } from '../utilities/glob.ts'
import { FROM_FILE } from './key-files.ts'
import { type Mistake, writePath } from './mistakes.ts'
import { DEFAULT_ENV_NAMES } from './schema-parts.ts'
import type { VariableUse } from './secret-places.ts'
import { addedSection, addedSections } from './sections.ts'
import type { TomlTable } from './toml.ts'

interface DraftedChange {
  /** The values of the file. */
  before: TomlTable
  /** The values of the draft; undefined if it is not TOML. */
  after: TomlTable | undefined
  /** The variables that the draft names. */
  named: readonly VariableUse[]
  /** Variables that the file names, or named since the gateway runs. */
  known: { has(variable: string): boolean }
  /** The catalogue is in the database. */
  is_shared?: boolean
}

/**
 * Changes that must be made in the file on the server. The bounds are those of the file, not of the draft: the owner of the machine
 * sets them, and somebody who has come by a session of the operator does not widen them.
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
 * Why a setting is not changed in the console, in words; undefined: it may be.
 *
 * @param path `['backup', 'bucket']`
 */
export function beyondConsole([section = '', field = '']: readonly string[]): string | undefined {
  if (section === 'storage') return '`tollgate migrate` moves rows and files first'
  if (section === 'server' && field === 'env_names') return NAMES_ELSEWHERE
  const added = addedSection(section)
  return added?.within_console.includes(field) ? undefined : added?.beyond_console
}

/** A section without some of its fields; one that has no others is as good as none. */
function without(section: unknown, fields: readonly string[]): unknown {
  if (typeof section !== 'object' || section === null) return section
  const others = Object.entries(section).filter(([name]) => !fields.includes(name))
  return others.length === 0 ? undefined : Object.fromEntries(others)
}

const IN_FILE = 'in the file on the server'
const BY_COMMAND = 'by `tollgate config apply` on a server'

/** The parts of the file that the console leaves as they are. */
function mistakeIfChanged(
  { before, after }: DraftedChange,
  part: (file: TomlTable) => unknown,
  path: string,
  message: string,
): Mistake[] {
  return !after || Bun.deepEquals(part(before), part(after)) ? [] : [{ path, line: 1, message }]
}

const STORAGE_ELSEWHERE =
  'must be changed in the file on the server, once the rows and files are where it says: `tollgate migrate` moves them'

const envNamesOf = ({ server }: TomlTable): unknown => Reflect.get(Object(server), 'env_names')

const NAMES_ELSEWHERE = 'it says which environment variables the console may have sent to a provider'

const FILES_ELSEWHERE =
  'must be a file that the catalogue names already: paste the text of the file here, or name the file in the catalogue on the server'

/** A variable of the gateway's environment is sent to the address beside it: what is not meant for a provider is not named. */
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
