// Owns the reading of a streamed message into canonical events.
// https://platform.claude.com/docs/en/build-with-claude/streaming
import { upstreamFailed } from '../../domain/errors.ts'
import type { Usage } from '../../domain/usage.ts'
import type { PartStart, StreamDecoder, StreamEvent } from '../canonical.ts'
import { unpackSignature } from '../signature.ts'
import { type JsonObject, objectIn, parseObject, stringIn } from '../wire/json.ts'
import { readStop } from './stop-reasons.ts'
import { updateUsage } from './usage.ts'

/** The one answer that a message is. */
const answer = 0

/** A decoder for one stream. Blocks that no other protocol has are passed over. */
export function createStreamDecoder(): StreamDecoder {
  let usage: Usage | undefined
  let open = false
  let stopped = false
  let ended = false

  function readMessageStart(event: JsonObject): StreamEvent[] {
    const message = objectIn(event.message)
    usage = updateUsage(usage, message.usage)
    return [{ type: 'start', id: stringIn(message.id), model: stringIn(message.model), usage }]
  }

  function readBlockStart(event: JsonObject): StreamEvent[] {
    const block = objectIn(event.content_block)
    const part = STARTS[stringIn(block.type) ?? '']?.(block)
    open = part !== undefined
    return part ? [{ type: 'part_start', answer, part }, ...firstPiece(block)] : []
  }

  function readBlockDelta(event: JsonObject): StreamEvent[] {
    const delta = objectIn(event.delta)
    return open ? (DELTAS[stringIn(delta.type) ?? '']?.(delta) ?? []) : []
  }

  function readBlockStop(): StreamEvent[] {
    const was_open = open
    open = false
    return was_open ? [{ type: 'part_end', answer }] : []
  }

  function readMessageDelta(event: JsonObject): StreamEvent[] {
    usage = updateUsage(usage, event.usage)
    const delta = objectIn(event.delta)
    const stop_reason = stringIn(delta.stop_reason)
    if (stop_reason === undefined || stopped) return []
    stopped = true
    return [
      {
        type: 'answer_end',
        answer,
        stop_reason: readStop(stop_reason),
        stop_sequence: stringIn(delta.stop_sequence),
      },
    ]
  }

  function end(): StreamEvent[] {
    if (ended) return []
    if (!stopped) return fail('the stream ended without a stop_reason')
    ended = true
    return [...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'end' }]
  }

  function fail(cause: string): StreamEvent[] {
    ended = true
    return [{ type: 'error', error: upstreamFailed(BROKEN, { cause }) }]
  }

  const READERS: Readonly<Record<string, (event: JsonObject) => StreamEvent[]>> = {
    message_start: readMessageStart,
    content_block_start: readBlockStart,
    content_block_delta: readBlockDelta,
    content_block_stop: readBlockStop,
    message_delta: readMessageDelta,
    message_stop: end,
    error: (event) => fail(JSON.stringify(event.error ?? null)),
  }

  function decode(data: string): StreamEvent[] {
    if (ended) return []
    const event = parseObject(data)
    if (!event) return fail(data)
    return READERS[stringIn(event.type) ?? '']?.(event) ?? []
  }

  return { decode, finish: end }
}

const BROKEN = 'The model provider failed in the middle of its answer. Please try again.'

const STARTS: Readonly<Record<string, (block: JsonObject) => PartStart>> = {
  text: () => ({ kind: 'text' }),
  thinking: () => ({ kind: 'thinking' }),
  redacted_thinking: ({ data }) => ({
    kind: 'redacted_thinking',
    signature: unpackSignature(stringIn(data) ?? '', 'anthropic').signature,
  }),
  tool_use: ({ id, name }) => ({
    kind: 'tool_call',
    id: stringIn(id) ?? '',
    name: stringIn(name) ?? '',
  }),
}

const DELTAS: Readonly<Record<string, (delta: JsonObject) => StreamEvent[]>> = {
  text_delta: ({ text }) => [{ type: 'text_delta', answer, text: stringIn(text) ?? '' }],
  thinking_delta: ({ thinking }) => [{ type: 'thinking_delta', answer, text: stringIn(thinking) ?? '' }],
  input_json_delta: ({ partial_json }) => {
    const json = stringIn(partial_json)
    return json ? [{ type: 'arguments_delta', answer, json }] : []
  },
  signature_delta: ({ signature }) => [
    {
      type: 'signature',
      answer,
      signature: unpackSignature(stringIn(signature) ?? '', 'anthropic').signature,
    },
  ],
}

/** Claude starts blocks empty; servers that copy its protocol may already fill them. */
function firstPiece(block: JsonObject): StreamEvent[] {
  const text = stringIn(block.text)
  const thought = stringIn(block.thinking)
  const input = objectIn(block.input)
  if (text) return [{ type: 'text_delta', answer, text }]
  if (thought) return [{ type: 'thinking_delta', answer, text: thought }]
  return Object.keys(input).length > 0
    ? [{ type: 'arguments_delta', answer, json: JSON.stringify(input) }]
    : []
}
