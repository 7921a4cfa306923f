// Encoding of canonical events as a streamed response.
// https://platform.openai.com/docs/api-reference/responses-streaming
import { NO_USAGE, type Usage } from '../../../domain/usage.ts'
import type {
  AnswerContext,
  PartStart,
  ServerSentEvent,
  StopReason,
  StreamEncoder,
} from '../../canonical/answer.ts'
import type { Signature } from '../../canonical/parts.ts'
import { GrowingText } from '../../growing-text.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { type EventOf, type EventWriters, writeFirstCandidate } from '../../writers.ts'
import { itemId } from './ids.ts'
import { IMAGE_ITEM, imageItem } from './image-items.ts'
import {
  argumentsOf,
  callItem,
  callOf,
  callType,
  clientToolOf,
  contentOf,
  customInput,
  isRefusal,
  logprobsOf,
  messageItem,
  type OpenItem,
  reasoningItem,
} from './output-items.ts'
import { allTools } from './recalled.ts'
import { endedResponse, skeletonOf } from './response-object.ts'
import { type NamedTool, toolsByName } from './tools.ts'

interface State {
  readonly context: AnswerContext
  readonly skeleton: JsonObject
  readonly tools: ReadonlyMap<string, NamedTool>
  /** The complete items; their number is the index of the open one. */
  readonly output: JsonObject[]
  item: OpenItem | undefined
  sequence_number: number
  stop_reason: StopReason
  usage: Usage
  service_tier: string | undefined
}

/** Creates an encoder for one stream. It does not write `error`: the surface does. */
export const createStreamEncoder = (context: AnswerContext): StreamEncoder =>
  writeFirstCandidate(WRITERS, {
    context,
    skeleton: skeletonOf(context),
    tools: toolsByName(allTools(context.request_fields ?? {})),
    output: [],
    item: undefined,
    sequence_number: 0,
    stop_reason: 'other',
    usage: NO_USAGE,
    service_tier: undefined,
  })

const WRITERS: EventWriters<State> = {
  start: (state) => [
    record(state, 'response.created', { response: state.skeleton }),
    record(state, 'response.in_progress', { response: state.skeleton }),
  ],
  part_start: writePartStart,
  text_delta: writeText,
  thinking_delta: writeThinking,
  signature(state, { signature }) {
    if (state.item) state.item.signature = signature
    return []
  },
  arguments_delta: writeArguments,
  image: writeImage,
  logprobs(state, { tokens }) {
    state.item?.logprobs.push(...tokens)
    return []
  },
  part_end: writePartEnd,
  candidate_end(state, { stop_reason }) {
    state.stop_reason = stop_reason
    return []
  },
  usage(state, { usage, service_tier }) {
    state.usage = usage
    state.service_tier = service_tier
    return []
  },
  end: writeEnd,
  error: () => [],
}

const TYPES: Readonly<Record<Exclude<PartStart['kind'], 'tool_call'>, string>> = {
  text: 'message',
  thinking: 'reasoning',
  redacted_thinking: 'reasoning',
}

function writePartStart(state: State, { part }: EventOf<'part_start'>): ServerSentEvent[] {
  if (part.kind !== 'tool_call') return openItem(state, part, TYPES[part.kind], undefined)
  const tool = state.tools.get(part.name)
  // The signature of a call goes into a reasoning item before it: the call has no place for it.
  const signed = part.signature ? wholeReasoning(state, part.signature) : []
  return [...signed, ...openItem(state, part, callType(tool), tool)]
}

function wholeReasoning(state: State, signature: Signature): ServerSentEvent[] {
  const id = itemId('reasoning', state.context.id, state.output.length)
  const item = reasoningItem(id, '', signature, 'tool_call')
  return [added(state, reasoningItem(id, '', undefined, 'tool_call', 'in_progress')), ...done(state, item)]
}

function openItem(
  state: State,
  part: PartStart,
  type: string,
  tool: NamedTool | undefined,
): ServerSentEvent[] {
  const id = itemId(type, state.context.id, state.output.length)
  const item: OpenItem = { id, part, tool, text: new GrowingText(), signature: undefined, logprobs: [] }
  state.item = item
  if (part.kind === 'text')
    return [
      added(state, messageItem(id, [], 'in_progress')),
      record(state, 'response.content_part.added', { ...partPlace(state, item), part: contentOf(item) }),
    ]
  if (part.kind !== 'tool_call')
    return [added(state, reasoningItem(id, '', undefined, 'thinking', 'in_progress'))]
  // The item's fields are only known once its arguments are complete.
  if (clientToolOf(tool)) return []
  return [added(state, callItem(id, { ...callOf(item, part), arguments_json: '' }, 'in_progress'))]
}

function writeText(state: State, { text }: EventOf<'text_delta'>): ServerSentEvent[] {
  const { item } = state
  if (!item) return []
  item.text.add(text)
  return isRefusal(item)
    ? [record(state, 'response.refusal.delta', { ...partPlace(state, item), delta: text })]
    : [record(state, 'response.output_text.delta', { ...partPlace(state, item), delta: text, logprobs: [] })]
}

