// Parts that a text for the database must not have: keys, and settings of each machine.
import type { Redactor } from '../observe/redact.ts'
import { hideSecrets, readPlaces } from './hidden-text.ts'
import { type Mistake, writePath } from './mistakes.ts'
import { machinePathsIn, machineSettings } from './of-the-machine.ts'
import { isMask, isReadable } from './secret-places.ts'
import { readToml, type TomlTable } from './toml.ts'

/**
 * The keys that are written in a text: in its values, and in what looks like one in its comments.
 *
 * @param redactor knows keys of the environment, which may be repeated in a text @returns nothing for what is no TOML
 */
export function keysWrittenIn(text: string, redactor: Redactor): Mistake[] {
  const hidden = hideSecrets(text, redactor)
  if (!hidden) return []
  const { secrets } = hidden
  if (secrets.length > 0)
    return secrets.map(({ path, span }) => ({
      path: writePath(path),
      line: text.slice(0, span[0]).split('\n').length,
      message: IN_VALUES,
    }))
  const masked_lines = hidden.text.split('\n')
  return text
    .split('\n')
    .flatMap((line, at) => (line === masked_lines[at] ? [] : [{ path: '', line: at + 1, message: IN_LINES }]))
}

/** Where a text has only the mark of a key, as it is shown. */
export function marksIn(text: string): Mistake[] {
  const places = readPlaces(text)
  return (places?.written ?? []).flatMap(({ path, node, line }) =>
    node.type === 'TOMLValue' && typeof node.value === 'string' && isMask(node.value) && !isReadable(path)
      ? [{ path: writePath(path), line, message: IN_VALUES }]
      : [],
  )
}

/** The settings of a machine in a text, which would count for nothing there. @param values of the text */
export function machineSettingsIn(text: string, values: TomlTable): Mistake[] {
  const paths = machinePathsIn(values)
  const document = paths.length === 0 ? undefined : readToml(text)
  return paths.map((path) => ({
    path: writePath(path),
    line: document?.ok ? document.lineOf(path) : 1,
    message: ofEach(),
  }))
}

const IN_VALUES =
  'must name a variable, as "env:NAME": no key is written to the database. Set that variable on each machine'
const IN_LINES =
  'has what looks like a key: take it out, or name a variable, as "env:NAME". No key is written to the database'
const ofEach = () => `must be set in tollgate.toml of each machine (${machineSettings()})`
