// The headers of image calls, whichever surface they come by: the provider's own model, and where the caller stands with the shared rate.
import { beforeEach, describe, expect, test } from 'bun:test'
import { GENERATIONS, generation, imagesScene, PICTURE, PNG } from '../images/support.ts'
import { MODEL } from '../support/catalogue.ts'
import { answer, ask, usage } from '../support/native.ts'
import { refusal as refuses, whole } from '../support/upstream.ts'
import { ASKED, drawsSigned, USER } from './support.ts'

const { gateway, upstream, call, clock, lastCall } = await imagesScene()
beforeEach(() => {
  clock.now_ms += 61_000
  upstream.answer(drawsSigned(PNG))
})

const messages = [{ role: 'user', content: ASKED.text }]
const contents = [USER(ASKED)]

/** The same image asked for in each way. */
const WAYS: readonly (readonly [name: string, path: string, body: object])[] = [
  ['generations', GENERATIONS, generation()],
  ['generations, streamed', GENERATIONS, generation({ stream: true })],
  ['generateContent', `/v1beta/models/${PICTURE}:generateContent`, { contents }],
  ['streamGenerateContent', `/v1beta/models/${PICTURE}:streamGenerateContent?alt=sse`, { contents }],
  ['chat', '/v1/chat/completions', { model: PICTURE, messages }],
  ['chat, streamed', '/v1/chat/completions', { model: PICTURE, messages, stream: true }],
]

const ratesOf = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-requests`))

describe.each(WAYS)('%s', (_, path, body) => {
  test('names the provider’s own model, as the record does', async () => {
    const response = await call(path, body)
    expect([response.status, response.headers.get('x-tollgate-upstream-model')]).toEqual([
      200,
      'upstream-image',
    ])
    await response.text()
    expect(await lastCall()).toMatchObject({ model: PICTURE, upstream_model: 'upstream-image' })
  })

  test('tells how many calls are left', async () => {
    const key = await gateway.caller()
    expect(ratesOf(await call(path, body, { key }))).toEqual(['30', '29', '60s'])
    expect(ratesOf(await call(path, body, { key }))).toEqual(['30', '28', '60s'])
  })

  test('tells it of a call that failed, too', async () => {
    upstream.answer(refuses(500, 'no'))
    const response = await call(path, body, { key: await gateway.caller() })
    expect([response.ok, ratesOf(response)]).toEqual([false, ['30', '29', '60s']])
  })

  test('over the rate: 429, when to come back, and none left', async () => {
    const key = await gateway.caller()
    for (let sent = 0; sent < 30; sent++)
      await call(GENERATIONS, generation({ prompt: '' }), { key }).then((response) => response.text())
    clock.now_ms += 12_500
    const response = await call(path, body, { key })
    expect([response.status, response.headers.get('retry-after'), ratesOf(response)]).toEqual([
      429,
      '48',
      ['30', '0', '48s'],
    ])
  })

  test('answered again, it names the model, and does not count', async () => {
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

test('a text model tells no rate of images', async () => {
  upstream.answer(whole(answer('Hello.', usage(3, 2))))
  const response = await call(`/v1beta/models/${MODEL}:generateContent`, ask())
  expect([response.status, ratesOf(response)]).toEqual([200, [null, null, null]])
})
