// Every current model from every client: requests of each surface to servers as strict as OpenAI's, Azure's and DeepSeek's, over sockets.
import { afterAll, describe, expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn, parseObject } from '../../src/protocols/wire/json.ts'
import { createSimulator } from '../providers/index.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'

const simulator = createSimulator()
const requests: JsonObject[] = []
const provider = Bun.serve({
  port: 0,
  async fetch(request) {
    requests.push({ ...parseObject(await request.clone().text()), at: new URL(request.url).pathname })
    return simulator.fetch(request)
  },
})
afterAll(() => provider.stop(true))

const GPTS = [
  'gpt-4.1',
  'o4-mini',
  'gpt-5',
  'gpt-5.1',
  'gpt-5.4',
  'gpt-5.5',
  'gpt-5.6',
  'gpt-5.2-chat-latest',
]
const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: [
    ...GPTS,
    'gpt-5-chat-latest',
    'gpt-5-codex',
    'gpt-5.2-codex',
    'gpt-5-pro',
    'o4-mini-deep-research',
  ],
  azure: GPTS,
  deepseek: ['deepseek-v4-flash'],
}
const sections = Object.entries(MODELS).map(
  ([server, models]) =>
    providerSection(server, 'openai', `${provider.url}${server}/v1`, `server = "${server}"`) +
    models.map((model) => modelSection(`${server}/${model}`, { [server]: model })).join(''),
)
const { call, lastCall, counts, expectCounts } = await fileScene({ more: sections.join('') })

type Surface = 'chat' | 'responses' | 'messages' | 'native'

const QUESTION = 'Why do tides rise?'
const FUNCTION = { name: 'get_time', parameters: { type: 'object', properties: {} } }
const TOOLS = { tools: [{ type: 'function', function: FUNCTION }] }
const SCHEMA = { type: 'object', properties: { height: { type: 'integer' } } }
const THINKING = { max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 2_000 } }
const LONG_USER = 'u'.repeat(150)
const MARK = expect.stringMatching(/^[0-9a-f]{64}$/)

function requestOf(surface: Surface, model: string, stream: boolean, more: JsonObject): [string, JsonObject] {
  const messages = [{ role: 'user', content: QUESTION }]
  if (surface === 'chat') return ['/v1/chat/completions', { model, stream, messages, ...more }]
  if (surface === 'responses') return ['/v1/responses', { model, stream, input: QUESTION, ...more }]
  if (surface === 'messages') return ['/v1/messages', { model, stream, max_tokens: 1_000, messages, ...more }]
  const verb = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const contents = [{ role: 'user', parts: [{ text: QUESTION }] }]
  return [`/v1beta/models/${encodeURIComponent(model)}:${verb}`, { contents, generationConfig: more }]
}

const HEADERS = { 'anthropic-version': '2023-06-01' }

