// Writer of chat completions, whole and as the chunks of a stream, in the form of a server.
import { callTokens, NO_USAGE, TOKENS_PER_EVENT, totalsOf } from '../answer.ts'
import type { Candidate, FunctionCall, Reply } from '../ask.ts'
import type { Behaviour } from '../behaviour.ts'
import type { Call, UsageReport } from '../dialect.ts'
import { type JsonObject, objectOf } from '../json.ts'
import { split, splitText } from '../pieces.ts'
import type { Form, Output, ToolCall } from './answer-form.ts'
import { logprobsOf } from './logprobs.ts'

/** A whole completion. */
export function writeWhole(form: Form, call: Call, reply: Reply, usage_report: UsageReport): string {
  const usage = usageOf(form, call, reply, usage_report)
  const choices = candidatesOf(reply).map((answer, index) => ({
    index,
    message: { role: 'assistant', ...form.message(outputOf(answer)), ...callsIn(form, call, answer, index) },
    ...form.choice(logprobsOf(call.body, answer.text), 'whole', usage),
    finish_reason: finishOf(answer),
  }))
  const completion = {
    ...opening(form, call, 'chat.completion'),
    choices,
    ...(usage ? { usage } : {}),
    ...form.around(call, 'whole', usage),
  }
  return JSON.stringify(completion, null, 2)
}

/** The chunks of a stream. */
export function writeEvents(
  form: Form,
  call: Call,
  reply: Reply,
  usage_report: UsageReport,
  behaviour: Behaviour,
): string[] {
  const usage = usageOf(form, call, reply, usage_report)
  const own_chunk = usage && hasUsageChunk(form, call) ? usage : undefined
  const beside = usage && form.usage_in === 'last choice' ? usage : undefined
  const events = behaviour.events === undefined ? undefined : behaviour.events - (own_chunk ? 1 : 0)
  const choices = candidatesOf(reply).flatMap((answer, index) =>
    chunksOf({ form, call, answer, index, events, usage }),
  )
  const last = choices.length - 1
  const head = opening(form, call, 'chat.completion.chunk')
  const before = form.usage_in === 'requested chunk' && !own_chunk ? {} : form.before_usage
  const chunks = choices.map((choice, at) => {
    const place = at === last ? 'last' : at === 0 ? 'first' : 'middle'
    const reported = place === 'last' && beside ? { usage: beside } : before
    return { ...head, ...form.around(call, place, beside), choices: [choice], ...reported }
  })
  const closing = own_chunk
    ? [
        {
          ...head,
          ...form.around(call, 'middle', undefined),
          choices: form.usage_choices,
          usage: own_chunk,
        },
      ]
    : []
  return [...chunks, ...closing].map((chunk) => JSON.stringify(chunk))
}

const hasUsageChunk = ({ usage_in }: Form, { body }: Call): boolean =>
  usage_in === 'own chunk' ||
  (usage_in === 'requested chunk' && objectOf(body.stream_options).include_usage === true)

function usageOf(form: Form, call: Call, reply: Reply, report: UsageReport): JsonObject | undefined {
  if (report === 'absent') return undefined
  return form.usage(report === 'zero' ? NO_USAGE : totalsOf(reply), call)
}

/** A fixed time, so that the same question gets the same answer. */
const CREATED_S = 1_750_000_000

const hashOf = ({ model, ask }: Call): string => Bun.hash(`${model}\n${ask.seed}\n${ask.prompt}`).toString(36)

