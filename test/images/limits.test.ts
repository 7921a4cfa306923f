// spec.md, Limits, of the image endpoints: bodies, images, and 30 requests in any 60 seconds.
import { describe, expect, mock, test } from 'bun:test'
import type { Admitted } from '../../src/calls/life/call.ts'
import { answerOnce } from '../../src/calls/life/paid-call.ts'
import type { CallParts } from '../../src/calls/parts.ts'
import type { Idempotency } from '../../src/idempotency/idempotency.ts'
import { expectRefused, type Refusal, storedIn } from '../support/image-refusals.ts'
import { inChunks } from '../support/upstream.ts'
import { callerWithQuota } from '../upload/support.ts'
import {
  COMPOSE,
  compose,
  dataUri,
  EDITS,
  editForm,
  GENERATIONS,
  generation,
  imagesIn,
  imagesScene,
  PNG,
  postForm,
} from './support.ts'

const MEGABYTE = 1024 * 1024

const { gateway, clock } = await imagesScene()

/** An image file of exactly this many bytes. */
const picture = (bytes: number): File => {
  const padded = new Uint8Array(bytes)
  padded.set(PNG)
  return new File([padded], 'large.png')
}

describe('request body size', () => {
  const padded = (body: object, bytes: number) => JSON.stringify(body).padEnd(bytes, ' ')
  const rows: readonly (readonly [row: string, path: string, body: () => string, refusal: Refusal])[] = [
    ['generations: 1 MB', GENERATIONS, () => padded(generation(), MEGABYTE + 1), [413, 'invalid_request']],
    ['edits, JSON: 1 MB', EDITS, () => padded(generation(), MEGABYTE + 1), [413, 'invalid_request']],
    ['compose: 100 MB', COMPOSE, () => padded(compose(), 100 * MEGABYTE + 1), [413, 'invalid_request']],
  ]
  test.each(rows)('%s', async (_row, path, body, refusal) => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    const text = body()
    await expectRefused(gateway, before, await gateway.call(path, text, { key }), refusal)
    if (text.length > 2 * MEGABYTE) return
    const chunked = await gateway.call(path, inChunks(text, 64 * 1024), { key })
    await expectRefused(gateway, before, chunked, refusal)
  })

  test('a body of exactly the limit is accepted', async () => {
    const key = await gateway.caller()
    await imagesIn(await gateway.call(GENERATIONS, padded(generation(), MEGABYTE), { key }))
  })

  test('edits, multipart: 26 MB, 413 IMAGE_TOO_LARGE', async () => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    const response = await postForm(gateway, key, editForm({ image: picture(26 * MEGABYTE) }))
    await expectRefused(gateway, before, response, [413, 'IMAGE_TOO_LARGE'])
  })

  test('edits: source image over 25 MB, 400 IMAGE_TOO_LARGE', async () => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    const response = await postForm(gateway, key, editForm({ image: picture(25 * MEGABYTE + 1) }))
    await expectRefused(gateway, before, response, [400, 'IMAGE_TOO_LARGE', 'image'])
  })

  test('edits: a source image of 25 MB is accepted', async () => {
    const key = await gateway.caller()
    await imagesIn(await postForm(gateway, key, editForm({ image: picture(25 * MEGABYTE) })))
  })

  test('edits: QUOTA_EXCEEDED, and nothing is held or stored', async () => {
    const key = await callerWithQuota(gateway, PNG.length - 1, '10')
    const before = await storedIn(gateway)
    const response = await postForm(gateway, key, editForm())
    await expectRefused(gateway, before, response, [413, 'QUOTA_EXCEEDED'])
  })

  test('compose: 30 MB of references together are accepted', async () => {
    const key = await gateway.caller()
    const half = (mark: number) => {
      const bytes = Buffer.alloc(15 * MEGABYTE, mark)
      PNG.copy(bytes)
      return dataUri(bytes)
    }
    await imagesIn(await gateway.call(COMPOSE, compose({ image_urls: [half(0), half(1)] }), { key }))
  })
})

