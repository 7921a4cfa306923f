// `[server] cors_origins`: pages of the listed origins may call every surface from a browser, and read responses, failures and streams.
import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { browserFetch } from '../../support/browser.ts'
import { MODEL } from '../../support/catalogue.ts'
import { answering, arrayPath, ask, streamPath, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { refusal } from '../../support/upstream.ts'

const PAGE = 'https://app.example'
const OTHERS = [
  'https://other.example',
  'http://app.example',
  'https://app.example:8443',
  'https://app.example.evil.example',
  'https://evil-app.example',
  'HTTPS://APP.EXAMPLE',
  'null',
  '*',
  '',
]
const LISTED = `cors_origins = ["${PAGE}", "http://localhost:5173", "app://obsidian.md"]`
const CORS = /^access-control-|^vary$/

const { gateway, upstream, key, call, recatalogue } = await fileScene({ script: answering, server: LISTED })

const corsOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => CORS.test(name)))
const preflight = (path: string, origin: string, requested_headers?: string) =>
  fetch(new URL(path, gateway.url), {
    method: 'OPTIONS',
    headers: {
      ...(origin === '' ? {} : { origin }),
      'access-control-request-method': 'POST',
      ...(requested_headers === undefined ? {} : { 'access-control-request-headers': requested_headers }),
    },
  })

/** Paths of every surface, and one of none. */
const PATHS = [
  wholePath(),
  streamPath(),
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/models',
  `/v1/models/${MODEL}`,
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/images/compose',
  '/v1/files',
  '/v1beta/files',
  '/api/v1/upload',
  '/api/v1/files',
  '/api/v1/account',
  '/api/v1/usage',
  '/api/v1/events',
  '/api/images/history',
  '/healthz',
  '/nowhere',
]

describe('a preflight', () => {
  test.each(PATHS)('%s: succeeds without a key, and allows the requested headers', async (path) => {
    const requested_headers = 'authorization,content-type,x-stainless-arch,x-stainless-retry-count'
    const answer = await preflight(path, PAGE, requested_headers)
    expect([answer.status, await answer.text(), corsOf(answer)]).toEqual([
      204,
      '',
      {
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': requested_headers,
        'access-control-max-age': '7200',
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      },
    ])
  })

  test('without requested headers allows none', async () => {
    expect(corsOf(await preflight('/v1/messages', PAGE))).not.toHaveProperty('access-control-allow-headers')
  })

  test.each(OTHERS)('of the origin "%s" is refused like a request without a key', async (origin) => {
    const answer = await preflight('/v1/messages', origin, 'x-api-key')
    expect([answer.status, corsOf(answer)]).toEqual([401, {}])
  })

  test('an OPTIONS request that is no preflight needs a key, and the page can read its response', async () => {
    const answer = await fetch(new URL('/v1/messages', gateway.url), {
      method: 'OPTIONS',
      headers: { origin: PAGE },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, PAGE])
  })
})

describe('a response', () => {
  const read = { 'access-control-allow-origin': PAGE, vary: 'Origin' }
  const headers = { origin: PAGE, 'anthropic-version': '2023-06-01' }
  const UPSTREAM_MODEL = 'x-tollgate-upstream-model'
  const MESSAGE = { model: MODEL, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }

  test.each(PATHS.filter((path) => path !== '/healthz' && path !== '/nowhere'))(
    '%s: a page can read its 401',
    async (path) => {
      const method = /models\/|models$|account|usage|events|history|v1\/files/.test(path) ? 'GET' : 'POST'
      const answer = await gateway.call(path, method === 'GET' && !path.includes(':') ? undefined : {}, {
        headers,
        method: path.includes(':') ? 'POST' : method,
      })
      expect([answer.status, corsOf(answer)]).toEqual([
        401,
        { ...read, 'access-control-expose-headers': expect.stringContaining('x-request-id') },
      ])
      await answer.text()
    },
  )

  test.each<[string, string, object | undefined, number, string[]]>([
    ['whole', wholePath(), ask(), 200, ['x-request-id', UPSTREAM_MODEL]],
    ['a stream of events', streamPath(), ask(), 200, ['x-request-id', UPSTREAM_MODEL]],
    ['a stream as an array', arrayPath(), ask(), 200, ['x-request-id', UPSTREAM_MODEL]],
    ['messages', '/v1/messages', MESSAGE, 200, ['request-id', 'x-request-id', UPSTREAM_MODEL]],
    [
      'messages, streamed',
      '/v1/messages',
      { ...MESSAGE, stream: true },
      200,
      ['request-id', 'x-request-id', UPSTREAM_MODEL],
    ],
    ['chat', '/v1/chat/completions', MESSAGE, 200, ['x-request-id', UPSTREAM_MODEL]],
    [
      'chat, streamed',
      '/v1/chat/completions',
      { ...MESSAGE, stream: true },
      200,
      ['x-request-id', UPSTREAM_MODEL],
    ],
    [
      'a lowered limit',
      '/v1/messages',
      { ...MESSAGE, max_tokens: 99_999 },
      200,
      ['request-id', 'x-request-id', 'x-tollgate-output-limit', UPSTREAM_MODEL],
    ],
    ['models', '/v1/models', undefined, 200, ['request-id', 'x-request-id']],
    ['the account', '/api/v1/account', undefined, 200, ['x-request-id']],
    ['history', '/api/images/history', undefined, 200, ['x-request-id']],
    ['a malformed request', '/v1/chat/completions', {}, 400, ['x-request-id']],
    ['an unknown model', '/v1/messages', { ...MESSAGE, model: 'none' }, 404, ['request-id', 'x-request-id']],
    ['an unknown endpoint', '/nowhere', undefined, 404, ['x-request-id']],
    ['an unsupported endpoint', '/v1/assistants', {}, 404, ['request-id', 'x-request-id']],
    ['health', '/healthz', undefined, 200, ['x-request-id']],
  ])('%s', async (_, path, body, status, exposed) => {
    const answer = await call(path, body, { headers })
    await answer.text()
    const { 'access-control-expose-headers': names = '', ...rest } = corsOf(answer)
    expect([answer.status, rest, names.split(', ').toSorted()]).toEqual([status, read, exposed])
    await gateway.rest()
  })

  test('a page can read when to retry after a provider’s 429', async () => {
    upstream.answer(refusal(429, '{}', { 'retry-after': '7' }))
    const answer = await call('/v1/chat/completions', MESSAGE, { headers })
    upstream.answer(answering)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, expect.any(String)])
    expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after')
  })

  test('a page can read the rate limit of images', async () => {
    const answer = await call('/v1/images/generations', { model: 'none', prompt: 'x' }, { headers })
    const names = answer.headers.get('access-control-expose-headers')
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('30')
    for (const name of ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-request-id'])
      expect(names).toContain(name)
  })

  test.each(OTHERS.filter((origin) => origin !== ''))('has no CORS headers to "%s"', async (origin) => {
    const answer = await call('/v1/models', undefined, { headers: { origin } })
    expect([answer.status, corsOf(answer)]).toEqual([200, {}])
  })

  test('to a request without an origin has no CORS headers', async () => {
    expect(corsOf(await call('/v1/models'))).toEqual({})
  })
})

