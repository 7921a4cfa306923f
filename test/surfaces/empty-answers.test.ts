// silent.md, Usage that is billed: "A 200 is the route's failure": the next route is tried, and nothing is charged.

import { describe, expect, test } from 'bun:test'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { type Answer, events, stream, whole } from '../support/upstream.ts'

const section = (name: string, protocol: string, url: string, more = '') =>
  providerSection(`${name}-1`, protocol, `${url}/first`, `cooldown_ms = 0\n${more}`) +
  providerSection(`${name}-2`, protocol, `${url}/second`, `cooldown_ms = 0\n${more}`) +
  modelSection(name, { [`${name}-1`]: 'm', [`${name}-2`]: 'm' })

const { call, upstream, lastCall } = await fileScene({
  more: (url) =>
    section('chat', 'openai', url) +
    providerSection('cool-1', 'openai', `${url}/first`, 'cooldown_ms = 60_000') +
    providerSection('cool-2', 'openai', `${url}/second`, 'cooldown_ms = 60_000') +
    modelSection('cooling', { 'cool-1': 'm', 'cool-2': 'm' }) +
    section('claude', 'anthropic', url) +
    section('responses', 'openai', url, 'responses = true') +
    section('native', 'gemini', url),
})

const chat = (message: object | undefined, completion_tokens: number, finish_reason = 'stop') => ({
  ...(message ? { choices: [{ index: 0, message, finish_reason }] } : {}),
  usage: { prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens },
})
const claude = (content: readonly object[] | undefined, output_tokens: number, stop_reason = 'end_turn') => ({
  type: 'message',
  role: 'assistant',
  ...(content ? { content } : {}),
  stop_reason,
  usage: { input_tokens: 10, output_tokens },
})
const native = (
  parts: readonly object[] | undefined,
  candidatesTokenCount: number | undefined,
  finishReason = 'STOP',
) => ({
  ...(parts ? { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }] } : {}),
  usageMetadata: {
    promptTokenCount: 10,
    ...(candidatesTokenCount === undefined ? {} : { candidatesTokenCount }),
  },
})

const response = (
  output: readonly object[] | undefined,
  output_tokens: number,
  more: object = { status: 'completed' },
) => ({
  id: 'resp_1',
  object: 'response',
  error: null,
  ...(output ? { output } : {}),
  usage: { input_tokens: 10, output_tokens, total_tokens: 10 + output_tokens },
  ...more,
})
const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const INCOMPLETE = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }

type Model = 'chat' | 'claude' | 'native' | 'responses'
const GOOD: Readonly<Record<Model, object>> = {
  chat: chat({ role: 'assistant', content: 'Good.' }, 5),
  claude: claude([{ type: 'text', text: 'Good.' }], 5),
  native: native([{ text: 'Good.' }], 5),
  responses: response([message('Good.')], 5),
}

/** Calls chat completions, which are translated for two of these models, or responses. */
const ask = (model: Model, more: object = {}) =>
  model === 'responses'
    ? call('/v1/responses', { model, input: 'Hi', ...more })
    : call('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more })

async function textAfter(model: Model, first: Answer, more?: object): Promise<string> {
  upstream.answer(({ path }) => (path.startsWith('/first') ? first : whole(GOOD[model])))
  const response = await ask(model, more)
  expect(response.status).toBe(200)
  return response.text()
}

const PLAIN: readonly (readonly [string, Model, object])[] = [
  ['no choices', 'chat', chat(undefined, 5)],
  ['an empty list of choices', 'chat', { ...chat(undefined, 5), choices: [] }],
  ['no content', 'claude', claude(undefined, 5)],
  ['no candidates', 'native', native(undefined, 5)],
  ['an empty list of candidates', 'native', { ...native(undefined, 5), candidates: [] }],
  ['nothing, counted as zero', 'chat', chat({ role: 'assistant', content: '' }, 0)],
  ['nothing, counted as zero', 'claude', claude([], 0)],
  ['nothing, counted as zero', 'native', native([], 0)],
  ['nothing, whose zero is left out', 'native', native([], undefined)],
  ['no output', 'responses', response(undefined, 5)],
  ['no output, incomplete', 'responses', response(undefined, 5, INCOMPLETE)],
  ['nothing, counted as zero', 'responses', response([], 0)],
  ['an empty message, counted as zero', 'responses', response([message('')], 0)],
  ['a failure without an error', 'responses', response([message('Half')], 5, { status: 'failed' })],
  ['a call that could not be read', 'native', native([], 0, 'MALFORMED_FUNCTION_CALL')],
]

describe('the next route is tried', () => {
  test.each(PLAIN)('after %s, from %s', async (_name, model, answer) => {
    expect(await textAfter(model, whole(answer))).toContain('Good.')
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 30_000 })
  })

  test.each([
    ['nothing, counted as zero', [chunk({}, null), chunk({}, 'stop', 0), '[DONE]']],
    ['an error after the first event', [chunk({ role: 'assistant' }, null), { error: { message: 'broke' } }]],
    ['an end without a reason', [chunk({ role: 'assistant', content: '' }, null)]],
  ])('after a stream of %s', async (_name, payloads) => {
    const good = events([chunk({ content: 'Good.' }, null), chunk({}, 'stop', 5), '[DONE]'])
    upstream.answer(({ path }) => (path.startsWith('/first') ? events(payloads) : good))
    expect(await (await ask('chat', { stream: true })).text()).toContain('Good.')
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 30_000 })
  })

  const concluded = (of: object, type = 'response.completed') => [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
    { type, response: of },
  ]
  test.each([
    ['no output', concluded(response(undefined, 5))],
    ['no output, incomplete', concluded(response(undefined, 5, INCOMPLETE), 'response.incomplete')],
    ['nothing, counted as zero', concluded(response([], 0))],
    ['a failure', concluded(response([], 0, { status: 'failed' }), 'response.failed')],
  ])('after a response of %s, streamed', async (_name, payloads) => {
    const good = events(concluded(GOOD.responses))
    upstream.answer(({ path }) => (path.startsWith('/first') ? events(payloads) : good))
    expect(await (await ask('responses', { stream: true })).text()).toContain('Good.')
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 30_000 })
  })

  test.each([
    ['silence, which a caller may cause, leaves the key in use', chat({ content: '' }, 0), true],
    ['an answer without choices lets the key cool down', chat(undefined, 5), false],
  ])('%s', async (_name, answer, stays) => {
    const paths: string[] = []
    upstream.answer(({ path }) => whole(paths.push(path) === 1 ? answer : GOOD.chat))
    const request = { model: 'cooling', messages: [{ role: 'user', content: 'Hi' }] }
    for (let i = 0; i < 2; i++) expect((await call('/v1/chat/completions', request)).status).toBe(200)
    expect(paths).toHaveLength(3)
    expect(paths[2] === paths[0]).toBe(stays)
  })

  test('a call that no route answers fails and is free', async () => {
    upstream.answer(whole(chat({ role: 'assistant', content: '' }, 0)))
    expect((await ask('chat')).status).toBe(502)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })
})

