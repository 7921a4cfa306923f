// Calls of every surface for models that are called by responses: the provider's request, the callers' answers, the cost.
import { describe, expect, test } from 'bun:test'
import { type Json, type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { type Answer, refusal, splitAt, type UpstreamRequest, whole } from '../support/upstream.ts'

const UPSTREAM_MODEL = 'gpt-6-sol'
const { call, upstream, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  catalogue: (url) => `
[server]
${providerSection('own', 'openai', `${url}/v1`, 'responses = true\ncooldown_ms = 0', [PROVIDER_KEYS[0]])}
${modelSection('m', { own: UPSTREAM_MODEL }, { price: 'input = 1, output = 4, cache_read = 0.1', more: 'max_output_tokens = 16384' })}
[[models]]
id = "by-chat"
kind = "text"
routes = [{ provider = "own", model = "${UPSTREAM_MODEL}", endpoint = "chat_completions" }]
price = { input = 1, output = 4 }
`,
})

const ENCRYPTED = 'gAAAAABencrypted-reasoning'
const USAGE = {
  input_tokens: 1_001,
  input_tokens_details: { cached_tokens: 777, cache_write_tokens: 0 },
  output_tokens: 131,
  output_tokens_details: { reasoning_tokens: 64 },
  total_tokens: 1_132,
}
const COST_NANOS = (1_001 - 777) * 1_000 + 777 * 100 + 131 * 4_000

const reasoningItem = (encrypted_content: string): JsonObject => ({
  id: `rs_${encrypted_content}`,
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Look it up.' }],
  encrypted_content,
})
const callItem = (call_id: string): JsonObject => ({
  id: `fc_${call_id}`,
  type: 'function_call',
  status: 'completed',
  call_id,
  name: 'look',
  arguments: '{"city":"Äther"}',
})
const MESSAGE: JsonObject = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Tides 🌊.' }],
}
const responseOf = (output: Json[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: UPSTREAM_MODEL,
  output,
  usage: USAGE,
  ...more,
})

