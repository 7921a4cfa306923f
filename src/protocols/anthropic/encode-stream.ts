// Owns the writing of canonical events as a streamed message.
// https://platform.claude.com/docs/en/build-with-claude/streaming

import { NO_USAGE, type Usage } from '../../domain/usage.ts'
import type { AnswerContext, PartStart, ServerSentEvent, StreamEncoder } from '../canonical.ts'
import { type EventOf, type EventWriters, writeEvents } from '../event-writers.ts'
import { packSignature } from '../signature.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { redactedBlock, sealBlock } from './encode-answer.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/**
 * An encoder for one stream: the first answer, for a caller of messages cannot ask for more. `error` is not written here:
 * the surface renders it. The reason of the end is held back until the usage is known, for one event tells both.
 */
export function createStreamEncoder(context: AnswerContext): StreamEncoder {
  let index = -1
  let open: PartStart['kind'] | undefined
  let usage: Usage = NO_USAGE
  let ending: EventOf<'answer_end'> | undefined

  function encodeStart(event: EventOf<'start'>): ServerSentEvent[] {
    usage = event.usage ?? NO_USAGE
    return [
      record('message_start', {
        message: {
          id: `msg_${context.id}`,
          type: 'message',
          role: 'assistant',
          model: event.model ?? context.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: writeUsage(usage),
        },
      }),
    ]
  }

  function startBlock(content_block: JsonObject): ServerSentEvent {
    index++
    return record('content_block_start', { index, content_block })
  }

  const delta = (fields: JsonObject): ServerSentEvent =>
    record('content_block_delta', { index, delta: fields })

  const stopBlock = (): ServerSentEvent => record('content_block_stop', { index })

  /** A tool call's seal goes in a thinking block before it: there is no other place for it. */
  function encodePartStart({ part }: EventOf<'part_start'>): ServerSentEvent[] {
    open = part.kind
    if (part.kind === 'text') return [startBlock({ type: 'text', text: '' })]
    if (part.kind === 'thinking') return [startBlock({ type: 'thinking', thinking: '', signature: '' })]
    if (part.kind === 'redacted_thinking') return [startBlock(redactedBlock(part.signature))]
    const seal = sealBlock(part.signature).flatMap((block) => [
      startBlock({ ...block, signature: '' }),
      delta({ type: 'signature_delta', signature: block.signature ?? '' }),
      stopBlock(),
    ])
    return [...seal, startBlock({ type: 'tool_use', id: part.id, name: part.name, input: {} })]
  }

  function encodeEnd(): ServerSentEvent[] {
    const { stop_reason = 'other', stop_sequence } = ending ?? {}
    return [
      record('message_delta', {
        delta: { stop_reason: writeStop(stop_reason), stop_sequence: stop_sequence ?? null },
        usage: writeUsage(usage),
      }),
      record('message_stop', {}),
    ]
  }

  const WRITERS: EventWriters = {
    start: encodeStart,
    part_start: encodePartStart,
    text_delta: ({ text }) => [delta({ type: 'text_delta', text })],
    thinking_delta: ({ text }) => [delta({ type: 'thinking_delta', thinking: text })],
    // A seal on visible text has no place here, and Gemini does not insist on it.
    signature: ({ signature }) =>
      open === 'thinking'
        ? [
            delta({
              type: 'signature_delta',
              signature: packSignature(signature, 'thinking', 'anthropic'),
            }),
          ]
        : [],
    arguments_delta: ({ json }) => [delta({ type: 'input_json_delta', partial_json: json })],
    logprobs: () => [],
    part_end: () => [stopBlock()],
    answer_end: (event) => {
      ending = event
      return []
    },
    usage: (event) => {
      usage = event.usage
      return []
    },
    end: encodeEnd,
    error: () => [],
  }

  const first_only = writeEvents(WRITERS)
  return {
    encode: (event) => ('answer' in event && event.answer > 0 ? [] : first_only.encode(event)),
  }
}

const record = (type: string, fields: Record<string, Json>): ServerSentEvent => ({
  event: type,
  data: JSON.stringify({ type, ...fields }),
})
