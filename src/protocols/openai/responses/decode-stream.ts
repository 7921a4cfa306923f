// Decoding of a streamed response into canonical events.
// https://platform.openai.com/docs/api-reference/responses-streaming

import type { PartStart, StreamDecoder, StreamEvent } from '../../canonical/answer.ts'
import { newCallId, type Part } from '../../canonical/parts.ts'
import { type DecoderState, endStream, failStream, ItemSequence } from '../../decoding.ts'
import { reportsError } from '../../failures.ts'
import {
  countIn,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  parseObject,
  stringIn,
} from '../../wire/json.ts'
import { DONE } from '../../wire/sse.ts'
import { StreamedItems } from './complete.ts'
import { calledBy, encryptedOf, logprobsOf, partsOf, readStop } from './decode-answer.ts'
import { readUsage } from './usage.ts'

/** The items of one answer all belong to its one candidate. */
const candidate = 0

/** The state of one output item. */
interface Item {
  readonly index: number
  /** The part of the item that is open. */
  open: 'text' | 'refusal' | 'thinking' | 'call' | undefined
  /** Whether any of it was written: its last event only repeats that. */
  wrote: boolean
  done: boolean
}

interface State extends DecoderState {
  readonly call_id: string
  readonly streamed: StreamedItems
  readonly items: Map<number, Item>
  readonly in_order: ItemSequence
  started: boolean
  refused: boolean
  calls: number
}

export function createStreamDecoder(call_id: string): StreamDecoder {
  const state: State = {
    call_id,
    streamed: new StreamedItems(call_id),
    items: new Map(),
    in_order: new ItemSequence(),
    started: false,
    refused: false,
    calls: 0,
    ended: false,
    usage: undefined,
  }
  return {
    decode: (data) => decode(state, data),
    finish: () =>
      state.ended
        ? []
        : failStream(state, 'the stream ended without response.completed or response.incomplete'),
  }
}

const FAILED: ReadonlySet<unknown> = new Set(['error', 'response.failed'])
const ENDED: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

function decode(state: State, data: string): StreamEvent[] {
  if (state.ended || data === DONE) return []
  const original = parseObject(data)
  if (!original || FAILED.has(original.type) || reportsError(original)) return failStream(state, data)
  const event = state.streamed.complete(original)
  const started = start(state, objectIn(event.response))
  if (ENDED.has(event.type)) return [...started, ...conclude(state, objectIn(event.response))]
  const read = lookUp(READERS, event.type ?? null)
  if (!read) return started
  const item = itemAt(state, countIn(event.output_index) ?? 0)
  if (item.done) return started
  return [...started, ...state.in_order.add(item.index, read(state, item, event)), ...ending(state, item)]
}

const ending = ({ in_order }: State, item: Item): StreamEvent[] => (item.done ? in_order.end(item.index) : [])

function start(state: State, response: JsonObject): StreamEvent[] {
  if (state.started) return []
  state.started = true
  return [{ type: 'start', id: stringIn(response.id), model: stringIn(response.model), usage: undefined }]
}

function itemAt({ items }: State, index: number): Item {
  const known = items.get(index)
  if (known) return known
  const item: Item = { index, open: undefined, wrote: false, done: false }
  items.set(index, item)
  return item
}

type Reader = (state: State, item: Item, event: JsonObject) => StreamEvent[]

const READERS: Readonly<Record<string, Reader>> = {
  'response.output_item.added': (state, item, event) => beginItem(state, item, objectIn(event.item)),
  'response.output_item.done': (state, item, event) => endItem(state, item, objectIn(event.item)),
  'response.output_text.delta': (_, item, event) => [
    ...addText(item, 'text', stringIn(event.delta)),
    ...readLogprobs(event),
  ],
  'response.refusal.delta': (state, item, event) => {
    state.refused = true
    return addText(item, 'refusal', stringIn(event.delta))
  },
  'response.content_part.done': (_, item) => close(item),
  // Each paragraph of a summary is a part of its own.
  'response.reasoning_summary_part.added': (_, item) =>
    item.open === 'thinking' ? addText(item, 'thinking', '\n\n') : [],
  'response.reasoning_summary_text.delta': (_, item, event) =>
    addText(item, 'thinking', stringIn(event.delta)),
  'response.reasoning_text.delta': (_, item, event) => addText(item, 'thinking', stringIn(event.delta)),
  'response.function_call_arguments.delta': (_, item, event) => addArguments(item, stringIn(event.delta)),
  // Some servers send arguments only as a whole, at their end: https://github.com/lidge-jun/opencodex/pull/4652
  'response.function_call_arguments.done': (_, item, event) =>
    item.wrote ? [] : addArguments(item, stringIn(event.arguments)),
}

