// silent.md, "Chat completions": errors in OpenAI’s shape for every status, and the limits; refusals hold and leave nothing.

import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { inChunks, RESET, refusal, SILENCE, whole } from '../support/upstream.ts'
import {
  countsOf,
  expectUntouched,
  MODELS,
  OUTPUT_NANOS,
  PROTOCOLS,
  REFUSAL,
  recorded,
  streamOf,
} from '../surfaces/world.ts'
import { BODY, errorOf, MODEL, messages, useChat } from './scene.ts'

const scene = useChat()

describe('errors, in OpenAI’s shape', () => {
  type Case = readonly [number, string, string | null, string, () => Promise<Response> | Response]
  const CASES: Case[] = [
    [400, 'invalid_request_error', null, 'no JSON', () => scene.post('{')],
    [400, 'invalid_request_error', null, 'no object', () => scene.post('"x"')],
    [400, 'invalid_request_error', null, 'no model', () => scene.post({ messages })],
    [400, 'invalid_request_error', null, 'an empty model', () => scene.post({ ...BODY, model: '' })],
    [400, 'invalid_request_error', null, 'no messages', () => scene.post({ model: MODEL })],
    [400, 'invalid_request_error', null, 'empty messages', () => scene.post({ ...BODY, messages: [] })],
    [
      400,
      'invalid_request_error',
      null,
      'messages that are none',
      () => scene.post({ ...BODY, messages: [1] }),
    ],
    [400, 'invalid_request_error', null, 'no answers', () => scene.post({ ...BODY, n: 0 })],
    [400, 'invalid_request_error', null, 'answers in parts', () => scene.post({ ...BODY, n: 1.5 })],
    [400, 'invalid_request_error', null, 'a limit as text', () => scene.post({ ...BODY, max_tokens: '5' })],
    [
      400,
      'invalid_request_error',
      null,
      'a limit below 0',
      () => scene.post({ ...BODY, max_completion_tokens: -5 }),
    ],
    [400, 'invalid_request_error', null, 'stream as a number', () => scene.post({ ...BODY, stream: 1 })],
    [401, 'invalid_request_error', 'invalid_api_key', 'no key', () => scene.post(BODY, { key: undefined })],
    [
      401,
      'invalid_request_error',
      'invalid_api_key',
      'an unknown key',
      () => scene.post(BODY, { key: 'tg_no-such-key-there-is' }),
    ],
    [
      401,
      'invalid_request_error',
      'invalid_api_key',
      'a key in the address',
      () => scene.post(BODY, { form: 'query' }),
    ],
    [
      401,
      'invalid_request_error',
      'invalid_api_key',
      'a key in Google’s header',
      () => scene.post(BODY, { form: 'x-goog-api-key' }),
    ],
    [
      402,
      'insufficient_quota',
      'insufficient_balance',
      'an empty balance',
      async () => scene.post(BODY, { key: await scene.world.gateway.caller('0') }),
    ],
    [
      403,
      'invalid_request_error',
      'MODEL_ACCESS_DENIED',
      'a key without the model',
      async () =>
        scene.post(BODY, { key: await scene.world.gateway.caller('10', { models: [MODELS.gemini] }) }),
    ],
    [403, 'invalid_request_error', 'permission_denied', 'a suspended account', suspended],
    [
      404,
      'invalid_request_error',
      'model_not_found',
      'no such model',
      () => scene.post({ ...BODY, model: 'gpt-9' }),
    ],
    [
      404,
      'invalid_request_error',
      'model_not_found',
      'a retired model',
      () => scene.post({ ...BODY, model: 'retired' }),
    ],
  ]
  async function suspended(): Promise<Response> {
    const account = await scene.world.gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
    const own = scene.world.gateway.key(account.name)
    suspendAccount(scene.world.gateway.db, account.name)
    return scene.post(BODY, { key: own })
  }
  test.each(CASES)('%i %s %s: %s; nothing is held, asked or recorded', async (status, type, code, _, ask) => {
    const before = countsOf(scene.world)
    expect(await errorOf(await ask())).toMatchObject({ status, type, code })
    await expectUntouched(scene.world, before)
  })
  test.each([
    ['model', { model: undefined }],
    ['stream', { stream: 'yes' }],
    ['messages', { messages: {} }],
    ['messages[1]', { messages: [...messages, null] }],
    ['n', { n: -1 }],
    ['max_tokens', { max_tokens: 0.5 }],
  ])('the field at fault is the param: %s', async (param, said) => {
    expect((await errorOf(await scene.post({ ...BODY, ...said }))).param).toBe(param)
  })

  test('429 rate_limit_error, with Retry-After', async () => {
    await scene.world.gateway.account('limited', { balance_usd: '1' })
    const own = scene.world.gateway.key('limited')
    await (await scene.post(BODY, { key: own })).text()
    const response = await scene.post(BODY, { key: own })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
    })
  })

  const VENDORS: [number, string, string | null, string, () => void][] = [
    [
      400,
      'invalid_request_error',
      null,
      'finds fault with the request',
      () => scene.world.upstream.answer(refusal(400, REFUSAL.openai(400, 'odd'))),
    ],
    [
      429,
      'rate_limit_error',
      'rate_limit_exceeded',
      'is busy',
      () => scene.world.upstream.answer(refusal(429, REFUSAL.openai(429, 'slow down'))),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'fails',
      () => scene.world.upstream.answer(refusal(500, 'secret words')),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'does not have the model',
      () => scene.world.upstream.answer(refusal(404, REFUSAL.openai(404, 'secret'))),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'breaks the connection',
      () => scene.world.upstream.answer(RESET),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'answers 200 with an error (OpenRouter)',
      () => scene.world.upstream.answer(whole({ error: { code: 502, message: 'secret words' } })),
    ],
    [
      502,
      'server_error',
      'upstream_error',
      'answers with half an answer',
      () => scene.world.upstream.answer(whole('{"choices":[')),
    ],
  ]
  test.each(VENDORS)('%i %s %s: the vendor %s; all is given back', async (status, type, code, _, answer) => {
    answer()
    const error = await errorOf(await scene.post(BODY))
    expect(error).toMatchObject({ status, type, code })
    expect(error.message).not.toContain('secret')
    expect(await scene.world.lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })
  test('504: the vendor is silent', async () => {
    scene.world.upstream.answer(SILENCE)
    expect(await errorOf(await scene.post({ ...BODY, model: 'hasty' }))).toMatchObject({
      status: 504,
      code: 'upstream_timeout',
    })
  })
  test('mid-stream: a last record with the error, and no [DONE]', async () => {
    const payloads = recorded('openai', 'stream-error')
    scene.world.upstream.answer(streamOf('openai', payloads))
    const answered = await scene.streamed({})
    expect(answered.slice(0, -1)).toEqual(payloads.slice(0, -1))
    expect(JSON.parse(answered.at(-1) ?? '')).toEqual({
      error: {
        message: expect.stringContaining('retry'),
        type: 'server_error',
        param: null,
        code: 'upstream_error',
      },
    })
    expect(await scene.world.lastCall()).toMatchObject({ outcome: 'broken' })
  })
})

