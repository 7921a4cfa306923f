// Generated values that match a JSON schema, also in providers' dialects: types in capitals, anyOf, $ref.
import { isObject, type Json, type JsonObject, objectIn } from '../../src/protocols/wire/json.ts'
import { listIn, numberIn, textIn } from './json.ts'
import type { Random } from './text.ts'

const MAX_DEPTH = 12
/** Limits against schemas with huge arrays and strings, which would slow down paid calls in this process. */
const MAX_VALUES = 1_000
const MAX_CHARS = 10_000

/** @param is_sparing leaves out optional properties, as in tool arguments */
export function valueFor(
  schema: Json | undefined,
  text: string,
  random: Random,
  { is_sparing = false } = {},
): Json {
  const root = objectIn(schema)
  const [first = 'word', ...rest] = text.slice(0, MAX_CHARS).match(/\S+/g) ?? []
  const prompt = text.slice(0, MAX_CHARS)
  return make(root, { root, random, prompt, words: [first, ...rest], is_sparing, values_left: MAX_VALUES }, 0)
}

interface Context {
  readonly root: JsonObject
  readonly random: Random
  readonly prompt: string
  readonly words: readonly [string, ...string[]]
  readonly is_sparing: boolean
  /** Number of values that may still be generated. */
  values_left: number
}

function make(schema: JsonObject, context: Context, depth: number): Json {
  context.values_left -= 1
  if (context.values_left < 0 || depth > MAX_DEPTH) return null
  const { const: only, enum: values, anyOf, any_of, oneOf, allOf } = resolveRef(schema, context.root)
  if (only !== undefined) return only
  const [value, ...others] = listIn(values)
  if (value !== undefined) return context.random.pick([value, ...others])
  const [alternative] = listIn(anyOf ?? any_of ?? oneOf ?? allOf)
  if (isObject(alternative)) return make(alternative, context, depth + 1)
  return makeTyped(resolveRef(schema, context.root), context, depth)
}

function makeTyped(schema: JsonObject, context: Context, depth: number): Json {
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(schema, context, depth)
    case 'array':
      return makeArray(schema, context, depth)
    case 'integer':
    case 'number':
      return makeNumber(schema, context)
    case 'boolean':
      return context.random.between(0, 1) === 1
    case 'null':
      return null
    default:
      return makeString(schema, context)
  }
}

function resolveRef(schema: JsonObject, root: JsonObject): JsonObject {
  const reference = textIn(schema.$ref)
  if (!reference.startsWith('#/')) return schema
  const names = reference.slice(2).split('/')
  return names.reduce((found, name) => objectIn(Object.hasOwn(found, name) ? found[name] : undefined), root)
}

function typeOf({ type, properties }: JsonObject): string {
  const [first] = Array.isArray(type) ? type : [type]
  return textIn(first).toLowerCase() || (properties === undefined ? 'string' : 'object')
}

function makeObject(schema: JsonObject, context: Context, depth: number): JsonObject {
  const required = new Set(listIn(schema.required))
  const entries = Object.entries(objectIn(schema.properties))
    .filter(([name]) => required.has(name) || (!context.is_sparing && depth < MAX_DEPTH / 2))
    .map(([name, property]): [string, Json] => [
      name,
      harmlessValue(name, objectIn(property)) ??
        (name === 'prompt' ? context.prompt : make(objectIn(property), context, depth + 1)),
    ])
  return Object.fromEntries(entries)
}

/** Returns a harmless value for commands and code, because an agent may really run them. */
function harmlessValue(name: string, property: JsonObject): Json | undefined {
  if (!/^(?:command|cmd|script|code|input)$/i.test(name) || property.enum !== undefined) return undefined
  if (typeOf(property) === 'array') return ['echo', 'simulated']
  return typeOf(property) === 'string' ? 'echo simulated' : undefined
}

function makeArray(schema: JsonObject, context: Context, depth: number): Json[] {
  const min = bound(schema.minItems ?? schema.min_items) ?? 0
  const max = bound(schema.maxItems ?? schema.max_items) ?? Math.max(min, 2)
  const length = Math.min(Math.max(min, Math.min(1, max)), MAX_VALUES)
  return Array.from({ length }, () => make(objectIn(schema.items), context, depth + 1))
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date-time', '2025-06-01T12:00:00Z'],
  ['date', '2025-06-01'],
  ['time', '12:00:00Z'],
  ['email', 'someone@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '3f0c9a52-8e1b-4c55-9d0e-2f6a4b7c8d90'],
])

function makeString(schema: JsonObject, { random, words }: Context): string {
  const fixed = FORMATS.get(textIn(schema.format))
  if (fixed !== undefined) return fixed
  const value = `${random.pick(words)} ${random.pick(words)}`
  const min = Math.min(bound(schema.minLength ?? schema.min_length) ?? 0, MAX_CHARS)
  return value.padEnd(min, '.').slice(0, bound(schema.maxLength ?? schema.max_length) ?? MAX_CHARS)
}

function makeNumber({ minimum, maximum, exclusiveMinimum }: JsonObject, { random }: Context): number {
  const above = numberIn(exclusiveMinimum)
  const min = numberIn(minimum) ?? (above === undefined ? undefined : above + 1)
  const max = numberIn(maximum)
  if (min === undefined) return max === undefined ? random.between(1, 100) : Math.floor(max)
  return random.between(Math.ceil(min), Math.max(Math.ceil(min), Math.floor(max ?? min + 100)))
}

/** Reads a bound, which Google writes as an int64 in a string. */
const bound = (value: Json | undefined): number | undefined =>
  numberIn(typeof value === 'string' ? Number(value) : value)
