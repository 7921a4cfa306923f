// silent.md, "Chat completions, models, embeddings": "/v1/models and /v1/models/{id}: one body that satisfies both the
// OpenAI and the Anthropic SDK … only the models that the key may call".
import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { catalogueOf, MODEL, PICTURE, PROVIDER, RETIRED, THINKING, TIERED } from '../support/catalogue.ts'
import { fileGateway, startTestGateway } from '../support/gateway.ts'
import { modelSection } from '../support/sections.ts'

const SLASHED = 'maker/family/model-1'
const WITH_COLON = 'qwen3:8b'
const HIDDEN = 'secret-model'
const FURTHER = [SLASHED, HIDDEN, WITH_COLON]
  .map((id) =>
    modelSection(
      id,
      { [PROVIDER]: 'm' },
      {
        more: `display_name = "Model of ${id}"\ncreated = "2026-03-31"\ncontext = 4096\nmax_output_tokens = 512`,
      },
    ),
  )
  .join('')
const EMBEDDING = modelSection(
  'test-embedding',
  { [PROVIDER]: 'm' },
  { kind: 'embedding', price: 'input = 1' },
)
/** The models that the key of these tests may call, in the catalogue's order. */
const CALLABLE = [MODEL, TIERED, THINKING, PICTURE, SLASHED, WITH_COLON, 'test-embedding']

const gateway = await fileGateway({
  catalogue: catalogueOf({ upstream_url: 'simulator', more: FURTHER + EMBEDDING }),
})
const key = await gateway.caller('1', { models: ['test-*', 'maker/*', WITH_COLON] })
const openai = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
const anthropic = new Anthropic({ apiKey: key, baseURL: gateway.url.origin, maxRetries: 0 })

const VERSION = { 'anthropic-version': '2023-06-01' }
interface Body {
  data: { id: string }[]
  has_more: boolean
  first_id: string | null
  last_id: string | null
  error: { message: string; param: string; type: string; code: string }
}
const get = async (path: string, headers: Record<string, string> = {}, as = key) => {
  const response = await gateway.call(path, undefined, { key: as, headers })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}
/** The time in the catalogue, otherwise that of its file. */
const createdMs = (id: string): number =>
  [SLASHED, WITH_COLON].includes(id)
    ? Date.UTC(2026, 2, 31)
    : Math.floor(statSync(join(gateway.data_folder, 'tollgate.toml')).mtimeMs)
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

describe("OpenAI's SDK", () => {
  test('lists the models that the key may call, without retired ones', async () => {
    const list = await openai.models.list()
    expect(list.object).toBe('list')
    expect(idsOf(list)).toEqual(CALLABLE)
    expect(idsOf(list)).not.toContain(RETIRED)
    for (const model of list.data) {
      expect(model).toMatchObject({ object: 'model', owned_by: 'tollgate' })
      expect(model.created).toBe(Math.floor(createdMs(model.id) / 1000))
    }
  })

  test('iterates over all of them', async () => {
    const seen: string[] = []
    for await (const { id } of openai.models.list()) seen.push(id)
    expect(seen).toEqual(CALLABLE)
  })

  test.each([MODEL, SLASHED, WITH_COLON])('retrieves %s', async (id) => {
    expect(await openai.models.retrieve(id)).toMatchObject({ id, object: 'model' })
  })

  test.each([RETIRED, HIDDEN, 'no-such-model'])('throws its NotFoundError for %s', async (id) => {
    const failure = await openai.models.retrieve(id).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OpenAI.NotFoundError)
    expect(failure).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' })
  })

  test('throws its AuthenticationError for a wrong key', async () => {
    const other = new OpenAI({ apiKey: 'wrong', baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
    expect(await other.models.list().catch((error: unknown) => error)).toBeInstanceOf(
      OpenAI.AuthenticationError,
    )
  })
})

describe("Anthropic's SDK", () => {
  test.each([1, 2, 4, 100])('lists all in pages of %i', async (limit) => {
    const seen: string[] = []
    for await (const model of anthropic.models.list({ limit })) {
      expect(model).toMatchObject({
        type: 'model',
        created_at: new Date(createdMs(model.id)).toISOString(),
        lifecycle: 'active',
      })
      seen.push(model.id)
    }
    expect(seen).toEqual(CALLABLE)
  })

  test('pages backwards', async () => {
    const page = await anthropic.models.list({ limit: 2, before_id: SLASHED })
    expect(idsOf(page)).toEqual([THINKING, PICTURE])
    expect(page.has_more).toBe(true)
    const before = await page.getNextPage()
    expect(idsOf(before)).toEqual([MODEL, TIERED])
    expect(before.has_more).toBe(false)
  })

  test('retrieves a model with its limits', async () => {
    expect(await anthropic.models.retrieve(SLASHED)).toMatchObject({
      id: SLASHED,
      display_name: `Model of ${SLASHED}`,
      max_input_tokens: 4096,
      max_tokens: 512,
    })
  })

  test.each([RETIRED, HIDDEN, 'no-such-model'])('throws its NotFoundError for %s', async (id) => {
    const failure = await anthropic.models.retrieve(id).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Anthropic.NotFoundError)
    expect(failure).toMatchObject({ requestID: expect.stringMatching(/^req_/) })
  })

  test('throws its AuthenticationError for a wrong key', async () => {
    const other = new Anthropic({ apiKey: 'wrong', baseURL: gateway.url.origin, maxRetries: 0 })
    expect(await other.models.list().catch((error: unknown) => error)).toBeInstanceOf(
      Anthropic.AuthenticationError,
    )
  })
})

