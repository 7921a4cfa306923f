// JSON Schema as Claude models can be held to it.
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations"
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * A tool's schema with an object at its root, as every model demands: the properties of all alternatives together, required where
 * all of them require them. https://github.com/Hmbown/Codewhale/issues/4329
 */
export function rootObject(schema: JsonObject): JsonObject {
  const { type, anyOf, oneOf, allOf, ...root } = schema
  const choices = CHOICES.flatMap((keyword) => {
    const alternatives = objectsIn(schema[keyword]).map((one) => resolved(one, schema))
    return alternatives.length > 0 ? [{ is_all: keyword === 'allOf', alternatives }] : []
  })
  if (choices.length === 0) return { type: 'object', ...root }
  const required = choices.flatMap(({ is_all, alternatives }) => {
    const [first = [], ...others] = alternatives.map(requiredIn)
    return is_all
      ? [first, ...others].flat()
      : first.filter((name) => others.every((names) => names.includes(name)))
  })
  const properties = Object.assign(
    {},
    ...choices.flatMap(({ alternatives }) => alternatives.map((one) => objectIn(one.properties))),
    objectIn(root.properties),
  )
  return { type: 'object', ...root, properties, required: [...new Set([...requiredIn(root), ...required])] }
}

const requiredIn = ({ required }: JsonObject): Json[] => (Array.isArray(required) ? required : [])

/** A reference to a definition beside it as what it refers to. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const [, place = '', name = ''] =
    /^#\/(\$defs|definitions)\/([^/]+)$/.exec(stringIn(schema.$ref) ?? '') ?? []
  return place === '' ? schema : objectIn(objectIn(root[place])[name])
}

/** Bounds that the provider refuses; its own SDKs leave them out too. */
const REFUSED = new Set([
  '$schema',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyOrdering',
])

/** Keywords with data as their value. */
const OPAQUE = new Set(['enum', 'const', 'default', 'examples', 'required'])
/** Keywords with schemas by names that are not keywords. */
const NAMED = new Set(['properties', '$defs', 'definitions'])

/** The schema with every object closed, as the provider demands, and without what it refuses. */
export function strictSchema(schema: JsonObject): JsonObject {
  const kept: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (REFUSED.has(keyword) || (keyword === 'minItems' && typeof value === 'number' && value > 1)) continue
    kept[keyword === 'oneOf' ? 'anyOf' : keyword] = strictValue(keyword, value)
  }
  return kept.type === 'object' || kept.properties !== undefined
    ? { ...kept, additionalProperties: false }
    : kept
}

function strictValue(keyword: string, value: Json): Json {
  if (OPAQUE.has(keyword) || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => strictValue('', item))
  if (!NAMED.has(keyword)) return strictSchema(value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, strictValue('', item)]))
}
