// Tools that the caller runs and OpenAI's models know by their type: functions for others, whose calls come back as the items of that type.
import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { errorOf } from '../chat/support.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { stream as streamed, whole } from '../support/upstream.ts'
import { QUESTION, responsesScene } from './support.ts'

const { upstream, post, create, eventsFor, upstreamBody, counts, expectCounts } = await responsesScene()
const model = MODELS.openai
const TOOLS: JsonObject[] = [
  { type: 'local_shell' },
  { type: 'shell', environment: { type: 'local' } },
  { type: 'apply_patch' },
]

test.each(PROTOCOLS)('a %s model gets functions', async (provider) => {
  const response = await post({ model: MODELS[provider], input: QUESTION, tools: TOOLS })
  expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, null])
  const sent = JSON.stringify(upstreamBody())
  for (const name of ['local_shell', 'shell', 'apply_patch']) expect(sent).toContain(`"name":"${name}"`)
  expect(((await response.json()) as JsonObject).tools).toEqual(TOOLS)
})

/** [name, the tool, the arguments that a model writes, the fields of the item] */
const CALLS: readonly (readonly [string, string, JsonObject, JsonObject])[] = [
  [
    'a local shell',
    'local_shell',
    { command: ['ls', '-a'], working_directory: '/tmp' },
    {
      type: 'local_shell_call',
      action: { type: 'exec', command: ['ls', '-a'], env: {}, timeout_ms: null, working_directory: '/tmp' },
    },
  ],
  [
    'a local shell, its command as one text',
    'local_shell',
    { command: 'ls -a', timeout_ms: 9 },
    {
      type: 'local_shell_call',
      action: {
        type: 'exec',
        command: ['bash', '-lc', 'ls -a'],
        env: {},
        timeout_ms: 9,
        working_directory: null,
      },
    },
  ],
  [
    'a shell',
    'shell',
    { commands: ['ls', 'pwd'], max_output_length: 500 },
    {
      type: 'shell_call',
      action: { commands: ['ls', 'pwd'], timeout_ms: null, max_output_length: 500 },
      environment: { type: 'local' },
    },
  ],
  [
    'a shell without arguments',
    'shell',
    {},
    {
      type: 'shell_call',
      action: { commands: [], timeout_ms: null, max_output_length: null },
      environment: { type: 'local' },
    },
  ],
  [
    'a patch',
    'apply_patch',
    { type: 'update_file', path: 'a.ts', diff: '@@\n-a\n+b' },
    { type: 'apply_patch_call', operation: { type: 'update_file', path: 'a.ts', diff: '@@\n-a\n+b' } },
  ],
  [
    'a patch that deletes',
    'apply_patch',
    { type: 'delete_file', path: 'a.ts' },
    { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a.ts' } },
  ],
]

describe('a call comes back as the item of its type', () => {
  const answering = (name: string, args: JsonObject) => (seen: { body: Buffer }) => {
    const tool_calls = [
      { index: 0, id: 'c9', type: 'function', function: { name, arguments: JSON.stringify(args) } },
    ]
    return seen.body.includes('"stream":true')
      ? streamed(
          { event: { id: 'x', choices: [{ index: 0, delta: { tool_calls } }] } },
          { event: { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] } },
          { event: '[DONE]' },
        )
      : whole({
          choices: [{ index: 0, message: { role: 'assistant', tool_calls }, finish_reason: 'tool_calls' }],
        })
  }

  test.each(CALLS)('%s', async (_, name, args, fields) => {
    upstream.answer(answering(name, args))
    const item = { ...fields, call_id: 'c9', status: 'completed', id: expect.any(String) }
    expect((await create({ model, input: QUESTION, tools: TOOLS })).output).toEqual([item] as unknown as Json)
    const got = await eventsFor({ model, input: QUESTION, tools: TOOLS })
    expect(got.at(-1)).toMatchObject({ response: { output: [item] } })
    const of_item = got.filter((event) => event.item !== undefined)
    expect(of_item).toMatchObject([
      { type: 'response.output_item.added', item: { ...fields, status: 'in_progress' } },
      { type: 'response.output_item.done', item },
    ])
    expect(got.map(({ type }) => String(type)).filter((type) => type.includes('arguments'))).toEqual([])
  })
})

