// Canonical requests as the responses API of a provider gets them, and refused ones.
import { describe, expect, test } from 'bun:test'
import type { GatewayError } from '../../../src/domain/errors.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

const encode = (from: BuiltInProtocol, body: JsonObject, model = 'gpt-6-sol'): JsonObject =>
  responses.text.encodeRequest(BUILT_IN_PROTOCOLS[from].text.decodeRequest(body, false), {
    model,
    max_output_tokens: 9_000,
  })
const chat = (body: JsonObject, model?: string): JsonObject =>
  encode('openai', { messages: [{ role: 'user', content: 'Hi' }], ...body }, model)
const messages = (body: JsonObject, model?: string): JsonObject =>
  encode('anthropic', { max_tokens: 500, messages: [{ role: 'user', content: 'Hi' }], ...body }, model)

const hashed = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const HI = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }]
const CITY = { type: 'object', properties: { city: { type: 'string' } } }
const CLOSED = { ...CITY, required: ['city'], additionalProperties: false }
const tool = (more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name: 'look', parameters: CITY, ...more },
})
const sentTool = (more: JsonObject = {}): JsonObject => ({
  type: 'function',
  name: 'look',
  parameters: CITY,
  strict: false,
  ...more,
})

describe('fields', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['a limit', { max_completion_tokens: 90 }, { max_output_tokens: 90 }],
    ['an effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
    ['no thinking', { reasoning_effort: 'none' }, { reasoning: { effort: 'none' } }],
    ['a level that the model lacks', { reasoning_effort: 'minimal' }, { reasoning: { effort: 'low' } }],
    ['a stream', { stream: true }, { stream: true }],
    ['the user, as a hash', { user: 'u' }, { safety_identifier: hashed('u') }],
    ['the cache key', { prompt_cache_key: 'k' }, { prompt_cache_key: 'k' }],
    ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
    ['any JSON', { response_format: { type: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
    [
      'a schema',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'city', schema: CLOSED, strict: true },
        },
      },
      { text: { format: { type: 'json_schema', name: 'city', schema: CLOSED, strict: true } } },
    ],
    [
      'a schema that cannot be strict',
      { response_format: { type: 'json_schema', json_schema: { name: 'city', schema: CITY, strict: true } } },
      { text: { format: { type: 'json_schema', name: 'city', schema: CITY } } },
    ],
    [
      'log probabilities',
      { logprobs: true, top_logprobs: 3 },
      { include: ['message.output_text.logprobs'], top_logprobs: 3 },
    ],
    [
      'sampling, and penalties, which it lacks',
      { temperature: 0.5, top_p: 0.5, presence_penalty: 1, frequency_penalty: 1 },
      { temperature: 0.5, top_p: 0.5 },
    ],
    ['a seed', { seed: 7 }, {}],
    ['tools that are not strict', { tools: [tool()] }, { tools: [sentTool()] }],
    [
      'a strict tool',
      { tools: [tool({ parameters: CLOSED, strict: true })] },
      { tools: [sentTool({ parameters: CLOSED, strict: true })] },
    ],
    [
      'a tool without parameters',
      { tools: [{ type: 'function', function: { name: 'look', description: 'Looks.' } }] },
      { tools: [sentTool({ description: 'Looks.', parameters: { type: 'object', properties: {} } })] },
    ],
    [
      'a tool that must be called',
      { tools: [tool()], tool_choice: { type: 'function', function: { name: 'look' } } },
      { tools: [sentTool()], tool_choice: { type: 'function', name: 'look' } },
    ],
    [
      'any tool',
      { tools: [tool()], tool_choice: 'required' },
      { tools: [sentTool()], tool_choice: 'required' },
    ],
    [
      'some tools',
      {
        tools: [tool()],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
        },
      },
      {
        tools: [sentTool()],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
      },
    ],
    [
      'calls one after the other',
      { tools: [tool()], parallel_tool_calls: false },
      { tools: [sentTool()], parallel_tool_calls: false },
    ],
    ['a choice without tools', { tool_choice: 'auto' }, {}],
  ])('%s', (_, body, expected) => {
    expect(chat(body)).toEqual({ model: 'gpt-6-sol', input: HI, ...expected })
  })

  test('system prompts at any place', () => {
    const body = chat({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'Be brief.' },
      ],
    })
    expect(body).toEqual({ model: 'gpt-6-sol', instructions: 'Be kind.\n\nBe brief.', input: HI })
  })
})

