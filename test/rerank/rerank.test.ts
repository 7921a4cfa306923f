// Rerank: POST /v1/rerank and /v2/rerank in Cohere's and Jina's shape, charged by searches or by tokens.
import { beforeEach, describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { SEARCH_NANOS, UPSTREAM, unitModels } from '../support/unit-models.ts'
import { RESET, refusal, SILENCE, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  more: unitModels,
})
beforeEach(() => {
  upstream.requests.length = 0
})

const RESULTS = [{ index: 1, relevance_score: 0.999071 }]
const cohere = (search_units?: unknown) => ({
  id: 'r-1',
  results: RESULTS,
  ...(search_units === undefined
    ? {}
    : { meta: { api_version: { version: '2' }, billed_units: { search_units } } }),
})
const jina = (total_tokens: number) => ({
  model: UPSTREAM,
  object: 'list',
  usage: { total_tokens },
  results: RESULTS,
})
const BODY = { query: 'Why are there tides?', documents: ['The wind.', 'The Moon.'], top_n: 1 }

describe.each(['/v1/rerank', '/v2/rerank'])('%s', (path) => {
  test("Cohere's: each search is charged, and the answer is the provider's own bytes", async () => {
    const text = ` ${JSON.stringify(cohere(1))}\n`
    upstream.answer(whole(text))
    const response = await call(path, { model: 'sorter', ...BODY })
    expect(await response.text()).toBe(text)
    expect(upstream.last().path).toBe('/v1/rerank')
    expect(upstreamBody()).toEqual({ model: UPSTREAM, ...BODY })
    expect(await lastCall()).toMatchObject({
      surface: 'rerank',
      estimated: 0,
      hold_nanos: SEARCH_NANOS,
      cost_nanos: SEARCH_NANOS,
    })
  })

  test("Jina's: tokens are charged, and the model has its caller's name", async () => {
    upstream.answer(whole(jina(21)))
    expect(await (await call(path, { model: 'sorter-by-token', ...BODY })).json()).toMatchObject({
      model: 'sorter-by-token',
      results: RESULTS,
    })
    expect(await lastCall()).toMatchObject({ estimated: 0, input_tokens: 21, cost_nanos: 21 * 20 })
  })
})

test.each<[name: string, sent: string, expected: string]>([
  [
    'is added beside a total, and everything else passes unchanged',
    '{"usage" : { "total_tokens":21, "x":1.0},"results":[{"index":1,"relevance_score":0.50}]}',
    '{"usage" : {"prompt_tokens":21, "total_tokens":21, "x":1.0},"results":[{"index":1,"relevance_score":0.50}]}',
  ],
  [
    "is the provider's own where it has one",
    '{"results":[],"usage":{"prompt_tokens":20,"total_tokens":21}}',
    '{"results":[],"usage":{"prompt_tokens":20,"total_tokens":21}}',
  ],
  ...[
    '{"results":[],"meta":{"billed_units":{"search_units":1}}}',
    '{"results":[],"usage":{}}',
    '{"results":[],"usage":null}',
    '{"results":[],"usage":{"total_tokens":"many"}}',
    '{"results":[],"usage":{"total_tokens":-1}}',
    '{"results":[],"usage":[{"total_tokens":3}]}',
    '{"results":[{"usage":{"total_tokens":3}}]}',
  ].map((text): [string, string, string] => [`is not made up: ${text}`, text, text]),
])('usage.prompt_tokens %s', async (_name, sent, expected) => {
  upstream.answer(whole(sent))
  expect(await (await call('/v1/rerank', { model: 'sorter-by-token', ...BODY })).text()).toBe(expected)
})

const documents = (count: number, text: string) => Array.from({ length: count }, () => text)

