// Decoding of a streamed native answer into canonical events.

import { inFull } from '../../domain/usage.ts'
import type { StreamDecoder, StreamEvent } from '../canonical/answer.ts'
import { type MediaPart, newCallId } from '../canonical/parts.ts'
import { createOpenParts, type DecoderState, endStream, failStream, type OpenParts } from '../decoding.ts'
import { reportsError } from '../failures.ts'
import {
  countIn,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  parseObject,
  stringIn,
} from '../wire/json.ts'
import { DONE } from '../wire/sse.ts'
import { partsOf, readAnswerPart } from './decode-answer.ts'
import { readLogprobs } from './logprobs.ts'
import { isFailure, readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

type ReadPart = NonNullable<ReturnType<typeof readAnswerPart>>

interface CandidateState {
  calls: number
  ended: boolean
}

interface State extends DecoderState {
  readonly call_id: string
  readonly parts: OpenParts
  readonly candidates: Map<number, CandidateState>
  started: boolean
  /** The last event with a usage, parsed on demand. */
  usage_event: JsonObject | undefined
}

/**
 * Creates a decoder for one stream. The protocol has no closing record: the answer is complete if the stream ends after a
 * finishReason.
 */
export function createStreamDecoder(call_id: string): StreamDecoder {
  const state: State = {
    call_id,
    parts: createOpenParts(),
    candidates: new Map(),
    started: false,
    ended: false,
    usage: undefined,
    usage_event: undefined,
  }
  return { decode: (data) => decode(state, data), finish: () => finish(state) }
}

function decode(state: State, data: string): StreamEvent[] {
  if (state.ended || data === DONE) return []
  const event = parseObject(data)
  if (!event || reportsError(event)) return failStream(state, data)
  if (isObject(event.usageMetadata)) state.usage_event = event
  const events = start(state, event)
  for (const candidate of objectsIn(event.candidates)) readCandidate(state, candidate, events)
  readBlock(state, event.promptFeedback, events)
  return events
}

function start(state: State, event: JsonObject): StreamEvent[] {
  if (state.started) return []
  state.started = true
  readUsageOf(state)
  const id = stringIn(event.responseId)
  return [{ type: 'start', id, model: stringIn(event.modelVersion), usage: inFull(state.usage) }]
}

function stateOf({ candidates }: State, candidate: number): CandidateState {
  const state = candidates.get(candidate) ?? { calls: 0, ended: false }
  candidates.set(candidate, state)
  return state
}

/** @param events receives the events, here and below: an array for each piece of each event would cost more than the rest */
function readCandidate(state: State, raw: JsonObject, events: StreamEvent[]): void {
  const candidate = countIn(raw.index) ?? 0
  const tokens = readLogprobs(raw.logprobsResult)
  for (const part of partsOf(raw)) events.push(...readPart(state, candidate, part))
  if (tokens) events.push({ type: 'logprobs', candidate, tokens })
  readFinish(state, candidate, stringIn(raw.finishReason), events)
}

function readPart(state: State, candidate: number, raw: JsonObject): StreamEvent[] {
  const position = stateOf(state, candidate)
  const part = readAnswerPart(raw, newCallId(state.call_id, candidate, position.calls))
  if (part && isImage(part))
    return [...state.parts.close(candidate), { type: 'image', candidate, image: part }]
  if (part?.kind !== 'tool_call') return part ? readPiece(state, candidate, part) : []
  position.calls++
  return readCall(state, candidate, `tool ${position.calls}`, part)
}

const isImage = (part: ReadPart): part is MediaPart => 'source' in part

/** The protocol streams a call as a whole. */
const readCall = (
  { parts }: State,
  candidate: number,
  key: string,
  part: Extract<ReadPart, { kind: 'tool_call' }>,
): StreamEvent[] => [
  ...parts.open(candidate, key, part),
  { type: 'arguments_delta', candidate, json: JSON.stringify(part.arguments) },
  ...parts.close(candidate),
]

/** A piece of text. An empty piece carries a signature, or nothing. */
function readPiece(
  { parts }: State,
  candidate: number,
  { kind, text, signature }: Extract<ReadPart, { kind: 'text' | 'thinking' }>,
): StreamEvent[] {
  if (text === '' && !signature) return []
  const events = parts.open(candidate, kind, { kind })
  if (text) events.push({ type: kind === 'text' ? 'text_delta' : 'thinking_delta', candidate, text })
  if (signature) events.push({ type: 'signature', candidate, signature })
  return events
}

function readFinish(
  state: State,
  candidate: number,
  finish_reason: string | undefined,
  events: StreamEvent[],
): void {
  const position = stateOf(state, candidate)
  if (!finish_reason || position.ended) return
  position.ended = true
  if (isFailure(finish_reason)) {
    events.push(...failStream(state, finish_reason))
    return
  }
  const stop_reason = readStop(finish_reason, position.calls > 0)
  events.push(...state.parts.close(candidate), {
    type: 'candidate_end',
    candidate,
    stop_reason,
    stop_sequence: undefined,
  })
}

/** A blocked prompt has no candidates. */
function readBlock(state: State, feedback: Json | undefined, events: StreamEvent[]): void {
  const position = stateOf(state, 0)
  if (objectIn(feedback).blockReason === undefined || position.ended) return
  position.ended = true
  events.push({ type: 'candidate_end', candidate: 0, stop_reason: 'safety', stop_sequence: undefined })
}

function finish(state: State): StreamEvent[] {
  const { ended, candidates } = state
  if (ended) return []
  const all_ended = candidates.size > 0 && [...candidates.values()].every((candidate) => candidate.ended)
  if (!all_ended) return failStream(state, 'the stream ended without a finishReason')
  readUsageOf(state)
  return endStream(state)
}

/** Each event reports the usage so far; only the first and the last matter. */
function readUsageOf(state: State): void {
  state.usage = state.usage_event && readUsage(state.usage_event)
}
