// JSON Schema as Claude models can be held to it.
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations"
import type { Json, JsonObject } from '../wire/json.ts'

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

/** Keywords whose value is data. */
const OPAQUE = new Set(['enum', 'const', 'default', 'examples', 'required'])
/** Keywords whose value holds schemas by names that are not keywords. */
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
