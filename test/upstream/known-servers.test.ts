// Known servers, named by their name and a key alone: where requests go, how the key is shown, what tools and a picture become, and the charge.
import { describe, expect, test } from 'bun:test'
import type { Fetch } from '../../src/upstream/transport.ts'
import { fetchWithReceipts } from '../support/receipts.ts'
import { fileScene } from '../support/scene.ts'
import { type Answer, refusal, type Script, stream, whole } from '../support/upstream.ts'

const KEY = 'key-of-the-server'
const BEARER = { authorization: `Bearer ${KEY}` }

interface Row {
  /** What the entry says beside its name and key. */
  entry: string
  model?: string
  /** Where a whole call goes. */
  url: string
  /** Where a stream goes, if elsewhere. */
  stream_url?: string
  /** The only header that shows the key. */
  shown: Record<string, string>
}

const chat = (base_url: string): Pick<Row, 'url' | 'shown'> => ({
  url: `${base_url}/chat/completions`,
  shown: BEARER,
})
const GEMINI = 'https://generativelanguage.googleapis.com/v1beta/models/m'

const ROWS: readonly Row[] = [
  { entry: 'server = "openai"', ...chat('https://api.openai.com/v1') },
  { entry: 'server = "mistral"', ...chat('https://api.mistral.ai/v1') },
  { entry: 'server = "groq"', ...chat('https://api.groq.com/openai/v1') },
  { entry: 'server = "deepseek"', ...chat('https://api.deepseek.com') },
  { entry: 'server = "xai"', ...chat('https://api.x.ai/v1') },
  { entry: 'server = "moonshot"', ...chat('https://api.moonshot.ai/v1') },
  { entry: 'server = "minimax"', ...chat('https://api.minimax.io/v1') },
  { entry: 'server = "together"', ...chat('https://api.together.xyz/v1') },
  { entry: 'server = "fireworks"', ...chat('https://api.fireworks.ai/inference/v1') },
  { entry: 'server = "cerebras"', ...chat('https://api.cerebras.ai/v1') },
  { entry: 'server = "openrouter"', ...chat('https://openrouter.ai/api/v1') },
  { entry: 'server = "ollama"', ...chat('http://127.0.0.1:11434/v1') },
  { entry: 'server = "vllm"', ...chat('http://127.0.0.1:8000/v1') },
  {
    entry: 'server = "anthropic"',
    url: 'https://api.anthropic.com/v1/messages',
    shown: { 'x-api-key': KEY },
  },
  {
    entry: 'server = "deepseek"\nprotocol = "anthropic"',
    url: 'https://api.deepseek.com/anthropic/v1/messages',
    shown: { 'x-api-key': KEY },
  },
  {
    entry: 'server = "google"',
    url: `${GEMINI}:generateContent`,
    stream_url: `${GEMINI}:streamGenerateContent?alt=sse`,
    shown: { 'x-goog-api-key': KEY },
  },
  {
    entry: 'server = "azure"\nresource = "acme"',
    url: 'https://acme.openai.azure.com/openai/v1/chat/completions',
    shown: { 'api-key': KEY },
  },
  {
    entry: 'server = "azure"\nresource = "acme"\napi_version = "2024-10-21"',
    model: 'our gpt',
    url: 'https://acme.openai.azure.com/openai/deployments/our%20gpt/chat/completions?api-version=2024-10-21',
    shown: { 'api-key': KEY },
  },
  {
    entry:
      'server = "azure"\nbase_url = "https://proxy.example/openai/deployments/gpt"\napi_version = "2024-10-21"',
    url: 'https://proxy.example/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    shown: { 'api-key': KEY },
  },
  {
    entry: 'protocol = "openai"\nbase_url = "https://acme.openai.azure.com/openai/v1"',
    url: 'https://acme.openai.azure.com/openai/v1/chat/completions',
    shown: { 'api-key': KEY },
  },
  {
    entry: 'server = "foundry"\nresource = "acme"',
    url: 'https://acme.services.ai.azure.com/anthropic/v1/messages',
    shown: { 'x-api-key': KEY },
  },
  {
    entry: 'server = "foundry"\nprotocol = "openai"\nresource = "acme"',
    url: 'https://acme.services.ai.azure.com/openai/v1/chat/completions',
    shown: { 'api-key': KEY },
  },
  {
    entry: 'server = "bedrock"\nregion = "eu-west-1"',
    url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic/v1/messages',
    shown: BEARER,
  },
  {
    entry: 'server = "bedrock"\nprotocol = "openai"\nregion = "cn-north-1"',
    ...chat('https://bedrock-runtime.cn-north-1.amazonaws.com.cn/openai/v1'),
  },
  {
    entry:
      'server = "bedrock"\nprotocol = "openai"\nbase_url = "https://bedrock-mantle.us-east-2.api.aws/openai/v1"',
    ...chat('https://bedrock-mantle.us-east-2.api.aws/openai/v1'),
  },
]

