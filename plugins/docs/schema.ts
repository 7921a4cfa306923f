// Schemas of the document: written out, or taken from the TypeBox schemas by which requests are read and answers checked.
import type { TObject } from '@sinclair/typebox'

/** A JSON Schema, 2020-12, as OpenAPI 3.1 has them. */
export interface Schema {
  readonly [keyword: string]: unknown
}

type Named = Readonly<Record<string, Schema>>

/** One of the document's shared schemas. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const typed =
  (type: string) =>
  (description: string, more: Schema = {}): Schema => ({ type, description, ...more })

export const text = typed('string')
export const count = typed('integer')
export const quantity = typed('number')
export const flag = typed('boolean')
/** An object of which nothing is said but what it is for. */
export const anyObject = typed('object')

export const words = (description: string, ...names: string[]): Schema => text(description, { enum: names })

export const constant = (value: string): Schema => ({ type: 'string', const: value })

export const list = (items: Schema, description = ''): Schema => ({
  type: 'array',
  items,
  ...(description ? { description } : {}),
})

/** One of several shapes. */
export const either = (description: string, ...shapes: Schema[]): Schema => ({ description, anyOf: shapes })

export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })

/** An object with these fields, and others. */
export const object = (
  properties: Named,
  { required = [], ...more }: { required?: readonly string[]; description?: string } = {},
): Schema => ({ type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...more })

/** What a field of a form is for; or its whole schema, where the form does not say what it may hold. */
type Word = string | Schema

interface Beyond {
  description?: string
  /** Fields that are needed although the form leaves them to be checked elsewhere. */
  required?: readonly string[]
  /** Fields that the form does not read, because they only pass through. */
  properties?: Named
}

/**
 * The schema of a form by which a request is read, with words for each of its fields: one that has none is found by the
 * compiler.
 */
export function described<F extends TObject>(
  form: F,
  fields: { readonly [K in keyof F['properties']]: Word },
  { required = [], properties = {}, ...more }: Beyond = {},
): Schema {
  const own = Object.entries(fields as Readonly<Record<string, Word>>).map(([name, word]) => [
    name,
    typeof word === 'string' ? { ...withoutNull(published(form.properties[name])), description: word } : word,
  ])
  return object(
    { ...Object.fromEntries(own), ...properties },
    { ...more, required: [...new Set([...required, ...(form.required ?? [])])] },
  )
}

/** A null counts as absent everywhere: the document's preface says so, and fields do not repeat it. */
function withoutNull(schema: Schema): Schema {
  const [first, second, ...others] = Array.isArray(schema.anyOf) ? schema.anyOf : []
  return second?.type === 'null' && others.length === 0 ? first : schema
}

/** What TypeBox schemas have for our own messages. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['must', 'code'])
/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs'])

/** A TypeBox schema as it is published: without our annotations, but for the words of `must`, and in plain JSON Schema. */
export function published(schema: unknown): Schema {
  if (typeof schema !== 'object' || schema === null) return {}
  const found = schema as Schema
  const kept = Object.entries(found)
    .filter(([keyword, value]) => !(ANNOTATIONS.has(keyword) && typeof value === 'string'))
    .map(([keyword, value]) => [keyword, MAPS.has(keyword) ? eachPublished(value) : publishedPart(value)])
  return plain({ ...wordsOf(found), ...Object.fromEntries(kept) })
}

const eachPublished = (map: unknown): unknown =>
  Object.fromEntries(Object.entries(map as Named).map(([name, schema]) => [name, published(schema)]))

function publishedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publishedPart)
  return typeof value === 'object' && value !== null ? published(value) : value
}

/** "a whole number from 1 to 1000" describes a field as well as it refuses one. */
function wordsOf({ must }: Schema): Schema {
  return typeof must === 'string' ? { description: `${must.charAt(0).toUpperCase()}${must.slice(1)}.` } : {}
}

/** What TypeBox writes in ways of its own. */
function plain({ type, source, flags, ...schema }: Schema): Schema {
  if (type === 'RegExp') return { type: 'string', pattern: source, ...schema }
  const { maximum, anyOf, ...rest } = schema
  const typed = type === undefined ? {} : { type }
  if (isChoice(anyOf)) return { type: 'string', enum: anyOf.map((one) => one.const), ...rest }
  return {
    ...typed,
    ...rest,
    ...(anyOf === undefined ? {} : { anyOf }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  }
}

const isChoice = (anyOf: unknown): anyOf is readonly Schema[] =>
  Array.isArray(anyOf) && anyOf.every((one) => typeof one?.const === 'string')
