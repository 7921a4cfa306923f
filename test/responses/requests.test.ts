// Issue: "Input items of all kinds …, instructions, tools and tool choice": the parts of a request that reach a provider, and their form.
import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { MODELS } from '../support/three-providers.ts'
import { stream as streamed, whole } from '../support/upstream.ts'
import { QUESTION, responsesScene } from './support.ts'

const { upstream, post, create, eventsFor, upstreamBody } = await responsesScene()
const model = MODELS.openai
const user = (content: Json) => ({ role: 'user', content })
const PIXEL = 'data:image/png;base64,AAEC'
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const CALL = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"sky"}' }
const LOOK = { type: 'function', name: 'look', description: 'Looks.', parameters: SCHEMA, strict: true }
const PATCH = {
  type: 'custom',
  name: 'patch',
  description: 'Patches.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
}
const TEAM = {
  type: 'namespace',
  name: 'team',
  description: 'A team.',
  tools: [{ type: 'function', name: 'call', parameters: SCHEMA }],
}
const SEARCH = { type: 'web_search' }
const declared = (name: string) => ({ type: 'function', function: { name, parameters: SCHEMA } })

/** [name, fields of the request, the request that the provider gets] */
const CARRIED: [string, JsonObject, object][] = [
  ['text', { input: 'Hello' }, { messages: [user('Hello')] }],
  ['a message without a type', { input: [user('Hello')] }, { messages: [user('Hello')] }],
  [
    'parts of text',
    { input: [{ type: 'message', ...user([{ type: 'input_text', text: 'Hello' }]) }] },
    { messages: [user('Hello')] },
  ],
  [
    'instructions, and developer messages, before all else',
    { input: [{ role: 'developer', content: 'Second.' }, user('Hello')], instructions: 'First.' },
    { messages: [{ role: 'system', content: 'First.\n\nSecond.' }, user('Hello')] },
  ],
  [
    'instructions alone',
    { instructions: 'Go on.', input: [] },
    { messages: [{ role: 'system', content: 'Go on.' }] },
  ],
  [
    'an inline image',
    { input: [user([{ type: 'input_image', image_url: PIXEL, detail: 'auto' }])] },
    { messages: [user([{ type: 'image_url', image_url: { url: PIXEL } }])] },
  ],
  [
    'an inline file',
    {
      input: [
        user([{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAEC' }]),
      ],
    },
    {
      messages: [
        user([{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAEC' } }]),
      ],
    },
  ],
  [
    'audio',
    { input: [user([{ type: 'input_audio', input_audio: { format: 'wav', data: 'AAEC' } }])] },
    { messages: [user([{ type: 'input_audio', input_audio: { format: 'wav', data: 'AAEC' } }])] },
  ],
  [
    'an answer that is sent back, with a refusal in it',
    {
      input: [
        user('Hello'),
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [
            { type: 'output_text', text: 'A', annotations: [] },
            { type: 'refusal', refusal: 'B' },
          ],
        },
        user('Go on'),
      ],
    },
    { messages: [user('Hello'), { role: 'assistant', content: 'AB' }, user('Go on')] },
  ],
  [
    'a call and its result',
    {
      input: [user('Hello'), CALL, { type: 'function_call_output', call_id: 'c1', output: 'blue' }],
      tools: [LOOK],
    },
    {
      messages: [
        user('Hello'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'blue' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: SCHEMA, strict: true },
        },
      ],
    },
  ],
  [
    'a result in parts, with an image',
    {
      input: [
        user('Hello'),
        CALL,
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [
            { type: 'input_text', text: 'blue' },
            { type: 'input_image', image_url: PIXEL },
          ],
        },
      ],
    },
    {
      messages: [
        user('Hello'),
        {},
        { role: 'tool', tool_call_id: 'c1', content: 'blue' },
        user([{ type: 'image_url', image_url: { url: PIXEL } }]),
      ],
    },
  ],
  [
    'a custom tool, as a function of one text, its grammar in words',
    { input: QUESTION, tools: [PATCH] },
    {
      tools: [
        {
          function: {
            name: 'patch',
            description: expect.stringContaining('lark grammar:\nstart: "x"'),
            parameters: { required: ['input'] },
          },
        },
      ],
    },
  ],
  [
    'a call of a custom tool and its result',
    {
      input: [
        user('Hello'),
        { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'a\nb' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
      ],
    },
    {
      messages: [
        user('Hello'),
        { tool_calls: [{ function: { name: 'patch', arguments: '{"input":"a\\nb"}' } }] },
        { role: 'tool', content: 'done' },
      ],
    },
  ],
  [
    'the tools of a namespace, and a call of one',
    {
      input: [
        user('Hello'),
        { ...CALL, name: 'call', namespace: 'team' },
        { type: 'function_call_output', call_id: 'c1', output: 'x' },
      ],
      tools: [TEAM],
    },
    {
      messages: [user('Hello'), { tool_calls: [{ function: { name: 'team__call' } }] }, {}],
      tools: [declared('team__call')],
    },
  ],
  [
    'the tools that an item adds, as Codex offers its own, and a call of one',
    {
      input: [
        { type: 'additional_tools', role: 'developer', tools: [{ ...TEAM, tools: [PATCH] }, SEARCH] },
        user('Hello'),
        { type: 'custom_tool_call', call_id: 'c1', name: 'patch', namespace: 'team', input: 'a' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
      ],
      tools: [LOOK],
    },
    {
      messages: [user('Hello'), { tool_calls: [{ function: { name: 'team__patch' } }] }, {}],
      tools: [declared('look'), { function: { name: 'team__patch', parameters: { required: ['input'] } } }],
    },
  ],
  [
    'tool_choice: a word',
    { input: QUESTION, tools: [LOOK], tool_choice: 'required' },
    { tool_choice: 'required' },
  ],
  ['tool_choice: none', { input: QUESTION, tools: [LOOK], tool_choice: 'none' }, { tool_choice: 'none' }],
  [
    'tool_choice: a function',
    { input: QUESTION, tools: [LOOK], tool_choice: { type: 'function', name: 'look' } },
    { tool_choice: { type: 'function', function: { name: 'look' } } },
  ],
  [
    'tool_choice: some of the tools',
    {
      input: QUESTION,
      tools: [LOOK, PATCH, TEAM],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'look' },
          { type: 'custom', name: 'patch' },
        ],
      },
    },
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: [{ function: { name: 'look' } }, { function: { name: 'patch' } }],
        },
      },
    },
  ],
  [
    'parallel_tool_calls',
    { input: QUESTION, tools: [LOOK], parallel_tool_calls: false },
    { parallel_tool_calls: false },
  ],
  [
    'text.format: a schema',
    {
      input: QUESTION,
      text: { format: { type: 'json_schema', name: 'city', schema: SCHEMA, strict: true }, verbosity: 'low' },
    },
    { response_format: { type: 'json_schema', json_schema: { name: 'city', schema: SCHEMA, strict: true } } },
  ],
  [
    'text.format: any JSON',
    { input: QUESTION, text: { format: { type: 'json_object' } } },
    { response_format: { type: 'json_object' } },
  ],
  [
    'reasoning.effort',
    { input: QUESTION, reasoning: { effort: 'high', summary: 'auto' } },
    { reasoning_effort: 'high' },
  ],
  ['max_output_tokens', { input: QUESTION, max_output_tokens: 500 }, { max_completion_tokens: 500 }],
  [
    'log probabilities',
    { input: QUESTION, include: ['message.output_text.logprobs'], top_logprobs: 2 },
    { logprobs: true, top_logprobs: 2 },
  ],
  [
    'the end user',
    { input: QUESTION, user: 'u1' },
    { safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ],
]

