// Requests made to fit their provider, over the wire: dropped fields are named, names of tools come back, settings are applied.

import { describe, expect, test } from 'bun:test'
import { objectIn, objectsIn, parseObject } from '../../src/protocols/wire/json.ts'
import { ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { events, whole } from '../support/upstream.ts'

const { call, upstream, lastCall, counts, expectCounts } = await fileScene({
  more: (url) =>
    providerSection('mistral', 'openai', `${url}/v1`, 'server = "mistral"') +
    modelSection('large', { mistral: 'mistral-large-2512' }) +
    providerSection('openai', 'openai', `${url}/v1`, 'server = "openai"\nresponses = true') +
    modelSection('gpt', { openai: 'gpt-5.4' }) +
    providerSection('azure', 'openai', `${url}/openai/v1`, 'server = "azure"\nresponses = true') +
    modelSection('deployed', { azure: 'my-deployment", generation = "gpt-5.4' }) +
    modelSection('unknown', { azure: 'my-deployment' }) +
    providerSection(
      'own',
      'openai',
      `${url}/v1`,
      'drop_fields = ["store", "messages.name"]\nset_fields = { top_k = 20, chat_template_kwargs = { enable_thinking = false } }',
    ) +
    modelSection('own', { own: 'qwen' }) +
    providerSection('storing', 'openai', `${url}/v1`, 'drop_fields = ["store"]\nresponses = true') +
    modelSection('stored', { storing: 'qwen", endpoint = "responses' }),
})

const LONG = `mcp__${'tool_of_a_server_'.repeat(5)}search`
const USED = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }
const TOOL = { type: 'function', function: { name: LONG, parameters: { type: 'object', properties: {} } } }
const CHAT = {
  model: 'large',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [TOOL],
  store: false,
  seed: 7,
}

const request = () => parseObject(String(upstream.requests.at(-1)?.body)) ?? {}
const sentName = (): string => String(objectIn(objectsIn(request().tools)[0]?.function).name)

const calling = () => ({ id: 'abcdefghi', type: 'function', function: { name: sentName(), arguments: '{}' } })

test('a long tool name comes back in full', async () => {
  upstream.answer(() =>
    whole({
      choices: [{ index: 0, message: { tool_calls: [calling()] }, finish_reason: 'tool_calls' }],
      ...USED,
    }),
  )
  const response = await call('/v1/chat/completions', CHAT)
  expect(response.headers.get('x-tollgate-dropped')).toBeNull()
  const text = await response.text()
  expect(text).toContain(LONG)
  expect(text).not.toContain(sentName())
  expect(sentName()).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  expect(request()).toMatchObject({ random_seed: 7 })
  expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 30_000 })
})

test.each([
  ['of its own protocol', '/v1/chat/completions', CHAT],
  [
    'of another',
    '/v1/messages',
    {
      model: 'large',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: LONG, input_schema: { type: 'object' } }],
    },
  ],
])('a long tool name comes back in a stream, to a caller %s', async (_name, path, body) => {
  upstream.answer(() =>
    events([
      { choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...calling() }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], ...USED },
      '[DONE]',
    ]),
  )
  const response = await call(
    path,
    { ...body, stream: true },
    { headers: { 'anthropic-version': '2023-06-01' } },
  )
  const text = await response.text()
  expect(text).toContain(`"${LONG}"`)
  expect(text).not.toContain(sentName())
})

const NAMED = { type: 'function', name: LONG, parameters: { type: 'object', properties: {} } }
const RESPONSES = {
  model: 'gpt',
  tools: [
    NAMED,
    { type: 'custom', name: `${LONG}_custom` },
    { type: 'namespace', name: 'mcp', description: 'Tools', tools: [{ ...NAMED, name: `${LONG}_inner` }] },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: LONG }] },
  input: [
    { role: 'user', content: `"${LONG}"` },
    { type: 'additional_tools', role: 'developer', tools: [{ ...NAMED, name: `${LONG}_added` }] },
    { type: 'function_call', call_id: 'c1', name: LONG, arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: LONG },
    { type: 'custom_tool_call', call_id: 'c2', name: `${LONG}_custom`, input: LONG },
    { type: 'custom_tool_call_output', call_id: 'c2', output: '' },
  ],
}
const responseItem = () => ({
  id: 'fc_1',
  type: 'function_call',
  call_id: 'c3',
  name: request().tool_choice ? objectsIn(objectIn(request().tool_choice).tools)[0]?.name : '',
  arguments: JSON.stringify({ text: `"${LONG}"` }),
  status: 'completed',
})
const response = () => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.4',
  output: [responseItem()],
  tools: request().tools ?? [],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
})