/** Begins a call. Items of other types begin with their first part. */
function beginItem(state: State, item: Item, source: JsonObject): StreamEvent[] {
  if (source.type !== 'function_call') return []
  const made_id = newCallId(state.call_id, candidate, item.index)
  state.calls += 1
  return open(item, 'call', { kind: 'tool_call', ...calledBy(source, made_id) })
}

/** Ends an item. The event repeats the whole item: only parts that no earlier event had are new. */
function endItem(state: State, item: Item, source: JsonObject): StreamEvent[] {
  const missing_parts = item.wrote ? [] : partsOf(source, '')
  state.refused ||= missing_parts.some((part) => part.kind === 'text' && part.is_refusal)
  const events = [
    ...(item.wrote || item.open ? [] : beginItem(state, item, source)),
    ...(item.open === 'call' ? pieceOf(item, source) : []),
    ...missing_parts.flatMap((part) => missingText(item, part)),
    ...close(item),
    ...encryptedOf(source).flatMap((part) => [{ type: 'part_start', candidate, part } as const, END]),
  ]
  item.done = true
  return events
}

function missingText(item: Item, part: Part): StreamEvent[] {
  if (part.kind === 'thinking') return addText(item, 'thinking', part.text)
  return part.kind === 'text' ? addText(item, part.is_refusal ? 'refusal' : 'text', part.text) : []
}

const END = { type: 'part_end', candidate } as const

/** The arguments of a call, if none were written before its end. */
const pieceOf = (item: Item, source: JsonObject): StreamEvent[] =>
  item.wrote ? [] : addArguments(item, stringIn(source.arguments))

function open(item: Item, kind: Exclude<Item['open'], undefined>, part: PartStart): StreamEvent[] {
  if (item.open === kind) return []
  const closed = close(item)
  item.open = kind
  return [...closed, { type: 'part_start', candidate, part }]
}

function close(item: Item): StreamEvent[] {
  if (item.open === undefined) return []
  item.open = undefined
  return [END]
}

const STARTS = {
  text: { kind: 'text' },
  refusal: { kind: 'text', is_refusal: true },
  thinking: { kind: 'thinking' },
} as const satisfies Readonly<Record<string, PartStart>>

function addText(item: Item, kind: keyof typeof STARTS, text: string | undefined): StreamEvent[] {
  if (!text) return []
  item.wrote = true
  const type = kind === 'thinking' ? 'thinking_delta' : 'text_delta'
  return [...open(item, kind, STARTS[kind]), { type, candidate, text }]
}

function addArguments(item: Item, json: string | undefined): StreamEvent[] {
  if (!json || item.open !== 'call') return []
  item.wrote = true
  return [{ type: 'arguments_delta', candidate, json }]
}

function readLogprobs(event: JsonObject): StreamEvent[] {
  const tokens = logprobsOf(event)
  return tokens.length > 0 ? [{ type: 'logprobs', candidate, tokens }] : []
}

/** Reads the last event. It has the whole response, including items without events of their own. */
function conclude(state: State, response: JsonObject): StreamEvent[] {
  const events = objectsIn(response.output).flatMap((source, index) => {
    const item = itemAt(state, state.streamed.placeOf(source, index))
    if (item.done) return []
    return [...state.in_order.add(item.index, endItem(state, item, source)), ...ending(state, item)]
  })
  const unfinished = [...state.items.values()].flatMap((item) => {
    if (item.done) return []
    const closed = close(item)
    item.done = true
    return [...state.in_order.add(item.index, closed), ...ending(state, item)]
  })
  state.usage = readUsage(response)
  const { refused, calls } = state
  const stop_reason = readStop(response, { refused, calls, malformed: false })
  if (state.items.size === 0 && !Array.isArray(response.output) && stop_reason !== 'safety')
    return failStream(state, 'the response has no output')
  return [
    ...events,
    ...unfinished,
    { type: 'candidate_end', candidate, stop_reason, stop_sequence: undefined },
    ...endStream(state),
  ]
}
