// The settings of custom plugins, [plugins.NAME]: one table per plugin, which the plugin's schema checks once its code is loaded.
import { type TObject, Type } from '@sinclair/typebox'
import { type Mistake, Mistakes, validate } from '../../src/catalogue/mistakes.ts'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import { readSetSecret } from '../../src/catalogue/set-secret.ts'
import type { TomlPath } from '../../src/catalogue/toml.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { mayHaveToken } from '../../src/domain/webhook-secret.ts'
import type { Logger } from '../../src/observe/log.ts'

const SECTION = 'plugins'

/** The tables by plugin name, with environment variables (`env:NAME`) resolved. */
interface PluginTables {
  tables: Readonly<Record<string, unknown>>
  secrets: readonly string[]
}

const SECRET_NAME = /key|token|secret|passw|credential/i
const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)

/** Whether a setting is secret: by its name, or because it is a URL whose path or query may contain a token. */
const isSecret = (path: TomlPath, written: string): boolean =>
  path.slice(1).some((part) => SECRET_NAME.test(String(part))) || (isUrl(written) && mayHaveToken(written))

export const pluginSettings = defineSection({
  name: SECTION,
  schema: Type.Object(
    {},
    {
      additionalProperties: Type.Object(
        {},
        { must: 'a table with the settings of a plugin: [plugins.NAME]' },
      ),
    },
  ),
  read(text, context): PluginTables {
    const secrets: string[] = []
    const tables = resolveEnv(text, [SECTION], context, secrets) as Record<string, unknown>
    return { tables, secrets }
  },
  secrets: {
    at: (path) => (path.length > 1 ? `the plugin ${path[0]}` : undefined),
    isSecret,
    in: ({ secrets }) => secrets,
  },
})

/** Resolves environment variables in a value; leaves out those that are not set. */
function resolveEnv(value: unknown, path: TomlPath, context: SectionContext, secrets: string[]): unknown {
  if (typeof value === 'string') {
    const is_variable = value.startsWith('env:')
    const read = is_variable ? readSetSecret(value, path, 'the plugin goes without it', context) : value
    if (read === undefined) return undefined
    if (is_variable || isSecret(path.slice(1), read)) secrets.push(read)
    return read
  }
  if (Array.isArray(value))
    return value
      .map((each, index) => resolveEnv(each, [...path, index], context, secrets))
      .filter((each) => each !== undefined)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const entries = Object.entries(value).map(
    ([name, each]) => [name, resolveEnv(each, [...path, name], context, secrets)] as const,
  )
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined))
}

export const NO_SETTINGS: Catalogue['sections'] = new Map([[SECTION, { tables: {}, secrets: [] }]])

/** The plugin names that the catalogue has settings for. */
export const namesWithSettings = (catalogue: Pick<Catalogue, 'sections'>): string[] =>
  Object.keys(pluginSettings.of(catalogue).tables)

interface SettingsParts {
  catalogue: () => Pick<Catalogue, 'sections'>
  log: Pick<Logger, 'error'>
}

/**
 * Reads the settings of a plugin by its schema. A later mistake is logged, and the last valid settings stay in use.
 * @returns a function that reads the settings of the present catalogue @throws Error with the mistakes of the first reading
 */
export function settingsOf(name: string, schema: TObject | undefined, { catalogue, log }: SettingsParts) {
  if (!schema) return () => undefined
  const strict = schema.additionalProperties === undefined ? { ...schema, ...closed } : schema
  let last_read = pluginSettings.of(catalogue())
  const first = check(name, strict, last_read)
  if ('mistakes' in first) throw new Error(first.mistakes.join('; '))
  let current = first.value
  return (): unknown => {
    const now = pluginSettings.of(catalogue())
    if (now === last_read) return current
    last_read = now
    const reading = check(name, strict, now)
    if ('value' in reading) current = reading.value
    else
      log.error(
        { plugin: name, mistakes: reading.mistakes },
        'the settings of a plugin have mistakes: the last good ones stay in use',
      )
    return current
  }
}

function check(
  name: string,
  schema: TObject,
  { tables }: PluginTables,
): { value: unknown } | { mistakes: string[] } {
  const mistakes = new Mistakes({ value: {}, lineOf: () => 1 })
  const table = Object.hasOwn(tables, name) ? tables[name] : {}
  const value = validate(schema, structuredClone(table), [SECTION, name], mistakes.report)
  if (value !== undefined) return { value: Object.freeze(value) }
  return { mistakes: mistakes.list.map(({ path, message }: Mistake) => `${path}: ${message}`) }
}
