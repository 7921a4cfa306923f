// The headers of image calls on every surface: the provider's own model, and the state of the shared rate limit.
import { beforeEach, describe, expect, test } from 'bun:test'
import { GENERATIONS, generation, imagesScene, PICTURE, PNG } from '../images/support.ts'
import { MODEL } from '../support/catalogue.ts'
import { answer, ask, usage } from '../support/native.ts'
import { refusal as refuses, whole } from '../support/upstream.ts'
import { PROMPT, signedImage, USER } from './support.ts'

const { gateway, upstream, call, clock, lastCall } = await imagesScene()
beforeEach(() => {
  clock.now_ms += 61_000
  upstream.answer(signedImage(PNG))
})

const messages = [{ role: 'user', content: PROMPT.text }]
const contents = [USER(PROMPT)]

/** Requests for the same image. */
const REQUESTS: readonly (readonly [name: string, path: string, body: object])[] = [
  ['generations', GENERATIONS, generation()],
  ['generations, streamed', GENERATIONS, generation({ stream: true })],
  ['generateContent', `/v1beta/models/${PICTURE}:generateContent`, { contents }],
  ['streamGenerateContent', `/v1beta/models/${PICTURE}:streamGenerateContent?alt=sse`, { contents }],
  ['chat', '/v1/chat/completions', { model: PICTURE, messages }],
  ['chat, streamed', '/v1/chat/completions', { model: PICTURE, messages, stream: true }],
]

const ratesOf = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-requests`))

describe.each(REQUESTS)('%s', (_, path, body) => {
  test('names the provider’s own model, as the record does', async () => {
    const response = await call(path, body)
    expect([response.status, response.headers.get('x-tollgate-upstream-model')]).toEqual([
      200,
      'upstream-image',
    ])
    await response.text()
    expect(await lastCall()).toMatchObject({ model: PICTURE, upstream_model: 'upstream-image' })
  })

  test('reports the remaining calls', async () => {
    const key = await gateway.caller()
    expect(ratesOf(await call(path, body, { key }))).toEqual(['30', '29', '60s'])
    expect(ratesOf(await call(path, body, { key }))).toEqual(['30', '28', '60s'])
  })

  test('reports them for a failed call, too', async () => {
    upstream.answer(refuses(500, 'no'))
    const response = await call(path, body, { key: await gateway.caller() })
    expect([response.ok, ratesOf(response)]).toEqual([false, ['30', '29', '60s']])
  })

  test('a replayed answer names the model and does not count', async () => {
    const key = await gateway.caller()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await call(path, body, { key, headers })
    const again = await call(path, body, { key, headers })
    expect(await again.text()).toBe(await first.text())
    expect([
      again.headers.get('idempotent-replayed'),
      again.headers.get('x-tollgate-upstream-model'),
      ratesOf(again)[1],
    ]).toEqual(['true', 'upstream-image', '29'])
  })
})

test('image calls on all surfaces share one limit; over it: 429, a retry delay, and no remaining calls', async () => {
  const key = await gateway.caller()
  for (let sent = REQUESTS.length; sent < 30; sent++)
    await (await call(GENERATIONS, generation({ prompt: '' }), { key })).text()
  for (const [, path, body] of REQUESTS) expect((await call(path, body, { key })).status).toBe(200)
  clock.now_ms += 12_500
  for (const [name, path, body] of REQUESTS) {
    const response = await call(path, body, { key })
    const got = [name, response.status, response.headers.get('retry-after'), ratesOf(response)]
    expect(got).toEqual([name, 429, '48', ['30', '0', '48s']])
  }
})

test('a text model reports no rate limit of images', async () => {
  upstream.answer(whole(answer('Hello.', usage(3, 2))))
  const response = await call(`/v1beta/models/${MODEL}:generateContent`, ask())
  expect([response.status, ratesOf(response)]).toEqual([200, [null, null, null]])
})
