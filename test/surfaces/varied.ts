// Recorded answers in other forms that servers are known for: null for a missing field, a text in two pieces, events that say nothing.
import { isObject, type Json, type JsonObject } from '../../src/protocols/wire/json.ts'
import type { Path, Recording } from './left-out.ts'

const keysOf = (path: Path): string[] => path.replaceAll('[]', '.[]').split('.')

/** The object with another value wherever the field stands. */
export const withValue = (value: JsonObject, path: Path, put: (old: Json) => Json): JsonObject =>
  changed(value, keysOf(path), put) as JsonObject

function changed(value: Json, [key = '', ...rest]: readonly string[], put: (old: Json) => Json): Json {
  if (key === '[]') return Array.isArray(value) ? value.map((item) => changed(item, rest, put)) : value
  if (!isObject(value) || value[key] === undefined) return value
  return { ...value, [key]: rest.length > 0 ? changed(value[key], rest, put) : put(value[key]) }
}

/** Texts that streams are made of. */
const TEXTS = new Set([
  ...['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments', 'name'],
  ...['text', 'thinking', 'partial_json', 'delta'],
])
/** Fields that identify an object once for all of its pieces, or mark an end. */
const ONCE = new Set(['id', 'name', 'role', 'finish_reason', 'finishReason', 'usage', 'usageMetadata'])
/** Below these stands the whole, which does not come in pieces. */
const WHOLES = new Set(['response', 'item', 'part', 'functionCall', 'content_block', 'message', 'usage'])
/** Events that repeat the whole of a text. */
const REPEATS = /\.done$/

/** The fields of a stream that hold pieces of a text. */
export function textFields({ payloads }: Recording): Path[] {
  const found = new Set<Path>()
  const walk = (value: Json, path: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, `${path}[]`)
    if (!isObject(value) || REPEATS.test(String(value.type))) return
    for (const [key, below] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`
      const is_text = TEXTS.has(key) && (key !== 'name' || path.endsWith('.function'))
      if (is_text && typeof below === 'string' && below.length > 1) found.add(at)
      if (!WHOLES.has(key)) walk(below, at)
    }
  }
  for (const payload of payloads) walk(payload, '')
  return [...found]
}

/** The events with each piece of a text in two: the first as it was, the second with the text and its position alone. */
export function inTwoPieces({ payloads }: Recording, path: Path): JsonObject[] {
  const keys = keysOf(path)
  return payloads.flatMap((payload) => {
    const [first, second] = halves(payload, keys)
    return second === undefined ? [payload] : [first as JsonObject, second as JsonObject]
  })
}

/** @returns no second half where there is no such text */
function halves(value: Json, [key = '', ...rest]: readonly string[]): [Json, Json?] {
  if (key === '[]') {
    // Of several items each would have to say which it is.
    if (!Array.isArray(value) || value.length !== 1) return [value]
    const [first, second] = halves(value[0] ?? null, rest)
    return second === undefined ? [value] : [[first], [second]]
  }
  const below = isObject(value) ? value[key] : undefined
  if (!isObject(value) || below === undefined) return [value]
  const [first, second] = rest.length > 0 ? halves(below, rest) : halvesOf(below)
  if (second === undefined) return [value]
  const ends = Object.entries(value).filter(([name]) => name !== key && ONCE.has(name))
  const others = Object.entries(value).filter(
    ([name, other]) => !ONCE.has(name) && !TEXTS.has(name) && typeof other !== 'object',
  )
  const is_end = (name: string) => !['id', 'name', 'role'].includes(name)
  return [
    {
      ...without(value, ends.map(([name]) => name).filter(is_end)),
      [key]: first,
      ...(key === 'name' ? NO_ARGUMENTS : {}),
    },
    {
      ...Object.fromEntries(others),
      ...Object.fromEntries(ends.filter(([name]) => is_end(name))),
      [key]: second,
    },
  ]
}
const NO_ARGUMENTS = { arguments: '' }

const without = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

function halvesOf(text: Json): [Json, Json?] {
  if (typeof text !== 'string' || text.length < 2) return [text]
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

/** The events, each followed by one that says nothing. */
export const withEmptyEvents = ({ payloads }: Recording): JsonObject[] =>
  payloads.flatMap((payload) => [payload, {}])
