// The settings of the catalogue as form fields, derived from their schemas: sections, providers, models, routes and prices.
import { Kind, type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { beyondConsole } from '../../src/catalogue/console-bounds.ts'
import { MARKUP_MUST } from '../../src/catalogue/markup.ts'
import { isOfTheMachine } from '../../src/catalogue/of-the-machine.ts'
import { USD_MUST } from '../../src/catalogue/price-schema.ts'
import { MODEL_SCHEMAS, PROVIDER_SETTINGS } from '../../src/catalogue/schema.ts'
import { addedSection, sectionSchemas } from '../../src/catalogue/sections.ts'
import { needsRestart } from '../../src/catalogue/watch.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'

const FIELD = {
  path: Type.Array(Type.String(), {
    description: "in its section or block: `['listen']`, `['account', 'requests_per_minute']`",
  }),
  kind: OneOf(['text', 'number', 'amount', 'percent', 'switch', 'choice', 'list']),
  is_required: Type.Boolean(),
  fallback: Nullable(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'the value if the file has none; null: no default',
    }),
  ),
  description: Type.String(),
  options: Type.Array(Type.String(), {
    description: 'the values of a choice, or of each item of a list; empty: any',
  }),
}

/** A setting with its path in its section or block, and its values. */
const FieldView = Type.Object(FIELD)
type SettingField = Static<typeof FieldView>

const SectionFields = Type.Array(
  Type.Object({
    ...FIELD,
    needs_restart: Type.Boolean({ description: 'whether it is applied at the next start only' }),
    is_secret: Type.Boolean({ description: 'whether a mark, `hidden:…`, replaces its value' }),
    fixed: Nullable(
      Type.String({
        description: 'the reason why only the file on the server can change it; null: the console can',
      }),
    ),
  }),
)

const SectionView = Type.Object({
  name: Type.String(),
  fields: SectionFields,
  lists: Type.Record(Type.String(), SectionFields, {
    description: 'fields of the blocks of each list of named tables: `oidc` of `sign_in`',
  }),
  tables: Type.Array(Type.String(), {
    description:
      'tables by names that users choose, and lists of tables, which have no form: `telemetry.headers`',
  }),
})
type SettingSection = Static<typeof SectionView>
type SectionField = SettingSection['fields'][number]

const FieldsByKind = Type.Record(Type.String({ description: 'the kind of models' }), Type.Array(FieldView))

/** Settings of blocks: providers and routes; models and prices by kind. Paths are relative to the block. */
const BlocksView = Type.Object({
  provider: Type.Array(FieldView),
  route: Type.Array(FieldView),
  models: FieldsByKind,
  prices: FieldsByKind,
})

export const SettingsView = Type.Object({ sections: Type.Array(SectionView), blocks: BlocksView })

/** Settings of old files that have no effect. */
const OBSOLETE: readonly string[] = ['responses.image_model']

/** Tables by name with forms on their own pages. */
const WITH_FORMS: readonly string[] = ['limits.accounts', 'limits.keys']

const PER_MACHINE = 'each machine has its own'

/**
 * Returns all sections of settings, in the order of the file's outline. Tables with names that users choose have forms elsewhere.
 *
 * @param is_shared whether the catalogue is in the database, without the settings of a machine
 */
export const settingSections = (is_shared = false): SettingSection[] =>
  Object.entries(sectionSchemas())
    .map(([name, schema]) => {
      const keys = Object.keys(schema.properties)
      const viewsOf = (fields: readonly SettingField[], within: readonly string[] = []) =>
        fields.flatMap((field): SectionField[] => {
          const place = [...within, ...field.path]
          const path = [name, ...place]
          const dotted = path.join('.')
          if (OBSOLETE.includes(dotted)) return []
          const per_machine = is_shared && isOfTheMachine(dotted) ? PER_MACHINE : undefined
          const fixed = per_machine ?? beyondConsole(path) ?? null
          const is_secret = addedSection(name)?.secrets?.at(place, {}) !== undefined
          return [{ ...field, needs_restart: needsRestart(path), is_secret, fixed }]
        })
      const lists = keys.flatMap((key) => {
        const fields = fieldsOfNamed([name, key])
        return fields ? [[key, viewsOf(fields, [key, '0'])] as const] : []
      })
      return {
        name,
        fields: viewsOf(fieldsOf(schema)),
        lists: Object.fromEntries(lists),
        tables: keys
          .flatMap((key) => tableNames(`${name}.${key}`, schema.properties[key]))
          .filter(
            (table) => !WITH_FORMS.includes(table) && !lists.some(([key]) => table === `[${name}.${key}]`),
          ),
      }
    })
    // [plugins] has only tables, named after custom plugins.
    .filter(({ name, fields }) => fields.length > 0 || name !== 'plugins')

