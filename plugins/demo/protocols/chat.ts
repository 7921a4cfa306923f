// OpenAI's chat completions, whole and as a stream.
import { type Json, type JsonObject, objectIn } from '../../../src/protocols/wire/json.ts'
import { answerTo } from '../answer.ts'
import { type Answer, type Ask, Refused, type ToolCall } from '../ask.ts'
import type { Endpoint } from '../endpoint.ts'
import { lines, numberIn, objectsOf, textIn } from '../json.ts'
import { streamed } from '../text.ts'
import { OPENAI } from './openai.ts'

const MAX_TOKENS = 16_384
const DOCUMENT_TOKENS = 258
const CREATED_S = 1_750_000_000

export const chat: Endpoint = {
  ...OPENAI,
  path: /\/chat\/completions$/,
  async serve({ body, model, behaviour }) {
    const answer = await answerTo(askOf(model, body), behaviour)
    if (body.stream !== true) return { json: completionOf(model, answer) }
    return { events: eventsOf(model, answer, objectIn(body.stream_options).include_usage === true) }
  },
}

const partsOf = (content: Json | undefined): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content)

const textOf = ({ content }: JsonObject): string => lines(partsOf(content).map(({ text }) => textIn(text)))

/** @throws Refused for a body without messages */
export function askOf(model: string, body: JsonObject): Ask {
  const messages = objectsOf(body.messages)
  if (messages.length === 0) throw new Refused(400, "Missing required parameter: 'messages'.", 'messages')
  const parts = messages.flatMap(({ content }) => partsOf(content))
  const last_answer = messages.findLastIndex(({ role }) => role !== 'tool')
  return {
    model,
    prompt: lines(messages.flatMap((message) => [textOf(message), ...callsOf(message)])),
    last_text: textOf(messages.findLast(({ role }) => role === 'user') ?? {}),
    images: parts
      .filter(({ type }) => type === 'image_url')
      .map(({ image_url }) => textIn(objectIn(image_url).url).replace(/^data:[^,]*,/, '')),
    media_tokens:
      parts.filter(({ type }) => type === 'file' || type === 'input_audio').length * DOCUMENT_TOKENS,
    ...toolsOf(body),
    results: messages.slice(last_answer + 1).map((message) => JSON.stringify(textOf(message))),
    json: formatOf(objectIn(body.response_format)),
    max_tokens: numberIn(body.max_completion_tokens) ?? numberIn(body.max_tokens) ?? MAX_TOKENS,
    stops: (Array.isArray(body.stop) ? body.stop : [body.stop]).map(textIn),
    shape: '',
  }
}

const callsOf = ({ tool_calls }: JsonObject): string[] =>
  objectsOf(tool_calls).map((call) => JSON.stringify(call.function ?? {}))

const CALLING: Readonly<Record<string, Ask['calling']>> = { required: 'any', none: 'none' }

function toolsOf({ tools, tool_choice }: JsonObject): Pick<Ask, 'tools' | 'calling'> {
  const named = textIn(objectIn(objectIn(tool_choice).function).name)
  const declared = objectsOf(tools).map((tool) => {
    const { name, parameters } = objectIn(tool.function)
    return { name: textIn(name), schema: parameters }
  })
  return named === ''
    ? { tools: declared, calling: CALLING[textIn(tool_choice)] ?? 'auto' }
    : { tools: declared.filter(({ name }) => name === named), calling: 'any' }
}

function formatOf({ type, json_schema }: JsonObject): Ask['json'] {
  if (type === 'json_object') return { schema: undefined }
  return type === 'json_schema' ? { schema: objectIn(json_schema).schema } : undefined
}

const callOf = ({ id, name, args }: ToolCall) => ({
  id: `call_${id}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

function completionOf(model: string, { id, text, calls, finish, usage }: Answer) {
  const said =
    calls.length > 0 ? { content: null, tool_calls: calls.map(callOf) } : { content: text.join('') }
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: CREATED_S,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...said, refusal: null },
        logprobs: null,
        finish_reason: finish === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  }
}

function eventsOf(model: string, answer: Answer, has_usage: boolean): string[] {
  const { choices, usage, ...whole } = completionOf(model, answer)
  const chunk = { ...whole, object: 'chat.completion.chunk' }
  const deltas = [
    { role: 'assistant', content: '' },
    ...streamed(answer.text).map((content) => ({ content })),
    ...answer.calls.map((call, index) => ({ tool_calls: [{ index, ...callOf(call) }] })),
  ].map((delta) => ({ index: 0, delta, finish_reason: null }))
  const end = choices.map(({ index, finish_reason }) => ({ index, delta: {}, finish_reason }))
  return [
    ...[...deltas, ...end].map((choice) => JSON.stringify({ ...chunk, choices: [choice] })),
    ...(has_usage ? [JSON.stringify({ ...chunk, choices: [], usage })] : []),
    '[DONE]',
  ].map((payload) => `data: ${payload}\n\n`)
}
