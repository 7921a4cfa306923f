// Huge bodies: each surface checks the key first, and refuses a body above its limit in its own shape, whatever its announced size.
import { describe, expect, test } from 'bun:test'
import { COMPOSE, EDITS, GENERATIONS } from '../images/support.ts'
import { MAX_UNREAD_BYTES, sendEndlessly } from '../support/endless-sender.ts'
import { streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { connectSocket } from '../support/socket-client.ts'

const MEGABYTE = 1024 * 1024
/** The gateway may read this much beyond a limit. */
const SLACK_BYTES = 4 * MEGABYTE
const LITTLE_BYTES = 64 * 1024

const { gateway, key, counts, expectCounts } = await fileScene()

const native = (code: number, status: string) => ({ error: { code, status, message: expect.any(String) } })
const messages = (type: string) => ({ type: 'error', error: { type, message: expect.any(String) } })
const plain = (type: string, code: string) => ({ error: { type, code, message: expect.any(String) } })
const openai = (code: string) => plain('invalid_request_error', code)

interface Endpoint {
  path: string
  limit_mb: number
  /** The status and body of the refusal of too large a body, and of a missing key. */
  too_large: readonly [number, object]
  no_key: readonly [number, object]
}

const NATIVE = {
  too_large: [400, native(400, 'INVALID_ARGUMENT')],
  no_key: [401, native(401, 'UNAUTHENTICATED')],
} as const
const MESSAGES = {
  too_large: [413, messages('request_too_large')],
  no_key: [401, messages('authentication_error')],
} as const
const OPENAI = {
  too_large: [413, openai('request_too_large')],
  no_key: [401, openai('invalid_api_key')],
} as const
const IMAGES = {
  too_large: [413, openai('invalid_request')],
  no_key: [401, openai('invalid_api_key')],
} as const

const ENDPOINTS: readonly Endpoint[] = [
  { path: wholePath(), limit_mb: 30, ...NATIVE },
  { path: streamPath(), limit_mb: 30, ...NATIVE },
  { path: '/v1/messages', limit_mb: 32, ...MESSAGES },
  { path: '/v1/messages/count_tokens', limit_mb: 32, ...MESSAGES },
  { path: '/v1/chat/completions', limit_mb: 30, ...OPENAI },
  { path: '/v1/embeddings', limit_mb: 10, ...OPENAI },
  { path: GENERATIONS, limit_mb: 1, ...IMAGES },
  { path: EDITS, limit_mb: 1, ...IMAGES },
  { path: COMPOSE, limit_mb: 100, ...IMAGES },
  { path: '/api/v1/upload', limit_mb: 100, ...IMAGES },
]

/** One endpoint for each function that reads a body: JSON up to a small and a large limit, and a form. */
const READERS = ENDPOINTS.filter(({ path }) => [wholePath(), GENERATIONS, '/api/v1/upload'].includes(path))

/** The announced sizes. All endpoints compare a length by the same function: one over 32 bits is sent to one for each reader. */
const SIZES: readonly [string, number | undefined, readonly Endpoint[]][] = [
  ['150 MB', 150 * MEGABYTE, ENDPOINTS],
  ['5 GB', 5 * 1024 * MEGABYTE, READERS],
  ['chunks without an end', undefined, ENDPOINTS],
]

const headOf = (path: string, with_key: boolean) => [
  `POST ${path} HTTP/1.1`,
  'Host: gateway',
  ...(with_key ? [`Authorization: Bearer ${key}`] : []),
  'anthropic-version: 2023-06-01',
  `Content-Type: ${path.endsWith('/upload') ? 'multipart/form-data; boundary=B' : 'application/json'}`,
]

const statusOf = (response: string): number => Number(response.split(' ')[1])

/** Sends the beginning of a body, and reads until the connection is closed. */
async function refusedBody(
  path: string,
  announced_bytes: number | undefined,
  sent_bytes: number,
  with_key = true,
) {
  const client = await connectSocket(gateway.url)
  const is_chunked = announced_bytes === undefined
  const length = is_chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced_bytes}`
  client.send(`${[...headOf(path, with_key), length].join('\r\n')}\r\n\r\n`)
  if (is_chunked) client.send(`${sent_bytes.toString(16)}\r\n`)
  client.send(Buffer.alloc(sent_bytes, 'A'))
  await client.closed
  const [head = '', body = ''] = client.received().split('\r\n\r\n')
  return { status: statusOf(head), head: head.toLowerCase(), body }
}

/** Sends a body until the gateway closes the connection: long before the body's end. */
async function expectCutOff(path: string, announced_bytes: number | undefined, read_mb: number) {
  const { sent_bytes } = await sendEndlessly(gateway.url, headOf(path, true), {
    begins: '{"model":"',
    stop_bytes: announced_bytes ?? 5 * 1024 * MEGABYTE,
    ...(announced_bytes === undefined ? {} : { announced_bytes }),
  })
  expect(sent_bytes).toBeLessThan(read_mb * MEGABYTE + SLACK_BYTES + MAX_UNREAD_BYTES)
}

describe.each(SIZES)('a body of %s', (_, announced_bytes, endpoints) => {
  test.each(endpoints)('$path', async (endpoint) => {
    const { path, limit_mb, too_large } = endpoint
    const [status, body] = too_large
    const before = counts()
    // A body with too large a Content-Length is not read at all.
    const read_mb = announced_bytes === undefined ? limit_mb : 0
    const refused = await refusedBody(path, announced_bytes, read_mb * MEGABYTE + LITTLE_BYTES)
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([status, body])
    expect(refused.body).toContain(`${limit_mb} MB`)
    expect(refused.head).toContain('connection: close')
    expect(refused.head).toContain('x-request-id: req_')
    // A reader stops at its limit, whichever endpoint has set it.
    if (announced_bytes !== undefined || READERS.includes(endpoint))
      await expectCutOff(path, announced_bytes, read_mb)
    await expectCounts(before)
  })

  test.each(endpoints)('$path, without a key', async ({ path, no_key: [status, body] }) => {
    const refused = await refusedBody(path, announced_bytes, LITTLE_BYTES, false)
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([status, body])
    expect(refused.head).toContain('connection: close')
  })

  test.each(['/nowhere', '/healthz', '/v1/models'])('%s, which accepts no body', async (path) => {
    const refused = await refusedBody(path, announced_bytes, LITTLE_BYTES)
    expect([refused.status, refused.head.includes('connection: close')]).toEqual([404, true])
    await expectCutOff(path, announced_bytes, 0)
  })
})

test('a body within its limit is still read afterwards', async () => {
  const response = await gateway.call('/v1/chat/completions', { model: 'none', messages: [] }, { key })
  expect(response.status).toBe(404)
})