describe('a call and its output, sent back', () => {
  const user = (content: Json) => ({ role: 'user', content })
  const back = async (call: JsonObject, output: JsonObject) => {
    await create({ model, input: [user('Hello'), call, output], tools: TOOLS })
    return upstreamBody().messages
  }
  const sent = (name: string, args: JsonObject, content: string) => [
    user('Hello'),
    { tool_calls: [{ id: 'c1', function: { name, arguments: JSON.stringify(args) } }] },
    { role: 'tool', tool_call_id: 'c1', content },
  ]
  const EXEC = { type: 'exec', command: ['ls'], env: {}, timeout_ms: null, working_directory: null }
  const LOCAL = { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', status: 'completed', action: EXEC }
  const PRINTED = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }]
  const ACTION = { commands: ['ls'], timeout_ms: null, max_output_length: 9 }
  const OPERATION = { type: 'create_file', path: 'a', diff: '+b' }

  test.each<[string, JsonObject, JsonObject, object[]]>([
    [
      'of a local shell, by the call’s id',
      LOCAL,
      { type: 'local_shell_call_output', id: 'c1', output: '{"output":"a"}' },
      sent('local_shell', { command: ['ls'] }, '{"output":"a"}'),
    ],
    [
      'of a local shell, by the item’s id',
      LOCAL,
      { type: 'local_shell_call_output', id: 'lsh_1', output: 'a' },
      sent('local_shell', { command: ['ls'] }, 'a'),
    ],
    [
      'of a shell',
      { type: 'shell_call', call_id: 'c1', action: ACTION },
      { type: 'shell_call_output', call_id: 'c1', output: PRINTED, max_output_length: 9 },
      sent('shell', { commands: ['ls'], max_output_length: 9 }, JSON.stringify(PRINTED)),
    ],
    [
      'of a patch',
      { type: 'apply_patch_call', call_id: 'c1', status: 'completed', operation: OPERATION },
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed' },
      sent('apply_patch', OPERATION, 'completed'),
    ],
  ])('%s', async (_, call, output, messages) => {
    expect(await back(call, output)).toMatchObject(messages)
  })

  test('of a shell at the provider are dropped', async () => {
    const environment = { type: 'container_reference', container_id: 'cntr_1' }
    const call = { type: 'shell_call', call_id: 'c1', action: ACTION, environment }
    const output = { type: 'shell_call_output', call_id: 'c1', output: PRINTED }
    expect(await back(call, output)).toEqual([user('Hello')])
  })

  test('a failed patch is marked as an error where the model’s protocol can', async () => {
    const call = { type: 'apply_patch_call', call_id: 'c1', status: 'completed', operation: OPERATION }
    const output = {
      type: 'apply_patch_call_output',
      call_id: 'c1',
      status: 'failed',
      output: 'no such file',
    }
    await create({ model: MODELS.anthropic, input: [user('Hello'), call, output], tools: TOOLS })
    expect(JSON.stringify(upstreamBody().messages)).toContain('"is_error":true')
  })

  test.each<[string, JsonObject, string]>([
    [
      'an output without its call',
      { type: 'shell_call_output', call_id: 'c2', output: [] },
      'input[0].call_id',
    ],
    ['a call without an id', { type: 'apply_patch_call', operation: OPERATION }, 'input[0].call_id'],
  ])('%s is refused', async (_, item, param) => {
    const before = counts()
    expect(await errorOf(await post({ model, input: [item] }))).toMatchObject({ status: 400, param })
    await expectCounts(before)
  })
})

test.each<[string, Json]>([
  ['by its type', { type: 'apply_patch' }],
  ['as the only allowed one', { type: 'allowed_tools', mode: 'required', tools: [{ type: 'apply_patch' }] }],
])('a tool that is forced %s is requested by its name', async (_, tool_choice) => {
  await create({ model, input: QUESTION, tools: TOOLS, tool_choice })
  expect(JSON.stringify(upstreamBody().tool_choice)).toContain('"name":"apply_patch"')
})
