// The completion of answers that pass through: fields that lenient servers leave out, and the protocol's own clients need.
import type { AnswerContext } from './canonical/answer.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { Json, JsonObject } from './wire/json.ts'

export interface Completing {
  /** The whole answer; the very same where nothing is missing. @throws UpstreamFault for ambiguous pieces */
  whole(answer: JsonObject, context: AnswerContext): JsonObject
  /**
   * For one stream: the data of an event; the very same where nothing is missing. It may have a further event before it. Undefined
   * for an event that says nothing to clients of the protocol.
   * @throws UpstreamFault as for whole answers
   */
  stream(context: AnswerContext): (data: ByteString) => ByteString | undefined
}

/** Whether an answer has a value for each of some fields, a text or a whole number where the head has one. */
export function hasFieldsOf(answer: JsonObject, head: JsonObject): boolean {
  for (const key in head) if (!isLike(answer[key], head[key])) return false
  return true
}

function isLike(value: Json | undefined, like: Json | undefined): boolean {
  if (typeof like === 'string') return typeof value === 'string'
  if (typeof like === 'number') return Number.isInteger(value)
  return (value ?? null) !== null
}

/** An answer with the fields that every one has; the very same where it has them. */
export const withHead = (answer: JsonObject, head: JsonObject): JsonObject =>
  hasFieldsOf(answer, head) ? answer : underHead(answer, head)

/** An answer, and for what it lacks the fields of a head. */
export const underHead = (answer: JsonObject, head: JsonObject): JsonObject => ({
  ...head,
  ...Object.fromEntries(
    Object.entries(answer).filter(([key, value]) =>
      Object.hasOwn(head, key) ? isLike(value, head[key]) : value !== null,
    ),
  ),
})

/** A piece of an answer with its type, where one of its fields tells that. @param types by the field */
export function withType(original: JsonObject, types: Readonly<Record<string, string>>): JsonObject {
  if (typeof original.type === 'string') return original
  const key = Object.keys(types).find(
    (name) => (original[name] ?? null) !== null && (name !== 'call_id' || original[name] !== ''),
  )
  return key === undefined ? original : { ...original, type: types[key] ?? '' }
}