function eventsOf(response: JsonObject): string {
  const created = { ...response, status: 'in_progress', output: [], usage: null }
  const items = objectsIn(response.output).flatMap((item, output_index): JsonObject[] => {
    const place = { item_id: item.id ?? '', output_index }
    const inner: JsonObject[] =
      item.type === 'function_call'
        ? [
            {
              type: 'response.function_call_arguments.delta',
              ...place,
              delta: item.arguments ?? '',
            },
          ]
        : [
            ...objectsIn(item.summary).map(({ text = '' }) => ({
              type: 'response.reasoning_summary_text.delta',
              ...place,
              summary_index: 0,
              delta: text,
            })),
            ...objectsIn(item.content).map(({ text = '' }) => ({
              type: 'response.output_text.delta',
              ...place,
              content_index: 0,
              delta: text,
            })),
          ]
    const empty = { ...item, summary: [], content: [], arguments: '', encrypted_content: '' }
    return [
      { type: 'response.output_item.added', output_index, item: empty },
      ...inner,
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  const all = [
    { type: 'response.created', response: created },
    ...items,
    { type: `response.${response.status}`, response },
  ]
  return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

const asksForStream = ({ body }: UpstreamRequest): boolean => body.includes('"stream":true')
const SSE = { 'content-type': 'text/event-stream' }
const answering =
  (response: JsonObject, ...places: number[]) =>
  (seen: UpstreamRequest): Answer =>
    asksForStream(seen) ? { headers: SSE, steps: splitAt(eventsOf(response), ...places) } : whole(response)

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }

const VERSION = { 'anthropic-version': '2023-06-01' }

/** One way to call: the request of a conversation, and its next turn, made of an answer and the results of its calls. */
interface Surface {
  path: (streams: boolean) => string
  body: (turns: Json[], streams: boolean) => JsonObject
  user: (text: string) => Json
  /** The answer as a turn, and the results of its calls. */
  next: (answer: JsonObject) => Json[]
  text: (answer: JsonObject) => Json | undefined
}

const SURFACES: Record<string, Surface> = {
  messages: {
    path: () => '/v1/messages',
    body: (messages, stream) => ({
      model: 'm',
      max_tokens: 1_000,
      stream,
      messages,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      tools: [{ name: 'look', input_schema: SCHEMA }],
    }),
    user: (content) => ({ role: 'user', content }),
    next: ({ content = [] }) => [
      { role: 'assistant', content },
      {
        role: 'user',
        content: objectsIn(content).flatMap(({ type, id = '' }) =>
          type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'warm' }] : [],
        ),
      },
    ],
    text: ({ content = [] }) => objectsIn(content).find(({ type }) => type === 'text')?.text,
  },
  chat: {
    path: () => '/v1/chat/completions',
    body: (messages, stream) => ({
      model: 'm',
      max_completion_tokens: 1_000,
      stream,
      stream_options: stream ? { include_usage: true } : null,
      messages,
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: { name: 'look', parameters: SCHEMA } }],
    }),
    user: (content) => ({ role: 'user', content }),
    next: ({ choices }) => {
      const message = objectIn(objectsIn(choices)[0]?.message)
      const results = objectsIn(message.tool_calls).map(({ id = '' }) => ({
        role: 'tool',
        tool_call_id: id,
        content: 'warm',
      }))
      return [message, ...results]
    },
    text: ({ choices }) => objectIn(objectsIn(choices)[0]?.message).content,
  },
  native: {
    path: (streams) => `/v1beta/models/m:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (contents) => ({
      contents,
      generationConfig: {
        maxOutputTokens: 1_000,
        thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true },
      },
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: SCHEMA }] }],
    }),
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    next: ({ candidates }) => {
      const content = objectIn(objectsIn(candidates)[0]?.content)
      const parts = objectsIn(content.parts).flatMap(({ functionCall }) => {
        const { id = '', name = '' } = objectIn(functionCall)
        return functionCall ? [{ functionResponse: { id, name, response: { output: 'warm' } } }] : []
      })
      return [content, { role: 'user', parts }]
    },
    text: ({ candidates }) =>
      objectsIn(objectIn(objectsIn(candidates)[0]?.content).parts).find(
        ({ text, thought }) => text && !thought,
      )?.text,
  },
}
/** Gemini CLI and others keep no thoughts in a conversation. */
const FORGETFUL = 'native, whose client keeps no thoughts'
const { native } = SURFACES
if (native)
  SURFACES[FORGETFUL] = {
    ...native,
    next: (answer) => {
      const [content, ...results] = native.next(answer)
      const { role = 'model', parts } = objectIn(content)
      return [{ role, parts: objectsIn(parts).filter(({ thought }) => thought !== true) }, ...results]
    },
  }
const NAMES = Object.keys(SURFACES)
const surface = (name: string): Surface => SURFACES[name] as Surface

const ask = (name: string, turns: Json[], streams = false): Promise<Response> => {
  const { path, body } = surface(name)
  return call(path(streams), body(turns, streams), { headers: VERSION })
}
const create = async (name: string, turns: Json[]): Promise<JsonObject> => {
  const response = await ask(name, turns)
  expect(response.status).toBe(200)
  return (await response.json()) as JsonObject
}

describe('a tool loop of three turns', () => {
  test.each(NAMES)('of %s: reasoning comes back before the call that it led to', async (name) => {
    const { user, next, text } = surface(name)
    let turns: Json[] = [user('How warm?')]
    for (const step of ['one', 'two']) {
      upstream.answer(answering(responseOf([reasoningItem(step), callItem(`call_${step}`)])))
      turns = [...turns, ...next(await create(name, turns))]
      expect(await lastCall()).toMatchObject({ cost_nanos: COST_NANOS })
    }
    upstream.answer(answering(responseOf([reasoningItem('three'), MESSAGE])))
    expect(text(await create(name, turns))).toBe('Tides 🌊.')
    expect(upstream.last().path).toBe('/v1/responses')
    const back = (step: string) => [
      { type: 'reasoning', summary: [], encrypted_content: step },
      { type: 'function_call', call_id: `call_${step}`, name: 'look', arguments: '{"city":"Äther"}' },
      { type: 'function_call_output', call_id: `call_${step}` },
    ]
    expect(upstreamBody()).toMatchObject({
      model: UPSTREAM_MODEL,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
      max_output_tokens: 1_000,
      tools: [{ type: 'function', name: 'look', parameters: SCHEMA, strict: false }],
      input: [{ type: 'message', role: 'user' }, ...back('one'), ...back('two')],
    })
  })
})

describe('the charge is that of the reported usage, whole and streamed', () => {
  const OTHERS: Readonly<Record<string, [string, JsonObject]>> = {
    responses: ['/v1/responses', { input: 'Hi' }],
    completions: ['/v1/completions', { prompt: 'Hi', max_tokens: 1_000 }],
  }
  for (const streams of [false, true]) {
    test.each([...NAMES, ...Object.keys(OTHERS)])(`%s, stream: ${streams}`, async (name) => {
      upstream.answer(answering(responseOf([reasoningItem(ENCRYPTED), MESSAGE])))
      const other = OTHERS[name]
      const response = other
        ? await call(other[0], { model: 'm', stream: streams, ...other[1] })
        : await ask(name, [surface(name).user('Hi')], streams)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('Tides 🌊.')
      expect(upstream.last().path).toBe('/v1/responses')
      expect(await lastCall()).toMatchObject({
        cost_nanos: COST_NANOS,
        estimated: 0,
        input_tokens: 224,
        cache_read_tokens: 777,
        output_tokens: 67,
        thinking_tokens: 64,
      })
    })
  }
})

describe('a stream is the same in packets of a byte, and in two packets', () => {
  const response = responseOf([reasoningItem(ENCRYPTED), callItem('call_1')])
  const bytes = Buffer.byteLength(eventsOf(response))
  const stable = (text: string): string =>
    text.replaceAll(/req_[\w-]+|"created":\d+|"responseId":"[^"]*"/g, 'x')
  test.each(NAMES)('%s', async (name) => {
    const { user } = surface(name)
    upstream.answer(answering(response))
    const expected = stable(await (await ask(name, [user('Hi')], true)).text())
    expect(expected).toContain('look')
    const everywhere = Array.from({ length: bytes - 1 }, (_, at) => at + 1)
    for (const places of [everywhere, ...everywhere.filter((at) => at % 499 === 0).map((at) => [at])]) {
      upstream.answer(answering(response, ...places))
      expect(stable(await (await ask(name, [user('Hi')], true)).text())).toBe(expected)
      expect(await lastCall()).toMatchObject({ cost_nanos: COST_NANOS })
    }
  })
})

test('a stream of the native protocol has the reasoning on the call that it led to', async () => {
  upstream.answer(answering(responseOf([reasoningItem(ENCRYPTED), callItem('call_1')])))
  const text = await (await ask('native', [surface('native').user('Hi')], true)).text()
  const parts = [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = '']) => {
    const { candidates } = JSON.parse(data) as JsonObject
    return objectsIn(objectIn(objectsIn(candidates)[0]?.content).parts)
  })
  const signed = parts.filter(({ thoughtSignature }) => thoughtSignature !== undefined)
  expect(signed).toMatchObject([{ functionCall: { name: 'look' } }])
  expect(Buffer.from(String(signed[0]?.thoughtSignature), 'base64').toString()).toContain(ENCRYPTED)
})

describe('the reason for the end of an answer', () => {
  const stopOf = async (name: string, response: JsonObject): Promise<Json | undefined> => {
    upstream.answer(answering(response))
    const answer = await create(name, [surface(name).user('Hi')])
    return (
      answer.stop_reason ??
      objectsIn(answer.choices ?? answer.candidates)[0]?.finish_reason ??
      objectsIn(answer.candidates)[0]?.finishReason
    )
  }
  const limited = (reason: string) =>
    responseOf([MESSAGE], { status: 'incomplete', incomplete_details: { reason } })
  test.each<[string, JsonObject, string, string, string]>([
    ['a text', responseOf([MESSAGE]), 'end_turn', 'stop', 'STOP'],
    ['a call', responseOf([callItem('c')]), 'tool_use', 'tool_calls', 'STOP'],
    ['the limit', limited('max_output_tokens'), 'max_tokens', 'length', 'MAX_TOKENS'],
    ['a filter', limited('content_filter'), 'refusal', 'content_filter', 'SAFETY'],
  ])('%s', async (_, response, messages, chat, native) => {
    expect(await stopOf('messages', response)).toBe(messages)
    expect(await stopOf('chat', response)).toBe(chat)
    expect(await stopOf('native', response)).toBe(native)
  })
})

describe('a provider’s refusal or failure', () => {
  const error = (param: string, code: string) =>
    refusal(400, { error: { message: 'refused', type: 'invalid_request_error', param, code } })

  test('of a summary of the reasoning: the call is repeated without it', async () => {
    const before = upstream.requests.length
    upstream.answer((seen) =>
      seen.body.includes('"summary":"auto"')
        ? error('reasoning.summary', 'unsupported_value')
        : answering(responseOf([MESSAGE]))(seen),
    )
    await create('messages', [surface('messages').user('Hi')])
    expect(upstream.requests.length - before).toBe(2)
    expect(upstreamBody().reasoning).toEqual({ effort: 'low' })
    expect(await lastCall()).toMatchObject({ cost_nanos: COST_NANOS })
  })

  test('of reasoning that it cannot read: the call is repeated without it', async () => {
    const { user, next } = surface('messages')
    upstream.answer(answering(responseOf([reasoningItem(ENCRYPTED), callItem('c')])))
    const turns = [user('Hi'), ...next(await create('messages', [user('Hi')]))]
    upstream.answer((seen) =>
      seen.body.includes(ENCRYPTED)
        ? error('input', 'invalid_encrypted_content')
        : answering(responseOf([MESSAGE]))(seen),
    )
    await create('messages', turns)
    expect(objectsIn(upstreamBody().input).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
  })

  test.each(NAMES)('within the stream costs nothing before its first output: %s', async (name) => {
    const failed = { status: 'failed', error: { code: 'server_error', message: 'x' } }
    upstream.answer(answering(responseOf([], { ...failed, usage: null })))
    expect((await ask(name, [surface(name).user('Hi')], true)).status).toBe(502)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })
})

describe('a field that responses cannot carry is refused with 400 before the hold, by its name', () => {
  test.each<[string, JsonObject, string]>([
    ['messages', { stop_sequences: ['END'] }, 'stop_sequences'],
    ['chat', { stop: 'END' }, 'stop'],
  ])('%s: %o', async (name, fields, param) => {
    const before = counts()
    const { path, body, user } = surface(name)
    const response = await call(
      path(false),
      { ...body([user('Hi')], false), ...fields },
      { headers: VERSION },
    )
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain(param)
    await expectCounts(before)
  })

  test('a field that is only dropped is named in a header', async () => {
    upstream.answer(answering(responseOf([MESSAGE])))
    const { path, body, user } = surface('chat')
    const response = await call(path(false), { ...body([user('Hi')], false), seed: 7 })
    expect(response.headers.get('x-tollgate-dropped')).toBe('seed')
  })
})

test('a route names the endpoint that is called, also for callers of responses', async () => {
  upstream.answer(
    whole({
      id: 'c',
      model: UPSTREAM_MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Tides.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    }),
  )
  const response = await call('/v1/responses', { model: 'by-chat', input: 'Hi' })
  expect(response.status).toBe(200)
  expect(upstream.last().path).toBe('/v1/chat/completions')
})
