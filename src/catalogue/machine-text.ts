// A catalogue's text without what belongs to one machine, and with it.
import { editedToml } from './edit.ts'
import { machinePathsIn, machineValuesIn } from './of-the-machine.ts'
import { readToml, type TomlPath, type TomlTable } from './toml.ts'
import type { TomlValue } from './toml-write.ts'

/** A text without what is of the machine. @returns what was left out, by name @throws GatewayError invalid_request for what is no TOML */
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
 * A text with what is of the machine, as a file that has all of a catalogue.
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
