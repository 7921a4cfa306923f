// silent.md, "Chat completions", row by row, over a real socket: usage on request, fields both ways, errors in OpenAI's shape, limits.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import type { JsonObject } from '../../src/protocols/protocol.ts'
import type { CallOptions } from '../support/gateway.ts'
import { inChunks, RESET, refusal, SILENCE, whole } from '../support/upstream.ts'
import {
  ALIASES,
  CACHE_READ_NANOS,
  countsOf,
  expectUntouched,
  framed,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  openWorld,
  PROTOCOLS,
  REFUSAL,
  recorded,
  replay,
  streamOf,
  TIDES,
  type World,
} from './world.ts'

const MODEL = MODELS.openai
const PATH = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'Why are there tides?' }]
const BODY: JsonObject = { model: MODEL, messages }
const SHOWN = { stream: true, stream_options: { include_usage: true } }

/** A vendor who is given little time, and a key that may call once a minute. */
const MORE = `
[[providers]]
name = "hasty"
protocol = "openai"
base_url = "URL/openai/v1"
api_keys = []
call_timeout_ms = 60
rest_ms = 0

[[models]]
id = "hasty"
kind = "text"
routes = [{ provider = "hasty", model = "x" }]
price = { input = 1, output = 4 }

[limits.accounts.limited]
requests_per_minute = 1
`

let world: World
let key: string
beforeAll(async () => {
  world = await openWorld((url) => MORE.replace('URL', url))
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  world.upstream.answer(replay('text'))
  key = await world.gateway.caller('100')
})

const post = (body: object | string | Uint8Array | ReadableStream, options: CallOptions = {}) =>
  world.gateway.call(PATH, body, { key, ...options })

const payloadsOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => frame.replace(/^data: /, ''))

const streamed = async (body: JsonObject): Promise<string[]> =>
  payloadsOf(await (await post({ ...BODY, stream: true, ...body })).text())

/** Chunks as objects, without the one word that ends a stream. */
const chunksOf = (payloads: readonly string[]): JsonObject[] =>
  payloads.filter((payload) => payload !== '[DONE]').map((payload) => JSON.parse(payload))

interface Refused {
  status: number
  type: string
  code: string | null
  param: string | null
  message: string
}

/** The error of an answer that must be one, in OpenAI's shape. */
async function errorOf(response: Response): Promise<Refused> {
  const body = (await response.json()) as { error: Omit<Refused, 'status'> }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(body.error.message).toMatch(/\S/)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  return { status: response.status, ...body.error }
}

describe('"stream_options.include_usage (asked upstream always, shown to the caller only on request)"', () => {
  const ways: [string, JsonObject][] = [
    ['nothing said', {}],
    ['said no', { stream_options: { include_usage: false } }],
    ['other options', { stream_options: { include_obfuscation: false } }],
    ['null', { stream_options: null }],
  ]
  test.each(ways)('%s: asked upstream, and not shown', async (_, said) => {
    const payloads = await streamed(said)
    expect(world.asked().stream_options).toEqual({
      ...((said.stream_options as JsonObject) ?? {}),
      include_usage: true,
    })
    for (const chunk of chunksOf(payloads)) expect(chunk.usage ?? null).toBeNull()
    expect(payloads).toEqual(
      recorded('openai', 'stream-text').filter((payload) => !payload.includes('"choices":[]')),
    )
    expect(await world.lastCall()).toMatchObject({ estimated: 0, output_tokens: 24 })
  })
  test('on request it is shown, and every byte is the vendor’s', async () => {
    const text = await (await post({ ...BODY, ...SHOWN })).text()
    expect(text).toBe(
      recorded('openai', 'stream-text')
        .map((payload) => framed('openai', payload))
        .join(''),
    )
  })
  test.each(['gemini', 'anthropic'] as const)(
    '%s: shown on request only, in a last chunk without choices',
    async (vendor) => {
      const shown = chunksOf(await streamed({ ...SHOWN, model: MODELS[vendor] }))
      expect(shown.at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 14, completion_tokens: 24, total_tokens: 38 },
      })
      const hidden = chunksOf(await streamed({ model: MODELS[vendor] }))
      for (const chunk of hidden) expect(chunk.usage ?? null).toBeNull()
      expect(hidden).toHaveLength(shown.length - 1)
    },
  )
  const told = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 }
  const servers: [string, string[]][] = [
    [
      'beside the last choice',
      [
        '{"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}',
        `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(told)}}`,
        '[DONE]',
      ],
    ],
    [
      'in every chunk',
      [
        `{"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}],"usage":{"prompt_tokens":20,"completion_tokens":1,"total_tokens":21}}`,
        `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(told)}}`,
        '[DONE]',
      ],
    ],
  ]
  test.each(servers)(
    'servers that tell it %s: not shown unasked, billed all the same',
    async (_, payloads) => {
      world.upstream.answer(streamOf('openai', payloads))
      const answered = await streamed({})
      expect(answered.join('')).not.toContain('usage')
      expect(answered).toHaveLength(3)
      expect(answered.at(-1)).toBe('[DONE]')
      expect(await world.lastCall()).toMatchObject({
        cost_nanos: 20 * INPUT_NANOS + 12 * OUTPUT_NANOS,
        estimated: 0,
      })
    },
  )
  test('a whole call is not asked for it, and shows it always', async () => {
    const answer = (await (await post(BODY)).json()) as JsonObject
    expect(world.asked()).not.toHaveProperty('stream_options')
    expect(answer.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 24 })
  })
})

