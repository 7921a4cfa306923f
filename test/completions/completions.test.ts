// Legacy completions: POST /v1/completions from any text model, through the official SDK and byte by byte.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { INPUT_NANOS, MODELS, OUTPUT_NANOS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'
import { events, RESET, refusal, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await threeProviders()
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
beforeEach(() => {
  upstream.requests.length = 0
})

const PATH = '/v1/completions'
const { openai: GPT, gemini: GEMINI, anthropic: CLAUDE } = MODELS
const USAGE = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const COST_NANOS = 5 * INPUT_NANOS + 3 * OUTPUT_NANOS

const completion = (...contents: readonly string[]) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: GPT,
  choices: contents.map((content, index) => ({
    index,
    message: { role: 'assistant', content },
    finish_reason: 'stop',
  })),
  usage: USAGE,
})
const chunk = (delta: JsonObject, finish_reason: string | null = null, more: JsonObject = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: GPT,
  choices: [{ index: 0, delta, finish_reason, ...more }],
})
const streamed = events([
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'The ' }),
  chunk({ content: 'Moon.' }),
  chunk({}, 'length'),
  { id: 'chatcmpl-1', model: GPT, choices: [], usage: USAGE },
  '[DONE]',
])

describe('an answer', () => {
  test('whole: a text_completion, and the SDK reads it', async () => {
    upstream.answer(whole(completion('The Moon.')))
    const answer = await sdk.completions.create({
      model: GPT,
      prompt: 'Why are there tides?',
      max_tokens: 64,
    })
    expect(answer).toMatchObject({
      object: 'text_completion',
      model: GPT,
      choices: [{ index: 0, text: 'The Moon.', finish_reason: 'stop', logprobs: null }],
      usage: USAGE,
    })
    expect(answer.id).toMatch(/^cmpl-/)
    expect(answer.created).toBeGreaterThan(1_600_000_000)
    expect(await lastCall()).toMatchObject({
      surface: 'completions',
      model: GPT,
      outcome: 'completed',
      streamed: 0,
      estimated: 0,
      cost_nanos: COST_NANOS,
    })
  })

  test('several candidates', async () => {
    upstream.answer(whole(completion('One.', 'Two.')))
    const { choices } = await sdk.completions.create({ model: GPT, prompt: 'Count.', n: 2, best_of: 2 })
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'One.'],
      [1, 'Two.'],
    ])
    expect(upstreamBody()).toMatchObject({ n: 2 })
  })

  test.each([
    [true, 1],
    [false, 0],
  ])(
    'streamed, with include_usage %p: the usage is shown only on request, and charged the same',
    async (include_usage, usages) => {
      upstream.answer(streamed)
      const stream = await sdk.completions.create({
        model: GPT,
        prompt: ['Why are there tides?'],
        stream: true,
        stream_options: { include_usage },
      })
      const pieces: OpenAI.Completion[] = []
      for await (const piece of stream) pieces.push(piece)
      expect(pieces.every(({ object, model }) => object === 'text_completion' && model === GPT)).toBe(true)
      expect(pieces.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe('The Moon.')
      expect(pieces.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['length'])
      expect(pieces.filter(({ usage }) => usage).map(({ usage }) => usage?.total_tokens)).toEqual(
        Array(usages).fill(8),
      )
      expect(upstreamBody()).toMatchObject({ stream: true, stream_options: { include_usage: true } })
      expect(await lastCall()).toMatchObject({ streamed: 1, estimated: 0, cost_nanos: COST_NANOS })
    },
  )

  test('the stream ends with [DONE], and its usage has a piece of its own', async () => {
    upstream.answer(streamed)
    const response = await call(PATH, {
      model: GPT,
      prompt: 'x',
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const records = (await response.text()).trimEnd().split('\n\n')
    expect(records.at(-1)).toBe('data: [DONE]')
    expect(JSON.parse(records.at(-2)?.slice('data: '.length) ?? '')).toMatchObject({
      choices: [],
      usage: USAGE,
    })
  })

  test('log probabilities stand beside each other, whole and streamed, with offsets in the text', async () => {
    const token = (text: string, logprob: number) => ({
      token: text,
      logprob,
      top_logprobs: [{ token: text, logprob }],
    })
    const logprobs = { content: [token('The ', -0.5), token('Moon.', -0.25)] }
    const expected = {
      tokens: ['The ', 'Moon.'],
      token_logprobs: [-0.5, -0.25],
      top_logprobs: [{ 'The ': -0.5 }, { 'Moon.': -0.25 }],
      text_offset: [0, 4],
    }
    const reply = completion('The Moon.')
    upstream.answer(whole({ ...reply, choices: reply.choices.map((choice) => ({ ...choice, logprobs })) }))
    const answer = await sdk.completions.create({ model: GPT, prompt: 'x', logprobs: 1 })
    expect(answer.choices[0]?.logprobs).toEqual(expected)
    expect(upstreamBody()).toMatchObject({ logprobs: true, top_logprobs: 1 })
    upstream.answer(
      events([
        ...logprobs.content.map((entry) =>
          chunk({ content: entry.token }, null, { logprobs: { content: [entry] } }),
        ),
        chunk({}, 'stop'),
        { choices: [], usage: USAGE },
        '[DONE]',
      ]),
    )
    const offsets: number[] = []
    for await (const { choices } of await sdk.completions.create({
      model: GPT,
      prompt: 'x',
      logprobs: 1,
      stream: true,
    }))
      offsets.push(...(choices[0]?.logprobs?.text_offset ?? []))
    expect(offsets).toEqual([0, 4])
  })
})

describe('the prompt becomes the user’s message', () => {
  const FIELDS = { prompt: 'Why?', max_tokens: 50, temperature: 0.5, stop: ['END'] }
  test.each([
    [
      'gemini',
      GEMINI,
      {
        contents: [{ role: 'user', parts: [{ text: 'Why?' }] }],
        generationConfig: { maxOutputTokens: 50, temperature: 0.5, stopSequences: ['END'] },
      },
    ],
    [
      'anthropic',
      CLAUDE,
      {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }],
        max_tokens: 50,
        temperature: 0.5,
        stop_sequences: ['END'],
      },
    ],
  ])('to %s', async (_provider, model, expected) => {
    upstream.answer(refusal(400))
    await call(PATH, { ...FIELDS, model })
    expect(upstreamBody()).toMatchObject(expected)
  })

  test('to chat completions, with every field that it has', async () => {
    upstream.answer(whole(completion('Because.')))
    await call(PATH, {
      ...FIELDS,
      model: 'our-gpt',
      top_p: 0.9,
      seed: 7,
      user: 'someone',
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      suffix: null,
      echo: false,
      best_of: 1,
      logit_bias: {},
    })
    expect(upstreamBody()).toMatchObject({
      model: GPT,
      messages: [{ role: 'user', content: 'Why?' }],
      max_completion_tokens: 50,
      seed: 7,
      stop: ['END'],
    })
    expect(Object.keys(upstreamBody())).not.toContain('prompt')
  })

  test('a prompt that is parsed on a thread, too', async () => {
    upstream.answer(whole(completion('Long.')))
    const prompt = 'tide '.repeat(300_000)
    const response = await call(PATH, { model: GPT, prompt })
    expect(await response.json()).toMatchObject({ choices: [{ text: 'Long.' }] })
    expect(upstreamBody()).toMatchObject({ messages: [{ content: prompt }] })
  })

  test('the answer names the requested model', async () => {
    upstream.answer(whole(completion('Because.')))
    expect(await (await call(PATH, { model: 'our-gpt', prompt: 'x' })).json()).toMatchObject({
      model: 'our-gpt',
    })
  })
})

