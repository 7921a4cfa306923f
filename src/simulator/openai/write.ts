// Writer of chat completions, whole and as the chunks of a stream; names and order of keys are those of the API.
import { callTokens, NOTHING_WRITTEN, TOKENS_PER_EVENT, type Totals, totalsOf } from '../answer.ts'
import type { Candidate, FunctionCall, Reply } from '../ask.ts'
import type { Call, Dialect, UsageReport } from '../dialect.ts'
import { type JsonObject, objectOf } from '../json.ts'
import { split, splitText } from '../pieces.ts'
import { logprobsOf } from './logprobs.ts'

/** A whole completion. */
export function writeWhole(call: Call, reply: Reply, usage_report: UsageReport): string {
  const choices = candidatesOf(reply).map((answer, index) => ({
    index,
    message: { role: 'assistant', ...messageOf(answer, call, index), annotations: [] },
    logprobs: logprobsOf(call.body, answer.text),
    finish_reason: finishOf(answer),
  }))
  const completion = {
    ...opening(call, 'chat.completion'),
    choices,
    ...usageField(usage_report, totalsOf(reply)),
    ...CLOSING,
  }
  return JSON.stringify(completion, null, 2)
}

/** The chunks of a stream. The usage comes in a chunk of its own, and only on request. */
export const writeEvents: Dialect['events'] = (call, reply, usage_report, behaviour) => {
  const reports_usage = objectOf(call.body.stream_options).include_usage === true && usage_report !== 'absent'
  const head = { ...opening(call, 'chat.completion.chunk'), ...CLOSING }
  const extra = reports_usage ? { usage: null } : {}
  const events = candidatesOf(reply).flatMap((answer, index) =>
    chunksOf(
      answer,
      call,
      index,
      behaviour.events === undefined ? undefined : behaviour.events - (reports_usage ? 1 : 0),
    ),
  )
  const last = { ...head, choices: [], ...usageField(usage_report, totalsOf(reply)) }
  return [
    ...events.map((choice) => ({ ...head, choices: [choice], ...extra })),
    ...(reports_usage ? [last] : []),
  ].map((chunk) => JSON.stringify(chunk))
}

/** A fixed time, so that the same question gets the same answer. */
const CREATED_S = 1_750_000_000
const CLOSING = { service_tier: 'default', system_fingerprint: 'fp_simulated' }

const opening = ({ model, ask }: Call, object: string) => ({
  id: `chatcmpl-${Bun.hash(`${model}\n${ask.seed}\n${ask.prompt}`).toString(36)}`,
  object,
  created: CREATED_S,
  model,
})

/** The answer to a blocked prompt. */
const REFUSED: Candidate = { thoughts: [], text: [], calls: [], pictures: [], finish: 'safety' }
const REFUSAL = 'I cannot help with that.'
const candidatesOf = ({ candidates }: Reply): readonly Candidate[] =>
  candidates.length === 0 ? [REFUSED] : candidates

function finishOf(answer: Candidate): string {
  if (answer === REFUSED) return 'stop'
  if (answer.finish === 'safety') return 'content_filter'
  if (answer.finish === 'length') return 'length'
  return answer.calls.length > 0 ? 'tool_calls' : 'stop'
}

function messageOf(answer: Candidate, call: Call, index: number): JsonObject {
  if (answer === REFUSED) return { content: null, refusal: REFUSAL }
  const content = answer.calls.length > 0 && answer.text.length === 0 ? null : answer.text.join('')
  const tool_calls = answer.calls.map((one, at) => toolCall(one, call, `${index}_${at}`))
  return { content, refusal: null, tool_calls: tool_calls.length > 0 ? tool_calls : undefined }
}

function toolCall({ name, args }: FunctionCall, call: Call, place: string) {
  const seed = `${opening(call, '').id}_${place}_${name}`
  return {
    id: `call_${Bun.hash(seed).toString(36)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }
}

/** The first chunk has the role, the last one the finish reason. */
const FRAME_EVENTS = 2

/** @param events how many chunks there should be in all; undefined for as many as the text needs */
function chunksOf(answer: Candidate, call: Call, index: number, events: number | undefined): JsonObject[] {
  const calls = answer.calls.flatMap((one, at) => toolDeltas(one, call, index, at))
  const pieces =
    events === undefined
      ? Math.ceil(answer.text.length / TOKENS_PER_EVENT)
      : events - calls.length - FRAME_EVENTS
  const texts = split(answer.text, pieces).map((tokens) => ({ tokens, delta: { content: tokens.join('') } }))
  const refused = answer === REFUSED ? [{ refusal: REFUSAL }] : []
  const chunk = (delta: JsonObject, tokens: readonly string[], finish_reason: string | null) => ({
    index,
    delta,
    logprobs: tokens.length > 0 ? logprobsOf(call.body, tokens) : null,
    finish_reason,
  })
  return [
    chunk({ role: 'assistant', content: refused.length > 0 ? null : '', refusal: null }, [], null),
    ...texts.map(({ tokens, delta }) => chunk(delta, tokens, null)),
    ...[...refused, ...calls].map((delta) => chunk(delta, [], null)),
    chunk({}, [], finishOf(answer)),
  ]
}

/** A call starts with its name; its arguments follow in pieces. */
function toolDeltas(one: FunctionCall, call: Call, index: number, at: number): JsonObject[] {
  const { id, type, function: called } = toolCall(one, call, `${index}_${at}`)
  const pieces = splitText(called.arguments, Math.ceil(callTokens([one]) / TOKENS_PER_EVENT))
  return [
    { tool_calls: [{ index: at, id, type, function: { name: called.name, arguments: '' } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: at, function: { arguments: piece } }] })),
  ]
}

function usageField(usage_report: UsageReport, totals: Totals): JsonObject {
  if (usage_report === 'absent') return {}
  return { usage: usageOf(usage_report === 'zero' ? NOTHING_WRITTEN : totals) }
}

/** https://platform.openai.com/docs/api-reference/chat/object: reasoning counts as completion. */
function usageOf({ prompt, cached, thinking, output }: Totals): JsonObject {
  return {
    prompt_tokens: prompt,
    completion_tokens: output + thinking,
    total_tokens: prompt + output + thinking,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
