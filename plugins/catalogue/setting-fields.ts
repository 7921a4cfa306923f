// The settings of the catalogue as fields of a form, by the schemas that check them: its sections, providers, models and routes.
import { Kind, type TObject, type TSchema } from '@sinclair/typebox'
import { MODEL_SCHEMAS, PROVIDER_SETTINGS } from '../../src/catalogue/schema.ts'
import { sectionSchemas } from '../../src/catalogue/sections.ts'

/** One setting: where it stands in the file, and what it may be. */
export interface SettingField {
  /** `['server', 'listen']`. */
  path: string[]
  kind: 'text' | 'number' | 'switch' | 'choice' | 'list'
  /** The value where the file has none; null: there is no default. */
  fallback: string | number | boolean | null
  description: string
  /** The values of a choice, or of each item of a list; empty: any. */
  options: string[]
}

export interface SettingSection {
  name: string
  fields: SettingField[]
}

/** All sections of settings, in the order of the file's outline. Settings by names that users choose are in the text alone. */
export const settingSections = (): SettingSection[] =>
  Object.entries(sectionSchemas())
    .map(([name, schema]) => ({ name, fields: fieldsOf(schema, [name]) }))
    .filter(({ fields }) => fields.length > 0)

const fieldsOf = (schema: TObject, path: string[]): SettingField[] =>
  Object.entries(schema.properties).flatMap(([name, property]) => fieldsAt(property, [...path, name]))

const fieldsAt = (schema: TSchema, path: string[]): SettingField[] =>
  schema[Kind] === 'Object' ? fieldsOf(schema as TObject, path) : fieldAt(schema, path)

/** @returns one field; none for a setting that a form cannot show */
function fieldAt(schema: TSchema, path: string[]): SettingField[] {
  const kind = kindOf(schema)
  if (!kind) return []
  const { default: fallback = null, description = '', must } = schema
  return [
    {
      path,
      kind,
      fallback: Array.isArray(fallback) ? fallback.join(', ') || null : fallback,
      description: description || (must ?? ''),
      options: kind === 'choice' || kind === 'list' ? wordsOf(kind === 'list' ? schema.items : schema) : [],
    },
  ]
}

/** Settings of a block that only the text has, with the reason. */
export const TEXT_ONLY = {
  provider: {
    headers: 'a table with names of the operator',
    set_fields: 'a table with names of the operator',
    rest_ms: 'the former name of cooldown_ms',
  },
  model: {
    kind: 'the other settings depend on it',
    bounds: 'a list of tables',
  },
  route: {},
} as const

/** Settings of a provider, a route, and a model by its kind. The path of each is within the block. */
export interface BlockFields {
  provider: SettingField[]
  route: SettingField[]
  models: Record<string, SettingField[]>
}

export const blockFields = (): BlockFields => ({
  provider: fieldsOfBlock(PROVIDER_SETTINGS, TEXT_ONLY.provider),
  // Routes differ by the form of their cost alone.
  route: fieldsOfBlock(MODEL_SCHEMAS.text.properties.routes.items, TEXT_ONLY.route),
  models: Object.fromEntries(
    Object.entries(MODEL_SCHEMAS).map(([kind, schema]) => [kind, fieldsOfBlock(schema, TEXT_ONLY.model)]),
  ),
})

const fieldsOfBlock = ({ properties }: TObject, textOnly: Readonly<Record<string, string>>): SettingField[] =>
  Object.entries(properties).flatMap(([name, property]) =>
    Object.hasOwn(textOnly, name) ? [] : fieldAt(property, [name]),
  )

const literalsOf = (schema: TSchema): unknown[] =>
  schema[Kind] === 'Union' ? schema.anyOf.map((one: TSchema) => one.const) : []

const wordsOf = (schema: TSchema): string[] => literalsOf(schema).map(String)

const isText = (value: unknown): boolean => typeof value === 'string'

function kindOf(schema: TSchema): SettingField['kind'] | undefined {
  switch (schema[Kind]) {
    case 'String':
      return 'text'
    case 'Integer':
    case 'Number':
      return 'number'
    case 'Boolean':
      return 'switch'
    case 'Union':
      return kindOfUnion(literalsOf(schema))
    case 'Array':
      return ['text', 'choice'].includes(kindOf(schema.items) ?? '') ? 'list' : undefined
    default:
      return undefined
  }
}

/** A switch may have older words beside `true` and `false`. */
function kindOfUnion(values: readonly unknown[]): SettingField['kind'] | undefined {
  if (values.every(isText)) return 'choice'
  return values.includes(true) ? 'switch' : undefined
}