describe('fields reach a vendor of the protocol as they were written', () => {
  const FIELDS: [string, string][] = [
    ['n', '"n":2'],
    ['seed', '"seed":9007199254740993'],
    ['logprobs', '"logprobs":true,"top_logprobs":5'],
    [
      'tools and parallel_tool_calls',
      '"tools":[{"type":"function","function":{"name":"f","strict":true}}],"parallel_tool_calls":false,"tool_choice":"required"',
    ],
    [
      'response_format',
      '"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"object","maximum":1.0}}}',
    ],
    ['reasoning_effort', '"reasoning_effort":"high"'],
    ['stop', '"stop":["a","b"]'],
    [
      'penalties and sampling',
      '"frequency_penalty":0.50,"presence_penalty":-1,"temperature":1.0,"top_p":1e-1',
    ],
    ['logit_bias', '"logit_bias":{"50256":-100}'],
    [
      'vendors’ own extensions',
      '"transforms":["x"],"provider":{"order":["a"]},"chat_template_kwargs":{"enable_thinking":false}',
    ],
    ['metadata, store, user', '"metadata":{"a":"b"},"store":true,"user":"u"'],
  ]
  test.each(FIELDS)('%s', async (_, fields) => {
    const given = `${fields}, "messages" : [{"role":"user","content":"Hi"}]`
    expect((await post(`{"model":"${MODEL}",${given}}`)).status).toBe(200)
    expect(world.upstream.last().body.toString()).toBe(`{"model":"${MODEL}",${given}}`)
    expect((await post(`{"model":"${ALIASES.openai}",${given}}`)).status).toBe(200)
    expect(world.upstream.last().body.toString()).toBe(`{"model":"${MODEL}",${given}}`)
  })
  test('a stream that is asked for its usage changes in nothing else', async () => {
    const text = `{"stream":true, "x":1.0,"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`
    await (await post(text)).text()
    expect(world.upstream.last().body.toString()).toBe(
      `${text.slice(0, -1)},"stream_options":{"include_usage":true}}`,
    )
  })
  test.each([
    ['model', '"model":"gpt-dear",'],
    ['n', '"n":90,"n":1,'],
    ['max_completion_tokens', '"max_completion_tokens":9000,"max_completion_tokens":90,'],
  ])('%s, written twice, has one meaning upstream', async (_, fields) => {
    await (await post(`{${fields}"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`)).text()
    const sent = world.upstream.last().body.toString()
    expect(sent).not.toContain('dear')
    expect(sent).not.toContain('90,"n"')
    expect(sent).not.toContain('9000')
  })
})