test('a model has its shutdown date in both SDKs, even after that day, while it still serves', async () => {
  const ending = (id: string, more: string) => modelSection(id, { [PROVIDER]: 'm' }, { more })
  await using other = await startTestGateway({
    catalogue: catalogueOf({
      upstream_url: 'simulator',
      more: ending('ends', 'shutdown_date = "2099-03-31"') + ending('ended', 'shutdown_date = "2026-01-01"'),
    }),
  })
  const apiKey = await other.caller()
  const sdk = new OpenAI({ apiKey, baseURL: new URL('/v1', other.url).href, maxRetries: 0 })
  const claude = new Anthropic({ apiKey, baseURL: other.url.origin, maxRetries: 0 })
  for (const [id, date] of [
    ['ends', '2099-03-31'],
    ['ended', '2026-01-01'],
  ] as const) {
    expect(await sdk.models.retrieve(id)).toMatchObject({ shutdown_date: date })
    expect(await claude.models.retrieve(id)).toMatchObject({
      lifecycle: 'deprecated',
      retires_at: `${date}T00:00:00.000Z`,
    })
  }
  const dates = { ends: '2099-03-31', ended: '2026-01-01' }
  const datesIn = (list: readonly object[], field: string) =>
    Object.fromEntries(
      list.flatMap((model) => {
        const { id = '', [field]: date } = model as Record<string, string | null>
        return date ? [[id, date.slice(0, 10)]] : []
      }),
    )
  expect(datesIn((await sdk.models.list()).data, 'shutdown_date')).toEqual(dates)
  expect(datesIn((await claude.models.list()).data, 'retires_at')).toEqual(dates)
  const google = await other.call('/v1/models', undefined, { key: apiKey, form: 'x-goog-api-key' })
  expect(datesIn(((await google.json()) as Body).data, 'shutdown_date')).toEqual(dates)
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  expect(await sdk.chat.completions.create({ model: 'ended', messages })).toMatchObject({ model: 'ended' })
})

describe('every form of key', () => {
  test.each(['bearer', 'x-api-key', 'x-goog-api-key', 'query'] as const)('%s', async (form) => {
    const list = await gateway.call('/v1/models', undefined, { key, form })
    expect([list.status, idsOf((await list.json()) as Body)]).toEqual([200, CALLABLE])
    const one = await gateway.call(`/v1/models/${WITH_COLON}`, undefined, { key, form })
    expect([one.status, await one.json()]).toMatchObject([200, { id: WITH_COLON }])
  })

  test.each(['x-goog-api-key', 'query'] as const)(
    '%s: a wrong key gets 401 in the shape of its API',
    async (form) => {
      const refused = await gateway.call('/v1/models', undefined, { key: 'wrong', form })
      expect([refused.status, await refused.json()]).toMatchObject([
        401,
        { error: { code: 401, status: 'UNAUTHENTICATED' } },
      ])
      expect(gateway.log.text()).not.toContain('key=wrong')
    },
  )
})