describe('refused before anything is held, with the name of the field', () => {
  const { openai } = MODELS
  test.each<[name: string, param: string | null, body: JsonObject]>([
    ['no prompt', 'prompt', {}],
    ['an empty prompt', 'prompt', { prompt: '' }],
    ['no prompt in the list', 'prompt', { prompt: [] }],
    ['several prompts', 'prompt', { prompt: ['one', 'two'] }],
    ['tokens', 'prompt', { prompt: [1, 2, 3] }],
    ['lists of tokens', 'prompt', { prompt: [[1, 2], [3]] }],
    ['one list of tokens', 'prompt', { prompt: [[1, 2]] }],
    ['one token', 'prompt', { prompt: [1] }],
    ['a prompt that is no text', 'prompt', { prompt: { text: 'x' } }],
    ['a suffix', 'suffix', { prompt: 'x', suffix: 'y' }],
    ['echo', 'echo', { prompt: 'x', echo: true }],
    ['more candidates than are returned', 'best_of', { prompt: 'x', best_of: 3 }],
    ['fewer candidates than are returned', 'best_of', { prompt: 'x', best_of: 1, n: 2 }],
    ['a bias of tokens', 'logit_bias', { prompt: 'x', logit_bias: { 50256: -100 } }],
    ['a limit of 0', 'max_tokens', { prompt: 'x', max_tokens: 0 }],
    ['a limit that is no number', 'max_tokens', { prompt: 'x', max_tokens: '10' }],
    ['a negative limit', 'max_tokens', { prompt: 'x', max_tokens: -1 }],
    ['no candidate', 'n', { prompt: 'x', n: 0 }],
    ['log probabilities as a flag', 'logprobs', { prompt: 'x', logprobs: true }],
    ['a stop that is no text', 'stop[0]', { prompt: 'x', stop: [1] }],
    ['an unknown field', 'messages', { prompt: 'x', messages: [] }],
    ['a stream flag that is no flag', 'stream', { prompt: 'x', stream: 'yes' }],
  ])('%s', async (_name, param, body) => {
    const before = counts()
    for (const model of [openai, GEMINI, CLAUDE]) {
      const response = await call(PATH, { model, ...body })
      const { error } = (await response.json()) as { error: { type: string; param: string | null } }
      expect([response.status, error.type, error.param]).toEqual([400, 'invalid_request_error', param])
    }
    await expectCounts(before)
  })

  test('a field that the provider lacks, under its name in completions', async () => {
    const before = counts()
    const response = await call(PATH, { model: CLAUDE, prompt: 'x', logprobs: 2 })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'logprobs' } }])
    await expectCounts(before)
  })

  test.each([
    ['a model that does not exist', 'none', 404],
    ['a retired model', 'retired', 404],
  ])('%s', async (_name, model, status) => {
    const before = counts()
    expect((await call(PATH, { model, prompt: 'x' })).status).toBe(status)
    await expectCounts(before)
  })

  test('no key', async () => {
    expect((await call(PATH, { model: openai, prompt: 'x' }, { key: undefined })).status).toBe(401)
  })

  test('an empty account', async () => {
    const poor = await gateway.caller('0')
    const response = await call(PATH, { model: openai, prompt: 'x' }, { key: poor })
    expect([response.status, await response.json()]).toMatchObject([
      402,
      { error: { code: 'insufficient_balance' } },
    ])
  })
})

