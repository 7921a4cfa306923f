// spec.md, Errors, Native generation endpoints, and Native endpoints not implemented: refusals before any upstream request.
import { beforeEach, describe, expect, test } from 'bun:test'
import { MODEL, RETIRED } from '../support/catalogue.ts'
import { answer, ask, nativeError, refusalOf, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { heldBack, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call, recatalogue } = await fileScene({ script: whole(answer()) })
beforeEach(() => {
  upstream.requests.length = 0
})

/** Sends a request, and asserts the refusal, and that nothing is left of it: nothing sent upstream, no row written. */
async function expectRefused(
  send: () => Promise<Response>,
  code: number,
  status: string,
  message = /\S/,
): Promise<void> {
  const before = gateway.rows()
  const response = await send()
  const refusal = await refusalOf(response)
  expect([refusal.status, refusal.body]).toEqual([code, nativeError(code, status)])
  expect(refusal.message).toMatch(message)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  expect(upstream.requests).toEqual([])
  expect(await gateway.atRest()).toEqual(before)
}

const PATHS = [wholePath, streamPath] as const

describe('"404 NOT_FOUND: Model does not exist or is retired"', () => {
  test.each(
    PATHS.flatMap((path) =>
      [
        'no-such-model',
        RETIRED,
        MODEL.toUpperCase(),
        `${MODEL} `,
        '..',
        '__proto__',
        'constructor',
        '%00',
        '%zz',
        'models%2Ftest-model',
        'x'.repeat(2_000),
      ].map((model) => path(model)),
    ),
  )('%s', (path) => expectRefused(() => call(path, ask()), 404, 'NOT_FOUND'))

  test('an unknown method is not found, either', async () => {
    for (const path of [
      `/v1beta/models/${MODEL}:noSuchMethod`,
      `/v1beta/models/${MODEL}`,
      '/v1beta/models/:generateContent',
      `/v1beta/models/${MODEL}:constructor`,
      '/v1beta/corpora',
      '/v1beta/',
    ])
      await expectRefused(() => call(path, ask()), 404, 'NOT_FOUND', /models\/\{model\}/)
  })

  test('a key without access: 403 for a model that exists, 404 for one that does not', async () => {
    const bound = await gateway.caller('10', { models: ['other'] })
    const askFor = (model: string) => call(wholePath(model), ask(), { key: bound })
    await expectRefused(() => askFor(MODEL), 403, 'PERMISSION_DENIED')
    await expectRefused(() => askFor('no-such-model'), 404, 'NOT_FOUND')
  })
})

describe('"Native endpoints not implemented: return the 501 UNIMPLEMENTED native error"', () => {
  const NOT_IMPLEMENTED: [string, string][] = [
    ['POST', `/v1beta/models/${MODEL}:countTokens`],
    ['POST', `/v1beta/models/${MODEL}:embedContent`],
    ['POST', `/v1beta/models/${MODEL}:batchEmbedContents`],
    ['POST', `/v1beta/models/${MODEL}:predict`],
    ['POST', `/v1beta/models/${MODEL}:batchGenerateContent`],
    ['POST', '/v1beta/models/no-such-model:countTokens'],
    ['POST', `/v1/models/${MODEL}:countTokens`],
    ['POST', `/v1/models/${MODEL}:batchEmbedContents`],
    ['POST', '/upload/v1/files'],
    ['DELETE', '/v1/cachedContents/abc'],
    ['GET', '/v1beta/models'],
    ['GET', '/v1beta/models?pageSize=10'],
    ['GET', `/v1beta/models/${MODEL}`],
    ['GET', '/v1beta/files'],
    ['POST', '/v1beta/files'],
    ['GET', '/v1beta/files/abc'],
    ['DELETE', '/v1beta/files/abc'],
    ['GET', '/v1beta/files/abc:download?alt=media'],
    ['POST', '/upload/v1beta/files'],
    ['POST', '/upload/v1beta/files?uploadType=resumable'],
    ['POST', '/v1beta/cachedContents'],
    ['GET', '/v1beta/cachedContents'],
    ['PATCH', '/v1beta/cachedContents/abc'],
    ['GET', '/v1beta/batches/abc'],
    ['GET', '/v1beta/tunedModels'],
    ['POST', '/v1beta/fileSearchStores'],
    ['POST', '/v1beta/interactions'],
    ['DELETE', '/v1beta/cachedContents/abc'],
  ]
  const send = (method: string, path: string, rest: { key?: string }) =>
    gateway.call(path, method === 'GET' || method === 'DELETE' ? undefined : ask(), { method, ...rest })

  test.each(NOT_IMPLEMENTED)('%s %s: 501, and costs nothing', (method, path) =>
    expectRefused(() => send(method, path, { key }), 501, 'UNIMPLEMENTED', /not implemented here/),
  )

  test.each(NOT_IMPLEMENTED)('%s %s: "they ask for a key first"', (method, path) =>
    expectRefused(() => send(method, path, {}), 401, 'UNAUTHENTICATED'),
  )
})

describe('"A malformed or too large body: 400 INVALID_ARGUMENT"', () => {
  // Each malformed field: test/protocols/gemini/request.test.ts.
  const MALFORMED: [string, string | object | Uint8Array, RegExp][] = [
    ['nothing', '', /not valid JSON/],
    ['an incomplete object', '{"contents": [', /not valid JSON/],
    ['two objects', '{}{}', /not valid JSON/],
    ['JSON with a comment', '{/* x */"contents":[]}', /not valid JSON/],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d), /UTF-8/],
    ['an array', '[]', /must be a JSON object/],
    ['null', 'null', /must be a JSON object/],
    ['a string', '"contents"', /must be a JSON object/],
    ['no contents', {}, /contents/],
    [
      'a negative limit',
      ask('x', { generationConfig: { maxOutputTokens: -1 } }),
      /generationConfig\.maxOutputTokens/,
    ],
  ]
  test.each(MALFORMED.flatMap((row) => PATHS.map((path) => [row[0], path(), ...row.slice(1)] as const)))(
    '%s, to %s',
    (_, path, body, message) =>
      expectRefused(() => call(path, body as object), 400, 'INVALID_ARGUMENT', message as RegExp),
  )

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('%s nested too deeply', (_, opening, closing) => {
    const deep = `${opening.repeat(200_000)}1${closing.repeat(200_000)}`
    const body = `{"contents":[{"parts":[{"text":"x"}]}],"tools":${deep}}`
    return expectRefused(() => call(wholePath(), body), 400, 'INVALID_ARGUMENT', /nested deeper/)
  })

  test('brackets inside a text are not nesting', async () => {
    const text = `${'[{'.repeat(5_000)}"\\"[`
    expect((await call(wholePath(), ask(text))).status).toBe(200)
    await gateway.rest()
  })
})

