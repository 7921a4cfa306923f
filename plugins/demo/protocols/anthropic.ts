// The messages API of Anthropic, whole and as a stream, and its counting of tokens.
import { type JsonObject, objectIn } from '../../../src/protocols/wire/json.ts'
import { answerTo, inputTokens } from '../answer.ts'
import { type Answer, type Ask, Refused } from '../ask.ts'
import type { Endpoint } from '../endpoint.ts'
import { lines, listIn, numberIn, objectsOf, textIn } from '../json.ts'
import { hashOf, streamed } from '../text.ts'

const DOCUMENT_TOKENS = 258

const TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
])

export const anthropic: Endpoint = {
  path: /\/v1\/messages(?:\/count_tokens)?$/,
  keyOf: ({ headers }) => headers.get('x-api-key') ?? '',
  modelOf: (_, { model }) => textIn(model),
  async serve({ url, body, model, behaviour }) {
    const counts = url.pathname.endsWith('/count_tokens')
    if (!counts && !((numberIn(body.max_tokens) ?? 0) >= 1))
      throw new Refused(400, 'max_tokens: Field required', 'max_tokens')
    const ask = askOf(model, body)
    if (counts) return { json: { input_tokens: inputTokens(ask) } }
    const answer = await answerTo(ask, behaviour)
    return body.stream === true ? { events: eventsOf(model, answer) } : { json: messageOf(model, answer) }
  },
  refusalBody: ({ status, message }) => ({
    type: 'error',
    error: { type: TYPES.get(status) ?? 'api_error', message },
    request_id: `req_${hashOf(message)}`,
  }),
}

type Blocks = readonly JsonObject[]

const blocksOf = (content: JsonObject[string] | undefined): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content)

const ofType = (blocks: Blocks, type: string): JsonObject[] => blocks.filter((block) => block.type === type)

function askOf(model: string, body: JsonObject): Ask {
  const messages = objectsOf(body.messages).map(({ role, content }) => ({ role, blocks: blocksOf(content) }))
  if (messages.length === 0) throw new Refused(400, 'messages: Field required', 'messages')
  const said = messages.findLast(
    ({ role, blocks }) => role === 'user' && ofType(blocks, 'tool_result').length === 0,
  )
  const blocks = messages.flatMap((message) => message.blocks)
  const inner = blocks.flatMap((block) => (block.type === 'tool_result' ? blocksOf(block.content) : [block]))
  const format = objectIn(objectIn(body.output_config).format ?? body.output_format)
  return {
    model,
    prompt: lines([...blocksOf(body.system), ...blocks].map(promptText)),
    last_text: lines((said?.blocks ?? []).map(({ text }) => textIn(text))),
    images: ofType(inner, 'image').map(({ source }) => textIn(objectIn(source).data)),
    media_tokens: ofType(inner, 'document').length * DOCUMENT_TOKENS,
    ...toolsOf(body),
    results: ofType(messages.at(-1)?.blocks ?? [], 'tool_result').map(promptText),
    json: format.type === 'json_schema' ? { schema: format.schema } : undefined,
    max_tokens: numberIn(body.max_tokens) ?? 0,
    stops: listIn(body.stop_sequences).map(textIn),
    shape: '',
  }
}

function promptText(block: JsonObject): string {
  if (block.type === 'tool_use') return JSON.stringify({ name: block.name, input: block.input })
  if (block.type === 'tool_result') return lines(blocksOf(block.content).map(({ text }) => textIn(text)))
  return textIn(block.text)
}

const CALLING: Readonly<Record<string, Ask['calling']>> = { any: 'any', tool: 'any', none: 'none' }

/** Tools that the provider runs, which have a type of their own, are never used. */
function toolsOf({ tools, tool_choice }: JsonObject): Pick<Ask, 'tools' | 'calling'> {
  const choice = objectIn(tool_choice)
  const declared = objectsOf(tools)
    .filter(({ type }) => type === undefined || type === 'custom')
    .map(({ name, input_schema }) => ({ name: textIn(name), schema: input_schema }))
  return {
    tools: choice.type === 'tool' ? declared.filter(({ name }) => name === choice.name) : declared,
    calling: CALLING[textIn(choice.type)] ?? 'auto',
  }
}

/** Content blocks: whole, as they start in a stream, and what their deltas say. */
function contentOf({ text, calls }: Answer) {
  const said = {
    whole: { type: 'text', text: text.join('') },
    start: { type: 'text', text: '' },
    deltas: streamed(text).map((piece): object => ({ type: 'text_delta', text: piece })),
  }
  const uses = calls.map(({ id, name, args }) => {
    const use = { type: 'tool_use', id: `toolu_${id}`, name }
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(args) }
    return { whole: { ...use, input: args }, start: { ...use, input: {} }, deltas: [delta] }
  })
  return [...(text.length > 0 ? [said] : []), ...uses]
}

function endingOf({ finish, calls, stopped_by }: Answer) {
  const ended = stopped_by === undefined ? 'end_turn' : 'stop_sequence'
  const stop_reason = finish === 'length' ? 'max_tokens' : calls.length > 0 ? 'tool_use' : ended
  return { stop_reason, stop_sequence: stopped_by ?? null }
}

const messageOf = (model: string, answer: Answer) => ({
  id: `msg_${answer.id}`,
  type: 'message',
  role: 'assistant',
  model,
  content: contentOf(answer).map(({ whole }) => whole),
  ...endingOf(answer),
  usage: {
    input_tokens: answer.usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: answer.usage.output,
  },
})

function eventsOf(model: string, answer: Answer): string[] {
  const { usage, ...message } = messageOf(model, answer)
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null }
  return [
    { type: 'message_start', message: { ...begun, usage: { ...usage, output_tokens: 1 } } },
    ...contentOf(answer).flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: endingOf(answer), usage },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}
