// The promise: unusual answers of servers reach callers of every protocol whole and are charged, or are failures that say so.
import { describe, expect, test } from 'bun:test'
import type { Call } from '../../src/store/schema.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { type Answer, whole } from '../support/upstream.ts'
import { requestTo, type Surface } from './servers.ts'
import { READERS } from './strict-readers.ts'

const model = (id: string, more = ''): string => `
[[models]]
id = "${id}"
kind = "text"
price = { input = 2, output = 8 }
context = 200000
max_output_tokens = 16384
routes = [{ provider = "${id}", model = "any"${more} }]
`

const { gateway, upstream, call } = await fileScene({
  catalogue: (url) =>
    [
      providerSection('openai', 'openai', `${url}/v1`),
      providerSection('responses', 'openai', `${url}/v1`, 'responses = true'),
      providerSection('anthropic', 'anthropic', url),
      providerSection('gemini', 'gemini', url),
      ...['openai', 'anthropic', 'gemini'].map((id) => model(id)),
      model('responses', ', endpoint = "responses"'),
    ].join('\n'),
})

type From = 'openai' | 'anthropic' | 'gemini' | 'responses'
const SURFACES: readonly Surface[] = ['chat', 'messages', 'responses', 'native']
/** The charge for 12 tokens read and 5 written. */
const COST_NANOS = 64_000

/** The answer that a caller of each protocol reads, without the differences between the protocols. */
async function readBy(surface: Surface, from: From, stream: boolean, answer: Answer): Promise<object> {
  upstream.answer(answer)
  const { path, headers, body } = requestTo(surface, from, stream)
  const response = await call(path, body, { form: 'x-api-key', headers })
  const text = await response.text()
  await gateway.rest()
  const record = gateway.db
    .query('SELECT * FROM calls WHERE request_id = ?')
    .get(response.headers.get('x-request-id') ?? '') as Call
  const { outcome, cost_nanos } = record
  if (outcome !== 'completed') return { outcome, cost_nanos, says_so: /interrupted|failed/.test(text) }
  const [candidate] = READERS[surface](text, stream).candidates
  const calls = candidate?.calls.map(({ name, arguments: json }) => `${name} ${json}`)
  return { outcome, cost_nanos, text: candidate?.text, calls, stop: kindOf(candidate?.stop ?? '') }
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/length|max/i, 'length'],
  [/filter|refusal|safety/i, 'safety'],
  [/^(?:stop|end_turn|completed null|tool_calls|tool_use)$/i, 'stop'],
]
const kindOf = (stop: string): string => KINDS.find(([pattern]) => pattern.test(stop))?.[1] ?? stop

const COMPLETED = { outcome: 'completed', cost_nanos: COST_NANOS, stop: 'stop' } as const
const HELLO = { ...COMPLETED, text: 'Hello world', calls: [] } as const
const CALLED = { ...COMPLETED, text: '', calls: ['f {"a":1}'] } as const
const FAILED = { outcome: 'failed', cost_nanos: 0, says_so: true } as const
/** The text is charged by an estimate where nothing was reported. */
const BROKEN = { outcome: 'broken', cost_nanos: expect.any(Number), says_so: true } as const

async function expectOf(from: From, stream: boolean, answer: Answer, expected: object): Promise<void> {
  for (const surface of SURFACES)
    expect({ surface, ...(await readBy(surface, from, stream, answer)) }).toEqual({ surface, ...expected })
}

const USAGE = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
const NOTHING = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
const HEAD = { id: 'c1', object: 'chat.completion.chunk', created: 1_763_692_800, model: 'any' }
const chunk = (delta: object, finish_reason: unknown = null, more: object = {}) => ({
  ...HEAD,
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})
const TEXTS = [chunk({ role: 'assistant', content: 'Hello' }), chunk({ content: ' world' })]
const END = chunk({}, 'stop')
const REPLY = { role: 'assistant', content: 'Hello world' }
const counted = (usage: object) => ({ ...HEAD, choices: [], usage })
const CALL = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const streamed = (...data: readonly unknown[]): Answer => ({
  headers: { 'content-type': 'text/event-stream' },
  steps: [
    {
      send: data
        .map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
        .join(''),
    },
  ],
})
const DONE = '[DONE]'
const ended = (finish: unknown) => [...TEXTS, chunk({}, finish), counted(USAGE), DONE]
const everyChunk = (more: object) => [...TEXTS, END].map((each) => ({ ...each, ...more }))

