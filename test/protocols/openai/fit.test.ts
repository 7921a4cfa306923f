// Requests to each known server of chat completions: no field that it refuses, thinking in its own field, valid names.
import { describe, expect, test } from 'bun:test'
import { translateRequest, type WrittenRequest } from '../../../src/calls/kinds/text/writing.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import { RULES } from '../../../src/protocols/openai/servers/rules.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { type JsonObject, objectIn, objectsIn } from '../../../src/protocols/wire/json.ts'
import { refusalBy } from '../../providers/rule.ts'
import { SERVERS } from '../../providers/servers/servers.ts'

const LONG_NAME = `mcp__${'tool_of_a_server_'.repeat(5)}search`
const LONG_ID = `call_${'0123456789'.repeat(9)}`

/** A model of each server that thinks, and calls tools in chat completions. */
const MODELS: Readonly<Record<string, string>> = {
  openai: 'gpt-5',
  azure: 'gpt-5',
  openrouter: 'deepseek/deepseek-v3.2',
  groq: 'openai/gpt-oss-120b',
  deepseek: 'deepseek-v4-pro',
  mistral: 'mistral-medium-3.5',
  xai: 'grok-4.3',
  moonshot: 'kimi-k2.6',
  together: 'zai-org/GLM-5',
  ollama: 'qwen3:8b',
  vllm: 'Qwen/Qwen3-32B',
}

const MESSAGES: JsonObject = {
  model: 'm',
  max_tokens: 4_000,
  temperature: 0.5,
  system: 'Be brief.',
  metadata: { user_id: `user_${'x'.repeat(150)}` },
  thinking: { type: 'enabled', budget_tokens: 2_000 },
  tools: [{ name: LONG_NAME, input_schema: { type: 'object', properties: {} } }],
  messages: [
    { role: 'user', content: 'Look it up.' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: '' },
        { type: 'tool_use', id: LONG_ID, name: LONG_NAME, input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: LONG_ID, content: 'Found.' },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ],
}

const CONTENTS: JsonObject = {
  generationConfig: { maxOutputTokens: 4_000, topP: 0.9, seed: 7, thinkingConfig: { thinkingBudget: 2_000 } },
  tools: [
    { functionDeclarations: [{ name: 'ns.search:v1', parameters: { type: 'OBJECT', properties: {} } }] },
  ],
  contents: [
    { role: 'user', parts: [{ text: 'Look it up.' }] },
    {
      role: 'model',
      parts: [
        { text: 'I should look.', thought: true },
        { functionCall: { name: 'ns.search:v1', args: {} } },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'ns.search:v1', response: { output: 'Found.' } } }] },
  ],
}

const CHAT: JsonObject = {
  model: 'm',
  max_completion_tokens: 4_000,
  reasoning_effort: 'minimal',
  user: 'me',
  store: false,
  tools: [
    { type: 'function', function: { name: LONG_NAME, parameters: { type: 'object', properties: {} } } },
  ],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: LONG_NAME } }] },
  },
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Look it up.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: LONG_ID, type: 'function', function: { name: LONG_NAME, arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: LONG_ID, content: 'Found.' },
    { role: 'user', content: 'Go on.' },
  ],
}

const form = (server: string) => ({ server, drop_fields: [], set_fields: {}, set_tokens: 0 })

function sentTo(
  server: string,
  from: BuiltInProtocol,
  original: JsonObject,
  model = MODELS[server] ?? '',
): WrittenRequest {
  const request = BUILT_IN_PROTOCOLS[from].text.decodeRequest(original, false)
  return translateRequest(original, request, openai, {
    model,
    max_output_tokens: 8_000,
    automatic_caching: false,
    form: form(server),
  })
}

const passedTo = (server: string, original: JsonObject, model = MODELS[server] ?? ''): JsonObject =>
  openai.text.fit?.({ ...original, model }, { server, model, is_translated: false }).body ?? {}

const RULED_SERVERS = Object.keys(RULES)

