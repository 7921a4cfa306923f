// Decoding of a streamed chat completion into canonical events.
// https://platform.openai.com/docs/api-reference/chat-streaming

import { inFull } from '../../domain/usage.ts'
import type { PartStart, StopReason, StreamDecoder, StreamEvent } from '../canonical/answer.ts'
import { createOpenParts, type DecoderState, endStream, failStream, type OpenParts } from '../decoding.ts'
import { reportsError } from '../failures.ts'
import { countIn, type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { DONE } from '../wire/sse.ts'
import { StreamedChoices } from './complete-choices.ts'
import { readLogprobs } from './logprobs.ts'
import { contentText, readGoogleSignature, readImages, readReasoning } from './reasoning.ts'
import { readStop } from './stop-reasons.ts'
import { type CallPiece, StreamedCalls } from './streamed-calls.ts'
import { readUsage } from './usage.ts'

interface CandidateState {
  readonly calls: StreamedCalls
  refused: boolean
  /** The finish reason. Some servers send it before the last call, or the last text. */
  finish: string | undefined
}

interface State extends DecoderState {
  readonly choices: StreamedChoices
  readonly parts: OpenParts
  readonly candidates: Map<number, CandidateState>
  started: boolean
}

export function createStreamDecoder(call_id: string): StreamDecoder {
  const state: State = {
    choices: new StreamedChoices(call_id),
    parts: createOpenParts(),
    candidates: new Map(),
    started: false,
    ended: false,
    usage: undefined,
  }
  return {
    decode: (data) => decode(state, data),
    finish: () => (state.ended ? [] : end(state)),
  }
}

function decode(state: State, data: string): StreamEvent[] {
  if (state.ended) return []
  if (data === DONE) return [...closeAll(state), ...end(state)]
  const chunk = parseObject(data)
  if (!chunk || reportsError(chunk)) return failStream(state, data)
  state.usage = readUsage(chunk) ?? state.usage
  return untilError([
    ...start(state, chunk),
    ...objectsIn(state.choices.complete(chunk).choices).flatMap((choice) => readChoice(state, choice)),
  ])
}

function start(state: State, chunk: JsonObject): StreamEvent[] {
  if (state.started) return []
  state.started = true
  return [{ type: 'start', id: stringIn(chunk.id), model: stringIn(chunk.model), usage: inFull(state.usage) }]
}

function readChoice(state: State, choice: JsonObject): StreamEvent[] {
  const candidate = countIn(choice.index) ?? 0
  const position = stateOf(state, candidate)
  const delta = objectIn(choice.delta)
  if (stringIn(delta.refusal)) position.refused = true
  const tokens = readLogprobs(choice.logprobs)
  return [
    ...readThinking(state, candidate, delta),
    ...readTexts(state, candidate, delta),
    ...readImageEvents(state, candidate, delta),
    ...(tokens ? [{ type: 'logprobs', candidate, tokens } as const] : []),
    ...objectsIn(delta.tool_calls).flatMap((call) =>
      readCall(state, candidate, call, countIn(call.index) ?? 0),
    ),
    ...readFinish(state, candidate, stringIn(choice.finish_reason)),
  ]
}

function stateOf({ candidates }: State, candidate: number): CandidateState {
  const state = candidates.get(candidate) ?? { calls: new StreamedCalls(), refused: false, finish: undefined }
  candidates.set(candidate, state)
  return state
}

function readThinking({ parts }: State, candidate: number, delta: JsonObject): StreamEvent[] {
  return readReasoning(delta).flatMap((part): StreamEvent[] => {
    if (part.kind === 'redacted_thinking') {
      const opened = parts.open(candidate, `redacted ${part.signature.value}`, part)
      return [...opened, ...parts.close(candidate)]
    }
    const { text, signature } = part
    return [
      ...parts.open(candidate, 'thinking', { kind: 'thinking' }),
      ...(text ? [{ type: 'thinking_delta', candidate, text } as const] : []),
      ...(signature ? [{ type: 'signature', candidate, signature } as const] : []),
    ]
  })
}

function readTexts({ parts }: State, candidate: number, delta: JsonObject): StreamEvent[] {
  const refused = stringIn(delta.refusal) ?? ''
  const text = `${contentText(delta.content)}${refused}`
  const signature = readGoogleSignature(delta)
  if (text === '' && !(signature && parts.openKey(candidate) === 'text')) return []
  // A refusal after some text continues that text.
  const opened =
    refused !== '' && parts.openKey(candidate) !== 'text'
      ? parts.open(candidate, 'refusal', { kind: 'text', is_refusal: true })
      : parts.open(candidate, 'text', { kind: 'text' })
  return [
    ...opened,
    ...(text ? [{ type: 'text_delta', candidate, text } as const] : []),
    ...(signature ? [{ type: 'signature', candidate, signature } as const] : []),
  ]
}

function readImageEvents({ parts }: State, candidate: number, delta: JsonObject): StreamEvent[] {
  return readImages(delta, '').flatMap((image) => [
    ...parts.close(candidate),
    { type: 'image', candidate, image },
  ])
}

function readCall(state: State, candidate: number, call: JsonObject, index: number): StreamEvent[] {
  const { calls } = stateOf(state, candidate)
  const json = stringIn(objectIn(call.function).arguments) ?? ''
  const start = calls.has(index) ? undefined : callStart(call)
  const written = calls.write({ index, start, json }, (key) => state.parts.openKey(candidate) === key)
  if (written === undefined) return failStream(state, 'a piece of a tool call that has ended')
  return written.flatMap((piece) => writePiece(state, candidate, piece))
}

const writePiece = ({ parts }: State, candidate: number, { key, start, json }: CallPiece): StreamEvent[] => [
  ...(start ? parts.open(candidate, key, start) : []),
  ...(json ? [{ type: 'arguments_delta', candidate, json } as const] : []),
]

const callStart = (call: JsonObject): PartStart => ({
  kind: 'tool_call',
  id: stringIn(call.id) ?? '',
  name: stringIn(objectIn(call.function).name) ?? '',
  signature: readGoogleSignature(call),
})

function readFinish(state: State, candidate: number, finish: string | undefined): StreamEvent[] {
  const position = stateOf(state, candidate)
  if (!finish || position.finish) return []
  position.finish = finish
  return [
    ...position.calls.rest().flatMap((piece) => writePiece(state, candidate, piece)),
    ...state.parts.close(candidate),
  ]
}

/** Ends open candidates at `[DONE]` if the usage has arrived: Snowflake's streams have no finish_reason. */
const closeAll = (state: State): StreamEvent[] =>
  state.usage === undefined
    ? []
    : [...state.candidates.keys()].flatMap((candidate) => readFinish(state, candidate, 'stop'))

/** Some servers send `stop` for tool calls, and OpenAI sends it for a refusal. */
function stopReason(finish: StopReason, refused: boolean, calls: boolean): StopReason {
  if (finish !== 'stop') return finish
  if (refused) return 'refusal'
  return calls ? 'tool_use' : finish
}

function end(state: State): StreamEvent[] {
  const { candidates } = state
  const all_ended = candidates.size > 0 && [...candidates.values()].every(({ finish }) => finish)
  if (!all_ended) return failStream(state, 'the stream ended without a finish_reason')
  return [...[...candidates].flatMap((candidate) => endCandidate(state, candidate)), ...endStream(state)]
}

const endCandidate = (state: State, [candidate, position]: [number, CandidateState]): StreamEvent[] => [
  ...position.calls.rest().flatMap((piece) => writePiece(state, candidate, piece)),
  ...state.parts.close(candidate),
  {
    type: 'candidate_end',
    candidate,
    stop_reason: stopReason(readStop(position.finish ?? ''), position.refused, position.calls.count > 0),
    stop_sequence: undefined,
  },
]

/** Drops events after an error, which must be the last one. */
function untilError(events: StreamEvent[]): StreamEvent[] {
  const error = events.findIndex(({ type }) => type === 'error')
  return error < 0 ? events : events.slice(0, error + 1)
}