function writeThinking(state: State, { text }: EventOf<'thinking_delta'>): ServerSentEvent[] {
  const { item } = state
  if (!item) return []
  const place = summaryPlace(state, item)
  const begins = item.text.length === 0
  item.text.add(text)
  return [
    ...(begins
      ? [record(state, 'response.reasoning_summary_part.added', { ...place, part: summary('') })]
      : []),
    record(state, 'response.reasoning_summary_text.delta', { ...place, delta: text }),
  ]
}

/** An image comes whole, between the other items. */
function writeImage(state: State, { image }: EventOf<'image'>): ServerSentEvent[] {
  const signed = image.signature ? wholeReasoning(state, image.signature) : []
  const id = itemId(IMAGE_ITEM, state.context.id, state.output.length)
  const item = imageItem(id, image)
  const place = placeOf(state, { id })
  return [
    ...signed,
    added(state, { ...item, status: 'in_progress', result: null }),
    record(state, 'response.image_generation_call.in_progress', place),
    record(state, 'response.image_generation_call.completed', place),
    ...done(state, item),
  ]
}

/** Only arguments of functions are streamed: those of other tools have another form, known only at the end. */
function writeArguments(state: State, { json }: EventOf<'arguments_delta'>): ServerSentEvent[] {
  const { item } = state
  if (!item) return []
  item.text.add(json)
  if (item.tool && item.tool.kind !== 'function') return []
  return [record(state, 'response.function_call_arguments.delta', { ...placeOf(state, item), delta: json })]
}

function writePartEnd(state: State): ServerSentEvent[] {
  const { item } = state
  if (!item) return []
  state.item = undefined
  const { part, id, signature } = item
  if (part.kind === 'text')
    return [
      ...endText(state, item),
      record(state, 'response.content_part.done', { ...partPlace(state, item), part: contentOf(item) }),
      ...done(state, messageItem(id, [contentOf(item)])),
    ]
  if (part.kind === 'tool_call') {
    const call = callItem(id, callOf(item, part))
    if (clientToolOf(item.tool))
      return [added(state, { ...call, status: 'in_progress' }), ...done(state, call)]
    return [...endArguments(state, item), ...done(state, call)]
  }
  if (part.kind === 'redacted_thinking')
    return done(state, reasoningItem(id, '', part.signature, 'redacted_thinking'))
  return [
    ...endSummary(state, item),
    ...done(state, reasoningItem(id, item.text.toString(), signature, 'thinking')),
  ]
}

function endText(state: State, item: OpenItem): ServerSentEvent[] {
  const place = partPlace(state, item)
  return isRefusal(item)
    ? [record(state, 'response.refusal.done', { ...place, refusal: item.text.toString() })]
    : [
        record(state, 'response.output_text.done', {
          ...place,
          text: item.text.toString(),
          logprobs: logprobsOf(item.logprobs),
        }),
      ]
}

function endArguments(state: State, item: OpenItem): ServerSentEvent[] {
  const place = placeOf(state, item)
  if (item.tool?.kind !== 'custom')
    return [
      record(state, 'response.function_call_arguments.done', { ...place, arguments: argumentsOf(item) }),
    ]
  const input = customInput(item.text.toString())
  return [
    record(state, 'response.custom_tool_call_input.delta', { ...place, delta: input }),
    record(state, 'response.custom_tool_call_input.done', { ...place, input }),
  ]
}

function endSummary(state: State, item: OpenItem): ServerSentEvent[] {
  if (item.text.length === 0) return []
  const place = summaryPlace(state, item)
  const text = item.text.toString()
  return [
    record(state, 'response.reasoning_summary_text.done', { ...place, text }),
    record(state, 'response.reasoning_summary_part.done', { ...place, part: summary(text) }),
  ]
}

function writeEnd(state: State): ServerSentEvent[] {
  const { skeleton, context } = state
  const response = endedResponse(skeleton, state, context.created_s)
  return [record(state, `response.${response.status}`, { response })]
}

const summary = (text: string): JsonObject => ({ type: 'summary_text', text })

const placeOf = ({ output }: State, { id }: Pick<OpenItem, 'id'>): JsonObject => ({
  item_id: id,
  output_index: output.length,
})
const partPlace = (state: State, item: OpenItem): JsonObject => ({
  ...placeOf(state, item),
  content_index: 0,
})
const summaryPlace = (state: State, item: OpenItem): JsonObject => ({
  ...placeOf(state, item),
  summary_index: 0,
})

const added = (state: State, item: JsonObject): ServerSentEvent =>
  record(state, 'response.output_item.added', { output_index: state.output.length, item })

/** Completes an item, which increments the index of the next one. */
function done(state: State, item: JsonObject): ServerSentEvent[] {
  const output_index = state.output.length
  state.output.push(item)
  return [record(state, 'response.output_item.done', { output_index, item })]
}

function record(state: State, type: string, fields: Record<string, Json>): ServerSentEvent {
  const { sequence_number } = state
  state.sequence_number++
  return { event: type, data: JSON.stringify({ type, sequence_number, ...fields }) }
}
