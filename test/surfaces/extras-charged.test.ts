// Extras that a model has a price for: held before the call, charged as the provider counts them, exact to the nano-dollar.
import { describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { type Answer, events, refusal, SILENCE, stream, whole } from '../support/upstream.ts'
import { ERROR_OF, REQUESTS } from './requests.ts'

/** A model of each protocol at 1 USD per million tokens read and 4 written: 1,000 and 4,000 nano-dollars a token. */
const EXTRAS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: `
google_search = { per_unit = 0.014, max_units = 4 }
google_maps = 0.025
url_context = 0
code_execution = { per_unit = "0.000000003", max_units = 10 }
audio_output = { per_unit = 0.000016, max_units = 1000 }`,
  anthropic: `
web_search = { per_unit = 0.01, max_units = 5 }
web_fetch = 0
code_execution = { per_unit = 0.000000007, max_units = 3 }
mcp_servers = { per_call = 0.02 }
speed = 0.3
compaction = 0.004`,
  openai: `
web_search = { per_unit = 0.025, max_units = 3 }
models = 0
audio_output = { per_unit = 0.000054, max_units = 1000 }`,
}
const PROTOCOLS = Object.keys(EXTRAS) as BuiltInProtocol[]

const catalogue = (url: string): string =>
  [
    '[server]\nlog_level = "debug"',
    ...PROTOCOLS.map((name) => providerSection(name, name, `${url}/${name}`, 'cooldown_ms = 0')),
    ...PROTOCOLS.map((name) => modelOf(name, [name], EXTRAS[name])),
    modelOf('strict', ['openai'], '', 'unknown_fields = "refuse"'),
    modelOf('strict-claude', ['anthropic'], '', 'unknown_fields = "refuse"'),
    modelOf('strict-gemini', ['gemini'], '', 'unknown_fields = "refuse"'),
    modelOf('uncached', ['gemini'], '', 'cached_content = "refuse"'),
    modelOf('either', ['gemini', 'anthropic'], EXTRAS.anthropic),
  ].join('\n')

const modelOf = (id: string, routes: readonly BuiltInProtocol[], extras: string, more = ''): string => `
[[models]]
id = "${id}"
kind = "text"
context = 100000
max_output_tokens = 1000
routes = [${routes.map((to, order) => `{ provider = "${to}", model = "m", order = ${order} }`)}]
${more}
[models.price]
input = 1
output = 4
[models.price.extras]
${extras}`

const { gateway, upstream, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  catalogue,
})

function send(
  surface: BuiltInProtocol,
  streams: boolean,
  fields: JsonObject,
  model: string = surface,
  headers = {},
) {
  const request = REQUESTS[surface](model, streams, fields)
  return call(request.path, request.body, { form: 'x-api-key', headers: { ...request.headers, ...headers } })
}

/** Answers of 10 tokens read and 5 written: 30,000 nano-dollars. */
const TOKENS_NANOS = 10 * 1_000 + 5 * 4_000

const claude = (server_tool_use: object | undefined, blocks: readonly object[] = []) => ({
  whole: whole({
    type: 'message',
    role: 'assistant',
    content: [...blocks, { type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5, ...(server_tool_use ? { server_tool_use } : {}) },
  }),
  streamed: events([
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    ...blocks.map((content_block, index) => ({ type: 'content_block_start', index, content_block })),
    { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'Hello.' } },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 5, ...(server_tool_use ? { server_tool_use } : {}) },
    },
    { type: 'message_stop' },
  ]),
})