describe('"402 FAILED_PRECONDITION: Insufficient balance"', () => {
  test('without money', async () => {
    const poor = await gateway.caller('0')
    for (const path of PATHS)
      await expectRefused(
        () => gateway.call(path(), ask(), { key: poor }),
        402,
        'FAILED_PRECONDITION',
        /Add funds/,
      )
  })

  test('with a balance that does not pay for the input and a useful answer', async () => {
    const text = 'word '.repeat(4_000)
    const poor = await gateway.caller('0.000000001')
    await expectRefused(() => gateway.call(wholePath(), ask(text), { key: poor }), 402, 'FAILED_PRECONDITION')
  })

  test.each([
    ['spend limit', { spend_limit_nanos: 0 }, /spend limit/],
    ['limit of the day', { budgets: { day: 0 } }, /daily spend limit of this API key\. Raise/],
    ['limit of the month', { budgets: { month: 0 } }, /monthly spend limit of this API key\. Raise/],
  ])('with a key whose %s is used up', async (_, limit, words) => {
    const limited = await gateway.caller('10', limit)
    await expectRefused(
      () => gateway.call(wholePath(), ask(), { key: limited }),
      402,
      'FAILED_PRECONDITION',
      words,
    )
  })

  test('with a debt: refused until a top-up pays it, and the rest of the top-up is balance', async () => {
    const { id, name } = await gateway.account('in-debt', { balance_usd: '0.01' })
    const indebted = await gateway.key(name)
    const usageMetadata = { promptTokenCount: 20_000, candidatesTokenCount: 10, totalTokenCount: 20_010 }
    upstream.answer(whole(answer('Dear.', usageMetadata)))
    const send = () => gateway.call(wholePath(), ask(), { key: indebted })
    expect((await send()).status).toBe(200)
    upstream.answer(whole(answer()))
    const owing = () => gateway.rows().accounts.find((account) => account.id === id)
    expect(owing()).toMatchObject({ balance_nanos: 0, debt_nanos: 20_040_000 - 10_000_000 })
    upstream.requests.length = 0
    await expectRefused(send, 402, 'FAILED_PRECONDITION', /in debt/)
    await gateway.topUp(id, '1')
    expect(owing()).toMatchObject({ balance_nanos: 1_000_000_000 - 10_040_000, debt_nanos: 0 })
    expect((await send()).status).toBe(200)
    await gateway.rest()
  })
})

