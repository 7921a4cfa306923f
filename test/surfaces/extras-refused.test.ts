// Fields that a provider bills beyond tokens, or that name things only it remembers: refused with a 400 that names the field where the model has no price.
import { beforeEach, describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { replay } from '../support/replay.ts'
import { MODELS, threeProviders } from '../support/three-providers.ts'
import { whole } from '../support/upstream.ts'
import { expectFieldRefused, REQUESTS } from './requests.ts'

const { upstream, call, upstreamBody, counts, expectCounts } = await threeProviders()
beforeEach(() => upstream.answer(replay('text')))

interface Sent {
  fields: JsonObject
  headers?: Readonly<Record<string, string>>
  streams?: boolean
  to?: BuiltInProtocol
}

function send(surface: BuiltInProtocol, { fields, headers, streams = false, to = surface }: Sent) {
  const request = REQUESTS[surface](MODELS[to], streams, fields)
  return call(request.path, request.body, { form: 'x-api-key', headers: { ...request.headers, ...headers } })
}

const tool = (type: string, more: JsonObject = {}): JsonObject => ({ tools: [{ type, ...more }] })
const parts = (...content: JsonObject[]): JsonObject => ({ contents: [{ role: 'user', parts: content }] })
const blocks = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content: content }] })
const file = (fileUri: string): JsonObject => ({ fileData: { mimeType: 'application/pdf', fileUri } })
const config = (generationConfig: JsonObject): JsonObject => ({ generationConfig })
const beta = (values: string): Sent => ({ fields: {}, headers: { 'anthropic-beta': values } })

/** The surface, the field that the refusal must name, and the request. */
type Case = readonly [surface: BuiltInProtocol, field: string, sent: Sent | JsonObject]

