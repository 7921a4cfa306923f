// Encoding of canonical events as a streamed chat completion.
// https://platform.openai.com/docs/api-reference/chat-streaming
import type { AnswerContext, PartStart, ServerSentEvent, StreamEncoder } from '../canonical/answer.ts'
import type { RedactedThinkingPart } from '../canonical/parts.ts'
import { compact, type Json, type JsonObject } from '../wire/json.ts'
import { DONE } from '../wire/sse.ts'
import { type EventOf, type EventWriters, writeEvents } from '../writers.ts'
import { writeLogprobs } from './logprobs.ts'
import { callSignatureField, googleSignatureField, reasoningDetail, writeImage } from './reasoning.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** The state of one candidate's stream. */
interface Position {
  part: PartStart | undefined
  /** The numbers of tool calls, pieces of thinking and images so far, which are the next indexes. */
  calls: number
  thoughts: number
  images: number
}

interface State {
  readonly context: AnswerContext
  readonly positions: Map<number, Position>
  /** The fields of every chunk. */
  base: JsonObject
}

/** Creates an encoder for one stream. It does not write `error`: the surface does. */
export const createStreamEncoder = (context: AnswerContext): StreamEncoder =>
  writeEvents(WRITERS, { context, positions: new Map(), base: {} })

const WRITERS: EventWriters<State> = {
  start: writeStart,
  part_start: writePartStart,
  text_delta: (state, { candidate, text }) => choice(state, candidate, { content: text }),
  thinking_delta: writeThinking,
  signature: writeSignature,
  arguments_delta: (state, { candidate, json }) =>
    choice(state, candidate, {
      tool_calls: [{ index: positionOf(state, candidate).calls - 1, function: { arguments: json } }],
    }),
  image: writeImageEvent,
  logprobs: (state, { candidate, tokens }) =>
    choice(state, candidate, {}, { logprobs: writeLogprobs(tokens) }),
  part_end: () => [],
  candidate_end: (state, { candidate, stop_reason }) => [
    ...opening(state, candidate),
    ...choice(state, candidate, {}, { finish_reason: writeStop(stop_reason) }),
  ],
  usage: (state, { usage }) =>
    state.context.shows_usage ? chunk(state, { choices: [], usage: writeUsage(usage) }) : [],
  end: () => [{ data: DONE }],
  error: () => [],
}

function writeStart(state: State, event: EventOf<'start'>): ServerSentEvent[] {
  const { id, created_s, model } = state.context
  state.base = {
    id: `chatcmpl-${id}`,
    object: 'chat.completion.chunk',
    created: created_s,
    model: event.model ?? model,
  }
  return opening(state, 0)
}

function writePartStart(state: State, { candidate, part }: EventOf<'part_start'>): ServerSentEvent[] {
  const opened = opening(state, candidate)
  const position = positionOf(state, candidate)
  const before = position.part?.kind === 'redacted_thinking' ? position.part : undefined
  position.part = part
  if (part.kind === 'tool_call') {
    position.calls++
    const call = callStart(part, position.calls - 1, before)
    return [...opened, ...choice(state, candidate, { tool_calls: [call] })]
  }
  if (part.kind === 'text') return opened
  position.thoughts++
  if (part.kind === 'thinking') return opened
  const detail = reasoningDetail(part, position.thoughts - 1)
  return [...opened, ...choice(state, candidate, { reasoning_details: [detail] })]
}

function writeImageEvent(state: State, { candidate, image }: EventOf<'image'>): ServerSentEvent[] {
  const opened = opening(state, candidate)
  const position = positionOf(state, candidate)
  const written = writeImage(image, position.images)
  position.images++
  return [...opened, ...choice(state, candidate, { images: [written] })]
}

function writeThinking(state: State, { candidate, text }: EventOf<'thinking_delta'>): ServerSentEvent[] {
  const index = positionOf(state, candidate).thoughts - 1
  return choice(state, candidate, {
    reasoning_content: text,
    reasoning_details: [reasoningDetail({ kind: 'thinking', text }, index)],
  })
}

function writeSignature(state: State, { candidate, signature }: EventOf<'signature'>): ServerSentEvent[] {
  const { part, calls, thoughts } = positionOf(state, candidate)
  if (part?.kind === 'thinking') {
    const detail = reasoningDetail({ kind: 'thinking', text: '', signature }, thoughts - 1)
    return choice(state, candidate, { reasoning_details: [detail] })
  }
  const field = googleSignatureField(signature)
  if (Object.keys(field).length === 0) return []
  return part?.kind === 'tool_call'
    ? choice(state, candidate, { tool_calls: [{ index: calls - 1, ...field }] })
    : choice(state, candidate, { content: '', ...field })
}

/** A candidate's first chunk, which has the role; nothing if the candidate has started. */
function opening(state: State, candidate: number): ServerSentEvent[] {
  if (state.positions.has(candidate)) return []
  positionOf(state, candidate)
  return choice(state, candidate, { role: 'assistant', content: '', refusal: null })
}

function positionOf({ positions }: State, candidate: number): Position {
  const known = positions.get(candidate)
  if (known) return known
  const position: Position = { part: undefined, calls: 0, thoughts: 0, images: 0 }
  positions.set(candidate, position)
  return position
}

const choice = (
  state: State,
  candidate: number,
  delta: JsonObject,
  more: Record<string, Json> = {},
): ServerSentEvent[] =>
  chunk(state, { choices: [{ index: candidate, delta, logprobs: null, finish_reason: null, ...more }] })

const chunk = ({ base }: State, fields: JsonObject): ServerSentEvent[] => [
  { data: JSON.stringify({ ...base, ...fields }) },
]

const callStart = (
  part: Extract<PartStart, { kind: 'tool_call' }>,
  index: number,
  thought: RedactedThinkingPart | undefined,
): JsonObject =>
  compact({
    index,
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: '' },
    ...callSignatureField(part.signature, thought),
  })
