// Gemini and Claude at Vertex AI by the file of a service account: addresses, tokens, bills, and failures.
import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import {
  accountFile,
  assertionIn,
  invalidGrant,
  PRIVATE_KEY,
  PROJECT,
  TOKEN_PATH,
  tokenAnswer,
  tokenNumber,
} from '../support/google.ts'
import { answer, ask, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection } from '../support/sections.ts'
import { folderOfFile } from '../support/test-folder.ts'
import { events, heldBack, refusal, type Script, type UpstreamRequest, whole } from '../support/upstream.ts'

const MINUTE_MS = 60_000
const clock = { ahead_ms: 0 }
const now = () => Date.now() + clock.ahead_ms
const fixture = (name: string): JsonObject[] =>
  readFileSync(join(import.meta.dir, '../fixtures', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const GEMINI = 'gemini-3.5-flash'
const CLAUDE = 'claude-haiku-4-5@20251001'
const VERTEX_GEMINI = answer('Hello.', {
  promptTokenCount: 10,
  candidatesTokenCount: 5,
  totalTokenCount: 15,
  trafficType: 'ON_DEMAND',
})
/** The answers of Claude and Gemini, whole and streamed. */
const models: Script = ({ path }) => {
  if (path.includes(':streamRawPredict')) return events(fixture('anthropic/stream-tools'))
  if (path.includes('count-tokens')) return whole({ input_tokens: 9 })
  if (path.includes(':rawPredict')) return whole(fixture('anthropic/whole-text')[0])
  if (path.includes(':countTokens')) return whole({ totalTokens: 7 })
  return path.includes(':stream') ? events(fixture('gemini/stream-function-call')) : whole(VERTEX_GEMINI)
}
let vertex: Script = models
let tokens = 0
let token_server: Script = (seen) => tokenAnswer(seen, Date.now(), ++tokens)
const google: Script = (seen, index) => {
  const script = seen.path === TOKEN_PATH ? token_server : vertex
  return typeof script === 'function' ? script(seen, index) : script
}

const KEY_FILE = folderOfFile().at('vertex.json')
const block = (url: string, name: string, protocol: string, more = '') => `
[[providers]]
name = "${name}"
server = "vertex"
protocol = "${protocol}"
base_url = "${url}"
api_keys = ["file:${KEY_FILE}"]
cooldown_ms = 0
${more}
`
const PRICE =
  'input = 1, output = 4, cache_read = 0.1, cache_write_5m = 1.25, cache_write_1h = 2, thinking = 4'
const { call, upstream, lastCall, gateway } = await fileScene({
  script: google,
  now,
  catalogue(url) {
    writeFileSync(KEY_FILE, accountFile(url))
    return [
      '[server]\non_disconnect = "drain"\n[native]\nextra_methods = true\n',
      block(url, 'gemini', 'gemini', 'region = "europe-west1"'),
      block(url, 'claude', 'anthropic'),
      modelSection('gemini', { gemini: GEMINI }, { price: PRICE }),
      modelSection('claude', { claude: CLAUDE }, { price: PRICE, more: 'max_output_tokens = 8192' }),
    ].join('\n')
  },
})

beforeEach(() => {
  upstream.requests.length = 0
  vertex = models
})

const sent = () => upstream.requests.filter(({ path }) => path !== TOKEN_PATH)
const exchanges = () => upstream.requests.filter(({ path }) => path === TOKEN_PATH)
const bodyOf = (seen: UpstreamRequest | undefined): JsonObject => JSON.parse(String(seen?.body))
const AT_GEMINI = `/v1beta1/projects/${PROJECT}/locations/europe-west1/publishers/google/models/${GEMINI}`
const AT_CLAUDE = `/v1/projects/${PROJECT}/locations/global/publishers/anthropic/models`

const TOOL = {
  name: 'get_weather',
  description: 'Weather of a city',
  input_schema: { type: 'object', properties: {} },
}
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const messages = (more: object = {}) => ({
  model: 'claude',
  max_tokens: 200,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
        { type: 'text', text: 'What is this?' },
      ],
    },
  ],
  tools: [TOOL],
  ...more,
})
const VERSION = { headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'context-1m-2025-08-07' } }
const chat = (model: string, more: object = {}) => ({
  model,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
      ],
    },
  ],
  tools: [
    { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
  ],
  ...more,
})
const native = (rest: object = {}) => ({
  contents: [
    { parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: PICTURE } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'get_weather' }] }],
  ...rest,
})

// Gemini: 10 × 1,000 + 5 × 4,000; streamed 84 × 1,000 + (16 + 58) × 4,000.
const G_WHOLE = 30_000
const G_STREAM = 84_000 + 74 * 4_000
// Claude: 14 × 1,000 + 24 × 4,000.
const C_WHOLE = 14_000 + 24 * 4_000
/** Input, read from the cache, written to it for 5 minutes and for an hour, output. */
const C_STREAM = 472_000 + 2_048 * 100 + 300 * 1_250 + 100 * 2_000 + 131 * 4_000

