// spec.md, Limits: "Request body size 30 MB, native generation endpoints".
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { NATIVE_BODY_LIMIT_BYTES } from '../../plugins/native/index.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { answer, ask, nativeError, refusalOf, streamPath, wholePath } from '../support/native.ts'
import { inChunks, startUpstream, type Upstream, whole } from '../support/upstream.ts'

let upstream: Upstream
let gateway: TestGateway
let key: string

beforeAll(async () => {
  upstream = await startUpstream(whole(answer()))
  gateway = await startTestGateway({ upstream })
  key = await gateway.caller('100')
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})

/** A request of exactly this many bytes. */
function bodyOf(bytes: number): Uint8Array {
  const frame = JSON.stringify({
    contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] }],
  })
  return Buffer.from(frame.replace('"data":""', `"data":"${'A'.repeat(bytes - frame.length)}"`))
}

/** Writes to a socket of its own, and reads until the gateway closes it or has said enough. */
function conversation(head: string[], enough?: RegExp): Promise<{ said: string; closed: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ said: string; closed: boolean }>()
  const socket = connect(Number(gateway.url.port), '127.0.0.1')
  let said = ''
  socket.on('data', (part) => {
    said += part
    if (!enough?.test(said)) return
    resolve({ said, closed: false })
    socket.destroy()
  })
  socket.on('end', () => resolve({ said, closed: true }))
  socket.on('error', reject)
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return promise
}

const head = (path: string, ...headers: string[]) => [
  `POST ${path} HTTP/1.1`,
  'Host: gateway',
  `Authorization: Bearer ${key}`,
  'Content-Type: application/json',
  ...headers,
]

describe('"Request body size | 30 MB": a larger one gives 400 INVALID_ARGUMENT', () => {
  test('a body of exactly 30 MB is passed on', async () => {
    const body = bodyOf(NATIVE_BODY_LIMIT_BYTES)
    const response = await gateway.call(wholePath(), body, { key })
    expect(response.status).toBe(200)
    expect(upstream.last().body.equals(body)).toBe(true)
  })

  test('so is one in chunks', async () => {
    const body = bodyOf(NATIVE_BODY_LIMIT_BYTES)
    const response = await gateway.call(wholePath(), inChunks(body, 1024 * 1024), { key })
    expect(response.status).toBe(200)
    expect(upstream.last().body.equals(body)).toBe(true)
  })

  test.each([wholePath(), streamPath()])('%s: one byte more is refused', async (path) => {
    const before = gateway.rows()
    const seen = upstream.seen.length
    const response = await gateway.call(path, bodyOf(NATIVE_BODY_LIMIT_BYTES + 1), { key })
    const refusal = await refusalOf(response)
    expect([refusal.status, refusal.body]).toEqual([400, nativeError(400, 'INVALID_ARGUMENT')])
    expect(refusal.message).toContain('30 MB')
    expect(upstream.seen).toHaveLength(seen)
    expect(await gateway.atRest()).toEqual(before)
  })

  test('one byte more in chunks is refused while it comes', async () => {
    const body = inChunks(bodyOf(NATIVE_BODY_LIMIT_BYTES + 1), 1024 * 1024)
    const response = await gateway.call(wholePath(), body, { key })
    expect((await refusalOf(response)).body).toEqual(nativeError(400, 'INVALID_ARGUMENT'))
    await gateway.atRest()
  })

  test('what Content-Length announces is refused before any of it is sent, and the connection is closed', async () => {
    const { said, closed } = await conversation(
      head(wholePath(), `Content-Length: ${NATIVE_BODY_LIMIT_BYTES + 1}`),
    )
    expect(said).toStartWith('HTTP/1.1 400 ')
    expect(said.toLowerCase()).toContain('connection: close')
    expect(said).toContain('INVALID_ARGUMENT')
    expect(closed).toBe(true)
    await gateway.atRest()
  })

  test('what no surface takes is refused too, before any of it is sent', async () => {
    const { said } = await conversation(head(wholePath(), 'Content-Length: 9999999999'), /\r\n\r\n/)
    expect(said).toMatch(/^HTTP\/1\.1 4\d\d /)
    await gateway.atRest()
  })

  test.each(['Content-Length: 20000000', 'Transfer-Encoding: chunked'])(
    'without a key nothing of a large body is waited for, and its connection is closed: %s',
    async (announced) => {
      const without = head(wholePath(), announced).filter((line) => !line.startsWith('Auth'))
      const { said, closed } = await conversation(without)
      expect(said).toStartWith('HTTP/1.1 401 ')
      expect(said).toContain('UNAUTHENTICATED')
      expect(closed).toBe(true)
    },
  )

  test('a refusal of a short body keeps its connection', async () => {
    const without = head(wholePath(), 'Content-Length: 2').filter((line) => !line.startsWith('Auth'))
    const { said, closed } = await conversation(without, /UNAUTHENTICATED/)
    expect(said.toLowerCase()).not.toContain('connection: close')
    expect(closed).toBe(false)
  })

  test('a body that ends before its announced length is no call', async () => {
    const before = gateway.rows()
    const seen = upstream.seen.length
    const socket = connect(Number(gateway.url.port), '127.0.0.1')
    const body = JSON.stringify(ask())
    socket.write(`${head(wholePath(), `Content-Length: ${body.length + 10}`).join('\r\n')}\r\n\r\n${body}`)
    await Bun.sleep(20)
    socket.destroy()
    await Bun.sleep(20)
    expect(upstream.seen).toHaveLength(seen)
    expect(await gateway.atRest()).toEqual(before)
  })
})
