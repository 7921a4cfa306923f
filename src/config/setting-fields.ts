// The settings of the catalogue's sections as fields of a form, by the schemas that check them.
import { Kind, type TObject, type TSchema } from '@sinclair/typebox'
import { SECTION_SCHEMAS } from './section-schemas.ts'

/** One setting: where it stands in the file, and what it may be. */
export interface SettingField {
  /** `['server', 'listen']`. */
  path: string[]
  kind: 'text' | 'number' | 'switch' | 'choice' | 'list'
  /** What holds where the file does not say; null: nothing does. */
  fallback: string | number | boolean | null
  description: string
  /** What a choice may be. */
  options: string[]
}

export interface SettingSection {
  name: string
  fields: SettingField[]
}

/** All sections of settings, in the order of the file's outline. Settings by names that users choose are in the text alone. */
export const settingSections = (): SettingSection[] =>
  Object.entries(SECTION_SCHEMAS).map(([name, schema]) => ({ name, fields: fieldsOf(schema, [name]) }))

const fieldsOf = (schema: TObject, path: string[]): SettingField[] =>
  Object.entries(schema.properties).flatMap(([name, property]) => fieldsAt(property, [...path, name]))

function fieldsAt(schema: TSchema, path: string[]): SettingField[] {
  if (schema[Kind] === 'Object') return fieldsOf(schema as TObject, path)
  const kind = kindOf(schema)
  if (!kind) return []
  const { default: fallback = null, description = '', must } = schema
  return [
    {
      path,
      kind,
      fallback: Array.isArray(fallback) ? fallback.join(', ') || null : fallback,
      description: description || (must ?? ''),
      options: kind === 'choice' ? schema.anyOf.map((one: { const: string }) => one.const) : [],
    },
  ]
}

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
      return schema.anyOf.every((one: TSchema) => typeof one.const === 'string') ? 'choice' : undefined
    case 'Array':
      return schema.items[Kind] === 'String' ? 'list' : undefined
    default:
      return undefined
  }
}
