// The sections of tollgate.toml that plugins define, in addition to the core's.
import type { Static, TObject } from '@sinclair/typebox'
import type { Catalogue, ServerSettings } from '../domain/catalogue.ts'
import { SECTION_SCHEMAS } from './section-schemas.ts'
import type { TomlPath } from './toml.ts'

/** The inputs for reading a section, and its reports. */
export interface SectionContext {
  /** For `env:NAME`: `readSecret` in catalogue/providers.ts. */
  env: Readonly<Record<string, string | undefined>>
  /** The section [server], if it matches its schema. */
  server: Pick<ServerSettings, 'listen' | 'public_url'> | undefined
  /** The values of the whole file, for sections that depend on another one. */
  file: Readonly<Record<string, unknown>>
  /** Reports a mistake, which refuses the file. The path begins with the section's name. */
  report: (path: TomlPath, message: string) => void
  /** Reports a warning, which does not refuse the file. */
  warn: (path: TomlPath, message: string) => void
}

/** The secrets in a section: the console shows a mask instead, and the log hides them. */
interface SectionSecrets<Value> {
  /**
   * Returns the destination of a secret at a path, to which it stays bound; undefined if the path cannot have a secret.
   *
   * @param path below the section @param section its values in the file
   */
  at: (path: TomlPath, section: Readonly<Record<string, unknown>>) => string | undefined
  /** Whether a text at such a path is a secret; if absent, each is. */
  isSecret?: (path: TomlPath, written: string) => boolean
  /** Returns the texts that the log hides. */
  in: (value: Value) => readonly string[]
}

interface SectionSpec<Schema extends TObject, Value> {
  /** Its name in the file: `alerts` for `[alerts]`. */
  name: string
  /** Its fields with defaults and descriptions, from which the check, the messages and the console's form are derived. */
  schema: Schema
  /** Converts the checked values into settings; if absent, the values are the settings. */
  read?: (text: Static<Schema>, context: SectionContext) => Value
  secrets?: SectionSecrets<Value>
  /** Fields that apply only after a restart. */
  needs_restart?: readonly string[]
  /** Fields that stay in each machine's tollgate.toml if the catalogue is in the database. */
  of_machine?: readonly string[]
  /** The reason why the section can be changed only on the server; if absent, the console may change it. */
  beyond_console?: string
  /** Fields of such a section that the console may change. */
  within_console?: readonly string[]
  /** The core's section before which it appears in lists and forms; `storage` if absent. */
  before?: keyof typeof SECTION_SCHEMAS
}

/** Returns the origin of a URL, as the destination of a secret; empty if there is no URL. */
export function originIn(address: unknown): string {
  if (typeof address !== 'string') return ''
  return URL.canParse(address) ? new URL(address).origin : address
}

/** A section, with access to its settings in a catalogue. */
export interface Section<Value = unknown> {
  readonly name: string
  readonly schema: TObject
  read(text: unknown, context: SectionContext): Value
  /** Returns the settings in a catalogue. Get the current catalogue for each use, since the file may have changed. */
  of(catalogue: Pick<Catalogue, 'sections'>): Value
  readonly secrets?: Omit<SectionSecrets<Value>, 'in'> | undefined
  secretsOf(catalogue: Pick<Catalogue, 'sections'>): readonly string[]
  readonly needs_restart: readonly string[]
  readonly of_machine: readonly string[]
  readonly beyond_console: string | undefined
  readonly within_console: readonly string[]
  readonly before: string
}

/** Defines a plugin's section of settings. */
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
 * Adds sections, before any catalogue is read. They are global to the process, since many functions read the file, and must agree on it.
 *
 * @throws Error if a section has the name of one of the core's
 */
export function addSections(sections: Iterable<Section>): void {
  for (const section of sections) {
    if (Object.hasOwn(SECTION_SCHEMAS, section.name))
      throw new Error(`a plugin has a section with the name of the core's: ${section.name}`)
    of_plugins.set(section.name, section)
  }
}

export const addedSections = (): Section[] => [...of_plugins.values()]

export const addedSection = (name: unknown): Section | undefined => of_plugins.get(String(name))

/** Returns the schemas of all sections by name, in the order of lists and forms. */
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