const BILLED: readonly Case[] = [
  ['openai', 'service_tier', { service_tier: 'priority' }],
  ['openai', 'service_tier', { service_tier: 'flex' }],
  ['openai', 'service_tier', { service_tier: ['default'] }],
  ['openai', 'SERVICE_TIER', { SERVICE_TIER: 'priority' }],
  ['openai', '\u017fervice_tier', { '\u017fervice_tier': 'priority' }],
  ['openai', 'web_search_options', { web_search_options: {} }],
  ['openai', 'web_search_options', { web_search_options: { search_context_size: 'high' } }],
  ['openai', 'search_parameters', { search_parameters: { mode: 'on' } }],
  ['openai', 'models', { models: ['gpt-9'] }],
  ['openai', 'provider', { provider: { order: ['dear'] } }],
  ['openai', 'plugins', { plugins: [{ id: 'web' }] }],
  ['openai', 'route', { route: 'fallback' }],
  ['openai', 'transforms', { transforms: ['middle-out'] }],
  ['openai', 'extra_body', { extra_body: { service_tier: 'priority' } }],
  ['openai', 'modalities[1]', { modalities: ['text', 'audio'], audio: { voice: 'ash', format: 'mp3' } }],
  ['openai', 'modalities[0]', { modalities: ['Audio'] }],
  ['openai', 'modalities', { modalities: 'audio' }],
  ['openai', 'modalities[0]', { modalities: ['video'] }],
  ['openai', 'modalities[0]', { modalities: [{ type: 'audio' }] }],
  ['openai', 'Modalities', { Modalities: ['audio'] }],
  ['openai', 'output_modalities[0]', { output_modalities: ['audio'] }],
  ['openai', 'response_modalities', { response_modalities: 'AUDIO' }],
  ['openai', 'audio', { audio: { voice: 'ash', format: 'mp3' } }],
  ['openai', 'tools[0].type', tool('web_search')],
  ['openai', 'tools[0].type', tool('code_interpreter', { container: { type: 'auto' } })],
  ['anthropic', 'service_tier', { service_tier: 'priority' }],
  ['anthropic', 'speed', { speed: 'fast' }],
  ['anthropic', 'inference_geo', { inference_geo: 'us' }],
  ['anthropic', 'fallbacks', { fallbacks: 'default' }],
  ['anthropic', 'fallbacks', { fallbacks: [{ model: 'claude-opus-9' }] }],
  ['anthropic', 'fallback_credit_token', { fallback_credit_token: 'x' }],
  ['anthropic', 'billing_policy', { billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }],
  ['anthropic', 'compaction', { compaction: { type: 'summarize' } }],
  [
    'anthropic',
    'context_management.edits[0]',
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
  ],
  ['anthropic', 'mcp_servers', { mcp_servers: [{ type: 'url', name: 'x', url: 'https://example.com' }] }],
  ['anthropic', 'container', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
  ['anthropic', 'tools[0].type', tool('web_search_20250305', { name: 'web_search' })],
  ['anthropic', 'tools[0].type', tool('web_fetch_20260318', { name: 'web_fetch' })],
  ['anthropic', 'tools[0].type', tool('code_execution_20260521', { name: 'code_execution' })],
  ['anthropic', 'tools[0].type', tool('advisor_20260301', { name: 'advisor', model: 'claude-opus-9' })],
  ['anthropic', 'tools[0].type', tool('mcp_toolset', { mcp_server_name: 'x' })],
  [
    'anthropic',
    'messages[1].content[0].tool.definition.type',
    {
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'system',
          content: [
            {
              type: 'tool_addition',
              tool: {
                type: 'tool_definition',
                definition: { type: 'web_search_20250305', name: 'web_search' },
              },
            },
          ],
        },
      ],
    },
  ],
  ['gemini', 'serviceTier', { serviceTier: 'priority' }],
  ['gemini', 'service_tier', { service_tier: 'flex' }],
  ['gemini', 'generationConfig.serviceTier', { generationConfig: { serviceTier: 'priority' } }],
  [
    'gemini',
    'generationConfig.tools[0].googleSearch',
    { generationConfig: { tools: [{ googleSearch: {} }] } },
  ],
  ['gemini', 'generationConfig.responseModalities[0]', config({ responseModalities: ['AUDIO'] })],
  ['gemini', 'generationConfig.responseModalities[1]', config({ responseModalities: ['TEXT', 'audio'] })],
  ['gemini', 'generationConfig.responseModalities[0]', config({ responseModalities: [3] })],
  ['gemini', 'generationConfig.response_modalities[0]', config({ response_modalities: ['AUDIO'] })],
  ['gemini', 'generationConfig.speechConfig', config({ speechConfig: { languageCode: 'en' } })],
  ['gemini', 'generationConfig.speech_config', config({ speech_config: {} })],
  ['gemini', 'generationConfig.responseFormat.audio', config({ responseFormat: { audio: {} } })],
  ['gemini', 'generationConfig.responseFormat.video', config({ responseFormat: { video: {} } })],
  ['gemini', 'generationConfig.routingConfig', { generationConfig: { routingConfig: { autoMode: {} } } }],
  ...[
    'googleSearch',
    'google_search',
    'googleSearchRetrieval',
    'google_search_retrieval',
    'urlContext',
    'url_context',
    'codeExecution',
    'googleMaps',
    'fileSearch',
    'computerUse',
    'enterpriseWebSearch',
    'retrieval',
    'mcpServers',
  ].map((name): Case => ['gemini', `tools[0].${name}`, { tools: [{ [name]: {} }] }]),
  ['gemini', 'tools[0].googleSearch', { tools: { googleSearch: {} } }],
  ['gemini', 'tools[1].googleSearch', { tools: [{ functionDeclarations: [] }, { googleSearch: {} }] }],
  ['gemini', 'Tools', { Tools: [{ googleSearch: {} }] }],
]

const UNKNOWN_TOOLS: readonly Case[] = [
  [
    'openai',
    'tools[1].type',
    { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'time_machine' }] },
  ],
  ['openai', 'tools[0].type', { tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }],
  ['openai', 'tools[0]', { tools: ['web_search'] }],
  ['openai', 'tools', { tools: { type: 'web_search' } }],
  ['openai', 'tools[0].Type', { tools: [{ type: 'function', function: { name: 'f' }, Type: 'web_search' }] }],
  [
    'openai',
    'tool_choice.allowed_tools.tools[0].type',
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'time_machine' }] },
      },
    },
  ],
  ['anthropic', 'tools[0].type', tool('time_machine_20301231', { name: 'x' })],
  ['anthropic', 'tools[0].type', tool('constructor', { name: 'x' })],
  ['anthropic', 'tools[0].type', { tools: [{ type: 7, name: 'x' }] }],
  ['gemini', 'tools[0].timeMachine', { tools: [{ timeMachine: {} }] }],
  ['gemini', 'tools[0].constructor', { tools: [{ constructor: {} }] }],
]