test.each<[name: string, documents: string[], charged: number, held: number]>([
  ['100 short documents', documents(100, 'x'), 1, 1],
  ['101 short documents', documents(101, 'x'), 2, 2],
  ['a long document, which is cut into chunks', documents(30, 'word '.repeat(1_900)), 2, 2],
  ['a document of digits, each of which may be a token,', documents(30, '1'.repeat(3_000)), 1, 3],
])('%s are held for as Cohere counts them', async (_name, list, charged, held) => {
  upstream.answer(whole(cohere()))
  await (await call('/v2/rerank', { model: 'sorter', query: 'x', documents: list })).text()
  expect(await lastCall()).toMatchObject({
    hold_nanos: held * SEARCH_NANOS,
    cost_nanos: charged * SEARCH_NANOS,
    estimated: 1,
  })
})

test.each<[name: string, units: unknown]>([
  ['negative', -1],
  ['no number', 'many'],
  ['larger than possible', 1_000],
])('a count of searches that is %s is ignored', async (_name, units) => {
  upstream.answer(whole(cohere(units)))
  await (await call('/v1/rerank', { model: 'sorter', ...BODY })).text()
  expect(await lastCall()).toMatchObject({ estimated: 1, cost_nanos: SEARCH_NANOS })
})

test('documents with fields pass, and so do unknown fields', async () => {
  upstream.answer(whole(cohere(1)))
  const body = {
    model: 'sorter',
    query: 'x',
    documents: [{ text: 'a', title: 'b' }],
    return_documents: true,
    rank_fields: ['text'],
    other: 1,
  }
  await (await call('/v1/rerank', body)).text()
  expect(upstreamBody()).toEqual({ ...body, model: UPSTREAM })
})

test.each<[name: string, status: number, param: string | null, body: JsonObject]>([
  ['no query', 400, 'query', { model: 'sorter', documents: ['x'] }],
  ['an empty query', 400, 'query', { model: 'sorter', query: '', documents: ['x'] }],
  ['no documents', 400, 'documents', { model: 'sorter', query: 'x' }],
  ['an empty list of documents', 400, 'documents', { model: 'sorter', query: 'x', documents: [] }],
  ['a document that is a number', 400, 'documents[1]', { model: 'sorter', query: 'x', documents: ['x', 1] }],
  ['a negative limit', 400, 'top_n', { model: 'sorter', query: 'x', documents: ['x'], top_n: -1 }],
  [
    'documents of no tokens, which some servers read whole',
    400,
    'max_tokens_per_doc',
    { model: 'sorter', query: 'x', documents: ['x'], max_tokens_per_doc: 0 },
  ],
  [
    'a field that is billed beyond units',
    400,
    'provider',
    { model: 'sorter', ...BODY, provider: { order: ['dear'] } },
  ],
  ['no model', 400, 'model', BODY],
  ['a model that does not exist', 404, null, { model: 'none', ...BODY }],
  ['a model of another kind', 404, null, { model: 'judge', ...BODY }],
])('%s is refused before anything is held', async (_name, status, param, body) => {
  const before = counts()
  const response = await call('/v2/rerank', body)
  const { error } = (await response.json()) as { error: { param: string | null } }
  expect([response.status, error.param]).toEqual([status, param])
  await expectCounts(before)
})

test.each([
  ['a failure', refusal(500)],
  ['a broken connection', RESET],
  ['an error under status 200', whole({ error: 'no' })],
])('%s of the provider costs nothing', async (_name, script) => {
  upstream.answer(script)
  expect((await call('/v1/rerank', { model: 'sorter', ...BODY })).status).toBe(502)
  expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
})

test('a caller who disconnects before the answer pays for the search', async () => {
  upstream.answer(SILENCE)
  const leaving = new AbortController()
  const left = gateway
    .call('/v1/rerank', { model: 'sorter', ...BODY }, { key, signal: leaving.signal })
    .catch(() => 'left')
  await upstream.waitForRequest(1)
  leaving.abort()
  expect(await left).toBe('left')
  expect(await lastCall()).toMatchObject({ outcome: 'cancelled', estimated: 1, cost_nanos: SEARCH_NANOS })
})
