// Request bodies over a bare socket, here to the native endpoint: refusals before the upload, and bodies that end too early.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { NATIVE_BODY_LIMIT_BYTES } from '../../plugins/native/model.ts'
import { watchCallers } from '../support/callers.ts'
import { answering, ask, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { connectSocket } from '../support/socket-client.ts'

const callers = watchCallers()
const { gateway, upstream, key } = await fileScene({
  script: answering,
  plugins: [callers.plugin, ...plugins],
})

/** The head of a request with the caller's key. */
const headOf = (path: string, ...headers: string[]) => [
  `POST ${path} HTTP/1.1`,
  'Host: gateway',
  `Authorization: Bearer ${key}`,
  'Content-Type: application/json',
  ...headers,
]
const withoutKey = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('Authorization'))
const bytesOf = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`

/** Sends a head without its body. @returns everything received until the gateway closed the connection */
async function answerBeforeClose(lines: readonly string[]): Promise<string> {
  const client = await connectSocket(gateway.url)
  client.send(bytesOf(lines))
  await client.closed
  return client.received()
}

describe('a body with too large a Content-Length', () => {
  test.each([wholePath(), streamPath()])(
    '%s: above the limit of the endpoint is refused before the upload, and the connection is closed',
    async (path) => {
      const answer = await answerBeforeClose(headOf(path, `Content-Length: ${NATIVE_BODY_LIMIT_BYTES + 1}`))
      expect(answer).toStartWith('HTTP/1.1 400 ')
      expect(answer.toLowerCase()).toContain('connection: close')
      expect(answer).toContain('INVALID_ARGUMENT')
      await gateway.rest()
    },
  )

  test('above the limit of every endpoint is refused before the upload, too', async () => {
    const client = await connectSocket(gateway.url)
    client.send(bytesOf(headOf(wholePath(), 'Content-Length: 9999999999')))
    await client.waitForText('\r\n\r\n')
    expect(client.received()).toMatch(/^HTTP\/1\.1 4\d\d /)
    client.leave('close')
    await gateway.rest()
  })
})

describe('a request without a key', () => {
  test.each(['Content-Length: 20000000', 'Transfer-Encoding: chunked'])(
    'with a large body is refused before the upload, and the connection is closed: %s',
    async (announced) => {
      const answer = await answerBeforeClose(withoutKey(headOf(wholePath(), announced)))
      expect(answer).toStartWith('HTTP/1.1 401 ')
      expect(answer).toContain('UNAUTHENTICATED')
    },
  )

  test('with a short body keeps its connection', async () => {
    const client = await connectSocket(gateway.url)
    client.send(bytesOf(withoutKey(headOf(wholePath(), 'Content-Length: 2'))))
    await client.waitForText('UNAUTHENTICATED')
    expect(client.received().toLowerCase()).not.toContain('connection: close')
    client.send(`{}${bytesOf(withoutKey(headOf(streamPath(), 'Content-Length: 2')))}`)
    await client.waitForText('UNAUTHENTICATED', 2)
    client.leave('close')
  })
})

test('a body that ends before its announced length makes no call', async () => {
  const before = gateway.rows()
  const arrived = callers.arrived.count
  const body = JSON.stringify(ask())
  const client = await connectSocket(gateway.url)
  client.send(bytesOf(headOf(wholePath(), `Content-Length: ${body.length + 10}`)) + body)
  await callers.arrived.reaches(arrived + 1)
  client.leave('close')
  await gateway.log.waitForLine(({ kind }) => kind === 'invalid_request')
  expect(upstream.requests).toEqual([])
  expect(await gateway.atRest()).toEqual(before)
})
