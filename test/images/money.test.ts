// spec.md, Image billing, and of Image endpoints (errors) the rows about the caller, the balance, and failures of the provider.
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { MODEL, PROVIDER_KEYS } from '../support/catalogue.ts'
import { expectRefused, type Refusal, storedIn } from '../support/image-refusals.ts'
import { answer, ask, usage, wholePath } from '../support/native.ts'
import { type Answer, RESET, refusal as refuses, SILENCE, whole } from '../support/upstream.ts'
import {
  COMPOSE,
  compose,
  draws,
  EDITS,
  editForm,
  GENERATIONS,
  generated,
  generation,
  HASTY,
  imagesIn,
  imagesScene,
  LISTED,
  OVER_OPENAI,
  PICTURE,
  PNG,
  postForm,
  RETIRED_PICTURE,
  sends,
} from './support.ts'

const { gateway, upstream } = await imagesScene()

/** A valid request of each endpoint, for the caller of this key. */
const ENDPOINTS = [
  ['generations', GENERATIONS, async () => generation()],
  ['edits', EDITS, async (key: string) => generation({ generation_id: await generated(gateway, key) })],
  ['compose', COMPOSE, async () => compose()],
] as const

describe.each(ENDPOINTS)('%s, the caller:', (name, path, request) => {
  async function expectRefusal(key: string | undefined, body: object, refusal: Refusal) {
    const before = await storedIn(gateway)
    const response = await gateway.call(path, body, { key })
    await expectRefused(gateway, before, response, refusal)
  }

  test('invalid_api_key: missing', () => expectRefusal(undefined, generation(), [401, 'invalid_api_key']))
  test('invalid_api_key: invalid', () => expectRefusal('tg_nobody', generation(), [401, 'invalid_api_key']))
  test('the key is checked before the body', () => expectRefusal(undefined, {}, [401, 'invalid_api_key']))
  test('x-api-key is accepted, too', async () => {
    const key = await gateway.caller()
    const body = await request(key)
    await imagesIn(await gateway.call(path, body, { key, form: 'x-api-key' }))
  })
  test('MODEL_ACCESS_DENIED: no access to the model', async () => {
    const key = await gateway.caller('10', { models: ['other-*'] })
    await expectRefusal(key, generation(sourceOf(name)), [403, 'MODEL_ACCESS_DENIED'])
  })
  test('MODEL_ACCESS_DENIED: suspended account', async () => {
    const key = await gateway.caller()
    const { name } = newestAccount()
    await suspendAccount(gateway.store, name, { now_ms: 0 })
    await expectRefusal(key, generation(), [403, 'MODEL_ACCESS_DENIED'])
  })
  test.each([
    ['does not exist', 'no-such-model'],
    ['is not active', RETIRED_PICTURE],
    ['is for text', MODEL],
  ])('model_not_found: %s', async (_row, model) => {
    const key = await gateway.caller()
    await expectRefusal(key, { ...generation({ model }), ...sourceOf(name) }, [404, 'model_not_found'])
  })
  test('insufficient_balance: the balance does not pay for n', async () => {
    const key = await gateway.caller('0.079')
    const body = { ...(await request(key)), n: 2 }
    await expectRefusal(key, body, [402, 'insufficient_balance'])
  })
  test(`${name === 'edits' ? 'OUTSTANDING_DEBT' : 'insufficient_balance'}: the account is in debt`, async () => {
    const key = await gateway.caller('1')
    const body = await request(key)
    await runIntoDebt(key)
    await expectRefusal(key, body, [402, name === 'edits' ? 'OUTSTANDING_DEBT' : 'insufficient_balance'])
  })
})

/** Source fields that pass the validation of an endpoint. */
const sourceOf = (name: string): object =>
  name === 'generations'
    ? {}
    : name === 'edits'
      ? { generation_id: crypto.randomUUID() }
      : { generation_ids: [crypto.randomUUID()] }

const newestAccount = () => {
  const account = gateway.rows().accounts.at(-1)
  if (!account) throw new Error('there is no account')
  return account
}

/** A text call that costs far more than the balance: the rest is debt. */
async function runIntoDebt(key: string): Promise<void> {
  upstream.answer(whole(answer('Hello.', usage(2_000_000, 5))))
  expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(200)
  expect(newestAccount().debt_nanos).toBeGreaterThan(0)
}

const geminiAnswer = (candidate: object): Answer => whole({ candidates: [candidate] })
const openaiError = (status: number, error: object): Answer => refuses(status, { error })