/** Returns the path of a table with free names, and of a list of tables in brackets: `[sign_in.oidc]` for `[[sign_in.oidc]]`. */
function tableNames(path: string, schema: TSchema | undefined): string[] {
  if (schema?.[Kind] === 'Record') return [path]
  return schema?.[Kind] === 'Array' && schema.items[Kind] === 'Object' ? [`[${path}]`] : []
}

const fieldsOf = (schema: TObject, path: string[] = []): SettingField[] =>
  Object.entries(schema.properties).flatMap(([name, property]) => {
    const own = [...path, name]
    if (property[Kind] === 'Object') return fieldsOf(property as TObject, own)
    return fieldAt(property, own, schema.required?.includes(name) === true)
  })

/** Returns the fields of a list of named tables, such as `[[sign_in.oidc]]`; undefined for other settings. */
export function fieldsOfNamed([section = '', list = '']: readonly string[]): SettingField[] | undefined {
  const schema: TSchema | undefined = sectionSchemas()[section]?.properties[list]
  if (schema?.[Kind] !== 'Array' || schema.items[Kind] !== 'Object') return undefined
  return Object.hasOwn(schema.items.properties, 'name') ? fieldsOf(schema.items) : undefined
}

/** @returns one field; none for a setting without a form control */
function fieldAt(schema: TSchema, path: string[], is_required: boolean): SettingField[] {
  const kind = kindOf(schema)
  if (!kind) return []
  const { default: fallback = null, description = '', must } = schema
  return [
    {
      path,
      kind,
      is_required: is_required && fallback === null,
      fallback: Array.isArray(fallback) ? fallback.join(', ') || null : fallback,
      description: description || (must ?? ''),
      options: kind === 'choice' || kind === 'list' ? wordsOf(kind === 'list' ? schema.items : schema) : [],
    },
  ]
}

/** Settings of a block that can only be edited in the text, with the reason. */
export const TEXT_ONLY = {
  provider: {
    rest_ms: 'the former name of cooldown_ms',
  },
  model: {
    kind: 'the other settings depend on it',
    bounds: 'a list of tables',
  },
  route: {},
} as const

export const blockFields = (): Static<typeof BlocksView> => ({
  provider: fieldsOfBlock(PROVIDER_SETTINGS, TEXT_ONLY.provider),
  // The schemas of routes differ by kind only in their cost, which has the form of a price.
  route: fieldsOfBlock(MODEL_SCHEMAS.text.properties.routes.items, TEXT_ONLY.route),
  models: forEachKind((schema) => fieldsOfBlock(schema, TEXT_ONLY.model)),
  prices: forEachKind((schema) => fieldsOf(schema.properties.price)),
})

type ModelSchema = (typeof MODEL_SCHEMAS)[keyof typeof MODEL_SCHEMAS]

const forEachKind = (of: (schema: ModelSchema) => SettingField[]): Record<string, SettingField[]> =>
  Object.fromEntries(Object.entries(MODEL_SCHEMAS).map(([kind, schema]) => [kind, of(schema)]))

/** Omits settings that are edited in the text, and tables, which are blocks themselves. */
const fieldsOfBlock = (schema: TObject, text_only: Readonly<Record<string, string>>): SettingField[] =>
  fieldsOf(schema).filter(
    ({ path: [name = '', within] }) => within === undefined && !Object.hasOwn(text_only, name),
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
      if (schema.must === MARKUP_MUST) return 'percent'
      return schema.must === USD_MUST ? 'amount' : kindOfUnion(literalsOf(schema))
    case 'Array':
      return ['text', 'choice'].includes(kindOf(schema.items) ?? '') ? 'list' : undefined
    default:
      return undefined
  }
}

/** A switch may accept former words besides `true` and `false`. */
function kindOfUnion(values: readonly unknown[]): SettingField['kind'] | undefined {
  if (values.every(isText)) return 'choice'
  return values.includes(true) ? 'switch' : undefined
}