/** Places beside those of provider-state.test.ts. */
const REMEMBERED: readonly Case[] = [
  ['anthropic', 'container', { container: 'container_1' }],
  ['anthropic', 'container', { container: { id: 'container_1', skills: [] } }],
  [
    'anthropic',
    'messages[0].content[0].content[0].source.file_id',
    blocks({
      type: 'tool_result',
      tool_use_id: 'x',
      content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }],
    }),
  ],
  [
    'anthropic',
    'messages[0].content[0].source.content[0].source.file_id',
    blocks({
      type: 'document',
      source: { type: 'content', content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }] },
    }),
  ],
  ...[
    'https://generativelanguage.googleapis.com/v1beta/files/abc',
    'HTTPS://GenerativeLanguage.GoogleAPIs.com:443/v1beta/files/abc',
    'https://x@generativelanguage.googleapis.com./v1beta/files/abc',
    ' https://generativelanguage.googleapis.com/v1/files/abc',
    'https://proxy.example.com/v1beta/files/abc',
    'files/abc',
    'gs://the-operators-bucket/a.pdf',
    'file:///etc/passwd',
    '',
  ].map((uri): Case => ['gemini', 'contents[0].parts[0].fileData.fileUri', parts(file(uri))]),
  [
    'gemini',
    'contents[0].parts[0].file_data.file_uri',
    parts({ text: 'x', file_data: { mime_type: 'application/pdf', file_uri: 'files/abc' } }),
  ],
  [
    'gemini',
    'contents[0].parts[0].functionResponse.parts[0].fileData.fileUri',
    parts({ functionResponse: { name: 'f', response: {}, parts: [file('files/abc')] } }),
  ],
  [
    'gemini',
    'systemInstruction.parts[0].fileData.fileUri',
    { systemInstruction: { parts: [file('files/abc')] } },
  ],
]

const sentOf = (sent: Sent | JsonObject): Sent =>
  'fields' in sent ? (sent as Sent) : { fields: sent as JsonObject }

describe.each([
  ['billed beyond tokens', BILLED],
  ['tools of an unknown type', UNKNOWN_TOOLS],
  ['things that only a provider remembers', REMEMBERED],
] as const)('%s: a 400 names the field, and nothing is held, sent or recorded', (_, cases) => {
  test.each(cases)('%s: %s', async (surface, field, request) => {
    const sent = sentOf(request)
    const before = counts()
    for (const streams of [false, true]) {
      await expectFieldRefused(surface, await send(surface, { ...sent, streams }), field)
    }
    await expectCounts(before)
  })
})

const FUNCTION = { type: 'function', function: { name: 'f' } }
const CUSTOM = { name: 'f', input_schema: { type: 'object' } }

const HARMLESS: readonly Case[] = [
  ...['auto', 'default', 'standard_only'].map(
    (tier): Case => ['openai', 'service_tier', { service_tier: tier }],
  ),
  ['openai', 'service_tier', { service_tier: null }],
  ['openai', 'store', { store: false }],
  ['openai', 'web_search_options', { web_search_options: null }],
  [
    'openai',
    'tools',
    { tools: [FUNCTION, { function: { name: 'g' } }, { type: 'custom', custom: { name: 'c' } }] },
  ],
  ['openai', 'tools', { tools: null }],
  [
    'openai',
    'a function of that name',
    { tools: [{ ...FUNCTION, function: { name: 'web_search', parameters: { type: 'web_search' } } }] },
  ],
  [
    'openai',
    'a file inline',
    blocks({ type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }),
  ],
  ...['auto', 'standard_only'].map((tier): Case => ['anthropic', 'service_tier', { service_tier: tier }]),
  ['anthropic', 'speed', { speed: 'standard' }],
  ['anthropic', 'inference_geo', { inference_geo: 'global' }],
  ['anthropic', 'mcp_servers', { mcp_servers: [] }],
  [
    'anthropic',
    'tools',
    {
      tools: [
        CUSTOM,
        { ...CUSTOM, type: 'custom' },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      ],
    },
  ],
  [
    'anthropic',
    'an argument of that name',
    blocks({ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: '{"file_id":"x"}' }] }),
  ],
  [
    'anthropic',
    'context_management',
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
  ],
  // Betas allow a field or a tool, which is judged where it stands.
  [
    'anthropic',
    'betas',
    beta('fast-mode-2026-02-01,mcp-client-2025-11-20,web-fetch-2025-09-10,skills-2025-10-02'),
  ],
  ['anthropic', 'betas', beta('interleaved-thinking-2025-05-14,prompt-caching-2024-07-31, novel-2030-01-01')],
  ['openai', 'provider', { provider: {} }],
  ...['standard', 'unspecified', 'STANDARD'].map(
    (tier): Case => ['gemini', 'serviceTier', { serviceTier: tier }],
  ),
  [
    'gemini',
    'tools',
    { tools: [{ functionDeclarations: [{ name: 'googleSearch' }] }, { function_declarations: [] }, {}] },
  ],
  ['gemini', 'a public file', parts(file('https://example.com/a.pdf'))],
  ['gemini', 'a public file', parts(file('https://www.youtube.com/watch?v=x'))],
]