const gemini = (more: object, parts: readonly object[] = [], usage: object = {}) => {
  const answer = {
    candidates: [
      {
        content: { role: 'model', parts: [...parts, { text: 'Hello.' }] },
        finishReason: 'STOP',
        index: 0,
        ...more,
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15, ...usage },
  }
  // The grounding comes twice, as from some models: it counts once.
  const before = { candidates: [{ content: { parts: [{ text: '' }] }, index: 0, ...more }] }
  return { whole: whole(answer), streamed: events([before, answer]) }
}

const gpt = (usage: object = {}) => {
  const counted = { prompt_tokens: 10, completion_tokens: 5, ...usage }
  const choice = { index: 0, finish_reason: 'stop' }
  return {
    whole: whole({
      choices: [{ ...choice, message: { role: 'assistant', content: 'Hello.' } }],
      usage: counted,
    }),
    streamed: events([
      { choices: [{ ...choice, delta: { content: 'Hello.' } }] },
      { choices: [], usage: counted },
      '[DONE]',
    ]),
  }
}

const search = (more: JsonObject = {}): JsonObject => ({
  tools: [{ type: 'web_search_20250305', name: 'web_search', ...more }],
})
const SPOKEN: JsonObject = { modalities: ['text', 'audio'], audio: { voice: 'ash', format: 'pcm16' } }
const config = (...responseModalities: string[]): JsonObject => ({ generationConfig: { responseModalities } })
const google = (...names: string[]): JsonObject => ({ tools: names.map((name) => ({ [name]: {} })) })
const queries = (...webSearchQueries: string[]) => ({ groundingMetadata: { webSearchQueries } })
const toolUse = (name: string) => ({ type: 'server_tool_use', id: 'x', name, input: {} })

type Row = readonly [
  name: string,
  fields: JsonObject,
  answer: { whole: Answer; streamed: Answer },
  /** Nano-dollars charged beyond the tokens. */
  nanos: number,
  /** Nano-dollars held beyond the tokens. */
  held: number,
  headers?: Record<string, string>,
]

const ROWS: Readonly<Record<BuiltInProtocol, readonly Row[]>> = {
  anthropic: [
    ['three searches', search(), claude({ web_search_requests: 3 }), 30_000_000, 50_000_000],
    ['no search', search(), claude({ web_search_requests: 0 }), 0, 50_000_000],
    ['searches are not reported', search(), claude(undefined), 0, 50_000_000],
    [
      'the caller’s own limit',
      search({ max_uses: 2 }),
      claude({ web_search_requests: 2 }),
      20_000_000,
      20_000_000,
    ],
    [
      'more than was held for is not charged',
      search({ max_uses: 2 }),
      claude({ web_search_requests: 90 }),
      20_000_000,
      20_000_000,
    ],
    [
      'searches that only the blocks show',
      search(),
      claude(undefined, [toolUse('web_search'), toolUse('web_search')]),
      20_000_000,
      50_000_000,
    ],
    [
      'free',
      { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
      claude({ web_fetch_requests: 4 }),
      0,
      0,
    ],
    [
      'code that runs',
      { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
      claude(undefined, [toolUse('bash_code_execution'), toolUse('code_execution')]),
      14,
      21,
    ],
    [
      'priced per call, used twice',
      {
        mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }],
        tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }],
      },
      claude(undefined, [
        { type: 'mcp_tool_use', name: 'a' },
        { type: 'mcp_tool_use', name: 'b' },
      ]),
      20_000_000,
      20_000_000,
    ],
    [
      'priced per call, not used',
      { mcp_servers: [{ type: 'url', url: 'https://x.test', name: 'x' }] },
      claude(undefined),
      0,
      20_000_000,
    ],
    ['a field that no provider counts', { speed: 'fast' }, claude(undefined), 300_000_000, 300_000_000],
    ['a beta that only allows', {}, claude(undefined), 0, 0, { 'anthropic-beta': 'fast-mode-2026-02-01' }],
    [
      'several',
      { ...search({ max_uses: 1 }), speed: 'fast', compaction: { type: 'summarize' } },
      claude({ web_search_requests: 1 }),
      314_000_000,
      314_000_000,
    ],
  ],
  gemini: [
    ['two queries', google('googleSearch'), gemini(queries('a', '', 'b')), 28_000_000, 56_000_000],
    ['no query', google('google_search'), gemini({}), 0, 56_000_000],
    [
      'more than was held for is not charged',
      google('googleSearch'),
      gemini(queries(...'abcdefghij')),
      56_000_000,
      56_000_000,
    ],
    [
      'grounded in places',
      google('googleMaps'),
      gemini({ groundingMetadata: { groundingChunks: [{ maps: {} }, { maps: {} }] } }),
      25_000_000,
      25_000_000,
    ],
    ['not grounded in places', google('googleMaps'), gemini({}), 0, 25_000_000],
    ['free', google('urlContext'), gemini({ urlContextMetadata: { urlMetadata: [{}, {}] } }), 0, 0],
    [
      'code that runs',
      google('codeExecution'),
      gemini({}, [{ executableCode: { code: 'x' } }, { executableCode: { code: 'y' } }]),
      6,
      30,
    ],
    ['a standard tier', { serviceTier: 'standard' }, gemini({}), 0, 0],
    [
      'a spoken answer, on top of its output',
      { generationConfig: { maxOutputTokens: 1_000, responseModalities: ['AUDIO'], speechConfig: {} } },
      gemini({}, [], { candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 3 }] }),
      3 * 16_000,
      16_000_000,
    ],
  ],
  openai: [
    ['one search without a count', { web_search_options: {} }, gpt(), 25_000_000, 75_000_000],
    [
      'searches that are counted',
      { web_search_options: {} },
      gpt({ server_tool_use: { web_search_requests: 2 } }),
      50_000_000,
      75_000_000,
    ],
    ['a count of zero', { web_search_options: {} }, gpt({ num_search_queries: 0 }), 0, 75_000_000],
    [
      'a spoken answer, on top of its output',
      SPOKEN,
      gpt({ completion_tokens_details: { audio_tokens: 4 } }),
      4 * 54_000,
      54_000_000,
    ],
    [
      'a spoken answer that has text only',
      SPOKEN,
      gpt({ completion_tokens_details: { audio_tokens: 0 } }),
      0,
      54_000_000,
    ],
    [
      'no more than was held for',
      SPOKEN,
      gpt({ completion_tokens_details: { audio_tokens: 5_000 } }),
      54_000_000,
      54_000_000,
    ],
    ['an answer in text only', { modalities: ['text'] }, gpt(), 0, 0],
    ['free', { models: ['x'] }, gpt(), 0, 0],
  ],
}

