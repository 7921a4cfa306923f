// Checks of a text for the database: it must not have keys or settings of the machine.
import type { Redactor } from '../observe/redact.ts'
import { hideSecrets, readPlaces } from './hidden-text.ts'
import { type Mistake, writePath } from './mistakes.ts'
import { machinePathsIn, machineSettings } from './of-the-machine.ts'
import { isMask, isReadable } from './secret-places.ts'
import { readToml, type TomlTable } from './toml.ts'

/**
 * Returns mistakes for keys in a text: in its values, and text in comments that looks like a key.
 *
 * @param redactor knows keys of the environment, which a text may repeat @returns nothing if the text is no TOML
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

/** Returns mistakes for masks of keys in a text. */
export function marksIn(text: string): Mistake[] {
  const places = readPlaces(text)
  return (places?.written ?? []).flatMap(({ path, node, line }) =>
    node.type === 'TOMLValue' && typeof node.value === 'string' && isMask(node.value) && !isReadable(path)
      ? [{ path: writePath(path), line, message: IN_VALUES }]
      : [],
  )
}

/** Returns mistakes for settings of the machine in a text, where they would have no effect. @param values of the text */
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
