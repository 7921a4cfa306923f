// Encoded request bodies on every kind of surface: JSON, forms, the console, under an Idempotency-Key; and the refusals.
import { describe, expect, test } from 'bun:test'
import * as zlib from 'node:zlib'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { MODEL, PICTURE } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { answering } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { unitModels } from '../support/unit-models.ts'
import { inChunks, type Script, whole } from '../support/upstream.ts'
import { BOUNDARY, formOf, pictureOf } from '../upload/support.ts'
import { ERROR_OF, REQUESTS } from './requests.ts'

const IMAGE = { mimeType: 'image/png', data: Buffer.from(pictureOf(1_000)).toString('base64') }
const drawing = {
  candidates: [{ content: { role: 'model', parts: [{ inlineData: IMAGE }] }, finishReason: 'STOP' }],
}
const script: Script = (seen) => {
  if (seen.path.includes('/audio/'))
    return whole({ text: 'A tone.', usage: { type: 'duration', seconds: 3 } })
  return seen.body.includes('inlineData') ? whole(drawing) : answering(seen)
}
const { gateway, upstream, key, counts, expectCounts, lastCall } = await fileScene({
  script,
  more: unitModels,
})
const ENCODE: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array<ArrayBuffer>>> = {
  gzip: (bytes) => new Uint8Array(zlib.gzipSync(bytes, { level: 1 })),
  deflate: (bytes) => new Uint8Array(zlib.deflateSync(bytes)),
  br: (bytes) =>
    new Uint8Array(zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })),
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
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
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
const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const field = (name: string, bytes: string) => ({
  bytes,
  head: `Content-Disposition: form-data; name="${name}"`,
})
const AUDIO = await Bun.file(new URL('../fixtures/audio/tone.wav', import.meta.url)).bytes()
const FORMS = [
  {
    path: '/v1/images/edits',
    parts: [field('model', PICTURE), field('prompt', 'a hat'), { bytes: pictureOf(10_000), field: 'image' }],
  },
  {
    path: '/v1/audio/transcriptions',
    parts: [field('model', 'ear'), { bytes: AUDIO, field: 'file', filename: 'tone.wav' }],
  },
].map(({ path, parts }) => ({ path, form: formOf(parts) }))
const RESPONSES = { path: '/v1/responses', body: { model: MODEL, input: 'Why?', stream: true } }

/** The cost of a call, and the bytes that the provider got, whatever the boundary of its form. */
async function served(
  ...request: Parameters<typeof send>
): Promise<readonly [cost_nanos: number, sent: string]> {
  const response = await send(...request)
  expect(response.status).toBe(200)
  await response.text()
  const { cost_nanos } = await lastCall()
  const { body, headers } = upstream.last()
  const [, boundary = '\0'] = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? []
  return [cost_nanos, body.toString('latin1').replaceAll(boundary, BOUNDARY)]
}

const PAID = [
  ...SURFACES.map(({ path, headers, body }) => ({ path, headers, bytes: encode('identity', body) })),
  ...FORMS.map(({ path, form }) => ({ path, headers: FORM_TYPE, bytes: encode('identity', form) })),
]
const plain = new Map<string, Awaited<ReturnType<typeof served>>>()

describe.each(CODINGS)('%s', (coding) => {
  test.each(PAID)(
    'an encoded call of $path, at once and in pieces, costs and sends the same as a plain one',
    async ({ path, headers, bytes }) => {
      const expected = plain.get(path) ?? (await served(path, 'identity', bytes, headers))
      plain.set(path, expected)
      const encoded = encode(coding, bytes)
      expect(await served(path, coding, encoded, headers)).toEqual(expected)
      expect(await served(path, coding, inChunks(encoded, 1_000), headers)).toEqual(expected)
    },
  )

  test('a streamed response, as Codex requests it', async () => {
    const response = await send(RESPONSES.path, coding, encode(coding, RESPONSES.body))
    expect(await response.text()).toContain('response.completed')
  })

  test('an upload', async () => {
    const form = formOf([{ bytes: pictureOf(100_000) }])
    expect((await send('/api/v1/upload', coding, encode(coding, form), FORM_TYPE)).status).toBe(200)
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

/** Twice the size that any of these surfaces reads. */
const BOMB = encode('gzip', Buffer.alloc(64 * 1024 * 1024, ' '))
const REFUSED: readonly (readonly [
  what: string,
  coding: string,
  body: Uint8Array<ArrayBuffer>,
  status: number,
])[] = [
  ['an unknown coding', 'compress', encode('identity', {}), 415],
  ['two codings', 'gzip, br', encode('identity', {}), 415],
  ['bytes that are not encoded', 'gzip', encode('identity', { model: 'x' }), 400],
  ['bytes that are cut', 'br', encode('br', { input: 'x'.repeat(9_999) }).slice(0, 9), 400],
  ['a bomb', 'gzip', BOMB, 413],
]

describe.each(SURFACES)('refused at $path, in its own form', ({ protocol, path, headers }) => {
  test.each(REFUSED)('%s', async (_, coding, body, status) => {
    const before = counts()
    const response = await send(path, coding, body, headers)
    // Gemini has no 413.
    expect(response.status).toBe(protocol === 'gemini' && status === 413 ? 400 : status)
    const { message } = ERROR_OF[protocol]((await response.json()) as JsonObject)
    expect(message).toMatch(status === 415 ? /Content-Encoding/ : /body/)
    await expectCounts(before)
  })
})

test.each(FORMS)('refused in a form of $path', async ({ path, form }) => {
  const before = counts()
  const sent = encode('identity', form)
  expect((await send(path, 'compress', sent, FORM_TYPE)).status).toBe(415)
  expect((await send(path, 'gzip', sent, FORM_TYPE)).status).toBe(400)
  await expectCounts(before)
})

test('an upload and the console refuse the same', async () => {
  const form = encode('identity', formOf([{ bytes: pictureOf(1_000) }]))
  expect((await send('/api/v1/upload', 'compress', form, FORM_TYPE)).status).toBe(415)
  expect((await send('/api/v1/upload', 'gzip', form, FORM_TYPE)).status).toBe(400)
  const operator = await signedIn(gateway, 'operator')
  const sent = { body: { name: 'x' }, headers: { 'content-encoding': 'compress' } }
  expect((await operator.send('POST', '/accounts', sent)).status).toBe(415)
})