describe('limits', () => {
  const LIMIT_BYTES = 30 * 1024 * 1024
  function bodyOf(bytes: number): Buffer {
    const rest = JSON.stringify({ ...BODY, user: '' })
    return Buffer.from(rest.replace('"user":""', `"user":"${'a'.repeat(bytes - rest.length)}"`))
  }
  test('a body of 30 MB is taken', async () => {
    expect((await scene.post(bodyOf(LIMIT_BYTES))).status).toBe(200)
  })
  test('one byte more is 413', async () => {
    const before = countsOf(scene.world)
    expect(await errorOf(await scene.post(bodyOf(LIMIT_BYTES + 1)))).toMatchObject({
      status: 413,
      code: 'request_too_large',
    })
    await expectUntouched(scene.world, before)
  })
  test('also where the length is not announced', async () => {
    const outcome = await scene
      .post(inChunks(bodyOf(LIMIT_BYTES + 1), 1024 * 1024))
      .then(errorOf, () => 'closed')
    if (typeof outcome !== 'string') expect(outcome).toMatchObject({ status: 413 })
  })
  test.each(PROTOCOLS)(
    'a limit that the balance does not pay is lowered, and said: a %s model',
    async (vendor) => {
      const poor = await scene.world.gateway.caller('0.003')
      const response = await scene.post(
        { ...BODY, model: MODELS[vendor], max_completion_tokens: 8_000 },
        { key: poor },
      )
      const limit = Number(response.headers.get('x-tollgate-output-limit'))
      expect(limit).toBeGreaterThan(256)
      expect(limit).toBeLessThan(8_000)
      const { generationConfig, max_tokens, max_completion_tokens } = scene.world.asked()
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
])('held is for the larger of two limits, for servers differ in which one they know: %o', async (limits) => {
  await (await scene.post({ ...BODY, ...limits })).text()
  await scene.world.gateway.atRest()
  expect(scene.world.gateway.rows().holds.at(-1)?.amount_nanos).toBeGreaterThanOrEqual(4_000 * OUTPUT_NANOS)
})
