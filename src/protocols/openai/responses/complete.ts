// Completion of responses from lenient servers: OpenAI's own clients throw without these fields.

import { UpstreamFault } from '../../../domain/errors.ts'
import { newCallId } from '../../canonical/parts.ts'
import { type Completer, hasRequired, withType } from '../../completing.ts'
import { reportsError } from '../../failures.ts'
import { decodeByteString } from '../../wire/byte-string.ts'
import {
  countIn,
  isObject,
  type JsonObject,
  jsonByteString,
  objectIn,
  objectsIn,
  parseObject,
  stringIn,
} from '../../wire/json.ts'
import { hasValue, quoted } from '../../wire/json-text.ts'

/** The type of an item without one, by a field that it has. Calls of the provider's own tools have no call_id. */
const TYPE_OF_ITEM: Readonly<Record<string, string>> = {
  input: 'custom_tool_call',
  call_id: 'function_call',
  summary: 'reasoning',
  content: 'message',
}
/** Fields that only calls have. Without a call_id, they do not show who runs the tool. */
const OF_CALLS = ['arguments', 'action', 'operation']
const TYPE_OF_PART: Readonly<Record<string, string>> = { refusal: 'refusal', text: 'output_text' }

function completePart(original: JsonObject): JsonObject {
  const part = withType(original, TYPE_OF_PART)
  return part.type !== 'output_text' || Array.isArray(part.annotations) ? part : { ...part, annotations: [] }
}

/** @throws UpstreamFault for a tool call without its type or its name. Items of other types pass, since clients do not act on them */
function completeItem(original: JsonObject, index: number, call_id: string): JsonObject {
  const item = withType(original, TYPE_OF_ITEM)
  if (typeof item.type !== 'string' && OF_CALLS.some((name) => (item[name] ?? null) !== null))
    throw new UpstreamFault('the upstream sent a tool call without its type')
  if (item.type === 'function_call') {
    if (!stringIn(item.name)) throw new UpstreamFault('the upstream sent a tool call without a name')
    const called = isObject(item.arguments) ? { ...item, arguments: JSON.stringify(item.arguments) } : item
    return stringIn(item.call_id) ? called : { ...called, call_id: newCallId(call_id, 0, index) }
  }
  if (item.type !== 'message') return item
  if (typeof item.content === 'string')
    return { ...item, content: [completePart({ type: 'output_text', text: item.content })] }
  const content = objectsIn(item.content)
  const parts = content.map(completePart)
  return parts.every((part, at) => part === content[at]) ? item : { ...item, content: parts }
}

/**
 * Completes the items of a whole response; returns the same response if nothing is missing.
 * @throws UpstreamFault as for an item
 */
export function completeOutput(response: JsonObject, call_id: string): JsonObject {
  const output = objectsIn(response.output)
  const items = output.map((item, at) => completeItem(item, at, call_id))
  return items.every((item, at) => item === output[at]) ? response : { ...response, output: items }
}

/** Events of an item, unlike those of the whole response. */
const OF_AN_ITEM = /^response\.(?!created|queued|in_progress|completed|incomplete|failed|cancelled)/
/** Events of a part of an item's content. */
const OF_A_PART = /^response\.(?:content_part|output_text|refusal|reasoning_text)\./
/** Typed clients require `logprobs` in these events, even if empty. */
const OF_TEXT = /^response\.output_text\.(?:delta|done)$/

/** Completes the items of one stream. */
export class StreamedItems {
  readonly #index_of = new Map<string, number>()
  readonly #places: number[] = []
  #newest = -1
  #part = 0
  readonly #call_id: string

  /** @param call_id as for whole responses */
  constructor(call_id: string) {
    this.#call_id = call_id
  }

  /** Completes the item of an event; returns the same event if nothing is missing. @throws UpstreamFault as for an item */
  complete(event: JsonObject): JsonObject {
    const type = stringIn(event.type) ?? ''
    if (isObject(event.response)) {
      const response = completeOutput(event.response, this.#call_id)
      return response === event.response ? event : { ...event, response }
    }
    if (!OF_AN_ITEM.test(type)) return event
    const placed = this.#place(event, type)
    if (!isObject(event.item)) return placed
    const item = completeItem(event.item, countIn(placed.output_index) ?? 0, this.#call_id)
    return item === event.item ? placed : { ...placed, item }
  }

  /** The stream's index of an item in the final output. @param at its position in that output */
  placeOf({ id }: JsonObject, at: number): number {
    return this.#index_of.get(stringIn(id) ?? '') ?? this.#places[at] ?? at
  }

  #place(event: JsonObject, type: string): JsonObject {
    const begins = type === 'response.output_item.added'
    const id = stringIn(event.item_id) ?? stringIn(objectIn(event.item).id) ?? ''
    const known = begins ? undefined : this.#index_of.get(id)
    const place =
      countIn(event.output_index) ?? known ?? (begins ? this.#newest + 1 : Math.max(0, this.#newest))
    if (begins) {
      this.#newest = place
      this.#part = 0
      this.#places.push(place)
      if (id !== '') this.#index_of.set(id, place)
    }
    const placed = event.output_index === place ? event : { ...event, output_index: place }
    if (!OF_A_PART.test(type)) return placed
    this.#part = countIn(event.content_index) ?? this.#part
    const lacking = {
      ...(event.content_index === this.#part ? {} : { content_index: this.#part }),
      ...(OF_TEXT.test(type) && !Array.isArray(event.logprobs) ? { logprobs: [] } : {}),
    }
    return Object.keys(lacking).length === 0 ? placed : { ...placed, ...lacking }
  }
}

/** The beginning of nearly all events that OpenAI sends; the indexes follow later. */
const DELTA = /^\{\s*"type"\s*:\s*"response\.(?:output_text|function_call_arguments)\.delta"/
const PLACE = quoted('output_index')
const PART = quoted('content_index')
const LOGPROBS = '"logprobs":['

const isComplete = (data: string): boolean =>
  DELTA.test(data) &&
  hasValue(data, PLACE) &&
  ((hasValue(data, PART) && data.includes(LOGPROBS)) || !data.includes('output_text'))

/** Adds the fields that every response has, except the model: an answer without a model name stays without. */
function withResponseFields(response: JsonObject, id: string, ended: boolean): JsonObject {
  const is_cut = isObject(response.incomplete_details)
  const status = ended ? (is_cut ? 'incomplete' : 'completed') : 'in_progress'
  const head: JsonObject = { id: `resp_${id}`, object: 'response', status, output: [] }
  if (hasRequired(response, head)) return response
  return {
    ...head,
    ...Object.fromEntries(
      Object.entries(response).filter(([key, value]) => !(key in head && value === null)),
    ),
  }
}

export const completing: Completer = {
  whole: (answer, { id }) => completeOutput(withResponseFields(answer, id, true), id),
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
      const response = isObject(event.response) ? withResponseFields(start, id, ended) : start
      const completed = response === start ? event : { ...event, response }
      return completed === original ? data : jsonByteString(completed)
    }
  },
}