function chunk(delta: object, finish_reason: string | null, completion_tokens?: number): object {
  return {
    choices: [{ index: 0, delta, finish_reason }],
    ...(completion_tokens === undefined
      ? {}
      : { usage: { prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens } }),
  }
}

const CALL = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const LOOP = {
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'a', content: 'Done.' },
  ],
}

const PREFILLED = [...LOOP.messages.slice(0, 1), { role: 'assistant', content: 'All that there is.' }]
const OUTPUT = [
  { type: 'message', role: 'user', content: 'Hi' },
  { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
  { type: 'function_call_output', call_id: 'a', output: 'Done.' },
]

describe('an empty answer that a caller can cause is charged as reported', () => {
  const EMPTY = { role: 'assistant', content: '' }
  const CASES: readonly (readonly [string, Model, object, object, number])[] = [
    ['a stop sequence', 'chat', chat(EMPTY, 0), { stop: ['x'] }, 10_000],
    ['a stop sequence', 'claude', claude([], 0, 'stop_sequence'), { stop: ['x'] }, 10_000],
    ['a result of a tool', 'chat', chat(EMPTY, 0), LOOP, 10_000],
    ['a result of a tool', 'claude', claude([], 0), LOOP, 10_000],
    ['the limit', 'chat', chat(EMPTY, 0, 'length'), {}, 10_000],
    ['a filter', 'chat', chat(EMPTY, 0, 'content_filter'), {}, 10_000],
    ['reasoning that is counted', 'chat', chat(EMPTY, 5), {}, 30_000],
    ['reasoning that is shown', 'chat', chat({ ...EMPTY, reasoning_content: 'Hm' }, 0), {}, 10_000],
    [
      'a blocked prompt',
      'native',
      { ...native(undefined, 0), promptFeedback: { blockReason: 'SAFETY' } },
      {},
      10_000,
    ],
    [
      'a blocked prompt, with an empty list',
      'native',
      { ...native(undefined, 0), candidates: [], promptFeedback: { blockReason: 'SAFETY' } },
      {},
      10_000,
    ],
    ['a safety stop', 'native', native([], 0, 'SAFETY'), {}, 10_000],
    ['the limit', 'responses', response([], 0, INCOMPLETE), {}, 10_000],
    [
      'a filter',
      'responses',
      response(undefined, 0, { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
      {},
      10_000,
    ],
    ['a result of a tool', 'responses', response([], 0), { input: OUTPUT }, 10_000],
    ['a prefilled answer', 'chat', chat(EMPTY, 0), { messages: PREFILLED }, 10_000],
    ['stop tokens', 'chat', chat(EMPTY, 0), { stop_token_ids: [1] }, 10_000],
  ]
  test.each(CASES)('by %s, from %s', async (_name, model, answer, more, cost_nanos) => {
    expect(await textAfter(model, whole(answer), more)).not.toContain('Good.')
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos })
  })

  test.each([
    ['', []],
    [', with events that say nothing', ['null', '']],
  ])('streamed, after a result of a tool%s', async (_name, blank) => {
    upstream.answer(events([chunk({}, null), ...blank, chunk({}, 'stop', 0), '[DONE]']))
    expect(await (await ask('chat', { ...LOOP, stream: true })).text()).toContain('[DONE]')
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: 10_000 })
  })
})

test('a generated image is an answer, whatever was counted', async () => {
  const image = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' }
  const answer = response([image], 0)
  const streamed = events([{ type: 'response.completed', response: answer }])
  expect(await textAfter('responses', whole(answer))).toContain('iVBORw0KGgo=')
  expect(await textAfter('responses', streamed, { stream: true })).toContain('iVBORw0KGgo=')
})

test('a stream reaches the caller as soon as its first output arrives', async () => {
  const more = Promise.withResolvers<void>()
  upstream.answer(
    stream(
      { event: chunk({ role: 'assistant' }, null) },
      { event: chunk({ content: 'First' }, null) },
      { wait: more.promise },
      { event: chunk({ content: ' and last.' }, null) },
      { event: chunk({}, 'stop', 5) },
      { event: '[DONE]' },
    ),
  )
  const response = await ask('chat', { stream: true })
  const reader = response.body?.getReader()
  let text = ''
  while (!text.includes('First')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  more.resolve()
  for (let read = await reader?.read(); read?.value; read = await reader?.read())
    text += Buffer.from(read.value).toString()
  expect(text).toContain('and last.')
})
