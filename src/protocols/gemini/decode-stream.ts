// Owns the reading of a streamed native answer into canonical events.
import { upstreamFailed } from '../../domain/errors.ts'
import type { Usage } from '../../domain/usage.ts'
import { madeCallId, type Part, type StreamDecoder, type StreamEvent } from '../canonical.ts'
import { createOpenParts } from '../open-parts.ts'
import { countIn, type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { readLogprobs } from './logprobs.ts'
import { readAnswerPart } from './parts.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

/**
 * A decoder for one stream. The vendor has no last record of its own: the end is when the stream ends, after a finishReason.
 * @param call_id the gateway's id of the call, from which ids are made for tool calls that have none
 */
export function createStreamDecoder(call_id: string): StreamDecoder {
  const parts = createOpenParts()
  const answers = new Map<number, { calls: number; ended: boolean }>()
  let started = false
  let ended = false
  let usage: Usage | undefined

  function decode(data: string): StreamEvent[] {
    if (ended) return []
    const chunk = parseObject(data)
    if (!chunk || chunk.error !== undefined) return fail(data)
    usage = readUsage(chunk) ?? usage
    return [
      ...start(chunk),
      ...objectsIn(chunk.candidates).flatMap(readCandidate),
      ...readBlock(objectIn(chunk.promptFeedback)),
    ]
  }

  function start(chunk: JsonObject): StreamEvent[] {
    if (started) return []
    started = true
    const id = stringIn(chunk.responseId)
    return [{ type: 'start', id, model: stringIn(chunk.modelVersion), usage }]
  }

  function stateOf(answer: number) {
    const state = answers.get(answer) ?? { calls: 0, ended: false }
    answers.set(answer, state)
    return state
  }

  function readCandidate(candidate: JsonObject): StreamEvent[] {
    const answer = countIn(candidate.index) ?? 0
    const tokens = readLogprobs(candidate.logprobsResult)
    return [
      ...objectsIn(objectIn(candidate.content).parts).flatMap((part) => readPart(answer, part)),
      ...(tokens ? [{ type: 'logprobs', answer, tokens } as const] : []),
      ...readFinish(answer, stringIn(candidate.finishReason)),
    ]
  }

  function readPart(answer: number, given: JsonObject): StreamEvent[] {
    const state = stateOf(answer)
    const part = readAnswerPart(given, madeCallId(call_id, answer, state.calls))
    if (part?.kind === 'tool_call') {
      state.calls++
      return readCall(answer, `tool ${state.calls}`, part)
    }
    return part?.kind === 'text' || part?.kind === 'thinking' ? readPiece(answer, part) : []
  }

  /** A call comes whole. */
  const readCall = (
    answer: number,
    key: string,
    part: Extract<Part, { kind: 'tool_call' }>,
  ): StreamEvent[] => [
    ...parts.open(answer, key, part),
    { type: 'arguments_delta', answer, json: JSON.stringify(part.arguments) },
    ...parts.close(answer),
  ]

  /** Text comes in pieces; an empty piece carries a seal, or nothing. */
  function readPiece(answer: number, part: Extract<Part, { kind: 'text' | 'thinking' }>): StreamEvent[] {
    const { kind, text, signature } = part
    if (text === '' && !signature) return []
    const type = kind === 'text' ? 'text_delta' : 'thinking_delta'
    return [
      ...parts.open(answer, kind, { kind }),
      ...(text ? [{ type, answer, text } as const] : []),
      ...(signature ? [{ type: 'signature', answer, signature } as const] : []),
    ]
  }

  function readFinish(answer: number, finish_reason: string | undefined): StreamEvent[] {
    const state = stateOf(answer)
    if (!finish_reason || state.ended) return []
    state.ended = true
    const stop_reason = readStop(finish_reason, state.calls > 0)
    return [...parts.close(answer), { type: 'answer_end', answer, stop_reason, stop_sequence: undefined }]
  }

  /** A blocked prompt has no candidates. */
  function readBlock({ blockReason }: JsonObject): StreamEvent[] {
    const state = stateOf(0)
    if (blockReason === undefined || state.ended) return []
    state.ended = true
    return [{ type: 'answer_end', answer: 0, stop_reason: 'safety', stop_sequence: undefined }]
  }

  function finish(): StreamEvent[] {
    if (ended) return []
    const all_ended = answers.size > 0 && [...answers.values()].every((state) => state.ended)
    if (!all_ended) return fail('the stream ended without a finishReason')
    ended = true
    return [...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'end' }]
  }

  function fail(cause: string): StreamEvent[] {
    ended = true
    return [{ type: 'error', error: upstreamFailed(BROKEN, { cause }) }]
  }

  return { decode, finish }
}

const BROKEN = 'The model provider failed in the middle of its answer. Please try again.'
