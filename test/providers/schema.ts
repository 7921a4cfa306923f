// Values that fit a JSON schema, in the providers' dialects of it (types in capitals, nullable, anyOf, $ref).
import { isObject, type JsonObject, listOf, numberOf, objectOf, pick, textOf } from './json.ts'
import type { Random } from './random.ts'

const MAX_DEPTH = 6
/** The depth by references that lead back to themselves. */
const MAX_REFERENCES = 4 * MAX_DEPTH
/** A schema may require any number and length, and the simulator runs beside paid calls: values beyond these are left out. */
const MAX_VALUES = 1_000
const MAX_CHARS = 100_000
/** As long as a prompt for an image may be. */
const MAX_TEXT_CHARS = 32_000

/**
 * Makes a value that fits a schema.
 *
 * @param text whose words fill strings
 */
export function valueFor(schema: unknown, random: Random, text: string): unknown {
  return make({ schema, random, text, is_sparing: false })
}

/**
 * The same for the arguments of a function: of its optional properties, only those that the prompt determines.
 *
 * @param file the name of a file that the function is to read
 */
export const argumentsFor = (schema: unknown, random: Random, text: string, file?: string): unknown =>
  make({ schema, random, text, file, is_sparing: true })

interface Wanted extends Pick<Context, 'random' | 'text' | 'is_sparing'> {
  readonly schema: unknown
  readonly file?: string | undefined
}

function make({ schema, random, text, file, is_sparing }: Wanted): unknown {
  const root = objectOf(schema)
  const short = text.slice(0, MAX_TEXT_CHARS)
  const [first = 'word', ...rest] = short.split(/\s+/).filter((word) => word !== '')
  const room = { values: MAX_VALUES, chars: MAX_CHARS }
  return makeValue(root, { random, text: short, words: [first, ...rest], root, room, is_sparing, file }, 0)
}

interface Context {
  readonly random: Random
  readonly text: string
  readonly words: readonly [string, ...string[]]
  readonly root: JsonObject
  /** Optional properties are left out. */
  readonly is_sparing: boolean
  readonly file: string | undefined
  /** The remaining room for values. */
  readonly room: { values: number; chars: number }
}

/** A value, or null if there is no room for its JSON. */
function ifRoom(value: unknown, { room }: Context): unknown {
  room.chars -= JSON.stringify(value)?.length ?? 0
  return room.chars < 0 ? null : value
}

type Maker = (schema: JsonObject, context: Context, depth: number) => unknown

const MAKERS = new Map<string, Maker>([
  ['object', makeObject],
  ['array', makeArray],
  ['string', makeString],
  ['integer', makeNumber],
  ['number', makeNumber],
  ['boolean', (_schema, { random }) => random.between(0, 1) === 1],
  ['null', () => null],
])

function makeValue(unresolved: JsonObject, context: Context, depth: number): unknown {
  context.room.values -= 1
  if (context.room.values < 0 || context.room.chars < 0 || depth > MAX_REFERENCES) return null
  const schema = resolve(unresolved, context.root)
  if (schema.const !== undefined) return ifRoom(schema.const, context)
  const [first, ...rest] = listOf(schema.enum)
  if (first !== undefined) return ifRoom(context.random.pick([first, ...rest]), context)
  const [alternative] = listOf(pick(schema, 'anyOf', 'any_of', 'oneOf'))
  if (isObject(alternative)) return makeValue(alternative, context, depth + 1)
  return (MAKERS.get(typeOf(schema)) ?? makeString)(schema, context, depth)
}

function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  const reference = textOf(schema.$ref)
  if (!reference.startsWith('#/')) return schema
  return reference
    .slice(2)
    .split('/')
    .reduce<JsonObject>((found, name) => objectOf(found[name]), root)
}

function typeOf(schema: JsonObject): string {
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (typeof type === 'string') return type.toLowerCase()
  return schema.properties === undefined ? 'string' : 'object'
}

