// Decoding of a streamed message into canonical events.
// https://platform.claude.com/docs/en/build-with-claude/streaming

import { inFull } from '../../domain/usage.ts'
import type { PartStart, StreamDecoder, StreamEvent } from '../canonical/answer.ts'
import { type DecoderState, endStream, failStream } from '../decoding.ts'
import { type JsonObject, lookUp, objectIn, parseObject, stringIn } from '../wire/json.ts'
import { DONE } from '../wire/sse.ts'
import { StreamedBlocks } from './complete.ts'
import { readSignature } from './signature.ts'
import { readStop } from './stop-reasons.ts'
import { initialUsage, laterUsage, readCounts } from './usage.ts'

interface State extends DecoderState {
  readonly blocks: StreamedBlocks
  reported: JsonObject
  /** Whether a block is open that other protocols can express. */
  open: boolean
  /** The arguments from the start of a block, as JSON, until a delta replaces them. */
  input: string | undefined
  stopped: boolean
}

const candidate = 0

/** Creates a decoder for one stream. Blocks that no other protocol has are skipped. */
export function createStreamDecoder(call_id: string): StreamDecoder {
  const blocks = new StreamedBlocks(call_id)
  const state: State = {
    blocks,
    reported: {},
    usage: undefined,
    open: false,
    input: undefined,
    stopped: false,
    ended: false,
  }
  return { decode: (data) => decode(state, data), finish: () => end(state) }
}

const READERS: Readonly<Record<string, (state: State, event: JsonObject) => StreamEvent[]>> = {
  message_start: readMessageStart,
  content_block_start: readBlockStart,
  content_block_delta: readBlockDelta,
  content_block_stop: readBlockStop,
  message_delta: readMessageDelta,
  message_stop: end,
  error: (state, event) => failStream(state, JSON.stringify(event.error ?? null)),
}

function decode(state: State, data: string): StreamEvent[] {
  if (state.ended || data === DONE) return []
  const original = parseObject(data)
  if (!original) return failStream(state, data)
  const event = state.blocks.complete(original)
  return lookUp(READERS, event.type)?.(state, event) ?? []
}

function readMessageStart(state: State, event: JsonObject): StreamEvent[] {
  const message = objectIn(event.message)
  state.reported = initialUsage(message.usage)
  state.usage = readCounts(state.reported)
  return [
    { type: 'start', id: stringIn(message.id), model: stringIn(message.model), usage: inFull(state.usage) },
  ]
}

function readBlockStart(state: State, event: JsonObject): StreamEvent[] {
  const block = objectIn(event.content_block)
  const part = lookUp(STARTS, block.type)?.(block)
  state.open = part !== undefined
  state.input = part?.kind === 'tool_call' ? inputOf(block) : undefined
  return part ? [{ type: 'part_start', candidate, part }, ...firstPiece(block)] : []
}

function readBlockDelta(state: State, event: JsonObject): StreamEvent[] {
  if (!state.open) return []
  const delta = objectIn(event.delta)
  if (stringIn(delta.partial_json)) state.input = undefined
  return lookUp(DELTAS, delta.type)?.(delta) ?? []
}

function readBlockStop(state: State): StreamEvent[] {
  const was_open = state.open
  state.open = false
  return was_open ? [...pendingInput(state), { type: 'part_end', candidate }] : []
}

function pendingInput(state: State): StreamEvent[] {
  const { input } = state
  state.input = undefined
  return input === undefined ? [] : [{ type: 'arguments_delta', candidate, json: input }]
}

function readMessageDelta(state: State, event: JsonObject): StreamEvent[] {
  state.reported = laterUsage(state.reported, event.usage)
  state.usage = readCounts(state.reported)
  const delta = objectIn(event.delta)
  const stop_reason = stringIn(delta.stop_reason)
  if (stop_reason === undefined || state.stopped) return []
  state.stopped = true
  return [
    ...pendingInput(state),
    {
      type: 'candidate_end',
      candidate,
      stop_reason: readStop(stop_reason),
      stop_sequence: stringIn(delta.stop_sequence),
    },
  ]
}

function end(state: State): StreamEvent[] {
  if (state.ended) return []
  if (!state.stopped) return failStream(state, 'the stream ended without a stop_reason')
  return endStream(state)
}

const STARTS: Readonly<Record<string, (block: JsonObject) => PartStart>> = {
  text: () => ({ kind: 'text' }),
  thinking: () => ({ kind: 'thinking' }),
  redacted_thinking: ({ data }) => ({
    kind: 'redacted_thinking',
    signature: readSignature(stringIn(data) ?? '').signature,
  }),
  tool_use: ({ id, name }) => ({
    kind: 'tool_call',
    id: stringIn(id) ?? '',
    name: stringIn(name) ?? '',
  }),
}

const DELTAS: Readonly<Record<string, (delta: JsonObject) => StreamEvent[]>> = {
  text_delta: ({ text }) => [{ type: 'text_delta', candidate, text: stringIn(text) ?? '' }],
  thinking_delta: ({ thinking }) => [{ type: 'thinking_delta', candidate, text: stringIn(thinking) ?? '' }],
  input_json_delta: ({ partial_json }) => {
    const json = stringIn(partial_json)
    return json ? [{ type: 'arguments_delta', candidate, json }] : []
  },
  signature_delta: ({ signature }) => [
    { type: 'signature', candidate, signature: readSignature(stringIn(signature) ?? '').signature },
  ],
}

/** Claude starts its blocks empty; servers that copy the protocol may fill them at the start. */
function firstPiece(block: JsonObject): StreamEvent[] {
  const text = stringIn(block.text)
  const thought = stringIn(block.thinking)
  if (text) return [{ type: 'text_delta', candidate, text }]
  return thought ? [{ type: 'thinking_delta', candidate, text: thought }] : []
}

function inputOf({ input }: JsonObject): string | undefined {
  const fields = objectIn(input)
  return Object.keys(fields).length > 0 ? JSON.stringify(fields) : undefined
}
