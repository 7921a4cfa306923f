// Removal and addition of the machine's settings in a catalogue text.
import { editedToml } from './edit.ts'
import { machinePathsIn, machineValuesIn } from './of-the-machine.ts'
import { readToml, type TomlPath, type TomlTable } from './toml.ts'
import type { TomlValue } from './toml-write.ts'

/** Removes the machine's settings from a text; a text that is no TOML is returned unchanged. @returns also the names of the settings */
export function withoutMachine(text: string): { text: string; left_out: string[] } {
  const document = readToml(text)
  const paths = document.ok ? machinePathsIn(document.value) : []
  if (paths.length === 0) return { text, left_out: [] }
  return {
    text: editedToml(
      text,
      paths.map((path) => ({ op: 'remove', path })),
    ),
    left_out: paths.map((path) => path.join('.')),
  }
}

/**
 * Adds the machine's settings to a text, for a file with a whole catalogue.
 *
 * @param machine the values of the machine's file
 */
export function withMachine(text: string, machine: TomlTable): string {
  const own = machineValuesIn(machine)
  const paths = machinePathsIn(machine)
  return editedToml(
    text,
    paths.map((path) => ({ op: 'set', path, value: valueAt(own, path) })),
  )
}

const valueAt = (table: TomlTable, [name = '', field]: TomlPath): TomlValue => {
  const section = table[name]
  return (field === undefined ? section : Reflect.get(Object(section), field)) as TomlValue
}
