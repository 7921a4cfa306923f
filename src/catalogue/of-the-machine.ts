// The settings of one machine, which stay in its tollgate.toml if the catalogue is in a database for all gateways.
import { addedSections } from './sections.ts'
import type { TomlDocument, TomlPath, TomlTable } from './toml.ts'
import { isTable } from './toml-write.ts'

const OF_CORE: Readonly<Record<string, readonly string[]>> = {
  server: ['listen', 'tls_certificate', 'tls_key'],
}
const SECTIONS: readonly string[] = ['storage']

/** The machine's fields by section. */
const fieldsOf = (): Readonly<Record<string, readonly string[]>> => ({
  ...OF_CORE,
  ...Object.fromEntries(
    addedSections().flatMap(({ name, of_machine }) => (of_machine.length === 0 ? [] : [[name, of_machine]])),
  ),
})

/** Describes all settings of the machine, for messages. */
export const machineSettings = (): string =>
  [
    ...SECTIONS.map((name) => `[${name}]`),
    ...Object.entries(fieldsOf()).map(([name, fields]) => `${fields.join(', ')} in [${name}]`),
  ].join('; ')

/** @param path of a setting or a section, such as `server.listen` */
export function isOfTheMachine(path: string): boolean {
  const [section = '', field = ''] = path.split('.')
  return (
    SECTIONS.includes(section) || new Map(Object.entries(fieldsOf())).get(section)?.includes(field) === true
  )
}

/** Returns a file's values without the machine's, and without sections that have no others. */
export const sharedIn = (file: TomlTable): TomlTable => partOf(file, (path) => !isOfTheMachine(path))

/** Returns only the machine's values of a file. */
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

/** Returns the paths of the machine's settings in a file. */
export const machinePathsIn = (file: TomlTable): TomlPath[] =>
  Object.entries(machineValuesIn(file)).flatMap(([name, value]) =>
    SECTIONS.includes(name) ? [[name]] : Object.keys(Object(value)).map((field) => [name, field]),
  )

/** Returns the names of the other sections and settings of a file: `models`, `server.log_level`. */
export const sharedFieldsIn = (file: TomlTable): string[] =>
  Object.entries(sharedIn(file)).flatMap(([name, value]) =>
    Object.hasOwn(fieldsOf(), name) && isTable(value)
      ? Object.keys(value).map((field) => `${name}.${field}`)
      : [name],
  )

/** Combines a shared text with a machine's file, from which the machine's settings are taken even if the text has them. */
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