describe('"429 RESOURCE_EXHAUSTED: Rate limit or concurrent connection limit"', () => {
  const limits = (more: string) => recatalogue({ more })
  const ok = async (credential: string) => {
    const response = await gateway.call(wholePath(), ask(), { key: credential })
    await response.text()
    return response.status
  }
  const refused = async (credential: string, message: RegExp) => {
    upstream.requests.length = 0
    let retry_after = ''
    const send = async () => {
      const response = await gateway.call(wholePath(), ask(), { key: credential })
      retry_after = response.headers.get('retry-after') ?? ''
      return response
    }
    await expectRefused(send, 429, 'RESOURCE_EXHAUSTED', message)
    expect(Number(retry_after)).toBeWithin(1, 61)
  }
  const pair = async () => {
    const { name } = await gateway.account(`limited-${crypto.randomUUID()}`, { balance_usd: '10' })
    return [await gateway.key(name), await gateway.key(name)] as const
  }

  test('requests per minute of a key: another key of the account is not limited by it', async () => {
    await limits('[limits.key]\nrequests_per_minute = 2')
    const [first, second] = await pair()
    expect([await ok(first), await ok(first)]).toEqual([200, 200])
    await refused(first, /requests per minute of this key/)
    expect(await ok(second)).toBe(200)
  })

  test('requests per minute of an account: all of its keys together', async () => {
    await limits('[limits.account]\nrequests_per_minute = 2')
    const [first, second] = await pair()
    expect([await ok(first), await ok(second)]).toEqual([200, 200])
    await refused(first, /requests per minute of this account/)
    await refused(second, /requests per minute of this account/)
  })

  test('"A refused request counts against the rate limit once its key is known"', async () => {
    await limits('[limits.key]\nrequests_per_minute = 2')
    const [first] = await pair()
    expect((await gateway.call(wholePath('no-such-model'), ask(), { key: first })).status).toBe(404)
    expect((await gateway.call(wholePath(), '{', { key: first })).status).toBe(400)
    await refused(first, /requests per minute/)
  })

  test('tokens per minute of a key, input and output', async () => {
    await limits('[limits.key]\ntokens_per_minute = 15')
    const [first, second] = await pair()
    expect(await ok(first)).toBe(200)
    await refused(first, /tokens per minute of this key/)
    expect(await ok(second)).toBe(200)
  })

  test('tokens per minute of an account; a failed call uses none', async () => {
    await limits('[limits.account]\ntokens_per_minute = 15')
    const [first, second] = await pair()
    upstream.answer({ status: 500, steps: [] })
    expect(await ok(first)).toBe(502)
    upstream.answer(whole(answer()))
    expect(await ok(first)).toBe(200)
    await refused(second, /tokens per minute of this account/)
  })

  test.each(['key', 'account'])('concurrent calls of a %s: one that has ended makes room', async (of) => {
    await limits(`[limits.${of}]\nconcurrent_calls = 1`)
    const [first, second] = await pair()
    const { script, received, release } = heldBack(whole(answer()))
    upstream.answer(script)
    const under_way = ok(first)
    await received
    const response = await gateway.call(wholePath(), ask(), { key: of === 'key' ? first : second })
    const refusal = await refusalOf(response)
    expect([refusal.status, refusal.body]).toEqual([429, nativeError(429, 'RESOURCE_EXHAUSTED')])
    expect(refusal.message).toContain(`concurrent requests of this ${of}`)
    expect(response.headers.get('retry-after')).toBe('1')
    upstream.answer(whole(answer()))
    if (of === 'key') expect(await ok(second)).toBe(200)
    release()
    expect(await under_way).toBe(200)
    expect(await ok(first)).toBe(200)
    await gateway.rest()
  })

  test('concurrent calls of a key that is limited itself, under a looser limit of all keys', async () => {
    await limits('[limits.key]\nconcurrent_calls = 9')
    const key = await gateway.caller('10', { concurrent_calls: 1 })
    const { script, received, release } = heldBack(whole(answer()))
    upstream.answer(script)
    const under_way = ok(key)
    await received
    const refusal = await refusalOf(await gateway.call(wholePath(), ask(), { key }))
    expect([refusal.status, refusal.message]).toEqual([
      429,
      expect.stringContaining('concurrent requests of this key'),
    ])
    upstream.answer(whole(answer()))
    release()
    expect(await under_way).toBe(200)
    expect(await ok(key)).toBe(200)
  })

  test('a refused call frees its place for the next', async () => {
    await limits('[limits.key]\nconcurrent_calls = 1')
    const [first] = await pair()
    for (const body of ['{', JSON.stringify({ contents: [] })])
      expect((await gateway.call(wholePath(), body, { key: first })).status).toBe(400)
    expect((await gateway.call(wholePath('no-such-model'), ask(), { key: first })).status).toBe(404)
    upstream.answer({ status: 500, steps: [] })
    expect(await ok(first)).toBe(502)
    upstream.answer(whole(answer()))
    expect(await ok(first)).toBe(200)
  })
})