/** The input: a short question, and the provider's own prompt for its tools, at 2,000 nano-dollars a token. */
const MAX_INPUT_NANOS = 5_000_000
/** The longest output that a request may get: 1,000 tokens at 4,000 nano-dollars. */
const OUTPUT_CEILING_NANOS = 4_000_000

describe('extras are held for, and charged as counted', () => {
  const rows = PROTOCOLS.flatMap((surface) => ROWS[surface].map((row) => [surface, ...row] as const))
  test.each(rows)('%s: %s', async (surface, _, fields, answer, nanos, held, headers = {}) => {
    for (const streams of [false, true]) {
      upstream.answer(streams ? answer.streamed : answer.whole)
      const response = await send(surface, streams, fields, surface, headers)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')])
      const record = await lastCall()
      expect(record).toMatchObject({ outcome: 'completed', estimated: 0, cost_nanos: TOKENS_NANOS + nanos })
      expect(record.hold_nanos - held - OUTPUT_CEILING_NANOS).toBeWithin(1, MAX_INPUT_NANOS)
      const { extras = [] } = JSON.parse(record.price)
      const sum = extras.reduce(
        (total: number, extra: { nanos: number; units: number }) => total + extra.nanos * extra.units,
        0,
      )
      expect(sum).toBe(nanos)
    }
  })
})

describe('the price that was applied is kept with the call', () => {
  test('with extras', async () => {
    upstream.answer(claude({ web_search_requests: 3 }).whole)
    await (await send('anthropic', false, search())).text()
    expect(JSON.parse((await lastCall()).price)).toMatchObject({
      unit: 'token',
      nanos_per_million_tokens: { input_tokens: 1_000_000_000 },
      extras: [{ name: 'web_search', per: 'unit', nanos: 10_000_000, units: 3 }],
    })
  })
  test('without', async () => {
    upstream.answer(claude(undefined).whole)
    await (await send('anthropic', false, {})).text()
    expect(JSON.parse((await lastCall()).price)).not.toHaveProperty('extras')
  })
})

describe('the caller’s limit of units is lowered to the model’s, in the request that is sent', () => {
  test.each([
    [undefined, 5],
    [90, 5],
    [5, 5],
    [2, 2],
    [0, 5],
    ['3', 5],
  ])('%p: %d', async (max_uses, sent) => {
    upstream.answer(claude(undefined).whole)
    const custom = { name: 'f', input_schema: { type: 'object' } }
    const { tools } = search(max_uses === undefined ? {} : { max_uses }) as { tools: JsonObject[] }
    expect((await send('anthropic', false, { tools: [custom, ...tools] })).status).toBe(200)
    expect(upstreamBody().tools).toEqual([custom, { ...tools[0], max_uses: sent }])
  })
})

