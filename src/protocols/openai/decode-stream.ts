// Owns the reading of a streamed chat completion into canonical events.
// https://platform.openai.com/docs/api-reference/chat-streaming
import { upstreamFailed } from '../../domain/errors.ts'
import type { Usage } from '../../domain/usage.ts'
import {
  madeCallId,
  type PartStart,
  type StopReason,
  type StreamDecoder,
  type StreamEvent,
} from '../canonical.ts'
import { createOpenParts } from '../open-parts.ts'
import { countIn, type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { readLogprobs } from './logprobs.ts'
import { readReasoning, readToolSignature } from './reasoning.ts'
import { readStop } from './stop-reasons.ts'
import { readUsage } from './usage.ts'

const DONE = '[DONE]'

/**
 * A decoder for one stream.
 * @param call_id the gateway's id of the call, from which ids are made for tool calls that have none
 */
export function createStreamDecoder(call_id: string): StreamDecoder {
  const parts = createOpenParts()
  const answers = new Map<number, { calls: Set<number>; refused: boolean; ended: boolean }>()
  let started = false
  let ended = false
  let usage: Usage | undefined

  function decode(data: string): StreamEvent[] {
    if (ended) return []
    if (data === DONE) return end()
    const chunk = parseObject(data)
    if (!chunk) return fail(data)
    if (chunk.error !== undefined && chunk.error !== null) return fail(data)
    usage = readUsage(chunk) ?? usage
    return untilError([...start(chunk), ...objectsIn(chunk.choices).flatMap(readChoice)])
  }

  function start(chunk: JsonObject): StreamEvent[] {
    if (started) return []
    started = true
    return [{ type: 'start', id: stringIn(chunk.id), model: stringIn(chunk.model), usage }]
  }

  function readChoice(choice: JsonObject): StreamEvent[] {
    const answer = countIn(choice.index) ?? 0
    const state = answers.get(answer) ?? { calls: new Set<number>(), refused: false, ended: false }
    answers.set(answer, state)
    if (state.ended) return []
    const delta = objectIn(choice.delta)
    if (stringIn(delta.refusal)) state.refused = true
    const tokens = readLogprobs(choice.logprobs)
    return [
      ...readThinking(answer, delta),
      ...readTexts(answer, delta),
      ...(tokens ? [{ type: 'logprobs', answer, tokens } as const] : []),
      ...objectsIn(delta.tool_calls).flatMap((call, position) =>
        readCall(answer, call, countIn(call.index) ?? position),
      ),
      ...readFinish(answer, stringIn(choice.finish_reason)),
    ]
  }

  function readThinking(answer: number, delta: JsonObject): StreamEvent[] {
    return readReasoning(delta).flatMap((part): StreamEvent[] => {
      if (part.kind === 'redacted_thinking') {
        return [...parts.open(answer, `redacted ${part.signature.value}`, part), ...parts.close(answer)]
      }
      const { text, signature } = part
      return [
        ...parts.open(answer, 'thinking', { kind: 'thinking' }),
        ...(text ? [{ type: 'thinking_delta', answer, text } as const] : []),
        ...(signature ? [{ type: 'signature', answer, signature } as const] : []),
      ]
    })
  }

  function readTexts(answer: number, delta: JsonObject): StreamEvent[] {
    const text = `${stringIn(delta.content) ?? ''}${stringIn(delta.refusal) ?? ''}`
    const signature = readToolSignature(delta)
    if (text === '' && !(signature && parts.openKey(answer) === 'text')) return []
    return [
      ...parts.open(answer, 'text', { kind: 'text' }),
      ...(text ? [{ type: 'text_delta', answer, text } as const] : []),
      ...(signature ? [{ type: 'signature', answer, signature } as const] : []),
    ]
  }

  function readCall(answer: number, call: JsonObject, index: number): StreamEvent[] {
    const calls = answers.get(answer)?.calls
    const key = `tool ${index}`
    const called = objectIn(call.function)
    // A piece of a call that was already ended: no server that was seen does this, and no protocol can say it.
    if (calls?.has(index) && parts.openKey(answer) !== key) return fail('interleaved tool calls')
    const opened = calls?.has(index)
      ? []
      : parts.open(answer, key, callStart(call, called, madeCallId(call_id, answer, calls?.size ?? 0)))
    calls?.add(index)
    const json = stringIn(called.arguments)
    return [...opened, ...(json ? [{ type: 'arguments_delta', answer, json } as const] : [])]
  }

  const callStart = (call: JsonObject, called: JsonObject, made_id: string): PartStart => ({
    kind: 'tool_call',
    id: stringIn(call.id) || made_id,
    name: stringIn(called.name) ?? '',
    signature: readToolSignature(call),
  })

  function readFinish(answer: number, finish: string | undefined): StreamEvent[] {
    const state = answers.get(answer)
    if (!finish || !state || state.ended) return []
    state.ended = true
    const stop_reason = stopReason(readStop(finish), state.refused, state.calls.size > 0)
    return [...parts.close(answer), { type: 'answer_end', answer, stop_reason, stop_sequence: undefined }]
  }

  function end(): StreamEvent[] {
    const all_ended = answers.size > 0 && [...answers.values()].every((state) => state.ended)
    if (!all_ended) return fail('the stream ended without a finish_reason')
    ended = true
    return [...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'end' }]
  }

  function fail(cause: string): StreamEvent[] {
    ended = true
    return [{ type: 'error', error: brokenStream(cause) }]
  }

  return { decode, finish: () => (ended ? [] : end()) }
}

/** An error is the last event, whatever else its chunk held. */
function untilError(events: StreamEvent[]): StreamEvent[] {
  const error = events.findIndex(({ type }) => type === 'error')
  return error < 0 ? events : events.slice(0, error + 1)
}

/** Some servers say `stop` where they call tools, and OpenAI says it where the model refused. */
function stopReason(finish: StopReason, refused: boolean, calls: boolean): StopReason {
  if (finish !== 'stop') return finish
  if (refused) return 'refusal'
  return calls ? 'tool_use' : finish
}

const brokenStream = (cause: string) =>
  upstreamFailed('The model provider failed in the middle of its answer. Please try again.', { cause })