describe('a limit has the older name for servers that read only that', () => {
  test.each(['deepseek', 'mistral', 'moonshot', 'together', 'ollama'])('%s', (server) => {
    const limits = { max_completion_tokens: 9, max_tokens: null }
    for (const original of [{ max_completion_tokens: 9 }, limits]) {
      const body = passedTo(server, original)
      expect(body).toMatchObject({ max_tokens: 9 })
      expect(Object.keys(body)).not.toContain('max_completion_tokens')
    }
  })

  test('and the newer name for OpenAI, even in place of a null', () => {
    const body = passedTo('openai', { max_completion_tokens: null, max_tokens: 9 }, 'gpt-5')
    expect(body).toMatchObject({ max_completion_tokens: 9 })
    expect(Object.keys(body)).not.toContain('max_tokens')
  })
})

/** The simulated server's refusal of a body, except by the rule about what only another API of the provider takes. */
function refusal(name: string, body: JsonObject): string | undefined {
  const server = SERVERS.find((each) => each.name === name)
  const rules = server?.rules.filter((rule) => !rule.name.includes('reasoning with function tools')) ?? []
  return refusalBy(rules, { model: String(body.model), body, headers: new Headers() })?.message
}

describe.each(RULED_SERVERS)('%s refuses nothing', (name) => {
  test.each([
    ['anthropic', MESSAGES],
    ['gemini', CONTENTS],
  ] as const)('of a tool loop of %s callers', (from, original) => {
    expect(refusal(name, sentTo(name, from, original).body)).toBeUndefined()
  })

  test('of a chat completion that passes through', () => {
    expect(refusal(name, passedTo(name, CHAT))).toBeUndefined()
  })
})

const assistantOf = ({ messages }: JsonObject): JsonObject =>
  objectsIn(messages).find(({ role }) => role === 'assistant') ?? {}

describe('unsigned thinking is sent back', () => {
  const THOUGHT = 'I should look.'
  const PLACES: readonly (readonly [server: string, expected: JsonObject])[] = [
    ['deepseek', { reasoning_content: THOUGHT }],
    ['moonshot', { reasoning_content: THOUGHT }],
    ['openrouter', { reasoning_details: [{ type: 'reasoning.text', text: THOUGHT, index: 0 }] }],
    ['groq', { reasoning: THOUGHT }],
    ['together', { reasoning: THOUGHT }],
    ['ollama', { reasoning: THOUGHT }],
    ['vllm', { reasoning: THOUGHT }],
    ['openai', {}],
    ['azure', {}],
    ['mistral', {}],
    ['xai', {}],
  ]
  test.each(PLACES)('to %s as %o', (server, expected) => {
    const { body, dropped } = sentTo(server, 'anthropic', MESSAGES)
    const { role: _r, content: _c, tool_calls: _t, ...thinking } = assistantOf(body)
    expect(thinking).toEqual(expected)
    expect(dropped.includes('thinking')).toBe(Object.keys(expected).length === 0)
  })

  test.each([
    ['groq', 'llama-3.3-70b-versatile'],
    ['unknown', 'gpt-4.1'],
    ['unknown', 'gemini-3-flash'],
    ['unknown', 'o3'],
  ])('not to %s for %s', (server, model) => {
    const { body, dropped } = sentTo(server, 'anthropic', MESSAGES, model)
    expect(Object.keys(assistantOf(body)).filter((key) => key.startsWith('reasoning'))).toEqual([])
    expect(dropped).toContain('thinking')
  })

  test('to an unknown server as reasoning_content', () => {
    expect(assistantOf(sentTo('unknown', 'anthropic', MESSAGES, 'glm-5').body)).toMatchObject({
      reasoning_content: THOUGHT,
    })
  })

  const passedMessage = (server: string, thinking: JsonObject) =>
    assistantOf(
      passedTo(server, {
        messages: [
          { role: 'assistant', content: 'Hi', ...thinking },
          { role: 'user', content: 'Go on.' },
        ],
      }),
    )
  test.each([
    ['deepseek', { reasoning: 'Hm' }, { reasoning_content: 'Hm' }],
    ['vllm', { reasoning_content: 'Hm' }, { reasoning: 'Hm' }],
    ['mistral', { reasoning_content: 'Hm' }, {}],
    ['openai', { reasoning_content: 'Hm' }, {}],
    ['unknown', { reasoning: 'Hm' }, { reasoning: 'Hm' }],
  ])('passing through to %s: %o', (server, message, expected) => {
    expect(passedMessage(server, message)).toEqual({ role: 'assistant', content: 'Hi', ...expected })
  })

  test.each([
    ['deepseek', '', {}],
    ['moonshot', ' ', {}],
    ['deepseek', undefined, { thinking: { type: 'disabled' } }],
    ['moonshot', undefined, { thinking: { type: 'disabled' } }],
    ['vllm', undefined, {}],
  ])('%s gets %p if the caller sends no reasoning_content', (server, expected, more) => {
    const { reasoning_effort: _, ...chat } = CHAT
    expect(assistantOf(passedTo(server, { ...chat, ...more })).reasoning_content).toBe(expected)
  })

  test.each([
    ['anthropic/claude-opus-5', 1],
    ['deepseek/deepseek-v3.2', 0],
  ])('signed thinking is sent to OpenRouter for %s only if that model signed it', (model, details) => {
    const signed = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' }
    const message = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm', reasoning_details: [signed] }
    const { reasoning_details } = assistantOf(passedTo('openrouter', { messages: [message] }, model))
    expect(objectsIn(reasoning_details)).toHaveLength(details)
  })
})

