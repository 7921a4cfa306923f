// silent.md, Messages: the error body and its type for every status, and the body limit; refusals hold and leave nothing.
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { ERROR_BODY } from '../support/replay.ts'
import { hastyModel, limitedAccount, MODELS } from '../support/three-providers.ts'
import { type Answer, RESET, refusal, SILENCE, whole } from '../support/upstream.ts'
import { BODY, COUNT, errorOf, messagesScene, PATH, VERSION } from './support.ts'

const { gateway, upstream, call, post, lastCall, counts, expectCounts } = await messagesScene()

describe('error body and type', () => {
  type Case = readonly [status: number, type: string, name: string, ask: () => Promise<Response> | Response]
  // Each malformed field: test/protocols/anthropic/protocol.test.ts.
  const CASES: Case[] = [
    [400, 'invalid_request_error', 'not JSON', () => post('{')],
    [400, 'invalid_request_error', 'not an object', () => post('[]')],
    [400, 'invalid_request_error', 'an empty body', () => post('')],
    [400, 'invalid_request_error', 'no model', () => post({ ...BODY, model: undefined })],
    [400, 'invalid_request_error', 'a model that is a number', () => post({ ...BODY, model: 7 })],
    [400, 'invalid_request_error', 'no messages', () => post({ ...BODY, messages: undefined })],
    [400, 'invalid_request_error', 'no max_tokens', () => post({ ...BODY, max_tokens: undefined })],
    [400, 'invalid_request_error', 'stream as text', () => post({ ...BODY, stream: 'true' })],
    [401, 'authentication_error', 'no key', () => post(BODY, { key: undefined })],
    [401, 'authentication_error', 'an unknown key', () => post(BODY, { key: 'tg_no-such-key-there-is' })],
    [401, 'authentication_error', 'a key in the address', () => post(BODY, { form: 'query' })],
    [402, 'billing_error', 'an empty balance', async () => post(BODY, { key: await gateway.caller('0') })],
    [
      403,
      'permission_error',
      'a key without the model',
      async () => post(BODY, { key: await gateway.caller('10', { models: [MODELS.openai] }) }),
    ],
    [403, 'permission_error', 'a suspended account', suspended],
    [404, 'not_found_error', 'no such model', () => post({ ...BODY, model: 'claude-9' })],
    [404, 'not_found_error', 'a retired model', () => post({ ...BODY, model: 'retired' })],
  ]

  async function suspended(): Promise<Response> {
    const account = await gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
    const own = await gateway.key(account.name)
    await suspendAccount(gateway.store, account.name, { now_ms: 0 })
    return post(BODY, { key: own })
  }

  test.each(CASES)('%i %s: %s; nothing is held, sent or recorded', async (status, type, _, ask) => {
    const before = counts()
    expect(await errorOf(await ask())).toMatchObject({ status, type })
    await expectCounts(before)
  })

  test('429 rate_limit_error, with Retry-After', async () => {
    await gateway.account(limitedAccount('anthropic'), { balance_usd: '1' })
    const own = await gateway.key(limitedAccount('anthropic'))
    await (await post(BODY, { key: own })).text()
    const response = await post(BODY, { key: own })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(response)).toMatchObject({ status: 429, type: 'rate_limit_error' })
  })

  const FAILED = [502, 'api_error'] as const
  const FAILURES: [number, string, string, Answer][] = [
    [
      400,
      'invalid_request_error',
      'finds fault with the request',
      refusal(400, ERROR_BODY.anthropic(400, 'messages.0: odd')),
    ],
    [
      429,
      'rate_limit_error',
      'limits its rate',
      refusal(429, { type: 'error', error: { type: 'rate_limit_error', message: 'secret words' } }),
    ],
    [
      529,
      'overloaded_error',
      'is overloaded',
      refusal(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ],
    [...FAILED, 'fails', refusal(500, 'secret words')],
    [...FAILED, 'refuses its key', refusal(401, ERROR_BODY.anthropic(401, 'invalid x-api-key'))],
    [...FAILED, 'resets the connection', RESET],
    [...FAILED, 'does not answer in JSON', whole('<html>')],
    [...FAILED, 'answers with null', whole('null')],
    [
      ...FAILED,
      'answers 200 with an error',
      whole({ type: 'error', error: { type: 'api_error', message: 'secret words' } }),
    ],
  ]
  test.each(FAILURES)('%i %s: the provider %s; the hold is voided', async (status, type, _, answer) => {
    upstream.answer(answer)
    const error = await errorOf(await post(BODY))
    expect(error).toMatchObject({ status, type })
    expect(error.message).not.toContain('secret')
    expect(await lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('504 timeout_error: the provider does not answer in time', async () => {
    upstream.answer(SILENCE)
    expect(await errorOf(await post({ ...BODY, model: hastyModel('anthropic') }))).toMatchObject({
      status: 504,
      type: 'timeout_error',
    })
    expect(await lastCall()).toMatchObject({ outcome: 'failed', status: 504, cost_nanos: 0 })
  })

  test('the provider’s message about the request reaches the caller', async () => {
    upstream.answer(refusal(400, ERROR_BODY.anthropic(400, 'max_tokens: 9000 > 8192')))
    expect((await errorOf(await post(BODY))).message).toContain('max_tokens: 9000 > 8192')
  })

  test.each([
    ['GET', PATH],
    ['PUT', PATH],
    ['POST', '/v1/messages/batches'],
    ['GET', '/v1/messages/batches/b_1/results'],
  ])('404 not_found_error: %s %s', async (method, path) => {
    const headers = VERSION
    const response = await call(path, undefined, { form: 'x-api-key', method, headers })
    expect(await errorOf(response)).toMatchObject({ status: 404, type: 'not_found_error' })
    const without_key = await gateway.call(path, undefined, { method, headers })
    expect(await errorOf(without_key)).toMatchObject({ status: 401, type: 'authentication_error' })
  })
})

describe('"Body limit 32 MB"', () => {
  const LIMIT_BYTES = 32 * 1024 * 1024
  /** A request of exactly this many bytes. */
  function bodyOf(bytes: number): Buffer {
    const rest = JSON.stringify({ ...BODY, system: '' })
    return Buffer.from(rest.replace('"system":""', `"system":"${'a'.repeat(bytes - rest.length)}"`))
  }

  test('a body of 32 MB is accepted', async () => {
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200)
    expect(upstream.last().body.length).toBe(LIMIT_BYTES)
  })
  test.each([PATH, COUNT])('%s: one byte more is 413 request_too_large', async (path) => {
    const before = counts()
    const error = await errorOf(await post(bodyOf(LIMIT_BYTES + 1), {}, path))
    expect(error).toMatchObject({ status: 413, type: 'request_too_large' })
    expect(error.message).toContain('32 MB')
    await expectCounts(before)
  })
})