describe('answers', () => {
  test.each(['text', 'tools', 'length', 'refused', 'logprobs', 'two-answers'])(
    'whole, byte for byte: %s',
    async (name) => {
      world.upstream.answer(replay(name))
      expect(await (await post(BODY)).text()).toBe(recorded('openai', `whole-${name}`)[0] ?? '')
    },
  )
  test.each([
    'text',
    'tools',
    'length',
    'refused',
    'logprobs',
    'two-answers',
    'ollama',
    'openrouter-reasoning',
    'google',
  ])('streamed, byte for byte: %s', async (name) => {
    const payloads = recorded('openai', `stream-${name}`)
    world.upstream.answer(streamOf('openai', payloads))
    const text = await (await post({ ...BODY, ...SHOWN })).text()
    expect(text).toBe(payloads.map((payload) => framed('openai', payload)).join(''))
  })
  test('n answers: the hold is for all of them, the charge for what was written', async () => {
    world.upstream.answer(replay('two-answers'))
    await (await post({ ...BODY, n: 2, max_completion_tokens: 1_000 })).text()
    const call = await world.lastCall()
    const hold = world.gateway.rows().holds.at(-1)
    expect(hold?.amount_nanos).toBeGreaterThanOrEqual(2 * 1_000 * OUTPUT_NANOS)
    expect(call.cost_nanos).toBe(12 * INPUT_NANOS + 6 * OUTPUT_NANOS)
  })
  test('cached tokens are part of the prompt, reasoning of the completion: neither is added again', async () => {
    world.upstream.answer(replay('tools'))
    await (await post(BODY)).text()
    expect(await world.lastCall()).toMatchObject({
      input_tokens: 216,
      cache_read_tokens: 256,
      output_tokens: 67,
      thinking_tokens: 64,
      cost_nanos: 216 * INPUT_NANOS + 256 * CACHE_READ_NANOS + 131 * OUTPUT_NANOS,
    })
  })
  test('logprobs of a Gemini model', async () => {
    const chosen = { token: 'Os', logProbability: -0.02 }
    world.upstream.answer(
      whole({
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'Os' }] },
            finishReason: 'STOP',
            logprobsResult: { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] },
          },
        ],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 },
      }),
    )
    const answer = await (
      await post({ ...BODY, model: MODELS.gemini, logprobs: true, top_logprobs: 1 })
    ).json()
    expect(answer).toMatchObject({
      choices: [
        { logprobs: { content: [{ token: 'Os', logprob: -0.02, top_logprobs: [{ token: 'Os' }] }] } },
      ],
    })
    expect(world.asked().generationConfig).toMatchObject({ responseLogprobs: true, logprobs: 1 })
  })
  test.each([
    ['gemini', 'n', { n: 2 }, { generationConfig: { candidateCount: 2 } }],
    ['gemini', 'seed', { seed: 7 }, { generationConfig: { seed: 7 } }],
    ['gemini', 'stop', { stop: 'x' }, { generationConfig: { stopSequences: ['x'] } }],
    [
      'gemini',
      'reasoning_effort',
      { reasoning_effort: 'low' },
      { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } },
    ],
    [
      'gemini',
      'response_format',
      { response_format: { type: 'json_object' } },
      { generationConfig: { responseMimeType: 'application/json' } },
    ],
    ['anthropic', 'stop', { stop: ['x', 'y'] }, { stop_sequences: ['x', 'y'] }],
    [
      'anthropic',
      'parallel_tool_calls',
      { parallel_tool_calls: false, tools: [{ type: 'function', function: { name: 'f' } }] },
      { tool_choice: { disable_parallel_tool_use: true } },
    ],
    ['anthropic', 'max_completion_tokens', { max_completion_tokens: 77 }, { max_tokens: 77 }],
    ['anthropic', 'no limit: the model’s own', {}, { max_tokens: 16_384 }],
  ] as const)('to %s: %s', async (vendor, _, said, sent) => {
    expect((await post({ ...BODY, ...said, model: MODELS[vendor] })).status).toBe(200)
    expect(world.asked()).toMatchObject(sent as unknown as JsonObject)
  })
})

