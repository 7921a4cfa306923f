// silent.md, Chat completions: errors in OpenAI’s shape for every status, and the limits; refusals hold and leave nothing.
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { ERROR_BODY, readRecording, streamOf } from '../support/replay.ts'
import { hastyModel, limitedAccount, MODELS, OUTPUT_NANOS, PROTOCOLS } from '../support/three-providers.ts'
import { type Answer, RESET, refusal, SILENCE, whole } from '../support/upstream.ts'
import { BODY, chatScene, errorOf, MODEL, messages } from './support.ts'

const { gateway, upstream, upstreamBody, post, streamed, lastCall, counts, expectCounts } = await chatScene()

/** Status, type and code. */
const BAD = [400, 'invalid_request_error', null] as const
const NO_KEY = [401, 'invalid_request_error', 'invalid_api_key'] as const
const NO_MODEL = [404, 'invalid_request_error', 'model_not_found'] as const
const FAILED = [502, 'server_error', 'upstream_error'] as const

describe('errors, in OpenAI’s shape', () => {
  type Case = readonly [number, string, string | null, string, () => Promise<Response> | Response]
  // Each malformed field: test/protocols/openai/protocol.test.ts.
  const CASES: Case[] = [
    [...BAD, 'not JSON', () => post('{')],
    [...BAD, 'not an object', () => post('"x"')],
    [...BAD, 'no model', () => post({ messages })],
    [...BAD, 'an empty model', () => post({ ...BODY, model: '' })],
    [...BAD, 'no messages', () => post({ model: MODEL })],
    [...BAD, 'stream as a number', () => post({ ...BODY, stream: 1 })],
    [...NO_KEY, 'no key', () => post(BODY, { key: undefined })],
    [...NO_KEY, 'an unknown key', () => post(BODY, { key: 'tg_no-such-key-there-is' })],
    [...NO_KEY, 'a key in the address', () => post(BODY, { form: 'query' })],
    [...NO_KEY, 'a key in Google’s header', () => post(BODY, { form: 'x-goog-api-key' })],
    [
      402,
      'insufficient_quota',
      'insufficient_balance',
      'an empty balance',
      async () => post(BODY, { key: await gateway.caller('0') }),
    ],
    [
      403,
      'invalid_request_error',
      'MODEL_ACCESS_DENIED',
      'a key without the model',
      async () => post(BODY, { key: await gateway.caller('10', { models: [MODELS.gemini] }) }),
    ],
    [403, 'invalid_request_error', 'permission_denied', 'a suspended account', suspended],
    [...NO_MODEL, 'no such model', () => post({ ...BODY, model: 'gpt-9' })],
    [...NO_MODEL, 'a retired model', () => post({ ...BODY, model: 'retired' })],
  ]
  async function suspended(): Promise<Response> {
    const account = await gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
    const own = await gateway.key(account.name)
    await suspendAccount(gateway.store, account.name, { now_ms: 0 })
    return post(BODY, { key: own })
  }
  test.each(CASES)('%i %s %s: %s; nothing is held, sent or recorded', async (status, type, code, _, ask) => {
    const before = counts()
    expect(await errorOf(await ask())).toMatchObject({ status, type, code })
    await expectCounts(before)
  })
  test.each([
    ['model', { model: undefined }],
    ['stream', { stream: 'yes' }],
    ['messages', { messages: {} }],
    ['messages[1]', { messages: [...messages, null] }],
    ['n', { n: -1 }],
    ['max_tokens', { max_tokens: 0.5 }],
  ])('the field at fault is the param: %s', async (param, fields) => {
    expect((await errorOf(await post({ ...BODY, ...fields }))).param).toBe(param)
  })

  test('429 rate_limit_error, with Retry-After', async () => {
    await gateway.account(limitedAccount('openai'), { balance_usd: '1' })
    const own = await gateway.key(limitedAccount('openai'))
    await (await post(BODY, { key: own })).text()
    const response = await post(BODY, { key: own })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    const expected = { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' }
    expect(await errorOf(response)).toMatchObject(expected)
  })

  const FAILURES: [number, string, string | null, string, Answer][] = [
    [...BAD, 'finds fault with the request', refusal(400, ERROR_BODY.openai(400, 'odd'))],
    [
      429,
      'rate_limit_error',
      'rate_limit_exceeded',
      'is busy',
      refusal(429, ERROR_BODY.openai(429, 'slow down')),
    ],
    [...FAILED, 'fails', refusal(500, 'secret words')],
    [...FAILED, 'does not have the model', refusal(404, ERROR_BODY.openai(404, 'secret'))],
    [...FAILED, 'resets the connection', RESET],
    [
      ...FAILED,
      'answers 200 with an error (OpenRouter)',
      whole({ error: { code: 502, message: 'secret words' } }),
    ],
    [...FAILED, 'answers with JSON that is cut short', whole('{"choices":[')],
  ]
  test.each(FAILURES)(
    '%i %s %s: the provider %s; the hold is voided',
    async (status, type, code, _, answer) => {
      upstream.answer(answer)
      const error = await errorOf(await post(BODY))
      expect(error).toMatchObject({ status, type, code })
      expect(error.message).not.toContain('secret')
      expect(await lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
    },
  )
  test('504: the provider does not answer in time', async () => {
    upstream.answer(SILENCE)
    expect(await errorOf(await post({ ...BODY, model: hastyModel('openai') }))).toMatchObject({
      status: 504,
      code: 'upstream_timeout',
    })
  })
  test('mid-stream: a last record with the error, and no [DONE]', async () => {
    const payloads = readRecording('openai', 'stream-error')
    upstream.answer(streamOf('openai', payloads))
    const got = await streamed({})
    expect(got.slice(0, -1)).toEqual(payloads.slice(0, -1))
    expect(JSON.parse(got.at(-1) ?? '')).toEqual({
      error: {
        message: expect.stringContaining('retry'),
        type: 'server_error',
        param: null,
        code: 'upstream_error',
      },
    })
    expect(await lastCall()).toMatchObject({ outcome: 'broken' })
  })
})

describe('limits', () => {
  const LIMIT_BYTES = 30 * 1024 * 1024
  function bodyOf(bytes: number): Buffer {
    const rest = JSON.stringify({ ...BODY, user: '' })
    return Buffer.from(rest.replace('"user":""', `"user":"${'a'.repeat(bytes - rest.length)}"`))
  }
  test('a body of 30 MB is accepted', async () => {
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200)
  })
  test('one byte more is 413', async () => {
    const before = counts()
    expect(await errorOf(await post(bodyOf(LIMIT_BYTES + 1)))).toMatchObject({
      status: 413,
      code: 'request_too_large',
    })
    await expectCounts(before)
  })
  test.each(PROTOCOLS)(
    'a limit that the balance does not pay for is lowered, and a header says so: a %s model',
    async (provider) => {
      const poor = await gateway.caller('0.003')
      const response = await post(
        { ...BODY, model: MODELS[provider], max_completion_tokens: 8_000 },
        { key: poor },
      )
      const limit = Number(response.headers.get('x-tollgate-output-limit'))
      expect(limit).toBeGreaterThan(256)
      expect(limit).toBeLessThan(8_000)
      const { generationConfig, max_tokens, max_completion_tokens } = upstreamBody()
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
])(
  'the hold is for the larger of two limits, because servers differ in which one they know: %o',
  async (limits) => {
    await (await post({ ...BODY, ...limits })).text()
    await gateway.rest()
    expect(gateway.rows().holds.at(-1)?.amount_nanos).toBeGreaterThanOrEqual(4_000 * OUTPUT_NANOS)
  },
)
