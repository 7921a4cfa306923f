// Completion of answers that pass through: adds fields that lenient servers leave out and the protocol's own clients need.
import type { AnswerContext } from './canonical/answer.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { Json, JsonObject } from './wire/json.ts'

export interface Completer {
  /** Completes a whole answer; returns the same object if nothing is missing. @throws UpstreamFault for ambiguous pieces */
  whole(answer: JsonObject, context: AnswerContext): JsonObject
  /**
   * Creates a function that completes the data of each event of one stream; it returns the same data if nothing is missing, and may
   * put another event before it. It returns undefined for an event that has no meaning for clients of the protocol.
   * @throws UpstreamFault as for whole answers
   */
  stream(context: AnswerContext): (data: ByteString) => ByteString | undefined
}

/** Whether an answer has each required field, with text or a whole number where the default is one. */
export function hasRequired(answer: JsonObject, defaults: JsonObject): boolean {
  for (const key in defaults) if (!isLike(answer[key], defaults[key])) return false
  return true
}

function isLike(value: Json | undefined, like: Json | undefined): boolean {
  if (typeof like === 'string') return typeof value === 'string'
  if (typeof like === 'number') return Number.isInteger(value)
  return (value ?? null) !== null
}

/** An answer with all required fields: the same object if it has them. */
export const withRequired = (answer: JsonObject, defaults: JsonObject): JsonObject =>
  hasRequired(answer, defaults) ? answer : fillRequired(answer, defaults)

/** An answer whose missing required fields are filled with defaults. */
export const fillRequired = (answer: JsonObject, defaults: JsonObject): JsonObject => ({
  ...defaults,
  ...Object.fromEntries(
    Object.entries(answer).filter(([key, value]) =>
      Object.hasOwn(defaults, key) ? isLike(value, defaults[key]) : value !== null,
    ),
  ),
})

/** A piece of an answer with its type, if one of its fields implies it. @param types the type for each field */
export function withType(original: JsonObject, types: Readonly<Record<string, string>>): JsonObject {
  if (typeof original.type === 'string') return original
  const key = Object.keys(types).find(
    (name) => (original[name] ?? null) !== null && (name !== 'call_id' || original[name] !== ''),
  )
  return key === undefined ? original : { ...original, type: types[key] ?? '' }
}