describe('errors, in OpenAI’s shape', () => {
  type Case = readonly [number, string, string | null, string, () => Promise<Response> | Response]
  const CASES: Case[] = [
    [400, 'invalid_request_error', null, 'no JSON', () => post('{')],
    [400, 'invalid_request_error', null, 'no object', () => post('"x"')],
    [400, 'invalid_request_error', null, 'no model', () => post({ messages })],
    [400, 'invalid_request_error', null, 'an empty model', () => post({ ...BODY, model: '' })],
    [400, 'invalid_request_error', null, 'no messages', () => post({ model: MODEL })],
    [400, 'invalid_request_error', null, 'empty messages', () => post({ ...BODY, messages: [] })],
    [400, 'invalid_request_error', null, 'messages that are none', () => post({ ...BODY, messages: [1] })],
    [400, 'invalid_request_error', null, 'no answers', () => post({ ...BODY, n: 0 })],
    [400, 'invalid_request_error', null, 'answers in parts', () => post({ ...BODY, n: 1.5 })],
    [400, 'invalid_request_error', null, 'a limit as text', () => post({ ...BODY, max_tokens: '5' })],
    [
      400,
      'invalid_request_error',
      null,
      'a limit below 0',
      () => post({ ...BODY, max_completion_tokens: -5 }),
    ],
    [400, 'invalid_request_error', null, 'stream as a number', () => post({ ...BODY, stream: 1 })],
    [401, 'invalid_request_error', 'invalid_api_key', 'no key', () => post(BODY, { key: undefined })],
    [
      401,
      'invalid_request_error',
      'invalid_api_key',
      'an unknown key',
      () => post(BODY, { key: 'tg_no-such-key-there-is' }),
    ],
    [
      401,
      'invalid_request_error',
      'invalid_api_key',
      'a key in the address',
      () => post(BODY, { form: 'query' }),
    ],
    [
      401,
      'invalid_request_error',
      'invalid_api_key',
      'a key in Google’s header',
      () => post(BODY, { form: 'x-goog-api-key' }),
    ],
    [
      402,
      'insufficient_quota',
      'insufficient_balance',
      'an empty balance',
      async () => post(BODY, { key: await world.gateway.caller('0') }),
    ],
    [
      403,
      'invalid_request_error',
      'MODEL_ACCESS_DENIED',
      'a key without the model',
      async () => post(BODY, { key: await world.gateway.caller('10', { models: [MODELS.gemini] }) }),
    ],
    [403, 'invalid_request_error', 'permission_denied', 'a suspended account', suspended],
    [
      404,
      'invalid_request_error',
      'model_not_found',
      'no such model',
      () => post({ ...BODY, model: 'gpt-9' }),
    ],
    [
      404,
      'invalid_request_error',
      'model_not_found',
      'a retired model',
      () => post({ ...BODY, model: 'retired' }),
    ],
  ]
  async function suspended(): Promise<Response> {
    const account = await world.gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
    const own = world.gateway.key(account.name)
    suspendAccount(world.gateway.db, account.name)
    return post(BODY, { key: own })
  }
  test.each(CASES)('%i %s %s: %s; nothing is held, asked or recorded', async (status, type, code, _, ask) => {
    const before = countsOf(world)
    expect(await errorOf(await ask())).toMatchObject({ status, type, code })
    await expectUntouched(world, before)
  })
  test.each([
    ['model', { model: undefined }],
    ['stream', { stream: 'yes' }],
    ['messages', { messages: {} }],
    ['messages[1]', { messages: [...messages, null] }],
    ['n', { n: -1 }],
    ['max_tokens', { max_tokens: 0.5 }],
  ])('the field at fault is the param: %s', async (param, said) => {
    expect((await errorOf(await post({ ...BODY, ...said }))).param).toBe(param)
  })

  test('429 rate_limit_error, with Retry-After', async () => {
    await world.gateway.account('limited', { balance_usd: '1' })
    const own = world.gateway.key('limited')
    await (await post(BODY, { key: own })).text()
    const response = await post(BODY, { key: own })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
    })
  })

  const VENDORS: [number, string, string | null, string, () => void][] = [
    [
      400,
      'invalid_request_error',
      null,
      'finds fault with the request',
      () => world.upstream.answer(refusal(400, REFUSAL.openai(400, 'odd'))),
    ],
    [
      429,
      'rate_limit_error',
      'rate_limit_exceeded',
      'is busy',
      () => world.upstream.answer(refusal(429, REFUSAL.openai(429, 'slow down'))),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'fails',
      () => world.upstream.answer(refusal(500, 'secret words')),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'does not have the model',
      () => world.upstream.answer(refusal(404, REFUSAL.openai(404, 'secret'))),
    ],
    [502, 'server_error', 'upstream_error', 'breaks the connection', () => world.upstream.answer(RESET)],
    [
      502,
      'server_error',
      'upstream_error',
      'answers 200 with an error (OpenRouter)',
      () => world.upstream.answer(whole({ error: { code: 502, message: 'secret words' } })),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'answers with half an answer',
      () => world.upstream.answer(whole('{"choices":[')),
    ],
  ]
  test.each(VENDORS)('%i %s %s: the vendor %s; all is given back', async (status, type, code, _, answer) => {
    answer()
    const error = await errorOf(await post(BODY))
    expect(error).toMatchObject({ status, type, code })
    expect(error.message).not.toContain('secret')
    expect(await world.lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })
  test('504: the vendor is silent', async () => {
    world.upstream.answer(SILENCE)
    expect(await errorOf(await post({ ...BODY, model: 'hasty' }))).toMatchObject({
      status: 504,
      code: 'upstream_timeout',
    })
  })
  test('mid-stream: a last record with the error, and no [DONE]', async () => {
    const payloads = recorded('openai', 'stream-error')
    world.upstream.answer(streamOf('openai', payloads))
    const answered = await streamed({})
    expect(answered.slice(0, -1)).toEqual(payloads.slice(0, -1))
    expect(JSON.parse(answered.at(-1) ?? '')).toEqual({
      error: {
        message: expect.stringContaining('retry'),
        type: 'server_error',
        param: null,
        code: 'upstream_error',
      },
    })
    expect(await world.lastCall()).toMatchObject({ outcome: 'broken' })
  })
})