describe('in a browser', () => {
  const page = browserFetch(PAGE)
  const openai = (fetch: typeof globalThis.fetch, apiKey = key) =>
    new OpenAI({ apiKey, baseURL: new URL('/v1', gateway.url).href, fetch, dangerouslyAllowBrowser: true })
  const anthropic = (fetch: typeof globalThis.fetch) =>
    new Anthropic({ apiKey: key, baseURL: gateway.url.origin, fetch, dangerouslyAllowBrowser: true })
  const messages = [{ role: 'user' as const, content: 'Hello' }]

  test("OpenAI's SDK completes, streams and lists models", async () => {
    const client = openai(page)
    const whole = await client.chat.completions.create({ model: MODEL, messages })
    expect(whole.choices[0]?.message.content).toBe('Hello.')
    let text = ''
    for await (const chunk of await client.chat.completions.create({ model: MODEL, messages, stream: true }))
      text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('Hello.')
    expect((await client.models.list()).data.map(({ id }) => id)).toContain(MODEL)
  })

  test("Anthropic's SDK completes and streams", async () => {
    const client = anthropic(page)
    const request = { model: MODEL, max_tokens: 100, messages }
    expect((await client.messages.create(request)).content).toMatchObject([{ type: 'text', text: 'Hello.' }])
    expect(await client.messages.stream(request).finalText()).toBe('Hello.')
  })

  test('a wrong key is an authentication error with the request’s id', async () => {
    const thrown = await openai(page, 'wrong')
      .models.list()
      .then(undefined, (error: unknown) => error)
    expect(thrown).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(thrown).toMatchObject({ requestID: expect.stringMatching(/^req_/) })
  })

  test('a page of another origin cannot call', async () => {
    const seen = upstream.requests.length
    const client = new OpenAI({
      apiKey: key,
      baseURL: new URL('/v1', gateway.url).href,
      fetch: browserFetch('https://other.example'),
      maxRetries: 0,
      dangerouslyAllowBrowser: true,
    })
    const thrown = await client.chat.completions
      .create({ model: MODEL, messages })
      .then(undefined, (error: unknown) => error)
    expect(thrown).toBeInstanceOf(OpenAI.APIConnectionError)
    expect(upstream.requests).toHaveLength(seen)
  })
})

describe('the setting', () => {
  test('takes effect while the gateway runs; without it responses have no CORS headers', async () => {
    await recatalogue({})
    expect(corsOf(await call('/v1/models', undefined, { headers: { origin: PAGE } }))).toEqual({})
    expect((await preflight('/v1/messages', PAGE)).status).toBe(401)
    await recatalogue({ server: LISTED })
    expect((await preflight('/v1/messages', PAGE)).status).toBe(204)
  })

  test('"*" allows any origin, and responses repeat the caller’s', async () => {
    await recatalogue({ server: 'cors_origins = ["*"]' })
    for (const origin of ['https://other.example', 'null'])
      expect((await preflight('/v1/messages', origin)).headers.get('access-control-allow-origin')).toBe(
        origin,
      )
    expect(corsOf(await call('/v1/models'))).toEqual({})
    await recatalogue({ server: LISTED })
  })
})
