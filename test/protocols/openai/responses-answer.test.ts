// Answers of providers that speak responses, whole and streamed, in the canonical form. Shapes as in OpenAI's SDK
// (openai 6.49.0, resources/responses) and the recordings of vercel/ai (packages/openai/src/responses/__fixtures__).
import { describe, expect, test } from 'bun:test'
import type { ConversationAnswer, StreamEvent } from '../../../src/protocols/canonical/answer.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'
import { collect, plain } from '../translation/recordings.ts'

const OWN = 'openai-responses-v1'
const USAGE = {
  input_tokens: 1_001,
  input_tokens_details: { cached_tokens: 777 },
  output_tokens: 131,
  output_tokens_details: { reasoning_tokens: 64 },
  total_tokens: 1_132,
}
const TOKENS = { input_tokens: 224, cache_read_tokens: 777, output_tokens: 67, thinking_tokens: 64 }

const reasoning = (
  summary: string[],
  encrypted_content: string | null,
  more: JsonObject = {},
): JsonObject => ({
  id: 'rs_1',
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content,
  ...more,
})
const message = (...content: JsonObject[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  phase: 'final_answer',
  content,
})
const text = (words: string, logprobs: Json[] = []): JsonObject => ({
  type: 'output_text',
  annotations: [],
  logprobs,
  text: words,
})
const call = (call_id: string, args: string): JsonObject => ({
  id: `fc_${call_id}`,
  type: 'function_call',
  status: 'completed',
  call_id,
  name: 'look',
  arguments: args,
})
const LOGPROB = {
  token: 'Hi',
  logprob: -0.5,
  bytes: [72, 105],
  top_logprobs: [{ token: 'Ho', logprob: -2, bytes: [] }],
}

const responseOf = (output: JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-6-sol-2026-08-01',
  output,
  usage: USAGE,
  service_tier: 'default',
  ...more,
})
const incomplete = (reason: string): JsonObject => ({ status: 'incomplete', incomplete_details: { reason } })

const thinking = (words: string) => ({ kind: 'thinking', text: words })
const signed = (value: string) => ({ kind: 'redacted_thinking', signature: { format: OWN, value } })
const part = (words: string) => ({ kind: 'text', text: words })
const callPart = (id: string, args: JsonObject) => ({ kind: 'tool_call', id, name: 'look', arguments: args })

/** Answers, their parts, and their stop reasons. */
const ANSWERS: readonly (readonly [string, JsonObject, JsonObject[], string])[] = [
  ['a text', responseOf([message(text('Hi'))]), [part('Hi')], 'stop'],
  [
    'reasoning with a summary of two paragraphs, and a text',
    responseOf([reasoning(['First.', 'Then.'], 'gAAA'), message(text('Hi'))]),
    [thinking('First.\n\nThen.'), signed('gAAA'), part('Hi')],
    'stop',
  ],
  [
    'hidden reasoning, and a call',
    responseOf([reasoning([], 'gAAA'), call('a', '{"city":"A"}')]),
    [signed('gAAA'), callPart('a', { city: 'A' })],
    'tool_use',
  ],
  [
    'reasoning without an encrypted form',
    responseOf([reasoning([], null), message(text('Hi'))]),
    [part('Hi')],
    'stop',
  ],
  [
    'the reasoning of an open model',
    responseOf([
      reasoning([], null, { content: [{ type: 'reasoning_text', text: 'Hm.' }] }),
      message(text('Hi')),
    ]),
    [thinking('Hm.'), part('Hi')],
    'stop',
  ],
  [
    'parallel calls, one without arguments',
    responseOf([call('a', '{"city":"A"}'), call('b', '')]),
    [callPart('a', { city: 'A' }), callPart('b', {})],
    'tool_use',
  ],
  [
    'two texts and two times of thinking',
    responseOf([reasoning([], 'one'), message(text('Let me see.')), reasoning([], 'two'), call('a', '{}')]),
    [signed('one'), part('Let me see.'), signed('two'), callPart('a', {})],
    'tool_use',
  ],
  [
    'a refusal',
    responseOf([message({ type: 'refusal', refusal: 'No.' })]),
    [{ kind: 'text', text: 'No.', is_refusal: true }],
    'refusal',
  ],
  ['the limit', responseOf([message(text('Hi'))], incomplete('max_output_tokens')), [part('Hi')], 'length'],
  [
    'the limit, within the reasoning',
    responseOf([reasoning([], 'gAAA')], incomplete('max_output_tokens')),
    [signed('gAAA')],
    'length',
  ],
  ['a filter', responseOf([message(text('Hi'))], incomplete('content_filter')), [part('Hi')], 'safety'],
  ['an unknown reason', responseOf([message(text('Hi'))], incomplete('tired')), [part('Hi')], 'other'],
  [
    'items of tools that the caller did not request',
    responseOf([{ id: 'ws_1', type: 'web_search_call', status: 'completed' }, message(text('Hi'))]),
    [part('Hi')],
    'stop',
  ],
  ['nothing', responseOf([]), [], 'stop'],
]