describe('one body for both protocols', () => {
  test('every model has the fields of both, and its kind', async () => {
    const { body } = await get(`/v1/models/${MODEL}`)
    expect(body as unknown).toEqual({
      id: MODEL,
      object: 'model',
      created: Math.floor(createdMs(MODEL) / 1000),
      owned_by: 'tollgate',
      type: 'model',
      display_name: MODEL,
      created_at: new Date(createdMs(MODEL)).toISOString(),
      lifecycle: 'active',
      deprecated_at: null,
      retires_at: null,
      shutdown_date: null,
      line: null,
      capabilities: null,
      max_input_tokens: 1_048_576,
      max_tokens: 8_192,
      kind: 'text',
      takes: null,
    })
    expect((await get(`/v1/models/${MODEL}`, VERSION)).body).toEqual(body)
    expect((await get('/v1/models', VERSION)).body).toEqual((await get('/v1/models')).body)
  })

  test.each<[query: string, ids: string[], has_more: boolean]>([
    ['', CALLABLE, false],
    ['limit=2', CALLABLE.slice(0, 2), true],
    [`limit=${CALLABLE.length}`, CALLABLE, false],
    [`after_id=${MODEL}`, CALLABLE.slice(1), false],
    [`after_id=${MODEL}&limit=2`, CALLABLE.slice(1, 3), true],
    ['after_id=test-embedding', [], false],
    [`before_id=${MODEL}`, [], false],
    [`before_id=${THINKING}`, CALLABLE.slice(0, 2), false],
    [`before_id=${THINKING}&limit=1`, [TIERED], true],
    [`after_id=${encodeURIComponent(SLASHED)}`, [WITH_COLON, 'test-embedding'], false],
    [`after_id=${encodeURIComponent(WITH_COLON)}`, ['test-embedding'], false],
    ['beta=true', CALLABLE, false],
  ])('?%s', async (query, ids, has_more) => {
    const { status, body } = await get(`/v1/models?${query}`)
    expect(status).toBe(200)
    expect([idsOf(body), body.has_more]).toEqual([ids, has_more])
    expect([body.first_id, body.last_id]).toEqual([ids.at(0) ?? null, ids.at(-1) ?? null])
  })

  test('a key without allowed models gets an empty list', async () => {
    const none = await gateway.caller('1', { models: ['no-such-*'] })
    expect((await get('/v1/models', {}, none)).body).toMatchObject({
      data: [],
      has_more: false,
      last_id: null,
    })
  })

  test('a changed catalogue is listed at once', async () => {
    await using other = await startTestGateway({ catalogue: catalogueOf({ upstream_url: 'simulator' }) })
    const caller = await other.caller()
    const list = async () =>
      idsOf((await (await other.call('/v1/models', undefined, { key: caller })).json()) as Body)
    expect(await list()).not.toContain(SLASHED)
    await other.recatalogue(catalogueOf({ upstream_url: 'simulator', more: FURTHER }))
    expect(await list()).toContain(SLASHED)
  })
})

describe('refusals', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=all', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['after_id=no-such-model', 'after_id'],
    ['before_id=no-such-model', 'before_id'],
    ['after_id=', 'after_id'],
    [`after_id=${HIDDEN}`, 'after_id'],
    [`after_id=${RETIRED}`, 'after_id'],
    [`after_id=${MODEL}&before_id=${THINKING}`, 'before_id'],
  ])('?%s', async (query, param) => {
    const { status, body } = await get(`/v1/models?${query}`)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param })
  })

  test.each([
    'no-such-model',
    HIDDEN,
    RETIRED,
    MODEL.toUpperCase(),
    `${MODEL}/`,
    `/${MODEL}`,
    `${MODEL}:generateContent`,
    '%E0%A4%A',
    '%00',
    '__proto__',
    'constructor',
    'x'.repeat(3_000),
  ])('%s is not found, in the shape of either protocol', async (id) => {
    const plain = await get(`/v1/models/${id}`)
    expect([plain.status, plain.body.error.code]).toEqual([404, 'model_not_found'])
    const versioned = await get(`/v1/models/${id}`, VERSION)
    expect(versioned.status).toBe(404)
    expect(versioned.body as unknown).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringMatching(/GET \/v1\/models/) },
      request_id: versioned.headers.get('request-id'),
    })
  })

  test('a missing key is refused in the shape of either protocol', async () => {
    for (const path of ['/v1/models', `/v1/models/${MODEL}`]) {
      const plain = await gateway.call(path)
      expect([plain.status, await plain.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
      const versioned = await gateway.call(path, undefined, { headers: { 'vendor-version': '2023-06-01' } })
      expect([versioned.status, await versioned.json()]).toMatchObject([
        401,
        { type: 'error', error: { type: 'authentication_error' } },
      ])
    }
  })

  test('a suspended account gets 403', async () => {
    const suspended = await gateway.caller()
    gateway.db.run("UPDATE accounts SET status = 'suspended' WHERE id = (SELECT max(id) FROM accounts)")
    expect((await get('/v1/models', {}, suspended)).status).toBe(403)
  })

  test.each(['POST', 'DELETE'])('%s is not served', async (method) => {
    expect((await gateway.call(`/v1/models/${MODEL}`, undefined, { key, method })).status).toBe(404)
  })
})
