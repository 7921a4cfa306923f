// OpenAI's Responses API, whole and as a stream: its conversation is read as the messages of chat completions.
import { type Json, type JsonObject, objectIn } from '../../../src/protocols/wire/json.ts'
import { answerTo } from '../answer.ts'
import { type Answer, type Ask, Refused } from '../ask.ts'
import type { Endpoint } from '../endpoint.ts'
import { objectsOf, textIn } from '../json.ts'
import { streamed, tokensOf } from '../text.ts'
import { askOf as askOfChat } from './chat.ts'
import { OPENAI } from './openai.ts'

const CREATED_S = 1_750_000_000

export const responses: Endpoint = {
  ...OPENAI,
  path: /\/responses$/,
  async serve({ body, model, behaviour }) {
    const answer = await answerTo(askOf(model, body), behaviour)
    const response = responseOf(body, model, answer)
    return body.stream === true ? { events: eventsOf(response) } : { json: response }
  },
}

function askOf(model: string, body: JsonObject): Ask {
  const { input, instructions = '', text, tool_choice = 'auto' } = body
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input)
  if (items.length === 0) throw new Refused(400, "Missing required parameter: 'input'.", 'input')
  const { type = '', schema = {} } = objectIn(objectIn(text).format)
  const choice: Json =
    typeof tool_choice === 'string' ? tool_choice : { function: { name: objectIn(tool_choice).name ?? '' } }
  return askOfChat(model, {
    messages: [{ role: 'system', content: instructions }, ...items.flatMap(messageOf)],
    // Tools that the provider runs are never used, nor custom ones.
    tools: objectsOf(body.tools)
      .filter((tool) => tool.type === 'function')
      .map(({ name = '', parameters = {} }) => ({ function: { name, parameters } })),
    tool_choice: choice,
    response_format: { type, json_schema: { schema } },
    max_completion_tokens: body.max_output_tokens ?? null,
  })
}

function messageOf({
  type = 'message',
  role = '',
  content = '',
  name = '',
  output = '',
  ...item
}: JsonObject): JsonObject[] {
  if (type === 'function_call')
    return [{ role: 'assistant', tool_calls: [{ function: { name, arguments: item.arguments ?? '' } }] }]
  if (type === 'function_call_output') return [{ role: 'tool', content: contentOf(output) }]
  return type === 'message' ? [{ role, content: contentOf(content) }] : []
}

const contentOf = (content: Json): Json =>
  typeof content === 'string'
    ? content
    : objectsOf(content).map(({ type = '', text = '', image_url = '' }) =>
        type === 'input_image' ? { type: 'image_url', image_url: { url: image_url } } : { type, text },
      )

/** Fields of a request that the response repeats, and what they are without one. */
const REPEATED = {
  instructions: null,
  max_output_tokens: null,
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  store: true,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  metadata: {},
}

function responseOf(body: JsonObject, model: string, answer: Answer) {
  const { id, finish, usage } = answer
  const is_cut = finish === 'length'
  const repeated = Object.entries(REPEATED).map(([name, otherwise]) => [name, body[name] ?? otherwise])
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: CREATED_S,
    status: is_cut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: is_cut ? { reason: 'max_output_tokens' } : null,
    model,
    output: outputOf(answer),
    previous_response_id: null,
    temperature: 1,
    top_p: 1,
    truncation: 'disabled',
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
    ...Object.fromEntries(repeated),
  }
}

function outputOf({ id, text, calls }: Answer): JsonObject[] {
  const said = { type: 'output_text', text: text.join(''), annotations: [], logprobs: [] }
  const message = {
    id: `msg_${id}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [said],
  }
  const called = calls.map((call) => ({
    id: `fc_${call.id}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${call.id}`,
    name: call.name,
    arguments: JSON.stringify(call.args),
  }))
  return [...(text.length > 0 ? [message] : []), ...called]
}

function eventsOf(response: ReturnType<typeof responseOf>): string[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap(itemEvents),
    { type: `response.${response.status}`, response },
  ].map((event, sequence_number) => {
    const text = JSON.stringify({ ...event, sequence_number })
    return `event: ${event.type}\ndata: ${text}\n\n`
  })
}

interface SentEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function itemEvents(item: JsonObject, output_index: number): SentEvent[] {
  const is_message = item.type === 'message'
  const empty = { ...item, status: 'in_progress', ...(is_message ? { content: [] } : { arguments: '' }) }
  const place = { item_id: item.id, output_index }
  const inside = is_message
    ? objectsOf(item.content).flatMap((part) => partEvents(part, { ...place, content_index: 0 }))
    : [
        { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
        { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
      ]
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...inside,
    { type: 'response.output_item.done', output_index, item },
  ]
}

function partEvents(part: JsonObject, place: object): SentEvent[] {
  const text = textIn(part.text)
  const [type, logprobs] = ['response.output_text', []]
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...streamed(tokensOf(text)).map((delta) => ({ type: `${type}.delta`, ...place, delta, logprobs })),
    { type: `${type}.done`, ...place, text, logprobs },
    { type: 'response.content_part.done', ...place, part },
  ]
}