function makeObject(schema: JsonObject, context: Context, depth: number): JsonObject {
  const required = new Set(listOf(schema.required))
  const entries = Object.entries(objectOf(schema.properties))
    .filter(([name]) => depth < MAX_DEPTH || required.has(name))
    .filter(([name]) => !context.is_sparing || required.size === 0 || required.has(name) || VITAL.test(name))
    .map(([name, property]) => [
      name,
      depth > MAX_DEPTH * 2
        ? null
        : (harmless(name, objectOf(property), context) ??
          ofPicture(name, objectOf(property), context) ??
          makeValue(objectOf(property), context, depth + 1)),
    ])
  return Object.fromEntries(entries)
}

/** Properties that the prompt determines, or without which a call makes no sense. */
const VITAL = /^(?:command|cmd|script|code|prompt|action)$/i

/** An agent may really run the command, and words of a prompt may not be safe. */
function harmless(name: string, property: JsonObject, { file }: Context): unknown {
  if (file !== undefined && PATHS.test(name) && typeOf(property) === 'string') return file
  if (property.contentMediaType === JAVASCRIPT) return programFor(file)
  if (!/^(?:command|cmd|script|code)$/i.test(name) || property.enum !== undefined) return undefined
  const command = file === undefined ? ['echo', 'simulated'] : ['cat', file]
  if (typeOf(property) === 'array') return command
  return typeOf(property) === 'string' ? command.join(' ') : undefined
}

/** The type of a text that is a program for the shell of Codex: codex-rs/code-mode in openai/codex. */
export const JAVASCRIPT = 'text/javascript'

const programFor = (file: string | undefined): string =>
  file === undefined ? 'text("simulated")' : `text(await tools.exec_command({ cmd: "cat ${file}" }))`

const PATHS = /^(?:absolute_?path|file_?path|path|file)$/i

const CHANGES = /\b(?:make it|edit|change|recolou?r|instead)\b/i

/** The description of a picture is the whole prompt. */
function ofPicture(name: string, property: JsonObject, context: Context): unknown {
  const { text } = context
  if (name === 'prompt' && typeOf(property) === 'string') return ifRoom(text, context)
  const values = listOf(property.enum)
  if (name !== 'action' || !values.includes('edit') || !values.includes('generate')) return undefined
  return CHANGES.test(text) ? 'edit' : 'generate'
}

function makeArray(schema: JsonObject, context: Context, depth: number): unknown[] {
  const min = count(pick(schema, 'minItems', 'min_items')) ?? 0
  const max = count(pick(schema, 'maxItems', 'max_items')) ?? Math.max(min, 3)
  const length = depth < MAX_DEPTH ? context.random.between(Math.min(Math.max(1, min), max), max) : min
  return Array.from({ length: Math.min(length, Math.max(0, context.room.values)) }, () =>
    makeValue(objectOf(schema.items), context, depth + 1),
  )
}

const FORMATS = new Map([
  ['date-time', '2025-06-01T12:00:00Z'],
  ['date', '2025-06-01'],
  ['time', '12:00:00'],
  ['email', 'someone@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '3f0c9a52-8e1b-4c55-9d0e-2f6a4b7c8d90'],
])

function makeString(schema: JsonObject, context: Context): unknown {
  const { random, words, room } = context
  const fixed = FORMATS.get(textOf(schema.format))
  if (fixed !== undefined) return fixed
  const value = `${random.pick(words)} ${random.pick(words)}`
  const min = count(pick(schema, 'minLength', 'min_length')) ?? 0
  const max = count(pick(schema, 'maxLength', 'max_length')) ?? Math.max(min, value.length)
  return ifRoom(value.padEnd(Math.min(min, room.chars), '.').slice(0, max), context)
}

function makeNumber(schema: JsonObject, { random }: Context): number {
  const [min, max] = range(schema)
  return random.between(min, Math.max(min, max))
}

function range(schema: JsonObject): [number, number] {
  const min = numberOf(schema.minimum)
  const max = numberOf(schema.maximum)
  if (min !== undefined) return [Math.ceil(min), Math.floor(max ?? min + 100)]
  return max === undefined ? [1, 100] : [Math.floor(max) - 100, Math.floor(max)]
}

/** Google writes such bounds as int64, in strings. */
function count(value: unknown): number | undefined {
  return numberOf(typeof value === 'string' ? Number(value) : value)
}