async function send(surface: Surface, model: string, stream: boolean, more: JsonObject) {
  const [path, body] = requestOf(surface, model, stream, more)
  const response = await call(path, body, { headers: HEADERS })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** `sent` has the fields that the provider must get; an undefined field must not come. */
type Row = readonly [
  Surface,
  model: string,
  more: JsonObject,
  sent: Readonly<Record<string, unknown>>,
  dropped?: string,
]

const omit = (...names: string[]) => Object.fromEntries(names.map((name) => [name, undefined]))

const PASSING: readonly Row[] = [
  ['chat', 'openai/o4-mini', { max_tokens: 900 }, { max_completion_tokens: 900, ...omit('max_tokens') }],
  ['chat', 'azure/gpt-5', { max_tokens: 900 }, { max_completion_tokens: 900, ...omit('max_tokens') }],
  ['chat', 'azure/gpt-4.1', { max_tokens: 900 }, { max_tokens: 900, ...omit('max_completion_tokens') }],
  ['chat', 'openai/gpt-5', { temperature: 0.2 }, omit('temperature'), 'temperature'],
  [
    'chat',
    'openai/gpt-5',
    { temperature: 1, top_p: 1, presence_penalty: 0 },
    omit('top_p', 'presence_penalty'),
  ],
  [
    'chat',
    'azure/o4-mini',
    { top_p: 0.9, presence_penalty: 1, frequency_penalty: 1, parallel_tool_calls: false, ...TOOLS },
    omit('top_p', 'presence_penalty', 'frequency_penalty', 'parallel_tool_calls'),
    'top_p, presence_penalty, frequency_penalty, parallel_tool_calls',
  ],
  ['chat', 'openai/gpt-5.1', { temperature: 0.2, top_p: 0.5 }, { temperature: 0.2, top_p: 0.5 }],
  [
    'chat',
    'openai/gpt-5.1',
    { temperature: 0.2, reasoning_effort: 'low' },
    omit('temperature'),
    'temperature',
  ],
  ['chat', 'openai/gpt-5.6', { temperature: 0.2, reasoning_effort: 'none' }, { temperature: 0.2 }],
  ['chat', 'openai/gpt-5.2-chat-latest', { temperature: 0.2 }, omit('temperature'), 'temperature'],
  ['chat', 'openai/gpt-5-chat-latest', { temperature: 0.2 }, { temperature: 0.2 }],
  ['chat', 'openai/gpt-5', { reasoning_effort: 'xhigh' }, { reasoning_effort: 'high' }],
  ['chat', 'openai/gpt-5', { reasoning_effort: 'none' }, { reasoning_effort: 'minimal' }],
  ['chat', 'azure/gpt-5.1', { reasoning_effort: 'max' }, { reasoning_effort: 'high' }],
  ['chat', 'azure/o4-mini', { reasoning_effort: 'minimal' }, { reasoning_effort: 'low' }],
  ['chat', 'openai/gpt-5.5', { reasoning_effort: 'max' }, { reasoning_effort: 'xhigh' }],
  ['chat', 'openai/gpt-5.6', { reasoning_effort: 'max' }, { reasoning_effort: 'max' }],
  ['chat', 'openai/gpt-5.2-chat-latest', { reasoning_effort: 'high' }, { reasoning_effort: 'medium' }],
  ['chat', 'openai/gpt-4.1', { reasoning_effort: 'low' }, omit('reasoning_effort'), 'reasoning_effort'],
  [
    'chat',
    'openai/gpt-5-chat-latest',
    { reasoning_effort: 'low' },
    omit('reasoning_effort'),
    'reasoning_effort',
  ],
  [
    'chat',
    'openai/gpt-4.1',
    { user: LONG_USER, safety_identifier: LONG_USER },
    { user: MARK, safety_identifier: MARK },
  ],
  ['chat', 'azure/gpt-4.1', { safety_identifier: LONG_USER }, { user: MARK, ...omit('safety_identifier') }],
  ['chat', 'openai/gpt-4.1', { user: 'u'.repeat(64) }, { user: 'u'.repeat(64) }],
  ['chat', 'openai/gpt-4.1', { store: true, metadata: { team: 'a' } }, omit('metadata'), 'metadata'],
  ['chat', 'openai/gpt-5.5', { stop: ['.'] }, { stop: ['.'] }],
  ['chat', 'azure/gpt-5.4', TOOLS, omit('reasoning_effort')],
  [
    'chat',
    'azure/gpt-5.4',
    { ...TOOLS, reasoning_effort: 'high' },
    { reasoning_effort: 'none' },
    'reasoning_effort',
  ],
  ['chat', 'azure/gpt-5.6', TOOLS, { reasoning_effort: 'none' }, 'reasoning_effort'],
  ['chat', 'openai/gpt-5.6', TOOLS, { at: '/openai/v1/responses' }],
  ['responses', 'openai/gpt-5', { reasoning: { effort: 'xhigh' } }, { reasoning: { effort: 'high' } }],
  ['responses', 'openai/gpt-5.1', { reasoning: { effort: 'minimal' } }, { reasoning: { effort: 'low' } }],
  ['responses', 'openai/gpt-5-pro', { reasoning: { effort: 'low' } }, { reasoning: { effort: 'high' } }],
  ['responses', 'openai/gpt-5-codex', { reasoning: { effort: 'xhigh' } }, { reasoning: { effort: 'high' } }],
  [
    'responses',
    'openai/gpt-5.2-codex',
    { reasoning: { effort: 'xhigh' } },
    { reasoning: { effort: 'xhigh' } },
  ],
  [
    'responses',
    'openai/o4-mini-deep-research',
    { reasoning: { effort: 'low' } },
    { reasoning: { effort: 'medium' } },
  ],
  ['responses', 'openai/gpt-4.1', { reasoning: { effort: 'low' } }, omit('reasoning'), 'reasoning'],
  [
    'responses',
    'openai/gpt-5',
    { temperature: 0.2, top_p: 0.5 },
    omit('temperature', 'top_p'),
    'temperature, top_p',
  ],
  ['responses', 'openai/gpt-5.4', { temperature: 0.2 }, { temperature: 0.2 }],
  ['responses', 'openai/gpt-5.4', { user: LONG_USER }, { user: MARK }],
]

const TRANSLATED: readonly Row[] = [
  [
    'messages',
    'openai/gpt-5',
    { temperature: 0.2 },
    { at: '/openai/v1/responses', ...omit('temperature') },
    'temperature',
  ],
  ['messages', 'openai/gpt-5.4', { temperature: 0.2 }, { at: '/openai/v1/responses', temperature: 0.2 }],
  [
    'messages',
    'openai/gpt-5.4',
    { ...THINKING, temperature: 1 },
    { reasoning: expect.anything(), ...omit('temperature') },
  ],
  [
    'messages',
    'openai/gpt-5.5',
    { stop_sequences: ['END'] },
    { at: '/openai/v1/chat/completions', stop: ['END'] },
  ],
  [
    'messages',
    'openai/gpt-5-codex',
    { max_tokens: 1 },
    { at: '/openai/v1/responses', max_output_tokens: 16 },
  ],
  ['messages', 'openai/gpt-5-pro', THINKING, { reasoning: expect.objectContaining({ effort: 'high' }) }],
  [
    'messages',
    'azure/gpt-5.4',
    { ...THINKING, tools: [{ name: 'get_time', input_schema: FUNCTION.parameters }] },
    { at: '/azure/v1/chat/completions', reasoning_effort: 'none' },
    'thinking',
  ],
  [
    'messages',
    'azure/gpt-5',
    { ...THINKING, top_p: 0.9 },
    { reasoning_effort: 'medium', ...omit('top_p') },
    'top_p',
  ],
  ['messages', 'azure/gpt-5.1', { metadata: { user_id: LONG_USER } }, { user: MARK, ...omit('metadata') }],
  ['native', 'openai/o4-mini', { temperature: 0.2 }, omit('temperature'), 'generationConfig.temperature'],
  [
    'native',
    'azure/gpt-5.1',
    { temperature: 0.2, presencePenalty: 1, thinkingConfig: { thinkingBudget: 9_000 } },
    { reasoning_effort: 'high', ...omit('temperature', 'presence_penalty') },
    'generationConfig.temperature, generationConfig.presencePenalty',
  ],
  ['native', 'openai/gpt-5-codex', { maxOutputTokens: 3 }, { max_output_tokens: 16 }],
  [
    'native',
    'openai/gpt-4.1',
    { responseMimeType: 'application/json' },
    { response_format: { type: 'json_object' } },
  ],
  [
    'native',
    'openai/gpt-5',
    { responseMimeType: 'application/json' },
    { text: { format: { type: 'json_object' } } },
  ],
  [
    'native',
    'deepseek/deepseek-v4-flash',
    { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
    { response_format: { type: 'json_object' } },
    'generationConfig.responseJsonSchema',
  ],
]

const SCHEMA_FORMAT = { type: 'json_schema', json_schema: { name: 'tide', schema: SCHEMA } }

async function expectServed(stream: boolean, [surface, model, more, sent, dropped]: Row): Promise<void> {
  const { status, text, headers } = await send(surface, model, stream, more)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  expect(requests.at(-1) ?? {}).toEqual(expect.objectContaining(present(sent)))
  for (const [name, value] of Object.entries(sent))
    if (value === undefined) expect(requests.at(-1)).not.toHaveProperty(name)
  expect(headers.get('x-tollgate-dropped') ?? undefined).toBe(dropped)
}

const present = (sent: Row[3]): JsonObject =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as JsonObject

describe.each([
  ['whole', false],
  ['streamed', true],
])('%s', (_name, stream) => {
  test.each(PASSING.map((row) => [row] as const))('of an equal protocol: %j', (row) =>
    expectServed(stream, row),
  )
  test.each(TRANSLATED.map((row) => [row] as const))('of another: %j', (row) => expectServed(stream, row))

  // The answer depends on these fields: between equal protocols the provider refuses them, in translation the gateway does before the hold.
  test.each<[Surface, string, JsonObject, words: string]>([
    ['chat', 'openai/gpt-5', { stop: ['.'] }, `'stop' is not supported with this model`],
    ['chat', 'azure/gpt-5.4', { stop: ['.'] }, `'stop' is not supported with this model`],
    ['chat', 'openai/gpt-5', { logprobs: true }, `'logprobs' is not supported with this model`],
    ['chat', 'openai/o4-mini', { logit_bias: { 1: 5 } }, `'logit_bias' is not supported with this model`],
    [
      'chat',
      'openai/gpt-5',
      { max_tokens: 9, max_completion_tokens: 9 },
      'at the same time is not supported',
    ],
    ['chat', 'openai/gpt-5', { reasoning_effort: 'extreme' }, `does not support 'extreme' with this model`],
    ['chat', 'openai/gpt-4.1', { stop: ['a', 'b', 'c', 'd', 'e'] }, `Invalid 'stop': array too long`],
    ['chat', 'openai/gpt-4.1', { response_format: { type: 'json_object' } }, `must contain the word 'json'`],
    ['responses', 'openai/gpt-5', { max_output_tokens: 9 }, 'Expected a value >= 16, but got 9 instead.'],
    ['responses', 'openai/gpt-5', { reasoning: { effort: 'extreme' } }, `'extreme' is not supported with`],
    [
      'responses',
      'openai/gpt-5',
      { include: ['message.output_text.logprobs'] },
      'logprobs are not supported with reasoning models.',
    ],
  ])(
    'the provider answers a caller’s mistake, which is free: %s, %s, %j',
    async (surface, model, more, words) => {
      const { status, text } = await send(surface, model, stream, more)
      expect([status, text]).toEqual([400, expect.stringContaining(words)])
      expect(await lastCall()).toMatchObject({ cost_nanos: 0 })
    },
  )

  test.each<[Surface, string, JsonObject, param: string]>([
    ['messages', 'openai/gpt-5', { stop_sequences: ['END'] }, 'stop_sequences'],
    ['messages', 'azure/gpt-5', { stop_sequences: ['END'] }, 'stop_sequences'],
    ['messages', 'azure/gpt-5.4', { stop_sequences: ['END'] }, 'stop_sequences'],
    ['messages', 'openai/gpt-5-codex', { stop_sequences: ['END'] }, 'stop_sequences'],
    ['native', 'azure/o4-mini', { stopSequences: ['END'] }, 'generationConfig.stopSequences'],
    ['native', 'azure/gpt-5', { responseLogprobs: true }, 'generationConfig.responseLogprobs'],
    ['native', 'openai/gpt-5', { responseLogprobs: true, logprobs: 2 }, 'generationConfig.responseLogprobs'],
    ['responses', 'azure/gpt-5', { include: ['message.output_text.logprobs'] }, 'top_logprobs'],
  ])(
    'a field that translation would lose is refused before the hold: %s, %s, %j',
    async (surface, model, more, param) => {
      const before = await counts()
      const { status, text } = await send(surface, model, stream, more)
      expect([status, text]).toEqual([400, expect.stringContaining(`${param} is not supported`)])
      await expectCounts(before)
    },
  )

  test('DeepSeek gets a schema in words, after the system prompt', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: QUESTION },
    ]
    const { status, headers } = await send('chat', 'deepseek/deepseek-v4-flash', stream, {
      messages,
      response_format: SCHEMA_FORMAT,
    })
    expect(status).toBe(200)
    const sent = objectIn(requests.at(-1))
    expect(sent.response_format).toEqual({ type: 'json_object' })
    expect(objectsIn(sent.messages).map(({ role }) => role)).toEqual(['system', 'system', 'user'])
    expect(String(objectsIn(sent.messages)[1]?.content)).toContain(JSON.stringify(SCHEMA))
    expect(headers.get('x-tollgate-dropped')).toBe('response_format')
  })
})

test('a limit below the minimum is held at the minimum', async () => {
  const holdOf = async (max_tokens: number): Promise<number> => {
    await send('messages', 'openai/gpt-5-codex', false, { max_tokens })
    return (await lastCall()).hold_nanos
  }
  const minimum_nanos = await holdOf(16)
  expect(await holdOf(17)).toBeGreaterThan(minimum_nanos)
  // The input bound counts the digits of the body.
  expect(await holdOf(10)).toBe(minimum_nanos)
})