describe('fields', () => {
  const SENT: readonly (readonly [string, string, JsonObject, JsonObject, string[]])[] = [
    ['deepseek', '', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }, []],
    ['moonshot', '', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }, []],
    ['mistral', 'mistral-small-2603', { reasoning_effort: 'low' }, { reasoning_effort: 'high' }, []],
    ['mistral', 'mistral-small-2603', { reasoning_effort: 'none' }, { reasoning_effort: 'none' }, []],
    ['mistral', 'mistral-large-2512', { reasoning_effort: 'low' }, {}, ['reasoning_effort']],
    ['mistral', '', { seed: 7, max_completion_tokens: 9 }, { random_seed: 7, max_tokens: 9 }, []],
    ['mistral', '', { store: true, verbosity: 'low' }, {}, ['store', 'verbosity']],
    ['bedrock', 'openai.gpt-oss-120b-1:0', { safety_identifier: 'u' }, { user: 'u' }, []],
    [
      'bedrock',
      'openai.gpt-oss-20b-1:0',
      { prompt_cache_key: 'k', verbosity: 'low', seed: 7 },
      { seed: 7 },
      ['prompt_cache_key', 'verbosity'],
    ],
    ['bedrock', 'openai.gpt-5.6', { prompt_cache_key: 'k' }, { prompt_cache_key: 'k' }, []],
    ['groq', 'qwen/qwen3-32b', { reasoning_effort: 'high' }, { reasoning_effort: 'default' }, []],
    ['groq', 'openai/gpt-oss-20b', { reasoning_effort: 'none' }, { reasoning_effort: 'low' }, []],
    ['groq', 'llama-3.3-70b', { reasoning_effort: 'low' }, {}, ['reasoning_effort']],
    ['xai', 'grok-4', { reasoning_effort: 'low' }, {}, ['reasoning_effort']],
    ['xai', 'grok-4', { presence_penalty: 1 }, {}, ['presence_penalty']],
    ['xai', 'grok-4-fast-non-reasoning', { presence_penalty: 1 }, { presence_penalty: 1 }, []],
    ['moonshot', 'kimi-k2.6', { temperature: 0.3, top_p: 1 }, {}, ['temperature']],
    ['moonshot', 'moonshot-v1-8k', { temperature: 0.3 }, { temperature: 0.3 }, []],
    ['ollama', '', { reasoning_effort: 'xhigh' }, { reasoning_effort: 'max' }, []],
    ['openai', 'gpt-5', { reasoning_effort: 'none' }, { reasoning_effort: 'minimal' }, []],
    ['openai', 'gpt-5.2', { reasoning_effort: 'none' }, { reasoning_effort: 'none' }, []],
    ['openai', 'gpt-5.6-terra', { max_tokens: 9 }, { max_completion_tokens: 9 }, []],
    ['openai', 'gpt-4.1', { max_tokens: 9 }, { max_tokens: 9 }, []],
    ['unknown', 'gpt-5', { max_tokens: 9 }, { max_tokens: 9 }, []],
    ['openai', 'gpt-9', { reasoning_effort: 'max' }, { reasoning_effort: 'max' }, []],
    ['azure', '', { safety_identifier: 'a' }, { user: 'a' }, []],
    ['unknown', '', { safety_identifier: 'a', seed: 7 }, { safety_identifier: 'a', seed: 7 }, []],
  ]
  test.each(SENT)('%s, %s: %o is sent as %o, without %p', (server, model, body, expected, dropped) => {
    const fitted = openai.text.fit?.(body, { server, model, is_translated: false })
    expect(fitted?.body).toEqual(expected)
    expect([...(fitted?.dropped ?? [])]).toEqual(dropped)
  })

  test.each([
    ['xai', 'anthropic', { ...MESSAGES, stop_sequences: ['END'] }, 'stop_sequences'],
    [
      'groq',
      'gemini',
      { ...CONTENTS, generationConfig: { responseLogprobs: true } },
      'generationConfig.responseLogprobs',
    ],
    [
      'mistral',
      'gemini',
      { ...CONTENTS, generationConfig: { responseLogprobs: true } },
      'generationConfig.responseLogprobs',
    ],
  ] as const)('a field that %s lacks is refused for %s callers', (server, from, original, param) => {
    expect(() => sentTo(server, from, original as JsonObject)).toThrow(`${param} is not supported`)
  })

  test.each([
    ['openai', false],
    ['azure', false],
    ['foundry', false],
    ['xai', true],
    ['unknown', true],
  ])('the status of a reasoning item is sent to %s: %p', (server, is_sent) => {
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABIbQ' }
    const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}', status: 'completed' }
    const input = [{ ...reasoning, status: 'completed' }, call]
    const { body } = responses.text.fit?.(
      { model: 'gpt-5.4', input },
      { server, model: 'gpt-5.4', is_translated: false },
    ) ?? { body: undefined }
    expect(body?.input).toEqual(is_sent ? input : [reasoning, call])
  })

  test('a body that the server takes is not changed', () => {
    const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }], temperature: 0.5 }
    for (const server of [...RULED_SERVERS, 'unknown', undefined])
      expect(openai.text.fit?.(body, { server, model: 'gpt-4.1', is_translated: false }).body).toBe(body)
  })
})