const POLICY = [400, 'content_policy_violation'] as const
const NO_IMAGE = [400, 'no_image_generated'] as const
const FAILED = [502, 'upstream_error'] as const
/** Failures of the provider, and the caller's errors; the hold is refunded. */
const FAILURES: readonly (readonly [row: string, model: string, answer: Answer, refusal: Refusal])[] = [
  [
    'content_policy_violation: the prompt is blocked',
    PICTURE,
    whole({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
    POLICY,
  ],
  ...['SAFETY', 'IMAGE_SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'IMAGE_PROHIBITED_CONTENT'].map(
    (finishReason) =>
      [
        `content_policy_violation: finishReason ${finishReason}`,
        PICTURE,
        geminiAnswer({ finishReason }),
        POLICY,
      ] as const,
  ),
  [
    'content_policy_violation: OpenAI’s moderation_blocked',
    OVER_OPENAI,
    openaiError(400, {
      code: 'moderation_blocked',
      message: `Your request was rejected by ${PROVIDER_KEYS[1]}`,
    }),
    POLICY,
  ],
  [
    'content_policy_violation: OpenAI’s own code of that name',
    OVER_OPENAI,
    openaiError(400, { code: 'content_policy_violation', message: 'no' }),
    POLICY,
  ],
  [
    'no_image_generated: text but no image',
    PICTURE,
    geminiAnswer({ content: { parts: [{ text: 'What is beauty?' }] }, finishReason: 'STOP' }),
    NO_IMAGE,
  ],
  ['no_image_generated: nothing at all', PICTURE, whole({ candidates: [] }), NO_IMAGE],
  ['no_image_generated: NO_IMAGE', PICTURE, geminiAnswer({ finishReason: 'NO_IMAGE' }), NO_IMAGE],
  [
    'no_image_generated: an address instead of an image',
    OVER_OPENAI,
    whole({ data: [{ url: 'https://images.provider.example/secret.png' }] }),
    NO_IMAGE,
  ],
  ['upstream_timeout', HASTY, SILENCE, [408, 'upstream_timeout']],
  ['upstream_error: the provider fails', PICTURE, refuses(500, { error: {} }), FAILED],
  ['upstream_error: the provider refuses the key', PICTURE, refuses(403, { error: {} }), FAILED],
  ['upstream_error: the connection is reset', PICTURE, RESET, FAILED],
  ['upstream_error: an answer that is not JSON', PICTURE, whole('<html>'), FAILED],
  ['upstream_error: bytes that are not an image', PICTURE, draws(Buffer.from('no image')), FAILED],
  ['upstream_error: half an image', PICTURE, draws(PNG.subarray(0, 60)), FAILED],
  [
    'upstream_error: a size that the provider refuses',
    OVER_OPENAI,
    openaiError(400, { code: 'invalid_value', param: 'size', message: 'no' }),
    FAILED,
  ],
  [
    'invalid_request: another field that the provider refuses',
    OVER_OPENAI,
    openaiError(400, { code: 'invalid_value', param: 'prompt', message: 'no' }),
    [400, 'invalid_request'],
  ],
  [
    'rate_limit_exceeded: the provider’s rate limit',
    PICTURE,
    refuses(429, { error: {} }),
    [429, 'rate_limit_exceeded'],
  ],
]

describe('refunded in full:', () => {
  test.each(FAILURES)('%s', async (_row, model, answer, refusal) => {
    const key = await gateway.caller('1')
    for (const [path, body] of [
      [GENERATIONS, generation({ model, n: model === HASTY ? 1 : 2 })],
      [COMPOSE, compose({ model })],
    ] as const) {
      const before = await storedIn(gateway)
      upstream.answer(answer)
      const response = await gateway.call(path, body, { key })
      await expectRefused(gateway, before, response, refusal)
    }
    const { calls, accounts } = await gateway.atRest()
    expect(accounts.at(-1)?.balance_nanos).toBe(1_000_000_000)
    expect(calls.slice(-2)).toMatchObject([
      { outcome: 'failed', status: refusal[0], cost_nanos: 0, images: 0 },
      { outcome: 'failed', status: refusal[0], cost_nanos: 0, images: 0 },
    ])
    const failed = await gateway.call('/api/images/history', undefined, { key })
    expect(await failed.json()).toMatchObject({
      images: [{ state: 'failed' }, { state: 'failed' }, {}].slice(model === HASTY ? 1 : 0),
    })
  })

  test('moderation refuses in the same words for every provider', async () => {
    const key = await gateway.caller('1')
    const messageOf = async (model: string, answer: Answer) => {
      upstream.answer(answer)
      const response = await gateway.call(GENERATIONS, generation({ model }), { key })
      return ((await response.json()) as { error: { message: string } }).error.message
    }
    const of_gemini = await messageOf(PICTURE, geminiAnswer({ finishReason: 'SAFETY' }))
    expect(of_gemini).toContain('refused by moderation')
    expect(
      await messageOf(OVER_OPENAI, openaiError(400, { code: 'moderation_blocked', message: 'no' })),
    ).toBe(of_gemini)
  })

  test('the image of a failed multipart edit stays stored as a file of its owner', async () => {
    const key = await gateway.caller('1')
    upstream.answer(refuses(500))
    expect((await postForm(gateway, key, editForm())).status).toBe(502)
    const listed = await gateway.call('/api/v1/files', undefined, { key })
    expect(((await listed.json()) as { files: object[] }).files).toHaveLength(1)
    expect((await gateway.atRest()).accounts.at(-1)?.balance_nanos).toBe(1_000_000_000)
  })

  test.each([
    ['4096x4096', PICTURE],
    ['2049x16', PICTURE],
    ['128x128', LISTED],
  ])('upstream_error: size %s is beyond %s', async (size, model) => {
    const key = await gateway.caller('1')
    const before = await storedIn(gateway)
    const upstream_calls = upstream.requests.length
    const response = await gateway.call(GENERATIONS, generation({ size, model }), { key })
    await expectRefused(gateway, before, response, [502, 'upstream_error'])
    expect(upstream.requests).toHaveLength(upstream_calls)
  })
})

describe('prices:', () => {
  const rows: readonly (readonly [row: string, fields: object, cost: string])[] = [
    ['price_per_image', {}, '0.04'],
    ['actualCount x price_per_image', { n: 3 }, '0.12'],
    ['by size', { size: '512x512' }, '0.02'],
    ['by quality', { quality: 'high' }, '0.16'],
    ['by size and quality', { size: '512x512', quality: 'high', n: 2 }, '0.06'],
    ['a size without a price of its own', { size: '256x256', quality: 'low' }, '0.04'],
    ['over another protocol', { model: OVER_OPENAI, n: 2 }, '0.10'],
  ]
  test.each(rows)('%s', async (_row, fields, cost) => {
    const key = await gateway.caller('1')
    upstream.answer(({ path }) => (path.includes('/images/') ? sends(PNG, PNG) : draws(PNG)))
    const answers = [
      [GENERATIONS, generation(fields)],
      [COMPOSE, compose(fields)],
      [EDITS, generation({ ...fields, generation_id: await generated(gateway, key) })],
    ] as const
    for (const [path, body] of answers) {
      const paid = await imagesIn(await gateway.call(path, body, { key }))
      expect([path, paid.cost, paid.usage]).toMatchObject([
        path,
        cost,
        { images: paid.data.length, total_tokens: 0 },
      ])
      const { calls } = await gateway.atRest()
      expect(calls.at(-1)).toMatchObject({
        images: paid.data.length,
        cost_nanos: Number(cost) * 1e9,
        surface: 'images',
      })
    }
  })

  test('the balance for n is frozen before the call', async () => {
    const key = await gateway.caller('1')
    let held_nanos: number | undefined
    upstream.answer(() => {
      held_nanos = gateway.rows().accounts.at(-1)?.held_nanos
      return draws(PNG)
    })
    await imagesIn(await gateway.call(GENERATIONS, generation({ n: 3 }), { key }))
    expect(held_nanos).toBe(120_000_000)
  })

  test('fewer images than requested: the delivered ones are charged, and the difference is refunded', async () => {
    const key = await gateway.caller('1')
    upstream.answer((_seen, index) => (index % 2 === 0 ? draws(PNG) : refuses(500)))
    const { data, cost, svc_generation_ids } = await imagesIn(
      await gateway.call(GENERATIONS, generation({ n: 4 }), { key }),
    )
    expect([data.length, svc_generation_ids.length, cost]).toEqual([2, 2, '0.08'])
    const { accounts } = await gateway.atRest()
    expect(accounts.at(-1)?.balance_nanos).toBe(920_000_000)
    const history = await gateway.call('/api/images/history', undefined, { key })
    const { images } = (await history.json()) as { images: { state: string }[] }
    expect(images.map(({ state }) => state).sort()).toEqual(['failed', 'failed', 'stored', 'stored'])
  })

  test('images beyond the requested number are neither delivered nor charged', async () => {
    const key = await gateway.caller('1')
    upstream.answer(sends(PNG, PNG, PNG))
    const { data, cost } = await imagesIn(
      await gateway.call(GENERATIONS, generation({ model: OVER_OPENAI }), { key }),
    )
    expect([data.length, cost]).toEqual([1, '0.05'])
  })

  test('one of two images does not decode: the other is delivered and charged', async () => {
    const key = await gateway.caller('1')
    upstream.answer(sends(PNG.subarray(0, 50), PNG))
    const { data, cost } = await imagesIn(
      await gateway.call(GENERATIONS, generation({ model: OVER_OPENAI, n: 2 }), { key }),
    )
    expect([data.length, cost]).toEqual([1, '0.05'])
  })

  test('a caller who disconnects before the provider answers is not charged, and the upstream request is aborted', async () => {
    const key = await gateway.caller('1')
    upstream.answer(SILENCE)
    const seen = upstream.requests.length
    const leaving = new AbortController()
    const call = gateway.call(GENERATIONS, generation(), { key, signal: leaving.signal }).catch(() => 'left')
    await upstream.waitForRequest(seen + 1)
    leaving.abort()
    expect(await call).toBe('left')
    await upstream.last().over
    expect(await gateway.lastCall()).toMatchObject({ outcome: 'cancelled', cost_nanos: 0 })
  })
})
