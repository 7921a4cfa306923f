// Writer of responses, whole and as the events of a stream; names and order of keys are those of the API.
import { NO_USAGE, TOKENS_PER_EVENT, type Totals, totalsOf } from '../answer.ts'
import type { Candidate, Reply } from '../ask.ts'
import type { Call, Dialect, UsageReport } from '../dialect.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'
import { split, splitText } from '../pieces.ts'
import { encrypt } from './encrypted.ts'
import { offeredTools } from './tools.ts'

const CREATED_S = 1_750_000_000
const REFUSAL = 'I cannot help with that.'

/** A whole response. */
export const writeWhole = (call: Call, reply: Reply, usage_report: UsageReport): string =>
  JSON.stringify(completed(call, reply, usage_report), null, 2)

/** The events of a stream, numbered. */
export const writeEvents: Dialect['events'] = (call, reply, usage_report, behaviour) => {
  const started = { ...skeleton(call), status: 'in_progress' }
  const pieces = behaviour.events === undefined ? undefined : Math.max(1, behaviour.events - FRAME_EVENTS)
  const response = completed(call, reply, usage_report)
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...listOf(response.output)
      .map(objectOf)
      .flatMap((item, index) => itemEvents(item, index, pieces)),
    { type: `response.${textOf(response.status)}`, response },
  ]
  return events.map(({ type, ...fields }, sequence_number) =>
    JSON.stringify({ type, sequence_number, ...fields }),
  )
}

/** The events around the text of a message. */
const FRAME_EVENTS = 8

const idOf = ({ model, ask }: Call, prefix: string, place = ''): string =>
  `${prefix}_${Bun.hash(`${model}\n${ask.seed}\n${ask.prompt}\n${place}`).toString(36)}`

const skeleton = (call: Call): JsonObject => ({
  id: idOf(call, 'resp'),
  object: 'response',
  created_at: CREATED_S,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: call.body.instructions ?? null,
  max_output_tokens: call.body.max_output_tokens ?? null,
  model: call.model,
  output: [],
  parallel_tool_calls: call.body.parallel_tool_calls ?? true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null, ...objectOf(call.body.reasoning) },
  store: call.body.store ?? true,
  temperature: 1,
  text: call.body.text ?? { format: { type: 'text' } },
  tool_choice: call.body.tool_choice ?? 'auto',
  tools: call.body.tools ?? [],
  top_p: 1,
  truncation: 'disabled',
  usage: null,
  user: null,
  metadata: call.body.metadata ?? {},
})

function completed(call: Call, reply: Reply, usage_report: UsageReport): JsonObject {
  const [answer] = reply.candidates
  const reason = answer && REASONS.get(answer.finish)
  return {
    ...skeleton(call),
    ...(reason === undefined ? {} : { status: 'incomplete', incomplete_details: { reason } }),
    output: answer ? outputOf(answer, call) : [messageItem(call, { type: 'refusal', refusal: REFUSAL })],
    ...(usage_report === 'absent'
      ? {}
      : { usage: usageOf(usage_report === 'zero' ? NO_USAGE : totalsOf(reply)) }),
  }
}

const REASONS = new Map<Candidate['finish'], string>([
  ['length', 'max_output_tokens'],
  ['safety', 'content_filter'],
])

const messageItem = (call: Call, part: JsonObject): JsonObject => ({
  id: idOf(call, 'msg'),
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [part],
})

function outputOf(answer: Candidate, call: Call): JsonObject[] {
  const text = answer.text.join('')
  return [
    ...(answer.thoughts.length > 0 ? [reasoningItem(answer, call)] : []),
    ...(text === '' ? [] : [messageItem(call, { type: 'output_text', annotations: [], logprobs: [], text })]),
    ...answer.calls.map(({ name, args }, at) => callItem(call, name, args, String(at))),
  ]
}

