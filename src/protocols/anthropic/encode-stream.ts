// Encoding of canonical events as a streamed message.
// https://platform.claude.com/docs/en/build-with-claude/streaming

import { NO_USAGE, type Usage } from '../../domain/usage.ts'
import type { AnswerContext, PartStart, ServerSentEvent, StreamEncoder } from '../canonical/answer.ts'
import { lostImageError } from '../carries.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { type EventOf, type EventWriters, writeFirstCandidate } from '../writers.ts'
import { carries } from './carries.ts'
import { redactedBlock, signatureBlock } from './encode-answer.ts'
import { writeSignature } from './signature.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

interface State {
  readonly context: AnswerContext
  /** The index of the open block, or of the last one. */
  index: number
  open: PartStart['kind'] | undefined
  usage: Usage
  /** Held back until the usage is known, because one event reports both. */
  ending: EventOf<'candidate_end'> | undefined
}

/** Creates an encoder for one stream. It does not write `error`: the surface does. */
export const createStreamEncoder = (context: AnswerContext): StreamEncoder =>
  writeFirstCandidate(WRITERS, { context, index: -1, open: undefined, usage: NO_USAGE, ending: undefined })

const WRITERS: EventWriters<State> = {
  start: writeStart,
  part_start: writePartStart,
  text_delta: (state, { text }) => [delta(state, { type: 'text_delta', text })],
  thinking_delta: (state, { text }) => [delta(state, { type: 'thinking_delta', thinking: text })],
  // The protocol has no place for a signature on visible text, and Gemini does not require it.
  signature: (state, { signature }) =>
    state.open === 'thinking'
      ? [delta(state, { type: 'signature_delta', signature: writeSignature(signature, 'thinking') })]
      : [],
  arguments_delta: (state, { json }) => [delta(state, { type: 'input_json_delta', partial_json: json })],
  image: () => {
    throw lostImageError(carries)
  },
  logprobs: () => [],
  part_end: (state) => [stopBlock(state)],
  candidate_end: (state, event) => {
    state.ending = event
    return []
  },
  usage: (state, { usage }) => {
    state.usage = usage
    return []
  },
  end: writeEnd,
  error: () => [],
}

function writeStart(state: State, event: EventOf<'start'>): ServerSentEvent[] {
  state.usage = event.usage ?? NO_USAGE
  return [
    record('message_start', {
      message: {
        id: `msg_${state.context.id}`,
        type: 'message',
        role: 'assistant',
        model: event.model ?? state.context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: writeUsage(state.usage),
      },
    }),
  ]
}

function writePartStart(state: State, { part }: EventOf<'part_start'>): ServerSentEvent[] {
  state.open = part.kind
  if (part.kind === 'text') return [startBlock(state, { type: 'text', text: '' })]
  if (part.kind === 'thinking') return [startBlock(state, { type: 'thinking', thinking: '', signature: '' })]
  if (part.kind === 'redacted_thinking') return [startBlock(state, redactedBlock(part.signature))]
  const signed = signatureBlock(part.signature).flatMap((block) => [
    startBlock(state, { ...block, signature: '' }),
    delta(state, { type: 'signature_delta', signature: block.signature ?? '' }),
    stopBlock(state),
  ])
  return [...signed, startBlock(state, { type: 'tool_use', id: part.id, name: part.name, input: {} })]
}

function writeEnd({ ending, usage }: State): ServerSentEvent[] {
  const { stop_reason = 'other', stop_sequence } = ending ?? {}
  return [
    record('message_delta', {
      delta: { stop_reason: writeStop(stop_reason), stop_sequence: stop_sequence ?? null },
      usage: writeUsage(usage),
    }),
    record('message_stop', {}),
  ]
}

function startBlock(state: State, content_block: JsonObject): ServerSentEvent {
  state.index++
  return record('content_block_start', { index: state.index, content_block })
}

const delta = ({ index }: State, fields: JsonObject): ServerSentEvent =>
  record('content_block_delta', { index, delta: fields })

const stopBlock = ({ index }: State): ServerSentEvent => record('content_block_stop', { index })

const record = (type: string, fields: Record<string, Json>): ServerSentEvent => ({
  event: type,
  data: JSON.stringify({ type, ...fields }),
})