describe('image request rate: 30 in any 60 seconds per user, shared by all image endpoints', () => {
  const REQUESTS = [
    [GENERATIONS, generation()],
    [EDITS, generation({ generation_id: crypto.randomUUID() })],
    [COMPOSE, generation()],
  ] as const

  test('the 31st is refused until the first is 60 seconds old, at any endpoint and with any key', async () => {
    const { name } = await gateway.account('rated', { balance_usd: '10' })
    const keys = [await gateway.key(name), await gateway.key(name)] as const
    clock.now_ms = 1_000_000
    // Refused requests count once their key is known: of the three requests only the generation is served.
    for (let sent = 0; sent < 30; sent++) {
      const [path, body] = REQUESTS[sent % 3] ?? REQUESTS[0]
      const response = await gateway.call(path, body, { key: keys[sent % 2] ?? keys[0] })
      expect([response.status, response.headers.get('x-ratelimit-remaining-requests')]).toEqual([
        [200, 404, 400][sent % 3] ?? 0,
        String(29 - sent),
      ])
      clock.now_ms += 100
    }
    const before = await storedIn(gateway)
    for (const [path, body] of REQUESTS) {
      const response = await gateway.call(path, body, { key: keys[0] })
      expect(response.headers.get('retry-after')).toBe('57')
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('30')
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0')
      expect(response.headers.get('x-ratelimit-reset-requests')).toBe('57s')
      await expectRefused(gateway, before, response, [429, 'rate_limit_exceeded'])
    }
    clock.now_ms = 1_000_000 + 59_999
    const early = await gateway.call(GENERATIONS, generation(), { key: keys[0] })
    await expectRefused(gateway, before, early, [429, 'rate_limit_exceeded'])
    clock.now_ms = 1_000_000 + 60_000
    await imagesIn(await gateway.call(GENERATIONS, generation(), { key: keys[0] }))
  })

  test('40 at once: exactly 30 are admitted, and exactly those are paid', async () => {
    const { name } = await gateway.account('hurried', { balance_usd: '10' })
    const key = await gateway.key(name)
    const before = gateway.rows().calls.length
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await gateway.call(GENERATIONS, generation(), { key })
        await response.arrayBuffer()
        return response.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    const { calls } = await gateway.atRest()
    expect(calls.slice(before).map(({ outcome, images }) => [outcome, images])).toEqual(
      Array(30).fill(['completed', 1]),
    )
  })

  test('another account has a rate of its own; a request without a valid key counts for no account', async () => {
    const key = await gateway.caller()
    for (let sent = 0; sent < 31; sent++)
      expect((await gateway.call(GENERATIONS, generation(), { key: 'tg_nobody' })).status).toBe(401)
    const response = await gateway.call(GENERATIONS, generation(), { key })
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('29')
    await response.arrayBuffer()
  })

  describe('a replay of a kept answer', () => {
    const send = (key: string, name: string, body: object | string = generation()) =>
      gateway.call(GENERATIONS, body, { key, headers: { 'idempotency-key': name } })
    const read = async (response: Promise<Response>) => {
      const answer = await response
      await answer.arrayBuffer()
      return [
        answer.status,
        answer.headers.get('idempotent-replayed'),
        answer.headers.get('x-ratelimit-remaining-requests'),
      ]
    }

    test('does not count, and is answered over the limit, too', async () => {
      const key = await gateway.caller()
      expect(await read(send(key, 'first'))).toEqual([200, null, '29'])
      for (let again = 0; again < 31; again++)
        expect(await read(send(key, 'first'))).toEqual([200, 'true', '29'])
      for (let sent = 0; sent < 29; sent++) await read(send(key, `invalid ${sent}`, '{'))
      expect(await read(send(key, 'one more'))).toEqual([429, null, '0'])
      expect(await read(send(key, 'first'))).toEqual([200, 'true', '0'])
    })

    test('counts if the kept answer was discarded while the request arrived', async () => {
      const count_later = mock(async () => {})
      const request = new Request('http://gateway/', { headers: { 'idempotency-key': 'kept until now' } })
      const call = { origin: { request }, caller: { account: {} }, place: {}, count_later }
      const admitted = call as unknown as Admitted
      const once: Idempotency['once'] = async (_, { mayBegin }, serve) => {
        await mayBegin()
        return await serve()
      }
      const parts = { closed: () => undefined, idempotency: { once } } as unknown as CallParts
      await answerOnce(parts, admitted, { content: [], streams: false }, async () => new Response())
      expect(count_later).toHaveBeenCalledTimes(1)
    })

    test('counts if the request under the same key is a different or an invalid one', async () => {
      const key = await gateway.caller()
      expect(await read(send(key, 'first'))).toEqual([200, null, '29'])
      expect(await read(send(key, 'first', generation({ prompt: 'another' })))).toEqual([422, null, '28'])
      expect(await read(send(key, 'first', '{'))).toEqual([400, null, '27'])
      for (let sent = 0; sent < 27; sent++) await read(send(key, 'first', '{'))
      expect(await read(send(key, 'first', '{'))).toEqual([429, null, '0'])
    })
  })

  test('the rate is checked before the body, and a refused body is not read', async () => {
    const key = await gateway.caller()
    for (let sent = 0; sent < 30; sent++) await (await gateway.call(GENERATIONS, '{', { key })).arrayBuffer()
    const response = await gateway.call(GENERATIONS, '{', { key })
    expect([response.status, response.headers.get('connection')]).toEqual([429, 'close'])
  })
})