describe('a whole answer', () => {
  test.each(ANSWERS)('%s', (_, answer, parts, stop_reason) => {
    const read = responses.text.decodeAnswer(answer, 'call-1')
    expect(read).toMatchObject({ id: 'resp_1', model: 'gpt-6-sol-2026-08-01', usage: TOKENS })
    expect(plain(read.candidates)).toEqual([{ parts, stop_reason }])
  })

  test('log probabilities', () => {
    const { candidates } = responses.text.decodeAnswer(responseOf([message(text('Hi', [LOGPROB]))]), 'call-1')
    expect(candidates[0].logprobs).toEqual([
      { token: 'Hi', logprob: -0.5, alternatives: [{ token: 'Ho', logprob: -2 }] },
    ])
  })

  test.each([
    [
      'arguments that were cut off',
      responseOf([call('a', '{"city":')], incomplete('max_output_tokens')),
      'length',
    ],
    ['arguments that are not an object', responseOf([call('a', '[1]')]), 'malformed'],
  ])('%s: the call is left out', (_, answer, stop_reason) => {
    const [{ parts, stop_reason: read }] = responses.text.decodeAnswer(answer, 'call-1').candidates
    expect(parts).toEqual([])
    expect(read).toBe(stop_reason as typeof read)
  })

  test('a call without an id gets one from the gateway', () => {
    const [{ parts }] = responses.text.decodeAnswer(responseOf([call('', '{}')]), 'call-1').candidates
    expect(parts).toEqual([callPart('call_call-1_0', {}) as (typeof parts)[number]])
  })
})

/** Every event of an item, as the provider sends them, in pieces of two characters. */
function eventsOf(item: JsonObject, output_index: number): JsonObject[] {
  const place = { item_id: 'rotates', output_index }
  const piecesOf = (type: string, whole: string, inside: JsonObject) => [
    ...(whole.match(/.{1,2}/gs) ?? []).map((delta) => ({
      type: `${type}.delta`,
      ...inside,
      delta,
      logprobs: [],
    })),
    { type: `${type}.done`, ...inside, text: whole, arguments: whole, refusal: whole },
  ]
  const list = (value: Json | undefined) => (value ?? []) as JsonObject[]
  const inner =
    item.type === 'function_call'
      ? piecesOf('response.function_call_arguments', String(item.arguments), place)
      : [
          ...list(item.summary).flatMap((part, summary_index) => [
            {
              type: 'response.reasoning_summary_part.added',
              ...place,
              summary_index,
              part: { ...part, text: '' },
            },
            ...piecesOf('response.reasoning_summary_text', String(part.text), { ...place, summary_index }),
            { type: 'response.reasoning_summary_part.done', ...place, summary_index, part },
          ]),
          ...list(item.content).flatMap((part, content_index) => {
            const inside = { ...place, content_index }
            const name = String(part.type)
            return [
              { type: 'response.content_part.added', ...inside, part: { ...part, text: '' } },
              ...piecesOf(`response.${name}`, String(part.refusal ?? part.text), inside),
              { type: 'response.content_part.done', ...inside, part },
            ]
          }),
        ]
  const empty = { ...item, summary: [], content: [], arguments: '', encrypted_content: '' }
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...inner,
    { type: 'response.output_item.done', output_index, item },
  ]
}

