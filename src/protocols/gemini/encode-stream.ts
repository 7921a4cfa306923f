// Encoding of canonical events as a streamed native answer.

import { NO_USAGE, type Usage } from '../../domain/usage.ts'
import type {
  AnswerContext,
  PartStart,
  ServerSentEvent,
  StopReason,
  StreamEncoder,
} from '../canonical/answer.ts'
import { parseArguments } from '../canonical/parts.ts'
import { GrowingText } from '../growing-text.ts'
import type { JsonObject } from '../wire/json.ts'
import { type EventOf, type EventWriters, writeEvents } from '../writers.ts'
import { encodeAnswerPart, withThinking } from './encode-answer.ts'
import { writeLogprobs } from './logprobs.ts'
import { signatureField, unsignedField } from './signature.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** The state of one candidate's stream. A tool call is sent whole, so its arguments are collected here. */
interface Position {
  part: PartStart | undefined
  /** Encrypted thinking, held for the call after it. */
  thought: Extract<PartStart, { kind: 'redacted_thinking' }> | undefined
  /** Thinking without a signature, for the next call. */
  unsigned: GrowingText
  json: GrowingText
  malformed: boolean
  stop_reason: StopReason
}

interface State {
  readonly id: string
  readonly positions: Map<number, Position>
  model: string
  usage: Usage
}

/**
 * Creates an encoder for one stream. It does not write `error`: the surface does. Stop reasons are held back until the usage is known,
 * because the last record reports both.
 */
export const createStreamEncoder = ({ id, model }: AnswerContext): StreamEncoder =>
  writeEvents(WRITERS, { id, positions: new Map(), model, usage: NO_USAGE })

const WRITERS: EventWriters<State> = {
  start: (state, event) => {
    state.model = event.model ?? state.model
    state.usage = event.usage ?? state.usage
    return []
  },
  part_start: writePartStart,
  text_delta: (state, { candidate, text }) => piece(state, candidate, { text }),
  thinking_delta: (state, { candidate, text }) => {
    positionOf(state, candidate).unsigned.add(text)
    return piece(state, candidate, { text, thought: true })
  },
  signature: writeSignature,
  arguments_delta: (state, { candidate, json }) => {
    positionOf(state, candidate).json.add(json)
    return []
  },
  image: (state, { candidate, image }) => [
    ...writeThought(state, candidate),
    ...encodeAnswerPart(image).flatMap((encoded) => piece(state, candidate, encoded)),
  ],
  logprobs: (state, { candidate, tokens }) =>
    chunk(state, { candidates: [{ index: candidate, ...writeLogprobs(tokens) }] }),
  part_end: writePartEnd,
  candidate_end: (state, { candidate, stop_reason }) => {
    positionOf(state, candidate).stop_reason = stop_reason
    return writeThought(state, candidate)
  },
  usage: (state, { usage }) => {
    state.usage = usage
    return []
  },
  end: writeEnd,
  error: () => [],
}

function writePartStart(state: State, { candidate, part }: EventOf<'part_start'>): ServerSentEvent[] {
  const position = positionOf(state, candidate)
  position.part = part
  position.json = new GrowingText()
  if (part.kind !== 'tool_call') position.unsigned = new GrowingText()
  if (part.kind === 'tool_call' && part.signature === undefined) return []
  const waiting = writeThought(state, candidate)
  if (part.kind === 'redacted_thinking') position.thought = part
  return waiting
}

/** Writes encrypted thinking that no call followed. */
function writeThought(state: State, candidate: number): ServerSentEvent[] {
  const position = positionOf(state, candidate)
  const { thought } = position
  position.thought = undefined
  return thought ? encodeAnswerPart(thought).flatMap((encoded) => piece(state, candidate, encoded)) : []
}

function writeSignature(state: State, { candidate, signature }: EventOf<'signature'>): ServerSentEvent[] {
  const position = positionOf(state, candidate)
  if (position.part?.kind === 'tool_call') {
    position.part = { ...position.part, signature }
    return []
  }
  position.unsigned = new GrowingText()
  const thought = position.part?.kind === 'thinking' ? { thought: true } : {}
  return piece(state, candidate, { text: '', ...thought, ...signatureField(signature, 'thinking') })
}

/** Arguments that are not a JSON object were truncated or are invalid; the native protocol has a stop reason for that. */
function writePartEnd(state: State, { candidate }: EventOf<'part_end'>): ServerSentEvent[] {
  const position = positionOf(state, candidate)
  const { part, json } = position
  position.part = undefined
  if (part?.kind !== 'tool_call') return []
  const parsed = parseArguments(json.toString())
  if (parsed) {
    const { thought, unsigned } = position
    position.unsigned = new GrowingText()
    const encoded = encodeAnswerPart({ ...part, arguments: parsed })
    if (part.signature) return encoded.flatMap((call) => piece(state, candidate, call))
    position.thought = undefined
    const unsigned_field = unsigned.length > 0 ? unsignedField(unsigned.toString()) : {}
    return encoded.flatMap((call) =>
      piece(
        state,
        candidate,
        thought ? withThinking(call, thought.signature) : { ...call, ...unsigned_field },
      ),
    )
  }
  position.malformed = true
  return []
}

function writeEnd(state: State): ServerSentEvent[] {
  const candidates = [...state.positions].map(([index, { malformed, stop_reason }]) => ({
    content: { role: 'model', parts: [{ text: '' }] },
    finishReason: writeStop(malformed && stop_reason !== 'length' ? 'malformed' : stop_reason),
    index,
  }))
  return chunk(state, { candidates, usageMetadata: writeUsage(state.usage) })
}

function positionOf({ positions }: State, candidate: number): Position {
  const known = positions.get(candidate)
  if (known) return known
  const position: Position = {
    part: undefined,
    thought: undefined,
    unsigned: new GrowingText(),
    json: new GrowingText(),
    malformed: false,
    stop_reason: 'other',
  }
  positions.set(candidate, position)
  return position
}

const chunk = ({ id, model }: State, fields: JsonObject): ServerSentEvent[] => [
  { data: JSON.stringify({ ...fields, modelVersion: model, responseId: id }) },
]

const piece = (state: State, index: number, part: JsonObject): ServerSentEvent[] =>
  chunk(state, { candidates: [{ content: { role: 'model', parts: [part] }, index }] })
