// Parts of a catalogue that belong to one machine: they stay in tollgate.toml there, where all gateways take the rest from the database.
import { addedSections } from './sections.ts'
import type { TomlDocument, TomlPath, TomlTable } from './toml.ts'
import { isTable } from './toml-write.ts'

const OF_CORE: Readonly<Record<string, readonly string[]>> = {
  server: ['listen', 'tls_certificate', 'tls_key'],
}
const SECTIONS: readonly string[] = ['storage']

/** The fields of the machine, by the names of their sections. */
const fieldsOf = (): Readonly<Record<string, readonly string[]>> => ({
  ...OF_CORE,
  ...Object.fromEntries(
    addedSections().flatMap(({ name, of_machine }) => (of_machine.length === 0 ? [] : [[name, of_machine]])),
  ),
})

/** All of it, as people are told. */
export const machineSettings = (): string =>
  [
    ...SECTIONS.map((name) => `[${name}]`),
    ...Object.entries(fieldsOf()).map(([name, fields]) => `${fields.join(', ')} in [${name}]`),
  ].join('; ')

/** @param path of a setting or a section (`server.listen`), as mistakes have it */
export function isOfTheMachine(path: string): boolean {
  const [section = '', field = ''] = path.split('.')
  return (
    SECTIONS.includes(section) || new Map(Object.entries(fieldsOf())).get(section)?.includes(field) === true
  )
}

/** A file's values without those of the machine, nor sections that have no others. */
export const sharedIn = (file: TomlTable): TomlTable => partOf(file, (path) => !isOfTheMachine(path))

/** The sections of the machine alone. */
export const machineValuesIn = (file: TomlTable): TomlTable => partOf(file, isOfTheMachine)

function partOf(file: TomlTable, isTaken: (path: string) => boolean): TomlTable {
  const sections = Object.entries(file).flatMap(([name, value]) => {
    if (!Object.hasOwn(fieldsOf(), name) || !isTable(value))
      return isTaken(name) ? [[name, value] as const] : []
    const fields = Object.entries(value).filter(([field]) => isTaken(`${name}.${field}`))
    return fields.length === 0 ? [] : [[name, Object.fromEntries(fields)] as const]
  })
  return Object.fromEntries(sections)
}

/** The settings of the machine that a file has. */
export const machinePathsIn = (file: TomlTable): TomlPath[] =>
  Object.entries(machineValuesIn(file)).flatMap(([name, value]) =>
    SECTIONS.includes(name) ? [[name]] : Object.keys(Object(value)).map((field) => [name, field]),
  )

/** The other sections of a file, by name: `models`, `server.log_level`. */
export const sharedFieldsIn = (file: TomlTable): string[] =>
  Object.entries(sharedIn(file)).flatMap(([name, value]) =>
    Object.hasOwn(fieldsOf(), name) && isTable(value)
      ? Object.keys(value).map((field) => `${name}.${field}`)
      : [name],
  )

/** A text in force on a machine: what is of the machine is taken from its file, whatever the text has. */
export function mergeMachine(shared: TomlDocument, machine: TomlDocument): TomlDocument {
  const own = machineValuesIn(machine.value)
  const value: TomlTable = { ...sharedIn(shared.value) }
  for (const [name, part] of Object.entries(own)) {
    const others = value[name]
    value[name] = isTable(others) && isTable(part) ? { ...others, ...part } : part
  }
  return {
    value,
    lineOf: (path) => (isOfTheMachine(path.join('.')) ? machine : shared).lineOf(path),
  }
}
