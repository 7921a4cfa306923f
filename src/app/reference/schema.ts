// Schemas of the document: written out, or taken from the TypeBox schemas by which requests are read and answers checked.

/** A JSON Schema, 2020-12, as OpenAPI 3.1 has them. What is undefined is left out of the JSON. */
export interface Schema {
  readonly [keyword: string]: unknown
}

type Named = Readonly<Record<string, Schema>>

/** One of the document's shared schemas. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const typed =
  (type: string) =>
  (description?: string, more: Schema = {}): Schema => ({ type, description, ...more })

export const text = typed('string')
export const count = typed('integer')
export const quantity = typed('number')
export const flag = typed('boolean')
/** An object of which nothing is said but what it is for. */
export const anyObject = typed('object')

export const words = (description: string, ...names: string[]): Schema => text(description, { enum: names })

export const constant = (value: string): Schema => ({ type: 'string', const: value })

export const list = (items: Schema, description?: string): Schema => ({ type: 'array', items, description })

/** One of several shapes. */
export const either = (description: string, ...shapes: Schema[]): Schema => ({ description, anyOf: shapes })

export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })

/** An object with these fields, and others. A name with a question mark is of a field that may be absent. */
export const object = (fields: Named, description?: string): Schema => ({
  type: 'object',
  description,
  required: Object.keys(fields).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
})

/** What TypeBox schemas have for our own messages. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['must', 'code'])
/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** A TypeBox schema as it is published: without our annotations, but for the words of `must`, and in plain JSON Schema. */
export function published(schema: Schema): Schema {
  const kept = Object.entries(schema)
    .filter(([keyword, value]) => !(ANNOTATIONS.has(keyword) && typeof value === 'string'))
    .map(([keyword, value]) => [keyword, MAPS.has(keyword) ? eachPublished(value) : publishedPart(value)])
  return plain({ description: wordsOf(schema), ...Object.fromEntries(kept) })
}

const eachPublished = (map: unknown): unknown =>
  Object.fromEntries(Object.entries(map as Named).map(([name, schema]) => [name, published(schema)]))

function publishedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publishedPart)
  return typeof value === 'object' && value !== null ? published(value as Schema) : value
}

/** "a whole number from 1 to 1000" describes a field as well as it refuses one. */
const wordsOf = ({ must }: Schema): string | undefined =>
  typeof must === 'string' ? `${must.charAt(0).toUpperCase()}${must.slice(1)}.` : undefined

/** What TypeBox writes in ways of its own. */
function plain(schema: Schema): Schema {
  const { type, source, flags, maximum, anyOf, ...rest } = schema
  if (type === 'RegExp') return { ...rest, type: 'string', pattern: source }
  if (!Array.isArray(anyOf))
    return { type, ...rest, maximum: maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum }
  const [first, second] = anyOf
  if (anyOf.every((one) => typeof one.const === 'string'))
    return { ...rest, type: 'string', enum: anyOf.map((one) => one.const) }
  if (anyOf.length === 2 && second.type === 'null' && typeof first.type === 'string') {
    const description = rest.description ?? first.description
    return {
      ...first,
      ...rest,
      description,
      type: [first.type, 'null'],
      enum: first.enum && [...first.enum, null],
    }
  }
  return { ...rest, anyOf }
}
