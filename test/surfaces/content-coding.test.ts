// Encoded request bodies on every kind of surface: JSON, forms, the console, under an Idempotency-Key; and what is refused.
import { describe, expect, test } from 'bun:test'
import * as zlib from 'node:zlib'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { answering } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { BOUNDARY, formOf, pictureOf } from '../upload/support.ts'
import { ERROR_OF, REQUESTS } from './requests.ts'

const { gateway, upstream, key, counts, expectCounts, lastCall } = await fileScene({ script: answering })
const ENCODE: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array<ArrayBuffer>>> = {
  gzip: (bytes) => new Uint8Array(zlib.gzipSync(bytes)),
  deflate: (bytes) => new Uint8Array(zlib.deflateSync(bytes)),
  br: (bytes) => new Uint8Array(zlib.brotliCompressSync(bytes)),
  zstd: (bytes) => new Uint8Array(zlib.zstdCompressSync(bytes)),
}
const CODINGS = Object.keys(ENCODE)
const encode = (coding: string, body: unknown): Uint8Array<ArrayBuffer> => {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
  return ENCODE[coding]?.(bytes) ?? new Uint8Array(bytes)
}

const send = (
  path: string,
  coding: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  fetch(new URL(path, gateway.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': coding,
      ...headers,
    },
    body,
  })

const SURFACES = Object.entries(REQUESTS).map(([protocol, requestOf]) => ({
  protocol: protocol as keyof typeof REQUESTS,
  ...requestOf(MODEL, false),
}))
const RESPONSES = { path: '/v1/responses', body: { model: MODEL, input: 'Why?', stream: true } }

describe.each(CODINGS)('%s', (coding) => {
  test.each(SURFACES)(
    'a call of $path costs and says the same as one that is not encoded',
    async ({ path, headers, body }) => {
      const plain = await send(path, 'identity', encode('identity', body), headers)
      expect(plain.status).toBe(200)
      await plain.text()
      const { cost_nanos } = await lastCall()
      const sent = upstream.seen.at(-1)?.body
      const response = await send(path, coding, encode(coding, body), headers)
      expect(response.status).toBe(200)
      await response.text()
      expect((await lastCall()).cost_nanos).toBe(cost_nanos)
      expect(upstream.seen.at(-1)?.body).toEqual(sent as never)
    },
  )

  test('a response, as Codex asks for one', async () => {
    const response = await send(RESPONSES.path, coding, encode(coding, RESPONSES.body))
    expect(await response.text()).toContain('response.completed')
  })

  test('an upload', async () => {
    const form = formOf([{ bytes: pictureOf(100_000) }])
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    expect((await send('/api/v1/upload', coding, encode(coding, form), headers)).status).toBe(200)
  })

  test('a page of the console', async () => {
    const operator = await signedIn(gateway, 'operator')
    const response = await fetch(new URL('/console/api/accounts', gateway.url), {
      method: 'POST',
      headers: {
        cookie: operator.cookie,
        origin: gateway.url.origin,
        'content-type': 'application/json',
        'content-encoding': coding,
      },
      body: encode(coding, { name: `by-${coding}` }),
    })
    expect(response.status).toBeLessThan(300)
  })
})

test('under an Idempotency-Key the bytes are compared decoded', async () => {
  const [first] = SURFACES
  if (!first) throw new Error('none')
  const { path, headers, body } = first
  const keyed = { ...headers, 'idempotency-key': 'encoded' }
  const answers: string[] = []
  for (const coding of ['gzip', 'zstd', 'identity'])
    answers.push(await (await send(path, coding, encode(coding, body), keyed)).text())
  expect(new Set(answers).size).toBe(1)
  const other = await send(path, 'gzip', encode('gzip', { ...body, other: 1 }), keyed)
  expect(other.status).toBe(422)
})

const BOMB_BYTES = 64 * 1024 * 1024
const REFUSED: readonly (readonly [
  what: string,
  coding: string,
  body: () => Uint8Array<ArrayBuffer>,
  status: number,
])[] = [
  ['an unknown coding', 'compress', () => encode('identity', {}), 415],
  ['two codings', 'gzip, br', () => encode('identity', {}), 415],
  ['bytes that are not encoded', 'gzip', () => encode('identity', { model: 'x' }), 400],
  ['bytes that are cut', 'br', () => encode('br', { input: 'x'.repeat(9_999) }).slice(0, 9), 400],
  ['a bomb of 256 MB', 'gzip', () => encode('gzip', Buffer.alloc(256 * 1024 * 1024, ' ')), 413],
  ['a bomb in zstd', 'zstd', () => encode('zstd', Buffer.alloc(BOMB_BYTES, ' ')), 413],
]

describe.each(SURFACES)('refused at $path, in its own form', ({ protocol, path, headers }) => {
  test.each(REFUSED)('%s', async (_, coding, body, status) => {
    const before = counts()
    const response = await send(path, coding, body(), headers)
    // Gemini has no 413.
    expect(response.status).toBe(protocol === 'gemini' && status === 413 ? 400 : status)
    const { message } = ERROR_OF[protocol]((await response.json()) as JsonObject)
    expect(message).toMatch(status === 415 ? /Content-Encoding/ : /body/)
    await expectCounts(before)
  })
})

test('refused in a form, and by the console', async () => {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const form = new Uint8Array(formOf([{ bytes: pictureOf(1_000) }]))
  expect((await send('/api/v1/upload', 'compress', form, headers)).status).toBe(415)
  expect((await send('/api/v1/upload', 'gzip', form, headers)).status).toBe(400)
  const operator = await signedIn(gateway, 'operator')
  const sent = { body: { name: 'x' }, headers: { 'content-encoding': 'compress' } }
  expect((await operator.send('POST', '/accounts', sent)).status).toBe(415)
})
