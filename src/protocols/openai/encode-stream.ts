// Owns the writing of canonical events as a streamed chat completion.
// https://platform.openai.com/docs/api-reference/chat-streaming
import type { AnswerContext, PartStart, ServerSentEvent, StreamEncoder } from '../canonical.ts'
import { type EventOf, type EventWriters, writeEvents } from '../event-writers.ts'
import { compact, type Json, type JsonObject } from '../wire/json.ts'
import { writeLogprobs } from './logprobs.ts'
import { reasoningDetail, sealField } from './reasoning.ts'
import { writeStop } from './stop-reasons.ts'
import { writeUsage } from './usage.ts'

/** Where one answer's stream is. */
interface Position {
  part: PartStart['kind'] | undefined
  /** Tool calls begun, and pieces of thinking begun: each has its own index. */
  calls: number
  thoughts: number
}

/** An encoder for one stream. `error` is not written here: the surface renders it. */
export function createStreamEncoder(context: AnswerContext): StreamEncoder {
  const positions = new Map<number, Position>()
  let base: JsonObject = {}

  const chunk = (fields: JsonObject): ServerSentEvent[] => [{ data: JSON.stringify({ ...base, ...fields }) }]

  const choice = (answer: number, delta: JsonObject, more: Record<string, Json> = {}): ServerSentEvent[] =>
    chunk({ choices: [{ index: answer, delta, logprobs: null, finish_reason: null, ...more }] })

  /** An answer's first chunk names the role. */
  function positionOf(answer: number): { position: Position; opening: ServerSentEvent[] } {
    const known = positions.get(answer)
    if (known) return { position: known, opening: [] }
    const position: Position = { part: undefined, calls: 0, thoughts: 0 }
    positions.set(answer, position)
    return { position, opening: choice(answer, { role: 'assistant', content: '', refusal: null }) }
  }

  function encodeStart(event: EventOf<'start'>): ServerSentEvent[] {
    base = {
      id: `chatcmpl-${context.id}`,
      object: 'chat.completion.chunk',
      created: context.created_s,
      model: event.model ?? context.model,
    }
    return positionOf(0).opening
  }

  function encodePartStart({ answer, part }: EventOf<'part_start'>): ServerSentEvent[] {
    const { position, opening } = positionOf(answer)
    position.part = part.kind
    if (part.kind === 'tool_call') {
      position.calls++
      return [...opening, ...choice(answer, { tool_calls: [callStart(part, position.calls - 1)] })]
    }
    if (part.kind === 'text') return opening
    position.thoughts++
    if (part.kind === 'thinking') return opening
    const detail = reasoningDetail(part, position.thoughts - 1)
    return [...opening, ...choice(answer, { reasoning_details: [detail] })]
  }

  function encodeThinking({ answer, text }: EventOf<'thinking_delta'>): ServerSentEvent[] {
    const { position } = positionOf(answer)
    const detail = reasoningDetail({ kind: 'thinking', text }, position.thoughts - 1)
    return choice(answer, { reasoning_content: text, reasoning_details: [detail] })
  }

  function encodeSignature({ answer, signature }: EventOf<'signature'>): ServerSentEvent[] {
    const { position } = positionOf(answer)
    if (position.part === 'thinking') {
      const detail = reasoningDetail({ kind: 'thinking', text: '', signature }, position.thoughts - 1)
      return choice(answer, { reasoning_details: [detail] })
    }
    const seal = sealField(signature)
    if (Object.keys(seal).length === 0) return []
    if (position.part === 'tool_call')
      return choice(answer, { tool_calls: [{ index: position.calls - 1, ...seal }] })
    return choice(answer, { content: '', ...seal })
  }

  const encodeArguments = ({ answer, json }: EventOf<'arguments_delta'>): ServerSentEvent[] =>
    choice(answer, {
      tool_calls: [{ index: positionOf(answer).position.calls - 1, function: { arguments: json } }],
    })

  function encodeAnswerEnd({ answer, stop_reason }: EventOf<'answer_end'>): ServerSentEvent[] {
    const { opening } = positionOf(answer)
    return [...opening, ...choice(answer, {}, { finish_reason: writeStop(stop_reason) })]
  }

  const WRITERS: EventWriters = {
    start: encodeStart,
    part_start: encodePartStart,
    text_delta: ({ answer, text }) => choice(answer, { content: text }),
    thinking_delta: encodeThinking,
    signature: encodeSignature,
    arguments_delta: encodeArguments,
    logprobs: ({ answer, tokens }) => choice(answer, {}, { logprobs: writeLogprobs(tokens) }),
    part_end: () => [],
    answer_end: encodeAnswerEnd,
    usage: ({ usage }) => (context.shows_usage ? chunk({ choices: [], usage: writeUsage(usage) }) : []),
    end: () => [{ data: '[DONE]' }],
    error: () => [],
  }

  return writeEvents(WRITERS)
}

const callStart = (part: Extract<PartStart, { kind: 'tool_call' }>, index: number): JsonObject =>
  compact({
    index,
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: '' },
    ...sealField(part.signature),
  })