const started = (response: JsonObject): JsonObject[] => [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
  { type: 'response.in_progress', response: { ...response, status: 'in_progress', output: [], usage: null } },
]
const ended = (response: JsonObject): JsonObject => ({ type: `response.${response.status}`, response })
const outputOf = (response: JsonObject) => response.output as JsonObject[]
const streamOf = (response: JsonObject): JsonObject[] => [
  ...started(response),
  ...outputOf(response).flatMap(eventsOf),
  ended(response),
]

function decode(events: readonly (JsonObject | string)[]): StreamEvent[] {
  const decoder = responses.text.createStreamDecoder('call-1')
  const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
  return [...data.flatMap((each) => decoder.decode(each)), ...decoder.finish()]
}
const wholeOf = (answer: JsonObject): ConversationAnswer => responses.text.decodeAnswer(answer, 'call-1')

describe('a stream has the content of the whole answer', () => {
  test.each(ANSWERS)('%s', (_, answer) => {
    const { usage, ...streamed } = collect(decode(streamOf(answer)))
    const { usage: reported, ...whole } = wholeOf(answer)
    expect(plain(streamed)).toEqual(plain(whole))
    expect(usage).toEqual(reported)
  })

  test.each(ANSWERS)('%s, of a server that sends only the end', (_, answer) => {
    const streamed = collect(decode([...started(answer), ended(answer)]))
    expect(plain(streamed.candidates)).toEqual(plain(wholeOf(answer).candidates))
  })

  test.each(ANSWERS)('%s, of a server that sends its items in one piece', (_, answer) => {
    const items = outputOf(answer).map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    }))
    const streamed = collect(decode([...started(answer), ...items, ended(answer), '[DONE]']))
    expect(plain(streamed.candidates)).toEqual(plain(wholeOf(answer).candidates))
  })

  test.each(ANSWERS)('%s, with interleaved items', (_, answer) => {
    const streamed = collect(
      decode([...started(answer), ...interleaved(outputOf(answer).map(eventsOf)), ended(answer)]),
    )
    expect(plain(streamed.candidates)).toEqual(plain(wholeOf(answer).candidates))
  })

  const interleaved = (lists: JsonObject[][]): JsonObject[] => {
    const longest = Math.max(0, ...lists.map(({ length }) => length))
    return Array.from({ length: longest }, (_, at) => lists.map((list) => list[at]))
      .flat()
      .filter((event) => event !== undefined)
  }
})

test('log probabilities come with their text', () => {
  const delta = {
    type: 'response.output_text.delta',
    output_index: 0,
    content_index: 0,
    delta: 'Hi',
    logprobs: [LOGPROB],
  }
  const events = decode([...started(responseOf([])), delta, ended(responseOf([message(text('Hi'))]))])
  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'part_start',
    'text_delta',
    'logprobs',
    'part_end',
    'candidate_end',
    'usage',
    'end',
  ])
})

describe('a stream that fails', () => {
  const FIRST = streamOf(responseOf([message(text('Hi'))])).slice(0, 5)
  test.each<[string, JsonObject | string]>([
    [
      'response.failed',
      ended(responseOf([], { status: 'failed', error: { code: 'server_error', message: 'x' } })),
    ],
    [
      'an error with its fields inside',
      { type: 'error', error: { code: 'insufficient_quota', message: 'x' } },
    ],
    ['an error with its fields beside', { type: 'error', code: 'server_error', message: 'x', param: null }],
    ['data that is not JSON', '{"type":"respo'],
  ])('%s', (_, event) => {
    const events = decode([...FIRST, event, ended(responseOf([]))])
    expect(events.at(-1)?.type).toBe('error')
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })
  test('a stream without its last event', () => {
    expect(decode(FIRST).at(-1)?.type).toBe('error')
  })
})

test('unknown events and keep-alives are skipped', () => {
  const answer = responseOf([message(text('Hi'))])
  const unknown = [
    { type: 'keepalive', sequence_number: 3 },
    { type: 'response.output_text.annotation.added', output_index: 0, annotation: {} },
    { type: 'response.moon.delta', output_index: 0, delta: 'x' },
  ]
  const [first = {}, ...rest] = streamOf(answer)
  expect(collect(decode([first, ...unknown, ...rest]))).toEqual(collect(decode(streamOf(answer))))
})
