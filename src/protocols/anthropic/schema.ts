// JSON Schema for Claude models: tool schemas with an object at the root, and the subset that can be enforced.
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations"
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'

const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * A tool's schema with an object at its root, as every model requires: it has the properties of all alternatives, and requires those
 * that all alternatives require. https://github.com/Hmbown/Codewhale/issues/4329
 */
export function rootObject(schema: JsonObject): JsonObject {
  const { type, anyOf, oneOf, allOf, ...root } = schema
  const choices = CHOICES.flatMap((keyword) => {
    const alternatives = objectsIn(schema[keyword]).map((one) => withReferencedSchema(one, schema))
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

/** Replaces a reference to a definition in the same schema by that definition. */
function withReferencedSchema(schema: JsonObject, root: JsonObject): JsonObject {
  const [, place = '', name = ''] =
    /^#\/(\$defs|definitions)\/([^/]+)$/.exec(stringIn(schema.$ref) ?? '') ?? []
  return place === '' ? schema : objectIn(objectIn(root[place])[name])
}

/** Keywords that the provider refuses; its own SDKs leave them out, too. */
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

/** Keywords whose value is data. */
const DATA_KEYWORDS = new Set(['enum', 'const', 'default', 'examples', 'required'])
/** Keywords whose value is an object of named schemas. */
const NAMED_SCHEMAS = new Set(['properties', '$defs', 'definitions'])

/** The schema with every object closed, as the provider requires, and without refused keywords. */
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
  if (DATA_KEYWORDS.has(keyword) || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => strictValue('', item))
  if (!NAMED_SCHEMAS.has(keyword)) return strictSchema(value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, strictValue('', item)]))
}
