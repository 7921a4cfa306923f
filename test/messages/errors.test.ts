// silent.md, "Messages": the error body and types for every status, and the body limit; refusals hold and leave nothing.
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { inChunks, RESET, refusal, SILENCE, whole } from '../support/upstream.ts'
import { countsOf, expectUntouched, MODELS, REFUSAL } from '../surfaces/world.ts'
import { BODY, COUNT, errorOf, PATH, useMessages, VERSION } from './scene.ts'

const scene = useMessages()

describe('error body and types', () => {
  type Case = readonly [status: number, type: string, what: string, ask: () => Promise<Response> | Response]
  const CASES: Case[] = [
    [400, 'invalid_request_error', 'no JSON', () => scene.post('{')],
    [400, 'invalid_request_error', 'no object', () => scene.post('[]')],
    [400, 'invalid_request_error', 'an empty body', () => scene.post('')],
    [400, 'invalid_request_error', 'no model', () => scene.post({ ...BODY, model: undefined })],
    [400, 'invalid_request_error', 'a model that is no name', () => scene.post({ ...BODY, model: 7 })],
    [400, 'invalid_request_error', 'no messages', () => scene.post({ ...BODY, messages: undefined })],
    [400, 'invalid_request_error', 'empty messages', () => scene.post({ ...BODY, messages: [] })],
    [400, 'invalid_request_error', 'no max_tokens', () => scene.post({ ...BODY, max_tokens: undefined })],
    [400, 'invalid_request_error', 'max_tokens below 0', () => scene.post({ ...BODY, max_tokens: -1 })],
    [400, 'invalid_request_error', 'max_tokens in parts', () => scene.post({ ...BODY, max_tokens: 1.5 })],
    [400, 'invalid_request_error', 'max_tokens as text', () => scene.post({ ...BODY, max_tokens: '5' })],
    [400, 'invalid_request_error', 'stream as text', () => scene.post({ ...BODY, stream: 'true' })],
    [400, 'invalid_request_error', 'a message that is none', () => scene.post({ ...BODY, messages: ['x'] })],
    [401, 'authentication_error', 'no key', () => scene.post(BODY, { key: undefined })],
    [
      401,
      'authentication_error',
      'an unknown key',
      () => scene.post(BODY, { key: 'tg_no-such-key-there-is' }),
    ],
    [401, 'authentication_error', 'a key in the address', () => scene.post(BODY, { form: 'query' })],
    [
      402,
      'billing_error',
      'an empty balance',
      async () => scene.post(BODY, { key: await scene.world.gateway.caller('0') }),
    ],
    [
      403,
      'permission_error',
      'a key without the model',
      async () =>
        scene.post(BODY, { key: await scene.world.gateway.caller('10', { models: [MODELS.openai] }) }),
    ],
    [403, 'permission_error', 'a suspended account', suspended],
    [404, 'not_found_error', 'no such model', () => scene.post({ ...BODY, model: 'claude-9' })],
    [404, 'not_found_error', 'a retired model', () => scene.post({ ...BODY, model: 'retired' })],
  ]

  async function suspended(): Promise<Response> {
    const { gateway } = scene.world
    const account = await gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
    const own = gateway.key(account.name)
    suspendAccount(gateway.db, account.name)
    return scene.post(BODY, { key: own })
  }

  test.each(CASES)('%i %s: %s; nothing is held, asked or recorded', async (status, type, _, ask) => {
    const before = countsOf(scene.world)
    expect(await errorOf(await ask())).toMatchObject({ status, type })
    await expectUntouched(scene.world, before)
  })

  test('429 rate_limit_error, with Retry-After', async () => {
    const { gateway } = scene.world
    await gateway.account('limited', { balance_usd: '1' })
    const own = gateway.key('limited')
    await (await scene.post(BODY, { key: own })).text()
    const response = await scene.post(BODY, { key: own })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(response)).toMatchObject({ status: 429, type: 'rate_limit_error' })
  })

  const VENDORS: [number, string, string, () => void][] = [
    [
      400,
      'invalid_request_error',
      'the vendor finds fault with the request',
      () => scene.world.upstream.answer(refusal(400, REFUSAL.anthropic(400, 'messages.0: odd'))),
    ],
    [
      429,
      'rate_limit_error',
      'the vendor is overloaded',
      () =>
        scene.world.upstream.answer(
          refusal(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
        ),
    ],
    [502, 'api_error', 'the vendor fails', () => scene.world.upstream.answer(refusal(500, 'secret words'))],
    [
      502,
      'api_error',
      'the vendor refuses the gateway’s key',
      () => scene.world.upstream.answer(refusal(401, REFUSAL.anthropic(401, 'invalid x-api-key'))),
    ],
    [502, 'api_error', 'the vendor breaks the connection', () => scene.world.upstream.answer(RESET)],
    [502, 'api_error', 'the vendor answers with no JSON', () => scene.world.upstream.answer(whole('<html>'))],
    [502, 'api_error', 'the vendor answers with null', () => scene.world.upstream.answer(whole('null'))],
    [
      502,
      'api_error',
      'the vendor answers 200 with an error',
      () =>
        scene.world.upstream.answer(
          whole({ type: 'error', error: { type: 'api_error', message: 'secret words' } }),
        ),
    ],
  ]
  test.each(VENDORS)('%i %s: %s; all is given back', async (status, type, _, answer) => {
    answer()
    const error = await errorOf(await scene.post(BODY))
    expect(error).toMatchObject({ status, type })
    expect(error.message).not.toContain('secret')
    expect(await scene.world.lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('504 timeout_error: the vendor is silent', async () => {
    scene.world.upstream.answer(SILENCE)
    expect(await errorOf(await scene.post({ ...BODY, model: 'hasty' }))).toMatchObject({
      status: 504,
      type: 'timeout_error',
    })
    expect(await scene.world.lastCall()).toMatchObject({ outcome: 'failed', status: 504, cost_nanos: 0 })
  })

  test('what the vendor says of the request reaches the caller', async () => {
    scene.world.upstream.answer(refusal(400, REFUSAL.anthropic(400, 'max_tokens: 9000 > 8192')))
    expect((await errorOf(await scene.post(BODY))).message).toContain('max_tokens: 9000 > 8192')
  })

  test.each([
    ['GET', PATH],
    ['PUT', PATH],
    ['POST', '/v1/messages/batches'],
    ['GET', '/v1/messages/batches/b_1/results'],
  ])('404 not_found_error: %s %s', async (method, path) => {
    const headers = VERSION
    const response = await scene.world.gateway.call(path, undefined, {
      key: scene.key,
      form: 'x-api-key',
      method,
      headers,
    })
    expect(await errorOf(response)).toMatchObject({ status: 404, type: 'not_found_error' })
    const nobody = await scene.world.gateway.call(path, undefined, { method, headers })
    expect(await errorOf(nobody)).toMatchObject({ status: 401, type: 'authentication_error' })
  })
})

describe('"Body limit 32 MB"', () => {
  const LIMIT_BYTES = 32 * 1024 * 1024
  /** A request of exactly so many bytes. */
  function bodyOf(bytes: number): Buffer {
    const rest = JSON.stringify({ ...BODY, system: '' })
    return Buffer.from(rest.replace('"system":""', `"system":"${'a'.repeat(bytes - rest.length)}"`))
  }

  test('a body of 32 MB is taken', async () => {
    expect((await scene.post(bodyOf(LIMIT_BYTES))).status).toBe(200)
    expect(scene.world.upstream.last().body.length).toBe(LIMIT_BYTES)
  })
  test.each([PATH, COUNT])('%s: one byte more is 413 request_too_large', async (path) => {
    const before = countsOf(scene.world)
    const error = await errorOf(await scene.post(bodyOf(LIMIT_BYTES + 1), {}, path))
    expect(error).toMatchObject({ status: 413, type: 'request_too_large' })
    expect(error.message).toContain('32 MB')
    await expectUntouched(scene.world, before)
  })
  test('also where the length is not announced', async () => {
    const chunked = inChunks(bodyOf(LIMIT_BYTES + 1), 1024 * 1024)
    const outcome = await scene.post(chunked).then(errorOf, () => 'the connection was closed')
    if (typeof outcome !== 'string') expect(outcome).toMatchObject({ status: 413, type: 'request_too_large' })
  })
})
