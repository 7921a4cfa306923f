// spec.md, Errors, Native generation endpoints, and "Native endpoints not implemented": what is refused before any vendor is asked.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { catalogueOf, MODEL, PICTURE, RETIRED } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { answer, ask, nativeError, refusalOf, streamPath, wholePath } from '../support/native.ts'
import { startUpstream, type Upstream, whole } from '../support/upstream.ts'

let upstream: Upstream
let gateway: TestGateway
let key: string

beforeAll(async () => {
  upstream = await startUpstream(whole(answer()))
  gateway = await startTestGateway({ upstream })
  key = await gateway.caller()
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})
beforeEach(() => {
  upstream.seen.length = 0
})

/** Sends it, and asserts the refusal, and that nothing is left of it: no vendor asked, no row written. */
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
  expect(upstream.seen).toEqual([])
  expect(await gateway.atRest()).toEqual(before)
}

const PATHS = [wholePath, streamPath] as const

describe('"404 NOT_FOUND: Model does not exist or is retired"', () => {
  test.each(
    PATHS.flatMap((path) =>
      [
        'no-such-model',
        RETIRED,
        PICTURE,
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
  )('%s', (path) => expectRefused(() => gateway.call(path, ask(), { key }), 404, 'NOT_FOUND'))

  test('a method that nobody has is not found either', async () => {
    for (const path of [
      `/v1beta/models/${MODEL}:noSuchMethod`,
      `/v1beta/models/${MODEL}`,
      '/v1beta/models/:generateContent',
      `/v1beta/models/${MODEL}:constructor`,
      '/v1beta/corpora',
      '/v1beta/',
    ])
      await expectRefused(() => gateway.call(path, ask(), { key }), 404, 'NOT_FOUND', /models\/\{model\}/)
  })

  test('a key that may not call a model is not told whether it exists', async () => {
    const bound = await gateway.caller('10', { models: ['other'] })
    const call = (model: string) => gateway.call(wholePath(model), ask(), { key: bound })
    await expectRefused(() => call(MODEL), 403, 'PERMISSION_DENIED')
    await expectRefused(() => call('no-such-model'), 404, 'NOT_FOUND')
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
    ['GET', '/v1/files'],
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
  const MALFORMED: [string, string | object | Uint8Array, RegExp][] = [
    ['nothing', '', /not valid JSON/],
    ['a broken object', '{"contents": [', /not valid JSON/],
    ['two objects', '{}{}', /not valid JSON/],
    ['JSON with a comment', '{/* x */"contents":[]}', /not valid JSON/],
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d), /UTF-8/],
    ['an array', '[]', /must be a JSON object/],
    ['null', 'null', /must be a JSON object/],
    ['a string', '"contents"', /must be a JSON object/],
    ['no contents', {}, /contents/],
    ['empty contents', { contents: [] }, /contents/],
    ['contents that are no array', { contents: 'Hello' }, /contents/],
    ['a content that is null', { contents: [null] }, /contents\[0\]/],
    ['a content without parts', { contents: [{ role: 'user' }] }, /contents\[0\]\.parts/],
    ['a part that is a number', { contents: [{ parts: [1] }] }, /contents\[0\]\.parts\[0\]/],
    ['a text that is a number', { contents: [{ parts: [{ text: 1 }] }] }, /parts\[0\]\.text/],
    [
      'a limit below nothing',
      ask('x', { generationConfig: { maxOutputTokens: -1 } }),
      /generationConfig\.maxOutputTokens/,
    ],
    ['a limit of words', ask('x', { generationConfig: { maxOutputTokens: 'many' } }), /maxOutputTokens/],
    ['many candidates', ask('x', { generationConfig: { candidateCount: 0 } }), /candidateCount/],
    ['a config that is an array', ask('x', { generationConfig: [] }), /generationConfig/],
    ['a field in both spellings', ask('x', { generationConfig: {}, generation_config: {} }), /given twice/],
  ]
  test.each(MALFORMED.flatMap((row) => PATHS.map((path) => [row[0], path(), ...row.slice(1)] as const)))(
    '%s, to %s',
    (_, path, body, message) =>
      expectRefused(
        () => gateway.call(path, body as object, { key }),
        400,
        'INVALID_ARGUMENT',
        message as RegExp,
      ),
  )

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('%s nested so deep that no parser should follow', (_, opening, closing) => {
    const deep = `${opening.repeat(200_000)}1${closing.repeat(200_000)}`
    const body = `{"contents":[{"parts":[{"text":"x"}]}],"tools":${deep}}`
    return expectRefused(
      () => gateway.call(wholePath(), body, { key }),
      400,
      'INVALID_ARGUMENT',
      /nested deeper/,
    )
  })

  test('brackets within a text are no nesting', async () => {
    const text = `${'[{'.repeat(5_000)}"\\"[`
    expect((await gateway.call(wholePath(), ask(text), { key })).status).toBe(200)
    await gateway.atRest()
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
        /top it up/,
      )
  })

  test('with a nano-dollar less than the input and a useful answer cost', async () => {
    const text = 'word '.repeat(4_000)
    const poor = await gateway.caller('0.000000001')
    await expectRefused(() => gateway.call(wholePath(), ask(text), { key: poor }), 402, 'FAILED_PRECONDITION')
  })

  test('with a key whose spend limit is used up', async () => {
    const limited = await gateway.caller('10', { spend_limit_nanos: 0 })
    await expectRefused(
      () => gateway.call(wholePath(), ask(), { key: limited }),
      402,
      'FAILED_PRECONDITION',
      /spend limit/,
    )
  })

  test('with a debt: nothing more until a top-up pays it, and then the rest is there', async () => {
    const { id, name } = await gateway.account('in-debt', { balance_usd: '0.01' })
    const indebted = gateway.key(name)
    const usageMetadata = { promptTokenCount: 20_000, candidatesTokenCount: 10, totalTokenCount: 20_010 }
    upstream.answer(whole(answer('Dear.', usageMetadata)))
    const send = () => gateway.call(wholePath(), ask(), { key: indebted })
    expect((await send()).status).toBe(200)
    upstream.answer(whole(answer()))
    const owing = () => gateway.rows().accounts.find((account) => account.id === id)
    expect(owing()).toMatchObject({ balance_nanos: 0, debt_nanos: 20_040_000 - 10_000_000 })
    upstream.seen.length = 0
    await expectRefused(send, 402, 'FAILED_PRECONDITION', /unpaid charges/)
    await gateway.topUp(id, '1')
    expect(owing()).toMatchObject({ balance_nanos: 1_000_000_000 - 10_040_000, debt_nanos: 0 })
    expect((await send()).status).toBe(200)
    await gateway.atRest()
  })
})

describe('"429 RESOURCE_EXHAUSTED: Rate limit or concurrent connection limit"', () => {
  const limits = (lines: string) =>
    gateway.recatalogue(catalogueOf({ upstream_url: upstream.url, more: lines }))
  const ok = async (credential: string) => {
    const response = await gateway.call(wholePath(), ask(), { key: credential })
    await response.text()
    return response.status
  }
  const refused = async (credential: string, message: RegExp) => {
    upstream.seen.length = 0
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
    return [gateway.key(name), gateway.key(name)] as const
  }

  test('requests a minute, by key: another key of the account still may', async () => {
    await limits('[limits.key]\nrequests_per_minute = 2')
    const [first, second] = await pair()
    expect([await ok(first), await ok(first)]).toEqual([200, 200])
    await refused(first, /requests per minute of this key/)
    expect(await ok(second)).toBe(200)
  })

  test('requests a minute, by account: all of its keys together', async () => {
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

  test('tokens a minute, read and written, by key', async () => {
    await limits('[limits.key]\ntokens_per_minute = 15')
    const [first, second] = await pair()
    expect(await ok(first)).toBe(200)
    await refused(first, /tokens per minute of this key/)
    expect(await ok(second)).toBe(200)
  })

  test('tokens a minute, by account; a failed call has used none', async () => {
    await limits('[limits.account]\ntokens_per_minute = 15')
    const [first, second] = await pair()
    upstream.answer({ status: 500, steps: [] })
    expect(await ok(first)).toBe(502)
    upstream.answer(whole(answer()))
    expect(await ok(first)).toBe(200)
    await refused(second, /tokens per minute of this account/)
  })

  test.each(['key', 'account'])('calls at once, by %s: one that has ended makes room', async (of) => {
    await limits(`[limits.${of}]\nconcurrent_calls = 1`)
    const [first, second] = await pair()
    const release = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    upstream.answer(async () => {
      arrived.resolve()
      await release.promise
      return whole(answer())
    })
    const under_way = ok(first)
    await arrived.promise
    const response = await gateway.call(wholePath(), ask(), { key: of === 'key' ? first : second })
    const refusal = await refusalOf(response)
    expect([refusal.status, refusal.body]).toEqual([429, nativeError(429, 'RESOURCE_EXHAUSTED')])
    expect(refusal.message).toContain(`concurrent calls of this ${of}`)
    expect(response.headers.get('retry-after')).toBe('1')
    upstream.answer(whole(answer()))
    if (of === 'key') expect(await ok(second)).toBe(200)
    release.resolve()
    expect(await under_way).toBe(200)
    expect(await ok(first)).toBe(200)
    await gateway.atRest()
  })

  test('a call that was refused for any reason leaves its place to the next', async () => {
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