const opening = (form: Form, call: Call, object: string) => ({
  id: `${form.id_prefix}${hashOf(call)}`,
  object,
  created: CREATED_S,
  model: call.model,
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

function outputOf(answer: Candidate): Output {
  const thinking = answer.thoughts.join('')
  if (answer === REFUSED) return { thinking, text: null, refusal: REFUSAL }
  return { thinking, text: answer.calls.length > 0 && answer.text.length === 0 ? null : answer.text.join('') }
}

function callsIn(form: Form, call: Call, { calls }: Candidate, index: number): JsonObject {
  if (calls.length === 0) return {}
  return {
    tool_calls: calls.map((one, at) => form.toolCall(toolCall(form, call, one, [index, at]), at)),
  }
}

/** @param place the index of its answer, and its own among the answer's calls */
function toolCall(
  form: Form,
  call: Call,
  { name, args }: FunctionCall,
  place: readonly [answer: number, call: number],
): ToolCall {
  const hash = Bun.hash(`chatcmpl-${hashOf(call)}_${place.join('_')}_${name}`).toString(36)
  return { id: form.callId(hash, name, place[1]), name, args: JSON.stringify(args) }
}

/** A piece of an answer, and the tokens of its text. */
interface Piece {
  readonly delta: JsonObject
  readonly tokens: readonly string[]
}

interface Streamed {
  readonly form: Form
  readonly call: Call
  readonly answer: Candidate
  readonly index: number
  /** The number of all chunks; undefined for as many as the text needs. */
  readonly events: number | undefined
  readonly usage: JsonObject | undefined
}

/** The choices of an answer's chunks: the first has the role, the last the reason to finish. */
function chunksOf(streamed: Streamed): JsonObject[] {
  const { form, call, answer, index, usage } = streamed
  const opened = withRole(form, piecesOf(streamed))
  const all = form.closing ? [...opened, { delta: form.closing, tokens: [] }] : opened
  return all.map(({ delta, tokens }, at) => {
    const is_last = at === all.length - 1
    const logprobs = tokens.length > 0 ? logprobsOf(call.body, tokens) : null
    return {
      index,
      delta,
      ...form.choice(logprobs, is_last ? 'last' : 'middle', is_last ? usage : undefined),
      finish_reason: is_last ? finishOf(answer) : null,
    }
  })
}

function withRole({ opening, textDelta }: Form, pieces: Piece[]): Piece[] {
  if (opening) return [{ delta: { role: 'assistant', ...opening }, tokens: [] }, ...pieces]
  const [first = { delta: textDelta(''), tokens: [] }, ...rest] = pieces
  return [{ ...first, delta: { ...first.delta, role: 'assistant' } }, ...rest]
}

function piecesOf({ form, call, answer, index, events }: Streamed): Piece[] {
  const thinking = form.thinkingDelta
  const thoughts = thinking
    ? split(answer.thoughts, Math.ceil(answer.thoughts.length / TOKENS_PER_EVENT)).map((tokens) => ({
        delta: thinking(tokens.join('')),
        tokens: [],
      }))
    : []
  const calls = answer.calls.flatMap((one, at) =>
    callDeltas(form, toolCall(form, call, one, [index, at]), one, at),
  )
  const others = thoughts.length + calls.length + (form.opening ? 1 : 0) + (form.closing ? 1 : 0)
  const count = events === undefined ? Math.ceil(answer.text.length / TOKENS_PER_EVENT) : events - others
  const texts = split(answer.text, count).map((tokens) => ({
    delta: form.textDelta(tokens.join('')),
    tokens,
  }))
  const refused = answer === REFUSED ? [{ delta: form.refusalDelta(REFUSAL), tokens: [] }] : []
  return [...thoughts, ...texts, ...refused, ...calls.map((delta) => ({ delta, tokens: [] }))]
}

/** A call starts with its name; its arguments follow in pieces, or come with it. */
function callDeltas(form: Form, made: ToolCall, one: FunctionCall, index: number): JsonObject[] {
  if (!form.streams_arguments) return [{ tool_calls: [{ index, ...form.toolCall(made, index) }] }]
  const pieces = splitText(made.args, Math.ceil(callTokens([one]) / TOKENS_PER_EVENT))
  return [
    { tool_calls: [{ index, ...form.toolCall({ ...made, args: '' }, index) }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}