type Row = [name: string, path: string, body: object, options: object, to: string, cost: number]
const rows: Row[] = [
  ['native, whole', wholePath('gemini'), native(), {}, `${AT_GEMINI}:generateContent`, G_WHOLE],
  [
    'native, streamed',
    streamPath('gemini'),
    native(),
    {},
    `${AT_GEMINI}:streamGenerateContent?alt=sse`,
    G_STREAM,
  ],
  ['Gemini by chat', '/v1/chat/completions', chat('gemini'), {}, `${AT_GEMINI}:generateContent`, G_WHOLE],
  [
    'Gemini by chat, streamed',
    '/v1/chat/completions',
    chat('gemini', { stream: true }),
    {},
    `${AT_GEMINI}:streamGenerateContent?alt=sse`,
    G_STREAM,
  ],
  [
    'Gemini by messages',
    '/v1/messages',
    messages({ model: 'gemini' }),
    VERSION,
    `${AT_GEMINI}:generateContent`,
    G_WHOLE,
  ],
  ['messages, whole', '/v1/messages', messages(), VERSION, `${AT_CLAUDE}/${CLAUDE}:rawPredict`, C_WHOLE],
  [
    'messages, streamed',
    '/v1/messages',
    messages({ stream: true }),
    VERSION,
    `${AT_CLAUDE}/${CLAUDE}:streamRawPredict`,
    C_STREAM,
  ],
  [
    'Claude by chat',
    '/v1/chat/completions',
    chat('claude'),
    {},
    `${AT_CLAUDE}/${CLAUDE}:rawPredict`,
    C_WHOLE,
  ],
  [
    'Claude by chat, streamed',
    '/v1/chat/completions',
    chat('claude', { stream: true }),
    {},
    `${AT_CLAUDE}/${CLAUDE}:streamRawPredict`,
    C_STREAM,
  ],
  [
    'Claude by native',
    wholePath('claude'),
    native({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    {},
    `${AT_CLAUDE}/${CLAUDE}:rawPredict`,
    C_WHOLE,
  ],
]

describe('a call', () => {
  test.each(rows)('%s', async (_, path, body, options, to, cost) => {
    const response = await call(path, body, options)
    expect(response.status).toBe(200)
    const text = await response.text()
    if (to.includes('tream')) expect(text).toContain('get_weather')
    const [seen] = sent()
    expect(seen?.path).toBe(to)
    expect(seen?.headers).toMatchObject({ authorization: `Bearer ${tokenNumber(tokens)}` })
    for (const name of ['x-goog-api-key', 'x-api-key']) expect(seen?.headers).not.toHaveProperty(name)
    const request = bodyOf(seen)
    if (to.includes('anthropic')) {
      expect(request).toMatchObject({ anthropic_version: 'vertex-2023-10-16' })
      expect(request).not.toHaveProperty('model')
      expect(request.stream ?? false).toBe(to.includes('stream'))
    } else for (const content of request.contents as JsonObject[]) expect(content.role).toBe('user')
    expect(JSON.stringify(request)).toContain('get_weather')
    if (path !== wholePath('claude')) expect(JSON.stringify(request)).toContain(PICTURE)
    if (options === VERSION && to.includes('anthropic'))
      expect(seen?.headers['anthropic-beta']).toBe('context-1m-2025-08-07')
    const record = await lastCall()
    expect(record).toMatchObject({ outcome: 'completed', cost_nanos: cost })
  })

  test('all of these calls use one token', () => expect(tokens).toBe(1))

  test.each([
    ['Gemini', '/v1beta/models/gemini:countTokens', ask(), {}, `${AT_GEMINI}:countTokens`],
    [
      'Gemini, a message without a role',
      '/v1beta/models/gemini:countTokens',
      native(),
      {},
      `${AT_GEMINI}:countTokens`,
    ],
    ['Claude', '/v1/messages/count_tokens', messages(), VERSION, `${AT_CLAUDE}/count-tokens:rawPredict`],
  ])('tokens are counted by %s', async (_, path, body, options, to) => {
    expect((await call(path, body, options)).status).toBe(200)
    expect(sent().map(({ path }) => path)).toEqual([to])
    if (to.includes('anthropic'))
      expect(bodyOf(sent()[0])).toMatchObject({ model: CLAUDE, anthropic_version: 'vertex-2023-10-16' })
    else for (const { role } of bodyOf(sent()[0]).contents as JsonObject[]) expect(role).toBe('user')
  })
})

const whole_call = () => call(wholePath('gemini'), ask())

describe('a token', () => {
  test('that has expired is replaced for the next call, which is served', async () => {
    const before = tokens
    clock.ahead_ms += 61 * MINUTE_MS
    token_server = (seen) => tokenAnswer(seen, now(), ++tokens)
    expect((await whole_call()).status).toBe(200)
    expect(sent()[0]?.headers.authorization).toBe(`Bearer ${tokenNumber(before + 1)}`)
    expect(assertionIn(exchanges()[0] as UpstreamRequest).is_signed).toBe(true)
  })

  const EXPIRED = refusal(401, {
    error: {
      code: 401,
      message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
      status: 'UNAUTHENTICATED',
      details: [{ reason: 'ACCESS_TOKEN_EXPIRED' }],
    },
  })

  test('that Vertex AI refuses is renewed once, and the call is served', async () => {
    const old = `Bearer ${tokenNumber(tokens)}`
    vertex = (seen, index) =>
      seen.headers.authorization === old
        ? EXPIRED
        : (models as (s: UpstreamRequest, i: number) => ReturnType<typeof whole>)(seen, index)
    expect((await whole_call()).status).toBe(200)
    expect([exchanges().length, sent().length]).toEqual([1, 2])
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: G_WHOLE })
  })

  test('that Vertex AI refuses again fails the call, free, after one renewal', async () => {
    vertex = EXPIRED
    expect((await whole_call()).status).toBe(502)
    expect([exchanges().length, sent().length]).toEqual([1, 2])
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('whose caller disconnects while it is awaited reaches no model', async () => {
    clock.ahead_ms += 61 * MINUTE_MS
    const held = heldBack((seen) => tokenAnswer(seen, now(), ++tokens))
    token_server = held.script
    const caller = new AbortController()
    const left = call(wholePath('gemini'), ask(), { signal: caller.signal }).catch(() => 'left')
    await held.received
    let is_over = false
    void exchanges()[0]?.over.then(() => {
      is_over = true
    })
    caller.abort()
    expect(await left).toBe('left')
    expect(await lastCall()).toMatchObject({ outcome: 'cancelled', cost_nanos: 0 })
    // The exchange goes on for others.
    expect(is_over).toBe(false)
    held.release()
    await gateway.atRest()
    expect([exchanges().length, sent().length]).toEqual([1, 0])
    expect((await whole_call()).status).toBe(200)
    expect([exchanges().length, sent().length]).toEqual([1, 1])
    token_server = (seen) => tokenAnswer(seen, now(), ++tokens)
  })

  test('that the account does not get fails the call, free; nothing is sent, and the log has no secret', async () => {
    clock.ahead_ms += 61 * MINUTE_MS
    token_server = invalidGrant('Invalid JWT Signature.')
    expect((await whole_call()).status).toBe(502)
    expect([exchanges().length, sent().length]).toEqual([1, 0])
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
    const log = gateway.log.text()
    expect(log).toContain('Invalid JWT Signature.')
    const assertion = new URLSearchParams(String(exchanges()[0]?.body)).get('assertion') ?? 'none'
    for (const secret of [assertion, PRIVATE_KEY.split('\n')[1] ?? 'none', 'ya29.c.token'])
      expect(log).not.toContain(secret)
    token_server = (seen) => tokenAnswer(seen, now(), ++tokens)
    expect((await whole_call()).status).toBe(200)
  })
})

describe('an address of an image or a document, which Claude at Vertex AI does not fetch, is refused with 400, free', () => {
  const URL_OF = 'https://pictures.example/a.png'
  const asking = (...content: object[]) => chat('claude', { messages: [{ role: 'user', content }] })
  test.each([
    [
      'chat, an image',
      '/v1/chat/completions',
      asking({ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: URL_OF } }),
      'messages[0].content[1].image_url.url',
    ],
    [
      'native, a document',
      wholePath('claude'),
      {
        contents: [
          {
            role: 'user',
            parts: [{ fileData: { mimeType: 'application/pdf', fileUri: URL_OF } }, { text: 'Hi' }],
          },
        ],
      },
      'contents[0].parts[0].fileData',
    ],
    [
      'responses, an image that a tool gave',
      '/v1/responses',
      {
        model: 'claude',
        input: [
          { role: 'user', content: 'Look.' },
          { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
          {
            type: 'function_call_output',
            call_id: 'c',
            output: [{ type: 'input_image', image_url: URL_OF }],
          },
        ],
      },
      'input[2].output[0].image_url',
    ],
  ])('%s', async (_, path, body, at) => {
    const response = await call(path, body)
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(
        `${at}: must be inline, because this model's server fetches no addresses. Send its bytes as base64, or choose another model.`,
      ),
    ])
    expect(sent()).toEqual([])
  })
})

describe('a refusal of Vertex AI', () => {
  const google_error = (code: number, status: string, message: string) =>
    refusal(code, [{ error: { code, status, message } }])
  test.each([
    ['a model that is not enabled', 400, 'FAILED_PRECONDITION', 502],
    ['no permission', 403, 'PERMISSION_DENIED', 502],
    ['a model of another region', 404, 'NOT_FOUND', 502],
    ['too many', 429, 'RESOURCE_EXHAUSTED', 429],
    ['a wrong request', 400, 'INVALID_ARGUMENT', 400],
  ])('%s', async (_, code, status, expected) => {
    vertex = google_error(code, status, `Not in ${PROJECT}.`)
    for (const response of [await whole_call(), await call('/v1/messages', messages(), VERSION)]) {
      expect(response.status).toBe(expected)
      expect(await response.text()).not.toContain(PROJECT)
    }
  })
})