describe('names and ids', () => {
  test.each(RULED_SERVERS)('a call and its result keep one id that %s takes', (server) => {
    const messages = objectsIn(sentTo(server, 'anthropic', MESSAGES).body.messages)
    const call_ids = messages.flatMap(({ tool_calls }) => objectsIn(tool_calls).map(({ id }) => id))
    const result_ids = messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])
    expect([...result_ids]).toEqual([...call_ids] as typeof result_ids)
  })

  test.each([
    ['openai', 'anthropic', MESSAGES, LONG_NAME],
    ['mistral', 'gemini', CONTENTS, 'ns.search:v1'],
    ['unknown', 'anthropic', MESSAGES, LONG_NAME],
  ] as const)('%s gets a valid tool name, mapped back for %s callers', (server, from, original, name) => {
    const { body, renamed_tools } = sentTo(server, from, original as JsonObject)
    const [tool] = objectsIn(body.tools)
    const sent = String(objectIn(tool?.function).name)
    expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(renamed_tools.get(sent)).toBe(name)
    expect(JSON.stringify(body)).not.toContain(`"${name}"`)
  })

  test('an end user is sent as 64 hexadecimal digits', () => {
    expect(sentTo('openai', 'anthropic', MESSAGES).body.safety_identifier).toMatch(/^[0-9a-f]{64}$/)
    expect(sentTo('mistral', 'anthropic', MESSAGES).dropped).toContain('metadata.user_id')
  })
})