const TOOL = { name: 'get_weather', arguments: '{"city":"Paris"}' }
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Calls the tool, for 10 tokens read and 5 written, in the protocol that the path belongs to. */
const answering: Script = ({ path, body }): Answer => {
  const args = JSON.parse(TOOL.arguments)
  if (path.includes('/messages')) return claude(JSON.parse(body.toString()).stream === true, args)
  if (path.includes('enerateContent')) {
    const answer = {
      candidates: [
        {
          content: { role: 'model', parts: [{ functionCall: { name: TOOL.name, args } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    }
    return path.includes('stream') ? stream({ event: answer }) : whole(answer)
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const call = { index: 0, id: 'callid123', type: 'function', function: TOOL }
  const choice = (part: string) => ({
    index: 0,
    [part]: { role: 'assistant', content: null, tool_calls: [call] },
    finish_reason: 'tool_calls',
  })
  return JSON.parse(body.toString()).stream
    ? stream(
        { event: { object: 'chat.completion.chunk', choices: [choice('delta')] } },
        { event: { object: 'chat.completion.chunk', choices: [], usage } },
        { event: '[DONE]' },
      )
    : whole({ object: 'chat.completion', choices: [choice('message')], usage })
}

function claude(streams: boolean, input: object): Answer {
  const block = { type: 'tool_use', id: 'toolu_1', name: TOOL.name }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
  const usage = { input_tokens: 10, output_tokens: 5 }
  if (!streams) return whole({ ...message, content: [{ ...block, input }], stop_reason: 'tool_use', usage })
  const delta = { type: 'input_json_delta', partial_json: TOOL.arguments }
  return stream(
    { event: { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } } },
    { event: { type: 'content_block_start', index: 0, content_block: { ...block, input: {} } } },
    { event: { type: 'content_block_delta', index: 0, delta } },
    { event: { type: 'content_block_stop', index: 0 } },
    { event: { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } } },
    { event: { type: 'message_stop' } },
  )
}

const catalogue = ROWS.map(
  ({ entry, model = 'm' }, row) => `
[[providers]]
name = "p${row}"
${entry}
api_keys = ["env:THE_KEY"]
cooldown_ms = 0

[[models]]
id = "m${row}"
kind = "text"
max_output_tokens = 1000
routes = [{ provider = "p${row}", model = "${model}", generation = "gpt-4o" }]
price = { input = 1, output = 4 }
`,
).join('')

/** Where requests were sent. */
const sent: string[] = []
let fake_url = ''
/** All hosts are the one fake. */
const network: Fetch = (url, init) => {
  sent.push(url)
  const { pathname, search } = new URL(url)
  return fetchWithReceipts(fake_url + pathname + search, init)
}

const scene = await fileScene({
  catalogue: () => catalogue,
  network,
  env: { THE_KEY: KEY },
  script: answering,
})
const { upstream, call, lastCall, gateway } = scene
fake_url = upstream.url

const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

const ask = (row: number, more: object = {}) =>
  call('/v1/chat/completions', {
    model: `m${row}`,
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is the weather here?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
        ],
      },
    ],
    tools: [
      { type: 'function', function: { name: TOOL.name, parameters: { type: 'object', properties: {} } } },
    ],
    ...more,
  })

function expectSent(url: string, shown: Record<string, string>): void {
  expect(sent.at(-1)).toBe(url)
  const { headers, body } = upstream.last()
  expect(Object.fromEntries(Object.entries(headers).filter(([name]) => KEY_HEADERS.includes(name)))).toEqual(
    shown,
  )
  expect(body.toString()).toContain(PICTURE)
  expect(body.toString()).toContain(TOOL.name)
}

const CASES = ROWS.map((row, index) => [row.entry.replaceAll('\n', ', '), index, row] as const)

describe('an entry of a name, a server and a key', () => {
  test.each(CASES)('%s: a whole call', async (_, index, { url, shown }) => {
    const response = await ask(index)
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { choices: [{ message: { tool_calls: [{ function: TOOL }] } }] },
    ])
    expectSent(url, shown)
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 30_000, estimated: 0 })
  })

  test.each(CASES)('%s: a stream', async (_, index, { url, stream_url = url, shown }) => {
    const text = await (await ask(index, { stream: true })).text()
    expect(text).toContain(TOOL.name)
    expect(text).toEndWith('data: [DONE]\n\n')
    expectSent(stream_url, shown)
    expect(await lastCall()).toMatchObject({ outcome: 'completed', streamed: 1, cost_nanos: 30_000 })
  })

  test.each(CASES)('%s: a refused key is no fault of the caller, and free', async (_, index) => {
    upstream.answer(refusal(401, { error: { message: 'Access denied.' } }))
    expect((await ask(index)).status).toBe(502)
    upstream.answer(answering)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })
})

test('an entry that is added to a running gateway serves at once, from the Messages API too', async () => {
  const added = `
[[providers]]
name = "new"
server = "cerebras"
api_keys = ["env:THE_KEY"]

[[models]]
id = "new"
kind = "text"
max_output_tokens = 1000
routes = [{ provider = "new", model = "gpt-oss-120b" }]
price = { input = 1, output = 4 }
`
  await gateway.recatalogue(catalogue + added)
  const body = {
    model: 'new',
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: 'What is the weather?' }],
    tools: [{ name: TOOL.name, input_schema: { type: 'object' } }],
  }
  const response = await call('/v1/messages', body, { headers: { 'anthropic-version': '2023-06-01' } })
  expect(await response.text()).toContain(`"name":"${TOOL.name}"`)
  expect(sent.at(-1)).toBe('https://api.cerebras.ai/v1/chat/completions')
  expect(await lastCall()).toMatchObject({ surface: 'messages', streamed: 1, cost_nanos: 30_000 })
})

test('nothing of it is held, and the key is in no log', async () => {
  await gateway.atRest()
  expect(gateway.log.written().join('')).not.toContain(KEY)
})