describe('an answer that ends early', () => {
  const FIRST_EVENTS = [
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: toolUse('web_search') },
    { type: 'content_block_start', index: 1, content_block: toolUse('web_search') },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'Hell' } },
  ]
  test('uses that it shows are charged', async () => {
    upstream.answer(stream(...FIRST_EVENTS.map((event) => ({ event })), 'reset'))
    await (await send('anthropic', true, search())).text()
    const { outcome, price } = await lastCall()
    expect([outcome, JSON.parse(price).extras]).toEqual([
      'broken',
      [{ name: 'web_search', per: 'unit', nanos: 10_000_000, units: 2 }],
    ])
  })
  test('a caller who disconnects before the end pays for them, too', async () => {
    upstream.answer(stream(...FIRST_EVENTS.map((event) => ({ event })), 'hang'))
    const reader = (await send('anthropic', true, search())).body?.getReader()
    for (let seen = ''; !seen.includes('Hell'); )
      seen += Buffer.from((await reader?.read())?.value ?? []).toString()
    await reader?.cancel()
    const { outcome, price } = await lastCall()
    expect([outcome, JSON.parse(price).extras[0].units]).toEqual(['cancelled', 2])
  })
  test('an extra that is reported only at the end counts as used once', async () => {
    upstream.answer(
      stream({ event: { candidates: [{ content: { parts: [{ text: 'Hell' }] }, index: 0 }] } }, 'reset'),
    )
    await (await send('gemini', true, google('googleSearch'))).text()
    const { outcome, price } = await lastCall()
    expect([outcome, JSON.parse(price).extras]).toEqual([
      'broken',
      [{ name: 'google_search', per: 'unit', nanos: 14_000_000, units: 1 }],
    ])
  })
  const SAMPLES = Buffer.alloc(4_800).toString('base64')
  test.each([
    [
      'openai',
      SPOKEN,
      { choices: [{ index: 0, delta: { content: 'Hello', audio: { data: SAMPLES } } }] },
      2 * 2,
    ],
    [
      'gemini',
      config('AUDIO'),
      {
        candidates: [
          { content: { parts: [{ inlineData: { mimeType: 'audio/L16;rate=24000', data: SAMPLES } }] } },
        ],
      },
      2 * 3,
    ],
  ] as const)('uncounted speech is charged as far as it came: %s', async (surface, fields, event, units) => {
    upstream.answer(stream({ event }, { event }, 'reset'))
    await (await send(surface, true, fields)).text()
    const { outcome, price } = await lastCall()
    expect([outcome, JSON.parse(price).extras]).toEqual([
      'broken',
      [expect.objectContaining({ name: 'audio_output', units })],
    ])
  })
  test('an answer without any event is free', async () => {
    upstream.answer(stream('reset'))
    await (await send('anthropic', true, search())).text()
    expect(await lastCall()).toMatchObject({ cost_nanos: 0 })
  })
})

describe('balances near the cost of the extras', () => {
  test('one below their highest cost, which is held in full, is refused before the upstream request', async () => {
    const key = await gateway.caller('0.049')
    const { path, headers, body } = REQUESTS.anthropic('anthropic', false, search())
    const before = counts()
    const response = await call(path, body, { key, form: 'x-api-key', headers })
    expect(ERROR_OF.anthropic((await response.json()) as JsonObject).type).toBe('billing_error')
    await expectCounts(before)
  })
  test('one that pays for them and a short answer gets a short answer', async () => {
    upstream.answer(claude({ web_search_requests: 5 }).whole)
    const key = await gateway.caller('0.0560')
    const { path, headers, body } = REQUESTS.anthropic('anthropic', false, search())
    const response = await call(path, body, { key, form: 'x-api-key', headers })
    expect(response.status).toBe(200)
    const limit = Number(response.headers.get('x-tollgate-output-limit'))
    expect(limit).toBeWithin(256, 500)
    expect(upstreamBody().max_tokens).toBe(limit)
    expect(await lastCall()).toMatchObject({ cost_nanos: TOKENS_NANOS + 50_000_000, unpaid_nanos: 0 })
  })
})

test('the hold covers an extra that the failed route drops and the next route bills', async () => {
  upstream.answer(({ path }) => (path.startsWith('/gemini') ? refusal(500) : claude(undefined).whole))
  await (await send('anthropic', false, { speed: 'fast' }, 'either')).text()
  const { provider, cost_nanos, hold_nanos } = await lastCall()
  expect([provider, cost_nanos]).toEqual(['anthropic', TOKENS_NANOS + 300_000_000])
  expect(hold_nanos).toBeGreaterThan(300_000_000 + OUTPUT_CEILING_NANOS)
})

test('an extra that the serving route drops costs nothing, though another route bills it', async () => {
  upstream.answer(gemini({}).whole)
  await (await send('anthropic', false, { speed: 'fast' }, 'either')).text()
  expect(await lastCall()).toMatchObject({ provider: 'gemini', cost_nanos: TOKENS_NANOS })
})