test.each(HARMLESS)('a harmless field passes unchanged: %s, %s', async (surface, _, request) => {
  const sent = sentOf(request)
  const response = await send(surface, sent)
  expect([response.status, await response.text()]).toEqual([200, expect.anything()])
  expect(upstreamBody()).toMatchObject(sent.fields)
})

describe('fields that translation drops are never refused', () => {
  test.each([
    ['openai', 'gemini', { service_tier: 'priority', store: true }],
    ['anthropic', 'openai', { service_tier: 'priority', speed: 'fast' }],
    ['gemini', 'openai', { serviceTier: 'priority' }],
  ] as const)('%s to %s: %p', async (surface, to, fields) => {
    const response = await send(surface, { fields, to })
    expect(response.status).toBe(200)
    for (const name of Object.keys(fields)) expect(upstreamBody()).not.toHaveProperty(name)
  })
  test('betas go to no other protocol', async () => {
    const response = await send('anthropic', { ...beta('context-1m-2025-08-07'), to: 'openai' })
    expect(response.status).toBe(200)
    expect(upstream.last().headers).not.toHaveProperty('anthropic-beta')
  })
})

describe('two fields of one name cannot hide one of them', () => {
  test.each([
    ['openai', '"service_tier":"priority","service_tier":"auto"', /priority/],
    ['openai', '"tools":[{"type":"web_search"}],"tools":[]', /web_search/],
    ['anthropic', '"tools":[{"type":"web_search_20250305","name":"web_search"}],"tools":[]', /web_search/],
    ['anthropic', '"fallbacks":"default","fallbacks":null', /default/],
    ['gemini', '"tools":[{"googleSearch":{}}],"tools":[]', /googleSearch/],
  ] as const)('%s: %s', async (surface, text, hidden) => {
    const request = REQUESTS[surface](MODELS[surface], false, {})
    const body = `{${text},${JSON.stringify(request.body).slice(1)}`
    const before = counts().requests
    const response = await call(request.path, body, { form: 'x-api-key', headers: request.headers })
    await response.text()
    for (const { body: seen } of upstream.requests.slice(before)) expect(seen.toString()).not.toMatch(hidden)
  })
})

describe('count_tokens, which is free, reaches nothing that a provider remembers', () => {
  const count = async (more: JsonObject) => {
    upstream.answer(whole({ input_tokens: 12 }))
    const { headers } = REQUESTS.anthropic(MODELS.anthropic, false, {})
    const body = { model: MODELS.anthropic, messages: [{ role: 'user', content: 'x' }], ...more }
    return call('/v1/messages/count_tokens', body, { form: 'x-api-key', headers })
  }
  test('a file of another account', async () => {
    const response = await count(blocks({ type: 'document', source: { type: 'file', file_id: 'file_1' } }))
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('file_id')])
  })
  test('tools that the provider bills when they run are counted: nothing runs', async () => {
    expect((await count(tool('web_search_20250305', { name: 'web_search' }))).status).toBe(200)
  })
})