test.each([
  ['whole', () => whole(response())],
  [
    'streamed',
    () =>
      events([
        { type: 'response.created', response: { ...response(), status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: responseItem() },
        { type: 'response.output_item.done', output_index: 0, item: responseItem() },
        { type: 'response.completed', response: response() },
      ]),
  ],
] as const)('long names of tools pass to the Responses API and back, %s', async (kind, answer) => {
  upstream.answer(answer)
  const reply = await call('/v1/responses', { ...RESPONSES, stream: kind === 'streamed' })
  const text = await reply.text()
  const sent = request()
  const names = (JSON.stringify(sent).match(/"name":"[^"]*"/g) ?? []).map((field) => field.slice(8, -1))
  expect(names.length).toBe(8)
  expect(names.filter((name) => name.length > 64)).toEqual([])
  expect(new Set(names).size).toBe(5)
  expect(objectsIn(sent.input).map(({ output, content, input }) => output ?? content ?? input)).toEqual(
    RESPONSES.input.map(({ output, content, input }) => output ?? content ?? input),
  )
  for (const name of names.filter((each) => each !== 'mcp')) expect(text).not.toContain(`"${name}"`)
  for (const end of ['', '_custom', '_inner']) expect(text).toContain(`"${LONG}${end}"`)
  const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1]
  const kept = await call(`/v1/responses/${id}`)
  expect(objectsIn(parseObject(await kept.text())?.output)[0]).toMatchObject({ name: LONG })
})

test('a dropped field is named as the caller wrote it', async () => {
  upstream.answer(
    whole({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }], ...USED }),
  )
  const response = await call(
    '/v1/messages',
    {
      model: 'large',
      max_tokens: 100,
      top_k: 4,
      service_tier: 'auto',
      metadata: { user_id: 'me' },
      output_config: { effort: 'high' },
      messages: [{ role: 'user', content: 'Hi' }],
    },
    { headers: { 'anthropic-version': '2023-06-01' } },
  )
  expect(response.headers.get('x-tollgate-dropped')?.split(', ').sort()).toEqual([
    'metadata.user_id',
    'service_tier',
    'thinking',
    'top_k',
  ])
})

test('a field that the server refuses and the answer depends on is refused with 400 before the hold', async () => {
  const before = await counts()
  const body = { ...ask(), generationConfig: { responseLogprobs: true } }
  const response = await call(wholePath('large'), body)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('generationConfig.responseLogprobs is not supported')
  await expectCounts(before)
})

test.each([
  ['a null', null],
  ['a larger one', 5_000],
])('the limit held for is sent, with %s under the known name', async (_name, max_tokens) => {
  upstream.answer(
    whole({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }], ...USED }),
  )
  const limits = { max_completion_tokens: 20, max_tokens }
  await call('/v1/chat/completions', { model: 'large', messages: CHAT.messages, ...limits })
  expect(request()).toMatchObject({ max_tokens: max_tokens ?? 20 })
  expect(request()).not.toHaveProperty('max_completion_tokens')
})

const MESSAGE = { role: 'user', content: 'Hi' }
const THINKING = { temperature: 0.5, reasoning_effort: 'minimal', max_tokens: 90 }
const FITTED = { reasoning_effort: 'low', max_completion_tokens: 90 }

describe('a deployment gets the fields that its generation takes', () => {
  test.each([
    ['chat completions', '/v1/chat/completions', { messages: [MESSAGE], ...THINKING }, FITTED],
    [
      'responses',
      '/v1/responses',
      { input: 'Hi', temperature: 0.5, reasoning: { effort: 'minimal' } },
      { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      'messages',
      '/v1/messages',
      { messages: [MESSAGE], max_tokens: 90, temperature: 0.5, output_config: { effort: 'max' } },
      { reasoning: { effort: 'xhigh' }, max_output_tokens: 90, store: false },
    ],
  ])('%s', async (_name, path, body, expected) => {
    upstream.answer(() =>
      whole(
        'input' in request()
          ? { ...response(), output: [] }
          : { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }], ...USED },
      ),
    )
    const headers = { 'anthropic-version': '2023-06-01' }
    const reply = await call(path, { model: 'deployed', ...body }, { headers })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-tollgate-dropped')).toContain('temperature')
    expect(request()).toMatchObject({ model: 'my-deployment', ...expected })
    expect(Object.keys(request())).not.toContain('temperature')
    expect(Object.keys(request())).not.toContain('max_tokens')
  })

  test('without a generation, the model’s name alone counts', async () => {
    upstream.answer(
      whole({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }], ...USED }),
    )
    await call('/v1/chat/completions', { model: 'unknown', messages: [MESSAGE], ...THINKING })
    expect(request()).toMatchObject({ temperature: 0.5, max_tokens: 90 })
  })
})

test('fields are dropped and set as the operator configures', async () => {
  upstream.answer(
    whole({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }], ...USED }),
  )
  const response = await call('/v1/chat/completions', {
    model: 'own',
    store: false,
    top_k: 1,
    messages: [{ role: 'user', content: 'Hi', name: 'me' }],
  })
  expect(response.status).toBe(200)
  expect(request()).toEqual({
    model: 'qwen',
    messages: [{ role: 'user', content: 'Hi' }],
    top_k: 20,
    chat_template_kwargs: { enable_thinking: false },
  })
  expect(response.headers.get('x-tollgate-dropped')).toBe('store, messages.name')
})

test('a field that translation and the operator both drop is named once', async () => {
  upstream.answer(() => whole({ ...response(), output: [] }))
  const reply = await call('/v1/chat/completions', { model: 'stored', store: true, messages: [MESSAGE] })
  expect(request()).toMatchObject({ model: 'qwen', input: expect.anything() })
  expect(request()).not.toHaveProperty('store')
  expect(reply.headers.get('x-tollgate-dropped')).toBe('store')
})
