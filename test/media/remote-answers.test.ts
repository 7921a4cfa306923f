// Responses of an image's server that are refused, each with its code, over a real TLS server on loopback.
import { describe, expect, test } from 'bun:test'
import type { TLSSocket } from 'node:tls'
import { MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import type { Dial } from '../../src/media/public-request.ts'
import { chunked, fetchFrom, head, MEGABYTE, send, URL_TEXT } from './remote-support.ts'
import { codeOf, paint, refusalOf } from './support.ts'
import { httpAnswer, serveTls } from './tls-server.ts'

const PNG = await paint('png')

describe('a response that is not an image', () => {
  const typed = (type: string, body: Uint8Array | string = PNG) =>
    send(httpAnswer(body, { headers: { 'content-type': type } }))
  const coded = (coding: string, body: Uint8Array) =>
    send(httpAnswer(body, { headers: { 'content-type': 'image/png', 'content-encoding': coding } }))
  const gzipped = Bun.gzipSync(Buffer.from(PNG))

  test.each([
    ['no Content-Type', send(head(`content-length: ${PNG.length}`), PNG), 'NOT_IMAGE'],
    ['an empty Content-Type', typed(''), 'NOT_IMAGE'],
    ['an HTML page', typed('text/html; charset=utf-8', '<h1>hello</h1>'), 'NOT_IMAGE'],
    ['bytes without a type', typed('application/octet-stream'), 'NOT_IMAGE'],
    ['JSON', typed('application/json', '{}'), 'NOT_IMAGE'],
    ['a type that only mentions an image', typed('text/image/png'), 'NOT_IMAGE'],
    ['two types', typed('text/html, image/png'), 'NOT_IMAGE'],
    ['SVG', typed('image/svg+xml', '<svg/>'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['TIFF', typed('image/tiff'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['AVIF', typed('image/avif'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['HEIC', typed('image/heic'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['image/jpg, which is not a registered type', typed('image/jpg'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['a wildcard type', typed('image/*'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['a PNG that is declared JPEG', typed('image/jpeg'), 'MAGIC_MISMATCH'],
    ['a page that is declared PNG', typed('image/png', '<html>'), 'MAGIC_MISMATCH'],
    [
      'an SVG that is declared PNG',
      typed('image/png', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'MAGIC_MISMATCH',
    ],
    ['an empty body', typed('image/png', ''), 'MAGIC_MISMATCH'],
    ['coded with gzip', coded('gzip', gzipped), 'UPSTREAM_ERROR'],
    ['coded with br', coded('br', PNG), 'UPSTREAM_ERROR'],
    ['coded with deflate', coded('deflate', PNG), 'UPSTREAM_ERROR'],
    ['coded twice', coded('identity, gzip', gzipped), 'UPSTREAM_ERROR'],
    ['coded with an unknown coding', coded('x-rot13', PNG), 'UPSTREAM_ERROR'],
  ])('%s', async (_, answer, code) => {
    await using server = await serveTls(answer)
    expect(await refusalOf(() => fetchFrom(server)(URL_TEXT))).toMatchObject({
      kind: 'invalid_request',
      code,
    })
  })
})

test('the connection of a refused response is closed, even if more is still to come', async () => {
  const closed = Promise.withResolvers<void>()
  await using server = await serveTls((socket) => {
    socket.once('close', () => closed.resolve())
    socket.write(head('content-type: text/html', 'transfer-encoding: chunked'))
    socket.write(chunked(MEGABYTE))
  })
  expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('NOT_IMAGE')
  await closed.promise
})

describe('a status that is not 2xx is UPSTREAM_ERROR', () => {
  test.each([
    '206 Partial Content',
    '400 Bad',
    '401 Unauthorized',
    '403 Forbidden',
    '404 Not Found',
    '410 Gone',
    '429 Slow',
    '500 Oops',
    '503 Busy',
    '999 What',
  ])('%s', async (status) => {
    await using server = await serveTls(send(httpAnswer(PNG, { status })))
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('UPSTREAM_ERROR')
  })
})

describe('over 25 MB is TOO_LARGE', () => {
  test('with a Content-Length: at once, before a byte of the body', async () => {
    await using server = await serveTls(
      send(head('content-type: image/png', `content-length: ${MAX_IMAGE_BYTES + 1}`)),
    )
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('TOO_LARGE')
  })

  test.each([
    ['in chunks', 'transfer-encoding: chunked', chunked],
    ['up to the end of the connection', 'x-length: none', (bytes: Uint8Array) => bytes],
  ])('without one, %s: as soon as the byte too many arrives', async (_, line, wrap) => {
    await using server = await serveTls((socket) => {
      socket.write(head('content-type: image/png', line))
      for (let sent = 0; sent < MAX_IMAGE_BYTES; sent += MEGABYTE.length) socket.write(wrap(MEGABYTE))
      socket.write(wrap(Uint8Array.of(0)))
    })
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('TOO_LARGE')
  })

  test('the connection to a server that never ends is closed', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serveTls((socket) => {
      socket.once('close', () => closed.resolve())
      const pour = (): void => {
        while (!socket.destroyed && socket.write(MEGABYTE)) {}
      }
      socket.on('drain', pour)
      socket.write(head('content-type: image/png'))
      pour()
    })
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('TOO_LARGE')
    await closed.promise
  })
})

describe('an interrupted or malformed response is UPSTREAM_ERROR', () => {
  const length = `content-length: ${PNG.length}`
  test.each([
    [
      'a body shorter than its Content-Length',
      send(head('content-type: image/png', length), PNG.subarray(0, 20), 'hang up'),
    ],
    ['no body for its Content-Length', send(head('content-type: image/png', length), 'hang up')],
    [
      'chunks without an end',
      send(head('content-type: image/png', 'transfer-encoding: chunked'), chunked(PNG), 'hang up'),
    ],
    [
      'a chunk cut in two',
      send(
        head('content-type: image/png', 'transfer-encoding: chunked'),
        chunked(PNG).subarray(0, 30),
        'hang up',
      ),
    ],
    ['a chunk of no length', send(head('content-type: image/png', 'transfer-encoding: chunked'), 'zz\r\n')],
    ['two lengths', send(head('content-type: image/png', length, 'content-length: 3'), PNG)],
    [
      'a length and chunks',
      send(head('content-type: image/png', length, 'transfer-encoding: chunked'), chunked(PNG), '0\r\n\r\n'),
    ],
    ['a negative length', send(head('content-type: image/png', 'content-length: -1'), PNG)],
    ['not HTTP', send('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'headers without end',
      send(head(...Array.from({ length: 4000 }, () => `x-filler: ${'a'.repeat(100)}`))),
    ],
    ['an empty response', send('hang up')],
    ['a reset', (socket: TLSSocket) => socket.destroy()],
    [
      'a reset within the body',
      (socket: TLSSocket) => {
        socket.write(head('content-type: image/png', length))
        socket.write(PNG.subarray(0, 10), () => socket.destroy())
      },
    ],
  ])('%s', async (_, answer) => {
    await using server = await serveTls(answer)
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('UPSTREAM_ERROR')
  })

  test.each([
    [
      'an unknown name',
      () => Promise.reject(Object.assign(new Error('ENOTFOUND 10.9.8.7'), { code: 'ENOTFOUND' })),
    ],
    ['a name without addresses', () => Promise.resolve([])],
  ])('%s', async (_, resolve) => {
    const dialled: Dial[] = []
    const dial = (checked: Dial) => {
      dialled.push(checked)
      return checked
    }
    const refusal = await refusalOf(() => fetchFrom({ port: 1 }, { resolve, dial })(URL_TEXT))
    expect(refusal.code).toBe('UPSTREAM_ERROR')
    expect(refusal.message).not.toContain('10.9.8.7')
    expect(dialled).toEqual([])
  })

  test('a refused connection; the message does not name its address', async () => {
    const { port, [Symbol.asyncDispose]: close } = await serveTls(() => {})
    await close()
    const refusal = await refusalOf(() => fetchFrom({ port })(URL_TEXT))
    expect(refusal.code).toBe('UPSTREAM_ERROR')
    expect(refusal.message).not.toMatch(/\d+\.\d+\.\d+\.\d+|\d{4,}/)
  })
})

describe('the deadline of 30 seconds holds from the look-up to the last byte: UPSTREAM_ERROR', () => {
  const timeout_ms = 150

  test('a resolver that does not answer', async () => {
    const resolve = () => new Promise<string[]>(() => {})
    expect(await codeOf(() => fetchFrom({ port: 1 }, { resolve, timeout_ms })(URL_TEXT))).toBe(
      'UPSTREAM_ERROR',
    )
  })

  test.each([
    ['a silent server', send()],
    ['half a head', send('HTTP/1.1 200 OK\r\ncontent-ty')],
    [
      'half a body',
      send(head('content-type: image/png', `content-length: ${PNG.length}`), PNG.subarray(0, 10)),
    ],
  ])('%s', async (_, answer) => {
    await using server = await serveTls(answer)
    expect(await codeOf(() => fetchFrom(server, { timeout_ms })(URL_TEXT))).toBe('UPSTREAM_ERROR')
  })

  test('a server that sends a byte every few milliseconds', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serveTls((socket) => {
      socket.write(head('content-type: image/png', 'content-length: 100000'))
      const trickle = setInterval(() => socket.write('x'), 5)
      socket.once('close', () => {
        clearInterval(trickle)
        closed.resolve()
      })
    })
    const caller = new AbortController()
    const fetching = fetchFrom(server, { timeout_ms })(URL_TEXT, caller.signal)
    expect(await codeOf(() => fetching)).toBe('UPSTREAM_ERROR')
    await closed.promise
  })
})