describe('a caller who disconnects before the first event pays for each extra once: the provider’s use is unknown', () => {
  test.each([
    ['anthropic', { speed: 'fast' }, 300_000_000],
    ['gemini', { tools: [{ googleSearch: {} }] }, 14_000_000],
    ['openai', { web_search_options: {} }, 25_000_000],
  ] as const)('%s: %j', async (surface, fields, nanos) => {
    for (const streams of [false, true]) {
      upstream.answer(SILENCE)
      const leaving = new AbortController()
      const { path, body, headers } = REQUESTS[surface](surface, streams, fields as unknown as JsonObject)
      const options = { form: 'x-api-key', headers, signal: leaving.signal } as const
      const left = call(path, body, options).catch(() => 'left')
      await upstream.waitForRequest(upstream.requests.length + 1)
      leaving.abort()
      expect(await left).toBe('left')
      const { cost_nanos, input_tokens, outcome } = await lastCall()
      expect({ outcome, cost_nanos }).toEqual({
        outcome: 'cancelled',
        cost_nanos: input_tokens * 1_000 + nanos,
      })
    }
  })
})

test('a count at the start of a message is not the last one: until that comes, the blocks count', async () => {
  const search = { type: 'server_tool_use', name: 'web_search', id: 'x', input: {} }
  const start = { input_tokens: 10, output_tokens: 1, server_tool_use: { web_search_requests: 0 } }
  upstream.answer(
    stream(
      { event: { type: 'message_start', message: { usage: start } } },
      { event: { type: 'content_block_start', index: 0, content_block: search } },
      { event: { type: 'content_block_start', index: 1, content_block: search } },
      { event: { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'Hello.' } } },
      'reset',
    ),
  )
  await (
    await send('anthropic', true, { tools: [{ type: 'web_search_20250305', name: 'web_search' }] })
  ).text()
  expect((await lastCall()).price).toContain('"units":2')
})

describe('unknown_fields = "refuse"', () => {
  test.each([
    ['openai', 'strict', { temprature: 1 }, 'temprature'],
    ['openai', 'strict', { __proto__x: 1 }, '__proto__x'],
    ['openai', 'strict', { constructor: 1 }, 'constructor'],
    ['anthropic', 'strict-claude', { temprature: 1 }, 'temprature'],
    ['gemini', 'strict-gemini', { temprature: 1 }, 'temprature'],
    ['gemini', 'strict-gemini', { Contents: [] }, 'Contents'],
  ] as const)('%s to %s: %p', async (surface, model, fields, field) => {
    const before = counts()
    const response = await send(surface, false, fields as unknown as JsonObject, model)
    expect(response.status).toBe(400)
    expect(ERROR_OF[surface]((await response.json()) as JsonObject).message).toContain(field)
    await expectCounts(before)
  })
  test.each([
    ['openai', 'strict', { temperature: 1, logit_bias: {}, metadata: {}, service_tier: 'auto' }],
    ['anthropic', 'strict-claude', { temperature: 1, cache_control: null, service_tier: 'auto' }],
    [
      'gemini',
      'strict-gemini',
      { system_instruction: { parts: [] }, safetySettings: [], cached_content: '' },
    ],
  ] as const)('%s takes known fields: %p', async (surface, model, fields) => {
    upstream.answer({ openai: gpt(), anthropic: claude(undefined), gemini: gemini({}) }[surface].whole)
    expect((await send(surface, false, fields as unknown as JsonObject, model)).status).toBe(200)
  })
  test('unknown fields pass by default', async () => {
    upstream.answer(gpt().whole)
    expect((await send('openai', false, { temprature: 1 })).status).toBe(200)
    expect(upstreamBody().temprature).toBe(1)
  })
})

describe('cached content', () => {
  const fields = { cachedContent: 'cachedContents/x' }
  test('passes, and all of the model’s context is held for', async () => {
    upstream.answer(gemini({}).whole)
    expect((await send('gemini', false, fields)).status).toBe(200)
    expect(upstreamBody()).toMatchObject(fields)
    expect((await lastCall()).hold_nanos).toBe(100_000 * 1_000 + OUTPUT_CEILING_NANOS)
  })
  test.each(['cachedContent', 'cached_content'])('a model may refuse it: %s', async (name) => {
    const response = await send('gemini', false, { [name]: 'cachedContents/x' }, 'uncached')
    expect(response.status).toBe(400)
    expect(ERROR_OF.gemini((await response.json()) as JsonObject).message).toContain(
      `${name}: cannot be used`,
    )
  })
  test('an empty name is not refused', async () => {
    upstream.answer(gemini({}).whole)
    expect((await send('gemini', false, { cachedContent: '' }, 'uncached')).status).toBe(200)
  })
})
