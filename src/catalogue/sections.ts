// The sections of settings that plugins bring to tollgate.toml, beside those of the core.
import type { Static, TObject } from '@sinclair/typebox'
import type { Catalogue, ServerSettings } from '../domain/catalogue.ts'
import { SECTION_SCHEMAS } from './section-schemas.ts'
import type { TomlPath } from './toml.ts'

/** The environment that a section is read with, and its reports. */
export interface SectionContext {
  /** For `env:NAME`: `readSecret` in catalogue/providers.ts. */
  env: Readonly<Record<string, string | undefined>>
  /** Of [server], where it has no mistake of its form. */
  server: Pick<ServerSettings, 'listen' | 'public_url'> | undefined
  /** The file as it is written, for what a section needs of another one. */
  file: Readonly<Record<string, unknown>>
  /** Refuses the file. The path begins with the section's name. */
  report: (path: TomlPath, message: string) => void
  /** A remark on a file that is used all the same. */
  warn: (path: TomlPath, message: string) => void
}

/** The settings in a section that are secrets: the console shows a mark in their place, and the log hides them. */
interface SectionSecrets<Value> {
  /**
   * Where a secret at a path goes, in place of an address: it is only put back there. Undefined: no secret can stand there.
   *
   * @param path below the section @param section as it is written
   */
  at: (path: TomlPath, section: Readonly<Record<string, unknown>>) => string | undefined
  /** Whether a text at such a path is one; without it each is. */
  isSecret?: (path: TomlPath, written: string) => boolean
  /** The texts that the log hides. */
  in: (value: Value) => readonly string[]
}

interface SectionSpec<Schema extends TObject, Value> {
  /** Its name in the file: `alerts` for `[alerts]`. */
  name: string
  /** Its fields with their defaults and descriptions: the check, the console's form and the messages follow. */
  schema: Schema
  /** Makes the settings of what the schema has checked; without it they are that. */
  read?: (text: Static<Schema>, context: SectionContext) => Value
  secrets?: SectionSecrets<Value>
  /** Fields that a running gateway cannot apply. */
  needs_restart?: readonly string[]
  /** Fields that stay in tollgate.toml of each machine where all gateways take the rest from the database. */
  of_machine?: readonly string[]
  /** Why the section is changed on the server alone, in place of the console; absent: the console may change it. */
  beyond_console?: string
  /** Fields of such a section that the console may change all the same. */
  within_console?: readonly string[]
  /** The section of the core that it stands before in lists and forms; `storage` where absent. */
  before?: keyof typeof SECTION_SCHEMAS
}

/** The scheme, host and port of an address, as a place of secrets: empty without an address. */
export function originIn(address: unknown): string {
  if (typeof address !== 'string') return ''
  return URL.canParse(address) ? new URL(address).origin : address
}

/** A section, and its settings in a catalogue. */
export interface Section<Value = unknown> {
  readonly name: string
  readonly schema: TObject
  read(text: unknown, context: SectionContext): Value
  /** The settings of a catalogue. Take the catalogue anew for each use: its file may have changed. */
  of(catalogue: Pick<Catalogue, 'sections'>): Value
  readonly secrets?: Omit<SectionSecrets<Value>, 'in'> | undefined
  secretsOf(catalogue: Pick<Catalogue, 'sections'>): readonly string[]
  readonly needs_restart: readonly string[]
  readonly of_machine: readonly string[]
  readonly beyond_console: string | undefined
  readonly within_console: readonly string[]
  readonly before: string
}

/** A section of settings of a plugin. */
export function defineSection<Schema extends TObject, Value = Static<Schema>>(
  spec: SectionSpec<Schema, Value>,
): Section<Value> {
  const { name, schema, read, secrets, needs_restart = [], before = 'storage' } = spec
  const { of_machine = [], beyond_console, within_console = [] } = spec
  const of = ({ sections }: Pick<Catalogue, 'sections'>): Value => {
    if (!sections.has(name)) throw new Error(`the catalogue was read without the section [${name}]`)
    return sections.get(name) as Value
  }
  return {
    name,
    schema,
    read: (text, context) => (read ? read(text as Static<Schema>, context) : (text as Value)),
    of,
    secrets,
    secretsOf: (catalogue) => secrets?.in(of(catalogue)) ?? [],
    needs_restart,
    of_machine,
    beyond_console,
    within_console,
    before,
  }
}

const of_plugins = new Map<string, Section>()

/**
 * Adds sections, before a catalogue is read. They hold for the process: a file is read by many functions, and means the same to all.
 *
 * @throws Error for the name of one of the core's
 */
export function addSections(sections: Iterable<Section>): void {
  for (const section of sections) {
    if (Object.hasOwn(SECTION_SCHEMAS, section.name))
      throw new Error(`a plugin has a section with the name of the core's: ${section.name}`)
    of_plugins.set(section.name, section)
  }
}

/** The sections of plugins. */
export const addedSections = (): Section[] => [...of_plugins.values()]

export const addedSection = (name: unknown): Section | undefined => of_plugins.get(String(name))

/** The schemas of all sections by their names, in the order in which people look for them. */
export function sectionSchemas(): Record<string, TObject> {
  const added = addedSections()
  return Object.fromEntries<TObject>(
    Object.entries(SECTION_SCHEMAS).flatMap(([name, schema]) => [
      ...added
        .filter(({ before }) => before === name)
        .map((section) => [section.name, section.schema] as const),
      [name, schema] as const,
    ]),
  )
}
