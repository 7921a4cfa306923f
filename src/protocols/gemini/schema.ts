// Conversion between JSON Schema and the two schema formats of the native protocol.
// https://ai.google.dev/api/generate-content#FIELDS.response_json_schema, https://ai.google.dev/api/caching#Schema
import { isObject, type Json, type JsonObject, lookUp, objectIn } from '../wire/json.ts'

/** The documented keywords of responseJsonSchema and parametersJsonSchema; others are left out. */
const KEYWORDS = new Set([
  '$id',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
])

/** Keywords that the provider accepts under another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = { oneOf: 'anyOf', definitions: '$defs' }

const SCHEMAS_BY_NAME = new Set(['properties', '$defs'])
const SCHEMA_LISTS = new Set(['anyOf', 'prefixItems'])

/** Converts a JSON Schema for the provider. Unknown keywords are dropped: only their constraints are lost. */
export function toGeminiSchema(schema: JsonObject): JsonObject {
  if (typeof schema.$ref === 'string') return reference(schema, schema.$ref)
  const kept = constant(schema.const)
  for (const name in schema) {
    const value = schema[name]
    const keyword = lookUp(OTHER_NAMES, name) ?? name
    const allowed = value === undefined ? undefined : convertValue(keyword, value)
    if (allowed !== undefined) kept[keyword] = allowed
  }
  return mergeAllOf(kept, schema.allOf)
}

/** Writes a constant as an enumeration of one value. The provider only enumerates strings and numbers. */
const constant = (value: Json | undefined): JsonObject =>
  typeof value === 'string' || typeof value === 'number' ? { type: typeof value, enum: [value] } : {}

function convertValue(keyword: string, value: Json): Json | undefined {
  if (SCHEMAS_BY_NAME.has(keyword)) return isObject(value) ? mapValues(value, toGeminiSchema) : undefined
  if (SCHEMA_LISTS.has(keyword))
    return Array.isArray(value) ? value.filter(isObject).map(toGeminiSchema) : undefined
  if (keyword === 'items' || keyword === 'additionalProperties')
    return isObject(value)
      ? toGeminiSchema(value)
      : typeof value === 'boolean' && keyword !== 'items'
        ? value
        : undefined
  return KEYWORDS.has(keyword) ? value : undefined
}

/** Beside a reference, the provider only accepts keywords that begin with `$`. */
const reference = (schema: JsonObject, $ref: string): JsonObject => ({
  $ref: $ref.replace('#/definitions/', '#/$defs/'),
  ...(isObject(schema.$defs) ? { $defs: mapValues(schema.$defs, toGeminiSchema) } : {}),
})

/** Merges the schemas of allOf into one, with all their properties and required names. */
function mergeAllOf(schema: JsonObject, all_of: Json | undefined): JsonObject {
  if (!Array.isArray(all_of)) return schema
  return all_of.filter(isObject).map(toGeminiSchema).reduce(mergeTwo, schema)
}

const mergeTwo = (one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...other,
  ...(one.properties || other.properties
    ? { properties: { ...objectIn(one.properties), ...objectIn(other.properties) } }
    : {}),
  ...(one.required || other.required
    ? { required: [...new Set([...listOr(one.required), ...listOr(other.required)])] }
    : {}),
})

const listOr = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** Counts that the provider's own schemas may write as text, as protocol buffers write int64. */
const COUNTS = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])
/** Formats that JSON Schema does not have. */
const OWN_FORMATS = new Set(['enum', 'int32', 'int64', 'float', 'double'])

const CAMEL: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
}

/** Converts the provider's own schema format (a subset of OpenAPI 3.0, with types in capitals) to JSON Schema. */
export function fromGeminiSchema(schema: JsonObject): JsonObject {
  const read: JsonObject = {}
  for (const [name, value] of Object.entries(schema)) {
    const keyword = lookUp(CAMEL, name) ?? name
    const converted = jsonSchemaValue(keyword, value)
    if (converted !== undefined) read[keyword] = converted
  }
  return schema.nullable === true ? nullable(read) : read
}

const NO_JSON_SCHEMA = new Set(['nullable', 'propertyOrdering', 'property_ordering', 'example'])

function jsonSchemaValue(keyword: string, value: Json): Json | undefined {
  if (NO_JSON_SCHEMA.has(keyword)) return undefined
  if (keyword === 'type') return typeof value === 'string' ? value.toLowerCase() : value
  if (keyword === 'format') return typeof value === 'string' && OWN_FORMATS.has(value) ? undefined : value
  if (keyword === 'properties') return isObject(value) ? mapValues(value, fromGeminiSchema) : undefined
  if (keyword === 'items') return isObject(value) ? fromGeminiSchema(value) : undefined
  if (keyword === 'anyOf')
    return Array.isArray(value) ? value.filter(isObject).map(fromGeminiSchema) : undefined
  return COUNTS.has(keyword) && typeof value === 'string' ? Number(value) : value
}

function nullable(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
  }
}

const mapValues = (object: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, isObject(value) ? change(value) : {}]),
  )