/** Sources: MiniMax-AI/MiniMax-M2.5#2, vercel/ai#15464, anomalyco/opencode#44360, and the documents that the code names. */
const STREAMS: readonly (readonly [string, readonly unknown[], object])[] = [
  [
    'an empty reason in every chunk',
    [
      chunk({ role: 'assistant', content: 'Hello' }, ''),
      chunk({ content: ' world' }, ''),
      END,
      counted(USAGE),
      DONE,
    ],
    HELLO,
  ],
  ['an empty reason in every chunk, and no end', [chunk({ content: 'Hello' }, '')], BROKEN],
  [
    'the reason "null"',
    [chunk({ content: 'Hello' }, 'null'), chunk({ content: ' world' }, 'null'), END, counted(USAGE), DONE],
    HELLO,
  ],
  [
    'an empty role in every chunk',
    [
      chunk({ role: '', content: 'Hello' }),
      chunk({ role: '', content: ' world' }),
      END,
      counted(USAGE),
      DONE,
    ],
    HELLO,
  ],
  ['a text after the reason', [TEXTS[0], END, TEXTS[1], counted(USAGE), DONE], HELLO],
  [
    'a call after the reason',
    [chunk({ role: 'assistant' }, 'tool_calls'), chunk({ tool_calls: [CALL] }), counted(USAGE), DONE],
    CALLED,
  ],
  [
    'all of it again as a message',
    [
      ...TEXTS,
      {
        ...HEAD,
        choices: [{ index: 0, finish_reason: 'stop', message: REPLY }],
        usage: USAGE,
      },
      DONE,
    ],
    HELLO,
  ],
  [
    'a role, then all of it as a message',
    [
      chunk({ role: 'assistant', content: '' }),
      { ...HEAD, choices: [{ index: 0, finish_reason: 'stop', message: REPLY }], usage: USAGE },
      DONE,
    ],
    HELLO,
  ],
  [
    'texts as completions have them',
    [
      ...['Hello', ' world'].map((text) => ({ ...HEAD, choices: [{ index: 0, text, finish_reason: null }] })),
      { ...HEAD, choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
      counted(USAGE),
      DONE,
    ],
    HELLO,
  ],
  ['a note on the way', [{ message: 'loading the model' }, ...TEXTS, END, counted(USAGE), DONE], HELLO],
  ['a note after the end', [...TEXTS, END, counted(USAGE), { code: 1, msg: 'bye' }, DONE], HELLO],
  ['zeros after the usage', [...TEXTS, END, counted(USAGE), counted(NOTHING), DONE], HELLO],
  ['events without content', ['', 'null', ...TEXTS, '""', 'ping', END, counted(USAGE), `${DONE} `], HELLO],
  [
    'a time and an id of other types',
    [...everyChunk({ id: 5, created: 1_763_692_800.5 }), counted(USAGE), DONE],
    HELLO,
  ],
  ['an error that is empty', [...everyChunk({ error: '' }), counted(USAGE), DONE], HELLO],
  [
    'a failure in words of its own',
    [...TEXTS, { code: 50_000, msg: 'overload', success: false }, DONE],
    BROKEN,
  ],
  [
    'arguments that come again with the reason',
    [chunk({ tool_calls: [CALL] }), chunk({ tool_calls: [CALL] }, 'tool_calls'), counted(USAGE), DONE],
    BROKEN,
  ],
  ...['eos_token', 'end_turn', 'STOP', 'COMPLETE', 'something_new'].map(
    (reason) => [`the reason ${reason}`, ended(reason), HELLO] as const,
  ),
  ...['MAX_TOKENS', 'model_length', 'model_context_window_exceeded'].map(
    (reason) => [`the reason ${reason}`, ended(reason), { ...HELLO, stop: 'length' }] as const,
  ),
  ...['sensitive', 'SAFETY', 'RECITATION', 'content_filter: RECITATION', 'content_filter: OTHER'].map(
    (reason) => [`the reason ${reason}`, ended(reason), { ...HELLO, stop: 'safety' }] as const,
  ),
  ...[
    'error',
    'network_error',
    'insufficient_system_resource',
    'abort',
    'function_call_filter: MALFORMED_FUNCTION_CALL',
  ].map((reason) => [`the reason ${reason}`, ended(reason), BROKEN] as const),
]

describe('a streamed chat completion with', () => {
  test.each(STREAMS)('%s', (_, data, expected) => expectOf('openai', true, streamed(...data), expected))
})

const wholeOf = (message: object, finish_reason: unknown = 'stop', more: object = {}): Answer =>
  whole({
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason }],
    usage: USAGE,
    ...more,
  })