/** The summary and the encrypted form of reasoning are present only on request. */
function reasoningItem({ thoughts }: Candidate, call: Call): JsonObject {
  const { reasoning, include } = call.body
  const text = thoughts.join('')
  const has_summary = (objectOf(reasoning).summary ?? null) !== null
  return {
    id: idOf(call, 'rs'),
    type: 'reasoning',
    summary: has_summary ? [{ type: 'summary_text', text }] : [],
    ...(listOf(include).includes('reasoning.encrypted_content') ? { encrypted_content: encrypt(text) } : {}),
  }
}

function callItem(call: Call, name: string, args: unknown, place: string): JsonObject {
  const { tool, namespace = '' } = offeredTools(call.body).find((offered) => offered.tool.name === name) ?? {}
  const common = {
    status: 'completed',
    call_id: idOf(call, 'call', place),
    name,
    ...(namespace === '' ? {} : { namespace }),
  }
  return tool?.type === 'custom'
    ? {
        id: idOf(call, 'ctc', place),
        type: 'custom_tool_call',
        ...common,
        input: textOf(objectOf(args).input),
      }
    : { id: idOf(call, 'fc', place), type: 'function_call', ...common, arguments: JSON.stringify(args) }
}

/** @param pieces the number for a message's text; undefined for as many as it needs */
function itemEvents(item: JsonObject, output_index: number, pieces: number | undefined): JsonObject[] {
  const place = { item_id: item.id, output_index }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, ...EMPTY.get(item.type) } },
    ...insideOf(item, place, pieces),
    { type: 'response.output_item.done', output_index, item },
  ]
}

const EMPTY = new Map<unknown, JsonObject>([
  ['message', { status: 'in_progress', content: [] }],
  ['reasoning', { summary: [], encrypted_content: undefined }],
  ['function_call', { status: 'in_progress', arguments: '' }],
  ['custom_tool_call', { status: 'in_progress', input: '' }],
])

function insideOf(item: JsonObject, place: JsonObject, pieces: number | undefined): JsonObject[] {
  if (item.type === 'message') return messageEvents(objectOf(listOf(item.content)[0]), place, pieces)
  if (item.type === 'reasoning')
    return listOf(item.summary)
      .map(objectOf)
      .flatMap((part, summary_index) => summaryEvents(part, { ...place, summary_index }))
  const [kind, field] =
    item.type === 'function_call'
      ? ['function_call_arguments', 'arguments']
      : ['custom_tool_call_input', 'input']
  return textEvents(`response.${kind}`, textOf(item[field]), place, field)
}

function messageEvents(part: JsonObject, place: JsonObject, pieces: number | undefined): JsonObject[] {
  const inside = { ...place, content_index: 0 }
  const [type, field] =
    part.type === 'refusal' ? ['response.refusal', 'refusal'] : ['response.output_text', 'text']
  return [
    { type: 'response.content_part.added', ...inside, part: { ...part, [field]: '' } },
    ...textEvents(type, textOf(part[field]), inside, field, pieces),
    { type: 'response.content_part.done', ...inside, part },
  ]
}

const summaryEvents = (part: JsonObject, place: JsonObject): JsonObject[] => [
  { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
  ...textEvents('response.reasoning_summary_text', textOf(part.text), place, 'text'),
  { type: 'response.reasoning_summary_part.done', ...place, part },
]

const CHARACTERS_PER_EVENT = 4 * TOKENS_PER_EVENT

function textEvents(
  type: string,
  text: string,
  place: JsonObject,
  field: string,
  pieces = Math.ceil(text.length / CHARACTERS_PER_EVENT),
): JsonObject[] {
  const words = text.split(/(?<=\s)/)
  const parts =
    field === 'text' ? split(words, pieces).map((piece) => piece.join('')) : splitText(text, pieces)
  const rest = type === 'response.output_text' ? { logprobs: [] } : {}
  return [
    ...parts.map((delta) => ({ type: `${type}.delta`, ...place, delta, ...rest })),
    { type: `${type}.done`, ...place, [field]: text, ...rest },
  ]
}

/** https://platform.openai.com/docs/api-reference/responses/object: reasoning counts as output. */
const usageOf = ({ prompt, cached, thinking, output }: Totals): JsonObject => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
  output_tokens: output + thinking,
  output_tokens_details: { reasoning_tokens: thinking },
  total_tokens: prompt + output + thinking,
})