describe('the request to a provider of chat completions', () => {
  test.each(CARRIED)('%s', async (_, fields, expected) => {
    await create({ model, ...fields })
    expect(upstreamBody()).toMatchObject(expected as JsonObject)
  })

  test('fields that do not change the answer are dropped, but for the key of the cache', async () => {
    const fields = {
      store: true,
      truncation: 'auto',
      metadata: { key: 'value-to-look-for' },
      prompt_cache_key: 'k',
      service_tier: 'auto',
      client_metadata: { x: 'y' },
      include: ['reasoning.encrypted_content'],
    }
    expect(await create({ model, input: QUESTION, ...fields })).toMatchObject({
      metadata: fields.metadata,
      truncation: 'auto',
      prompt_cache_key: 'k',
    })
    expect(Object.keys(upstreamBody()).sort()).toEqual(['messages', 'model', 'prompt_cache_key'])
  })

  test('the phase of a message is dropped, and named', async () => {
    const message = { type: 'message', role: 'assistant', phase: 'commentary', content: 'I look.' }
    const response = await post({ model, input: [user('A'), message, user('B')] })
    expect(response.headers.get('x-tollgate-dropped')).toBe('phase')
    expect(upstreamBody().messages).toEqual([user('A'), { role: 'assistant', content: 'I look.' }, user('B')])
  })

  test('items that hosted tools left in a conversation are dropped', async () => {
    const types = ['web_search_call', 'file_search_call', 'mcp_list_tools', 'image_generation_call']
    await create({ model, input: [user('A'), ...types.map((type) => ({ type, id: 'x' })), user('B')] })
    expect(upstreamBody().messages).toEqual([
      user([
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ]),
    ])
  })
})

