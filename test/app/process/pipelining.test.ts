// Pipelined requests: a connection cannot block the event loop with many at once, and a few are answered in order.
import { describe, expect, test } from 'bun:test'
import { answering, ask, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { connectSocket, rawPost } from '../../support/socket-client.ts'

const { gateway } = await fileScene({ script: answering })
const key = await gateway.caller('1')

const request = (path: string, lines = '', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nhost: gateway.test\r\n${lines}\r\n`
const withKey = `authorization: Bearer ${key}\r\n`
const post = request(
  '/v1/chat/completions',
  'content-type: application/json\r\ncontent-length: 2\r\n',
  'POST',
)

/** The heads of the received responses. */
const headsIn = (received: string): string[] =>
  received
    .split('HTTP/1.1 ')
    .slice(1)
    .map((answer) => answer.split('\r\n\r\n', 1)[0]?.toLowerCase() ?? '')
const endsIt = (head: string): boolean => head.includes('\r\nconnection: close')

/** 64 from all connections, and 16 from this one. */
const MAX_BEFORE_CLOSE = 80

describe('of 200 requests in one write the application sees at most 81, the last of which closes the connection', () => {
  test.each([
    ['without a key', request('/v1/models'), 401],
    ['an unknown endpoint', request('/nope'), 404],
    ['POST without a key', `${post}{}`, 401],
    ['health', request('/healthz'), 200],
    ['readiness', request('/readyz'), 200],
    ['models, with a key', request('/v1/models', withKey), 200],
    ['an empty Host', 'GET /v1/models HTTP/1.1\r\nhost: \r\n\r\n', 400],
  ])('%s', async (_, text, status) => {
    const client = await connectSocket(gateway.url)
    client.send(text.repeat(200))
    await client.closed
    const heads = headsIn(client.received())
    expect(heads.length - 1).toBeWithin(16, MAX_BEFORE_CLOSE + 1)
    expect(new Set(heads.map((head) => Number.parseInt(head, 10)))).toEqual(new Set([status]))
    expect(heads.findIndex(endsIt)).toBe(heads.length - 1)
  })
})

test('8 requests in one write are answered in order, and the connection stays open', async () => {
  const client = await connectSocket(gateway.url)
  const paths = ['/healthz', '/nope', '/readyz', '/v1/models', '/healthz', '/nope', '/v1/models', '/readyz']
  const statuses = [200, 404, 200, 200, 200, 404, 200, 200]
  for (let round = 1; round <= 30; round++) {
    client.send(paths.map((path) => request(path, withKey)).join(''))
    await client.waitForText('HTTP/1.1 ', round * paths.length)
    const heads = headsIn(client.received()).slice(-paths.length)
    expect(heads.map((head) => Number.parseInt(head, 10))).toEqual(statuses)
    expect(heads.some(endsIt)).toBe(false)
  }
  client.leave('close')
})

test('100 connections with a request each at the same moment stay open', async () => {
  const clients = await Promise.all(Array.from({ length: 100 }, () => connectSocket(gateway.url)))
  for (let round = 1; round <= 3; round++) {
    for (const client of clients) client.send(request('/v1/models', withKey))
    await Promise.all(clients.map((client) => client.waitForText('HTTP/1.1 200', round)))
  }
  expect(clients.flatMap((client) => headsIn(client.received())).some(endsIt)).toBe(false)
  for (const client of clients) client.leave('close')
})

test('of 20 paid calls in one write only one starts, because the runtime reads the next request after the response', async () => {
  const client = await connectSocket(gateway.url)
  client.send(rawPost(wholePath(), ask(), { authorization: `Bearer ${key}` }).repeat(20))
  await client.closed
  await gateway.rest()
  expect(gateway.counts().calls).toBe(1)
})