describe('failures of the provider cost nothing', () => {
  test.each([
    ['an error', refusal(500), 502],
    ['a broken connection', RESET, 502],
    ['its rate limit', refusal(429), 429],
  ])('%s', async (_name, answer, status) => {
    upstream.answer(answer)
    const response = await call(PATH, { model: GPT, prompt: 'x' })
    expect(response.status).toBe(status)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('a stream that breaks is charged for the delivered part, and ends with an error', async () => {
    upstream.answer(events([chunk({ content: 'Half of ' })]))
    const text = await (await call(PATH, { model: GPT, prompt: 'four', stream: true })).text()
    expect(text).toContain('"text":"Half of "')
    expect(text).toContain('data: {"error":')
    expect(text).not.toContain('[DONE]')
    expect(await lastCall()).toMatchObject({
      outcome: 'broken',
      estimated: 1,
      cost_nanos: 1 * INPUT_NANOS + 2 * OUTPUT_NANOS,
    })
  })
})

test('an Idempotency-Key replays the answer, charged once', async () => {
  upstream.answer(whole(completion('Once.')))
  const headers = { 'idempotency-key': 'completions-once' }
  const first = await (await call(PATH, { model: GPT, prompt: 'x' }, { headers })).text()
  const before = counts()
  const second = await call(PATH, { model: GPT, prompt: 'x' }, { headers })
  expect(await second.text()).toBe(first)
  expect((await call(PATH, { model: GPT, prompt: 'y' }, { headers })).status).toBe(422)
  await expectCounts(before)
})

test.each(PROTOCOLS)('thinking is left out of the text: a %s model', async (provider) => {
  const thinking = {
    gemini: {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'hidden', thought: true }, { text: 'Shown.' }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3 },
    },
    anthropic: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: CLAUDE,
      content: [
        { type: 'thinking', thinking: 'hidden', signature: 's' },
        { type: 'text', text: 'Shown.' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 3 },
    },
    openai: {
      ...completion(),
      choices: [
        { index: 0, message: { content: 'Shown.', reasoning_content: 'hidden' }, finish_reason: 'stop' },
      ],
    },
  }
  upstream.answer(whole(thinking[provider]))
  const { choices } = await sdk.completions.create({ model: MODELS[provider], prompt: 'x' })
  expect(choices[0]?.text).toBe('Shown.')
  expect(await lastCall()).toMatchObject({ cost_nanos: COST_NANOS })
})