describe('a call of a tool comes back in the kind of its definition', () => {
  const tools = [LOOK, PATCH, TEAM]
  const calling = (name: string, args: string) => [
    { index: 0, id: 'c9', type: 'function', function: { name, arguments: args } },
  ]
  const answering = (name: string, args: string) => (seen: { body: Buffer }) =>
    seen.body.includes('"stream":true')
      ? streamed(
          { event: { id: 'x', choices: [{ index: 0, delta: { tool_calls: calling(name, args) } }] } },
          { event: { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] } },
          { event: '[DONE]' },
        )
      : whole({
          choices: [
            {
              index: 0,
              message: { role: 'assistant', tool_calls: calling(name, args) },
              finish_reason: 'tool_calls',
            },
          ],
        })

  test.each([
    ['look', '{"at":"sky"}', { type: 'function_call', name: 'look', arguments: '{"at":"sky"}' }],
    ['team__call', '{}', { type: 'function_call', name: 'call', namespace: 'team', arguments: '{}' }],
    ['patch', '{"input":"a\\nb"}', { type: 'custom_tool_call', name: 'patch', input: 'a\nb' }],
  ])('%s', async (name, args, item) => {
    upstream.answer(answering(name, args))
    expect((await create({ model, input: QUESTION, tools })).output).toMatchObject([
      { call_id: 'c9', ...item },
    ])
    const got = await eventsFor({ model, input: QUESTION, tools })
    expect(got.at(-1)).toMatchObject({ response: { output: [{ call_id: 'c9', ...item }] } })
    const done = got.find(({ type }) => /(?:arguments|input)\.done$/.test(String(type)))
    expect(done).toMatchObject('input' in item ? { input: item.input } : { arguments: args })
  })

  test('even if an item of the input added its tool', async () => {
    upstream.answer(answering('team__patch', '{"input":"a"}'))
    const added = { type: 'additional_tools', role: 'developer', tools: [{ ...TEAM, tools: [PATCH] }] }
    const input = [added, user('Hello')]
    const item = { type: 'custom_tool_call', call_id: 'c9', name: 'patch', namespace: 'team', input: 'a' }
    expect((await create({ model, input })).output).toMatchObject([item])
    expect((await eventsFor({ model, input })).at(-1)).toMatchObject({ response: { output: [item] } })
  })
})