describe('limits', () => {
  const LIMIT_BYTES = 30 * 1024 * 1024
  function bodyOf(bytes: number): Buffer {
    const rest = JSON.stringify({ ...BODY, user: '' })
    return Buffer.from(rest.replace('"user":""', `"user":"${'a'.repeat(bytes - rest.length)}"`))
  }
  test('a body of 30 MB is taken', async () => {
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200)
  })
  test('one byte more is 413', async () => {
    const before = countsOf(world)
    expect(await errorOf(await post(bodyOf(LIMIT_BYTES + 1)))).toMatchObject({
      status: 413,
      code: 'request_too_large',
    })
    await expectUntouched(world, before)
  })
  test('also where the length is not announced', async () => {
    const outcome = await post(inChunks(bodyOf(LIMIT_BYTES + 1), 1024 * 1024)).then(errorOf, () => 'closed')
    if (typeof outcome !== 'string') expect(outcome).toMatchObject({ status: 413 })
  })
  test.each(PROTOCOLS)(
    'a limit that the balance does not pay is lowered, and said: a %s model',
    async (vendor) => {
      const poor = await world.gateway.caller('0.003')
      const response = await post(
        { ...BODY, model: MODELS[vendor], max_completion_tokens: 8_000 },
        { key: poor },
      )
      const limit = Number(response.headers.get('x-tollgate-output-limit'))
      expect(limit).toBeGreaterThan(256)
      expect(limit).toBeLessThan(8_000)
      const { generationConfig, max_tokens, max_completion_tokens } = world.asked()
      expect([
        (generationConfig as JsonObject | undefined)?.maxOutputTokens,
        max_tokens,
        max_completion_tokens,
      ]).toContain(limit)
    },
  )
})

test.each([
  { max_completion_tokens: 10, max_tokens: 4_000 },
  { max_completion_tokens: 4_000, max_tokens: 10 },
  { max_tokens: 4_000 },
])('held is for the larger of two limits, for servers differ in which one they know: %o', async (limits) => {
  await (await post({ ...BODY, ...limits })).text()
  await world.gateway.atRest()
  expect(world.gateway.rows().holds.at(-1)?.amount_nanos).toBeGreaterThanOrEqual(4_000 * OUTPUT_NANOS)
})

test.each(['bearer', 'x-api-key'] as const)('credentials: %s', async (form) => {
  const answer = (await (await post(BODY, { form })).json()) as {
    choices: { message: { content: string } }[]
  }
  expect(answer.choices[0]?.message.content).toBe(TIDES)
})
