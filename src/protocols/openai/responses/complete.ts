// Responses of lenient servers, completed for callers of the protocol: OpenAI's own clients throw without these fields.
import type { Completing } from '../../completing.ts'
import { reportsError } from '../../reported-error.ts'
import { decodeByteString, toByteString } from '../../wire/byte-string.ts'
import { isObject, type JsonObject, objectIn, parseObject } from '../../wire/json.ts'
import { hasValue, quoted } from '../../wire/json-text.ts'
import { completeOutput, StreamedItems } from './complete-items.ts'

/** How nearly all events begin that OpenAI sends: their places follow somewhere. */
const DELTA = /^\{\s*"type"\s*:\s*"response\.(?:output_text|function_call_arguments)\.delta"/
const PLACE = quoted('output_index')
const PART = quoted('content_index')
const LOGPROBS = '"logprobs":['

const isComplete = (data: string): boolean =>
  DELTA.test(data) &&
  hasValue(data, PLACE) &&
  ((hasValue(data, PART) && data.includes(LOGPROBS)) || !data.includes('output_text'))

/** The fields that every response has, but for the model: an answer that names none gets no name. */
function withHead(response: JsonObject, id: string, ended: boolean): JsonObject {
  const is_cut = isObject(response.incomplete_details)
  const status = ended ? (is_cut ? 'incomplete' : 'completed') : 'in_progress'
  const head: JsonObject = { id: `resp_${id}`, object: 'response', status, output: [] }
  if (Object.keys(head).every((key) => (response[key] ?? null) !== null)) return response
  return {
    ...head,
    ...Object.fromEntries(
      Object.entries(response).filter(([key, value]) => !(key in head && value === null)),
    ),
  }
}

export const completing: Completing = {
  whole: (answer, { id }) => completeOutput(withHead(answer, id, true), id),
  stream({ id }) {
    const items = new StreamedItems(id)
    return (data) => {
      if (isComplete(data)) return data
      const original = parseObject(decodeByteString(data))
      if (original === undefined) return data
      if (typeof original.type !== 'string' && !reportsError(original)) return undefined
      const event = items.complete(original)
      const start = objectIn(event.response)
      const ended = event.type === 'response.completed' || event.type === 'response.incomplete'
      const response = isObject(event.response) ? withHead(start, id, ended) : start
      const completed = response === start ? event : { ...event, response }
      return completed === original ? data : toByteString(Buffer.from(JSON.stringify(completed)))
    }
  },
}