describe('a whole chat completion with', () => {
  test.each<[string, Answer, object]>([
    ['an empty role', wholeOf({ ...REPLY, role: '' }), HELLO],
    ['the reason MAX_TOKENS', wholeOf(REPLY, 'MAX_TOKENS'), { ...HELLO, stop: 'length' }],
    ['the reason sensitive', wholeOf(REPLY, 'sensitive'), { ...HELLO, stop: 'safety' }],
    [
      'the reason of a filter at Google',
      whole({
        choices: [{ index: 0, finish_reason: 'content_filter: PROHIBITED_CONTENT' }],
        usage: { prompt_tokens: 12, completion_tokens: 0 },
      }),
      { ...HELLO, text: '', stop: 'safety', cost_nanos: 24_000 },
    ],
    [
      'a text as completions have it',
      whole({ choices: [{ index: 0, text: 'Hello world', finish_reason: 'stop' }], usage: USAGE }),
      HELLO,
    ],
    ['an empty list of choices', whole({ ...HEAD, choices: [], usage: USAGE }), FAILED],
    ['the reason network_error', wholeOf(REPLY, 'network_error'), FAILED],
    ['a failure as OpenRouter reports it', wholeOf({ ...REPLY, content: '' }, 'error'), FAILED],
    ['an id that is a number', wholeOf(REPLY, 'stop', { id: 5, created: '2026' }), HELLO],
    [
      'a call without arguments',
      wholeOf({ role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'f' } }] }, 'tool_calls'),
      { ...CALLED, calls: ['f {}'] },
    ],
  ])('%s', (_, answer, expected) => expectOf('openai', false, answer, expected))
})

const MESSAGE = { id: 'm1', type: 'message', role: 'assistant', model: 'any', content: [], stop_reason: null }
const block = (...events: readonly object[]): object[] => [
  { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 12, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello world' } },
  { type: 'content_block_stop', index: 0 },
  ...events,
]
const delta = (usage: object, stop_reason = 'end_turn') => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
})
const STOP = { type: 'message_stop' }
const callOf = (pieces: readonly string[]): object[] => [
  ...block().slice(0, 1),
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
  },
  ...pieces.map((partial_json) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json },
  })),
  { type: 'content_block_stop', index: 0 },
]
const native = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
})
const SPOKEN = native([{ text: 'Hello world' }], { finishReason: 'STOP' })

describe('other protocols', () => {
  test.each<[string, From, boolean, Answer, object]>([
    [
      'messages: zeros for the prompt at the end',
      'anthropic',
      true,
      streamed(...block(delta({ input_tokens: 0, output_tokens: 5 }), STOP)),
      HELLO,
    ],
    [
      'messages: [DONE] at the end',
      'anthropic',
      true,
      streamed(...block(delta({ output_tokens: 5 }), STOP), DONE),
      HELLO,
    ],
    [
      'messages: arguments at the start of a call',
      'anthropic',
      true,
      streamed(...callOf([]), delta({ output_tokens: 5 }, 'tool_use'), STOP),
      CALLED,
    ],
    [
      'messages: arguments at the start of a call, and again',
      'anthropic',
      true,
      streamed(...callOf(['{"a":', '1}']), delta({ output_tokens: 5 }, 'tool_use'), STOP),
      CALLED,
    ],
    ['native: [DONE] at the end', 'gemini', true, streamed(SPOKEN, DONE), HELLO],
    ['native: an error that is null', 'gemini', true, streamed({ ...SPOKEN, error: null }), HELLO],
  ])('%s', (_, from, stream, answer, expected) => expectOf(from, stream, answer, expected))

  const item = (fields: object): Answer =>
    whole({
      id: 'r1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      output: [fields],
      usage: { input_tokens: 12, output_tokens: 5 },
    })
  test.each<[string, From, Answer, object]>([
    [
      'responses: arguments as an object',
      'responses',
      item({ type: 'function_call', call_id: 'a', name: 'f', arguments: { a: 1 } }),
      CALLED,
    ],
    [
      'responses: a content that is a text',
      'responses',
      item({ type: 'message', role: 'assistant', content: 'Hello world' }),
      HELLO,
    ],
  ])('%s', (_, from, answer, expected) => expectOf(from, false, answer, expected))

  test.each<[string, From, object]>([
    [
      'messages: arguments as a text',
      'anthropic',
      {
        ...MESSAGE,
        content: [{ type: 'tool_use', id: 'a', name: 'f', input: '{"a":1}' }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 12, output_tokens: 5 },
      },
    ],
    [
      'native: arguments as a text',
      'gemini',
      native([{ functionCall: { name: 'f', args: '{"a":1}' } }], { finishReason: 'STOP' }),
    ],
  ])('%s, to callers of other protocols', async (_, from, body) => {
    expect(await readBy('chat', from, false, whole(body))).toEqual(CALLED)
  })
})

test('a message that repeats an answer without a usage is charged once', async () => {
  const repeated = { ...HEAD, choices: [{ index: 0, finish_reason: 'stop', message: REPLY }] }
  const once = await readBy('chat', 'openai', true, streamed(...TEXTS, END, DONE))
  expect(await readBy('chat', 'openai', true, streamed(...TEXTS, repeated, DONE))).toEqual(once)
})

test('the books balance after all of these calls', () => gateway.atRest())