describe('a summary of the reasoning is requested if the caller sees the thinking', () => {
  test.each<[JsonObject | undefined, JsonObject | undefined]>([
    [
      { type: 'enabled', budget_tokens: 9_000 },
      { effort: 'high', summary: 'auto' },
    ],
    [{ type: 'adaptive' }, { summary: 'auto' }],
    [{ type: 'adaptive', display: 'omitted' }, undefined],
    [{ type: 'disabled' }, { effort: 'none' }],
    [undefined, undefined],
  ])('thinking: %o', (thinking, expected) => {
    expect(messages(thinking ? { thinking } : {}).reasoning).toEqual(expected as JsonObject)
  })
})

describe('the conversation', () => {
  const encrypted = (value: string) =>
    Buffer.from(`openai-responses-v1.redacted_thinking.${value}`).toString('base64')
  const PNG = { type: 'base64', media_type: 'image/png', data: 'aGk=' }
  const image = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aGk=' }
  const reasoning = (encrypted_content: string) => ({ type: 'reasoning', summary: [], encrypted_content })
  const call = (call_id: string) => ({
    type: 'function_call',
    call_id,
    name: 'look',
    arguments: '{"city":"A"}',
  })
  const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { city: 'A' } })
  const assistantTurn = (text: string) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  })

  const cases: [string, JsonObject[], Json[]][] = [
    [
      'pictures and files',
      [
        {
          role: 'user',
          content: [
            { type: 'image', source: PNG },
            { type: 'image', source: { type: 'url', url: 'https://x.org/a.png' } },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
            },
            { type: 'document', source: { type: 'url', url: 'https://x.org/a.pdf' } },
            { type: 'text', text: 'Hi' },
          ],
        },
      ],
      [
        {
          type: 'message',
          role: 'user',
          content: [
            image,
            { type: 'input_image', detail: 'auto', image_url: 'https://x.org/a.png' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
            { type: 'input_file', file_url: 'https://x.org/a.pdf' },
            { type: 'input_text', text: 'Hi' },
          ],
        },
      ],
    ],
    [
      'two calls, with the reasoning before each, and their results, one with a picture',
      [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'redacted_thinking', data: encrypted('one') },
            use('a'),
            { type: 'redacted_thinking', data: encrypted('two') },
            use('b'),
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Well?' },
            { type: 'tool_result', tool_use_id: 'a', content: 'warm' },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'image', source: PNG }] },
          ],
        },
      ],
      [
        ...HI,
        reasoning('one'),
        call('a'),
        reasoning('two'),
        call('b'),
        { type: 'function_call_output', call_id: 'a', output: 'warm' },
        { type: 'function_call_output', call_id: 'b', output: [image] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Well?' }] },
      ],
    ],
    [
      'unsigned thinking, and that of another provider, is left out',
      [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: '' },
            { type: 'thinking', thinking: 'Hm.', signature: 'of-claude' },
            { type: 'text', text: 'Hello.' },
          ],
        },
        { role: 'user', content: 'Hi' },
      ],
      [...HI, assistantTurn('Hello.'), ...HI],
    ],
    [
      'reasoning at the end of its turn is left out',
      [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Hello.' },
            { type: 'redacted_thinking', data: encrypted('cut off') },
          ],
        },
        { role: 'user', content: 'Hi' },
      ],
      [...HI, assistantTurn('Hello.'), ...HI],
    ],
  ]
  test.each(cases)('%s', (_, sent, input) => {
    expect(messages({ messages: sent }).input).toEqual(input)
  })
})

describe('refused, naming the field as the caller does', () => {
  const refusal = (make: () => unknown): GatewayError => {
    try {
      make()
    } catch (thrown) {
      return thrown as GatewayError
    }
    throw new Error('not refused')
  }
  test.each<[string, () => unknown]>([
    ['stop', () => chat({ stop: 'END' })],
    ['n', () => chat({ n: 2 })],
    ['modalities', () => chat({ modalities: ['image', 'text'] })],
    ['stop_sequences', () => messages({ stop_sequences: ['END'] })],
    [
      'generationConfig.candidateCount',
      () =>
        encode('gemini', {
          contents: [{ parts: [{ text: 'Hi' }] }],
          generationConfig: { candidateCount: 2 },
        }),
    ],
    [
      'messages[0].content[0]',
      () =>
        chat({
          messages: [
            {
              role: 'user',
              content: [{ type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }],
            },
          ],
        }),
    ],
  ])('%s', (param, make) => {
    const error = refusal(make)
    expect(error.kind).toBe('invalid_request')
    expect(error.param).toBe(param)
    expect(error.message).toContain(param)
  })
})
