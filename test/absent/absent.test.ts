// Endpoints of providers that do not exist here: refused in the dialect of the caller, alike for siblings, with an alternative.
import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { fileScene } from '../support/scene.ts'

const { gateway, key, call, counts, expectCounts } = await fileScene()

const ANTHROPIC = { 'anthropic-version': '2023-06-01' }
const GOOGLE = { 'x-goog-api-client': 'google-genai-sdk/3.1.0' }

const INSTEAD = expect.stringMatching(/not implemented here\. \S.*\.$/)
const OF_OPENAI = [
  404,
  { error: { message: INSTEAD, type: 'invalid_request_error', param: null, code: 'not_found' } },
]
const OF_ANTHROPIC = [
  404,
  {
    type: 'error',
    error: { type: 'not_found_error', message: INSTEAD },
    request_id: expect.stringMatching(/^req_/),
  },
]
const OF_GOOGLE = [501, { error: { code: 501, message: INSTEAD, status: 'UNIMPLEMENTED' } }]

/** Sends a request, and asserts that it leaves no row. */
async function answerTo(method: string, path: string, headers: Record<string, string> = {}) {
  const before = counts()
  const body = method === 'GET' || method === 'DELETE' ? undefined : {}
  const response = await call(path, body, { method, headers })
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  const answer = [response.status, await response.json()]
  await expectCounts(before)
  return answer
}

describe("in OpenAI's dialect, unless the request says otherwise", () => {
  test.each([
    ['GET', '/v1/files'],
    ['POST', '/v1/files'],
    ['DELETE', '/v1/files/file-abc'],
    ['GET', '/v1/files/file-abc/content'],
    ['POST', '/v1/uploads'],
    ['POST', '/v1/uploads/upload_abc/parts'],
    ['POST', '/v1/batches'],
    ['POST', '/v1/batches/batch_abc/cancel'],
    ['POST', '/v1/assistants'],
    ['POST', '/v1/threads/thread_abc/runs'],
    ['POST', '/v1/conversations'],
    ['POST', '/v1/vector_stores/vs_abc/search'],
    ['POST', '/v1/fine_tuning/jobs'],
    ['GET', '/v1/realtime?model=gpt-realtime'],
    ['POST', '/v1/realtime/client_secrets'],
    ['POST', '/v1/containers'],
    ['POST', '/v1/evals'],
    ['POST', '/v1/videos'],
    ['GET', '/v1/organization/usage/completions'],
  ])('%s %s', async (method, path) => {
    expect(await answerTo(method, path)).toEqual(OF_OPENAI)
  })
})

describe("in Anthropic's dialect, by its headers, or if only Anthropic has the endpoint", () => {
  test.each([
    ['GET', '/v1/files', ANTHROPIC],
    ['POST', '/v1/files', { 'anthropic-beta': 'files-api-2025-04-14' }],
    ['GET', '/v1/files/file_abc/content', { 'vendor-version': '2023-06-01' }],
    ['GET', '/v1/batches', ANTHROPIC],
    ['POST', '/v1/skills', ANTHROPIC],
    ['POST', '/v1/skills', {}],
    ['POST', '/v1/agents', {}],
    ['POST', '/v1/sessions/sess_abc/events', ANTHROPIC],
    ['POST', '/v1/complete', {}],
    ['GET', '/v1/organizations/me', ANTHROPIC],
    ['POST', '/v1/assistants', ANTHROPIC],
  ])('%s %s %p', async (method, path, headers) => {
    expect(await answerTo(method, path, headers as Record<string, string>)).toEqual(OF_ANTHROPIC)
  })

  test.each(['/v1/messages/batches', '/v1/messages/batches/msgbatch_abc/results'])(
    '%s is 404 like its siblings',
    async (path) => {
      expect(await answerTo('POST', path, ANTHROPIC)).toEqual([
        404,
        {
          type: 'error',
          error: { type: 'not_found_error', message: expect.stringContaining('POST /v1/messages') },
          request_id: expect.stringMatching(/^req_/),
        },
      ])
    },
  )

  test('the request id is in the header that its SDKs read', async () => {
    const { headers } = await call('/v1/skills', undefined, { headers: ANTHROPIC })
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'))
  })
})

describe("in Google's dialect", () => {
  test.each([
    ['GET', '/v1/files', GOOGLE],
    ['GET', '/v1/files/abc', GOOGLE],
    ['POST', '/v1/files:register', GOOGLE],
    ['POST', '/v1/batches', GOOGLE],
    ['POST', '/v1/cachedContents', {}],
    ['DELETE', '/v1/cachedContents/abc', GOOGLE],
    ['POST', '/v1/fileSearchStores', {}],
    ['POST', '/v1/interactions', {}],
    ['POST', '/v1/auth_tokens', GOOGLE],
    ['GET', '/v1beta/files', {}],
    ['GET', '/v1beta/batches/abc', {}],
    ['GET', '/v1beta/tunedModels', {}],
    ['POST', '/v1beta/cachedContents', {}],
  ])('%s %s %p', async (method, path, headers) => {
    expect(await answerTo(method, path, headers as Record<string, string>)).toEqual(OF_GOOGLE)
  })

  test('a key in the query selects it, too', async () => {
    const response = await gateway.call('/v1/files', undefined, { key, form: 'query' })
    expect([response.status, await response.json()]).toEqual(OF_GOOGLE)
  })
})

