// Owns the writing of canonical events as a streamed native answer.

import { NO_USAGE, type Usage } from '../../domain/usage.ts'
import {
  type AnswerContext,
  type PartStart,
  parseArguments,
  type ServerSentEvent,
  type StopReason,
  type StreamEncoder,
} from '../canonical.ts'
import { type EventOf, type EventWriters, writeEvents } from '../event-writers.ts'
import type { JsonObject } from '../wire/json.ts'
import { encodeAnswerPart, writeUsage } from './encode-answer.ts'
import { writeLogprobs } from './logprobs.ts'
import { sealField } from './parts.ts'
import { writeStop } from './stop-reasons.ts'

/** Where one answer's stream is. A tool call goes out whole, so its arguments wait here. */
interface Position {
  part: PartStart | undefined
  json: string
  malformed: boolean
  stop_reason: StopReason
}

/**
 * An encoder for one stream. `error` is not written here: the surface renders it. The reasons of the end are held back until
 * the usage is known, for the last record tells both.
 */
export function createStreamEncoder(context: AnswerContext): StreamEncoder {
  const positions = new Map<number, Position>()
  let model = context.model
  let usage: Usage = NO_USAGE

  const chunk = (fields: JsonObject): ServerSentEvent[] => [
    { data: JSON.stringify({ ...fields, modelVersion: model, responseId: context.id }) },
  ]

  const piece = (index: number, part: JsonObject): ServerSentEvent[] =>
    chunk({ candidates: [{ content: { role: 'model', parts: [part] }, index }] })

  function positionOf(answer: number): Position {
    const known = positions.get(answer)
    if (known) return known
    const position: Position = { part: undefined, json: '', malformed: false, stop_reason: 'other' }
    positions.set(answer, position)
    return position
  }

  function encodePartStart({ answer, part }: EventOf<'part_start'>): ServerSentEvent[] {
    const position = positionOf(answer)
    position.part = part
    position.json = ''
    if (part.kind !== 'redacted_thinking') return []
    return encodeAnswerPart(part).flatMap((encoded) => piece(answer, encoded))
  }

  function encodeSignature({ answer, signature }: EventOf<'signature'>): ServerSentEvent[] {
    const position = positionOf(answer)
    if (position.part?.kind === 'tool_call') {
      position.part = { ...position.part, signature }
      return []
    }
    const thought = position.part?.kind === 'thinking' ? { thought: true } : {}
    return piece(answer, { text: '', ...thought, ...sealField(signature, 'thinking') })
  }

  /** A call whose arguments are no JSON was cut short, or is nonsense: the native protocol has a word for that. */
  function encodePartEnd({ answer }: EventOf<'part_end'>): ServerSentEvent[] {
    const position = positionOf(answer)
    const { part, json } = position
    position.part = undefined
    if (part?.kind !== 'tool_call') return []
    const parsed = parseArguments(json)
    if (parsed)
      return encodeAnswerPart({ ...part, arguments: parsed }).flatMap((encoded) => piece(answer, encoded))
    position.malformed = true
    return []
  }

  function encodeEnd(): ServerSentEvent[] {
    const candidates = [...positions].map(([index, { malformed, stop_reason }]) => ({
      content: { role: 'model', parts: [{ text: '' }] },
      finishReason: writeStop(malformed && stop_reason !== 'length' ? 'malformed' : stop_reason),
      index,
    }))
    return chunk({ candidates, usageMetadata: writeUsage(usage) })
  }

  const WRITERS: EventWriters = {
    start: (event) => {
      model = event.model ?? model
      usage = event.usage ?? usage
      return []
    },
    part_start: encodePartStart,
    text_delta: ({ answer, text }) => piece(answer, { text }),
    thinking_delta: ({ answer, text }) => piece(answer, { text, thought: true }),
    signature: encodeSignature,
    arguments_delta: ({ answer, json }) => {
      positionOf(answer).json += json
      return []
    },
    logprobs: ({ answer, tokens }) => chunk({ candidates: [{ index: answer, ...writeLogprobs(tokens) }] }),
    part_end: encodePartEnd,
    answer_end: ({ answer, stop_reason }) => {
      positionOf(answer).stop_reason = stop_reason
      return []
    },
    usage: (event) => {
      usage = event.usage
      return []
    },
    end: encodeEnd,
    error: () => [],
  }

  return writeEvents(WRITERS)
}