describe('an unknown address is 404', () => {
  const nowhere = expect.stringMatching(/[Nn]o such endpoint/)
  test.each<[string, Record<string, string>, object]>([
    ['in OpenAI’s dialect', {}, { error: { message: nowhere, type: 'invalid_request_error' } }],
    ['in Anthropic’s', ANTHROPIC, { type: 'error', error: { type: 'not_found_error', message: nowhere } }],
    ['in Google’s', GOOGLE, { error: { code: 404, message: nowhere, status: 'NOT_FOUND' } }],
  ])('%s', async (_, headers, body) => {
    for (const path of ['/v1/nothing', '/v1/nothing/at/all', '/v1/constructor', '/v1/toString/x'])
      expect(await answerTo('GET', path, headers)).toMatchObject([404, body])
  })

  const TWICE = 'The path has a version twice: leave "/v1" out of the base address.'
  const WITHOUT = 'Check the path and the method. Paths of the OpenAI API begin with /v1.'
  test.each([
    ['/v1/v1/chat/completions', TWICE],
    ['/v1/v1/messages', TWICE],
    ['/v1/v1beta/models/m:generateContent', TWICE],
    ['/chat/completions', WITHOUT],
    ['/responses', WITHOUT],
    ['/v1/vendors', 'Check the path and the method.'],
  ])('POST %s says what is wrong with the base address', async (path, advice) => {
    expect(await answerTo('POST', path)).toMatchObject([
      404,
      { error: { message: `No such endpoint. ${advice}` } },
    ])
  })

  test.each(['/v1/chat/completions', '/v1/embeddings', '/v1/images/generations'])(
    'and so is another method of %s',
    async (path) => {
      expect(await answerTo('DELETE', path)).toMatchObject([404, { error: { message: nowhere } }])
    },
  )
})

describe('a caller without a key gets a 401 alone', () => {
  test.each([
    ['/v1/files', {}, { error: { code: 'invalid_api_key' } }],
    ['/v1/nothing', {}, { error: { code: 'invalid_api_key' } }],
    ['/v1/files', ANTHROPIC, { type: 'error', error: { type: 'authentication_error' } }],
    ['/v1/skills', {}, { type: 'error', error: { type: 'authentication_error' } }],
    ['/v1/files', GOOGLE, { error: { code: 401, status: 'UNAUTHENTICATED' } }],
  ])('%s %p', async (path, headers, body) => {
    const response = await gateway.call(path, undefined, { headers: headers as Record<string, string> })
    expect([response.status, await response.json()]).toMatchObject([401, body])
  })
})

describe('SDKs throw the error at once, with the alternative', () => {
  let requests = 0
  const counted: typeof fetch = Object.assign(
    (...args: Parameters<typeof fetch>) => {
      requests += 1
      return fetch(...args)
    },
    { preconnect: fetch.preconnect },
  )
  const openai = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, fetch: counted })
  const anthropic = new Anthropic({ apiKey: key, baseURL: gateway.url.origin, fetch: counted })
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url.origin } })

  test.each<[string, () => PromiseLike<unknown>, RegExp]>([
    ['files', () => openai.files.list(), /base64/],
    ['batches', () => openai.batches.list(), /on its own/],
    ['assistants', () => openai.beta.assistants.list(), /conversation/],
    ['vector stores', () => openai.vectorStores.list(), /embeddings/],
    ['fine-tuning', () => openai.fineTuning.jobs.list(), /v1\/models/],
  ])("OpenAI's: %s", async (_, act, instead) => {
    requests = 0
    const thrown = await act().then(undefined, (error: unknown) => error)
    expect(thrown).toBeInstanceOf(OpenAI.NotFoundError)
    expect((thrown as Error).message).toMatch(instead)
    expect(requests).toBe(1)
  })

  test.each<[string, () => PromiseLike<unknown>, RegExp]>([
    ['files', () => anthropic.beta.files.list(), /base64/],
    ['batches', () => anthropic.messages.batches.list(), /POST \/v1\/messages/],
    ['skills', () => anthropic.beta.skills.list(), /as a tool/],
  ])("Anthropic's: %s", async (_, act, instead) => {
    requests = 0
    const thrown = await act().then(undefined, (error: unknown) => error)
    expect(thrown).toBeInstanceOf(Anthropic.NotFoundError)
    expect((thrown as Error).message).toMatch(instead)
    expect(requests).toBe(1)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['files', () => google.files.list()],
    ['caches', () => google.caches.list()],
    ['batches', () => google.batches.list()],
  ])("Google's: %s", async (_, act) => {
    const thrown = await act().then(undefined, (error: unknown) => error)
    expect(thrown).toBeInstanceOf(ApiError)
    expect(thrown).toMatchObject({ status: 501, message: expect.stringContaining('not implemented here') })
  })
})

describe('every 401 has the words by which LiteLLM distinguishes it from a 400', () => {
  test.each([
    ['/v1/chat/completions', {}],
    ['/v1/embeddings', {}],
    ['/v1/images/generations', {}],
    ['/v1/models', undefined],
    ['/v1/files', undefined],
  ])('%s', async (path, body) => {
    const revoked = await gateway.caller()
    gateway.db.run('UPDATE keys SET revoked_at_ms = 1 WHERE id = (SELECT max(id) FROM keys)')
    const expired = await gateway.caller()
    gateway.db.run('UPDATE keys SET expires_at_ms = created_at_ms + 1 WHERE id = (SELECT max(id) FROM keys)')
    await Bun.sleep(2)
    for (const wrong of [undefined, 'wrong', `tg_${'x'.repeat(43)}`, revoked, expired]) {
      const response = await gateway.call(path, body, { key: wrong })
      expect([response.status, await response.text()]).toEqual([
        401,
        expect.stringContaining('"Incorrect API key provided'),
      ])
    }
  })
})
