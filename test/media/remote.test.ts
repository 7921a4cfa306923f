// The guarded fetch after the look-up: over a real TLS server on loopback, whose authority is ours.
import { describe, expect, test } from 'bun:test'
import type { TLSSocket } from 'node:tls'
import { MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import { createRemoteFetch, type Dial, type RemoteFetchSeams } from '../../src/media/remote.ts'
import { codeOf, paint, refusalOf } from './support.ts'
import { AUTHORITY, type Certificate, httpAnswer, serveTls, type TlsServer } from './tls-server.ts'

const URL_TEXT = 'https://images.example.com/a.png?size=2'
const PUBLIC_ADDRESSES = ['93.184.216.34', '2606:4700::1111']
const PNG = await paint('png')

/** A fetch that believes images.example.com to be public, and whose sockets end at the server. */
function fetchFrom(server: Pick<TlsServer, 'port'>, seams: RemoteFetchSeams = {}) {
  return createRemoteFetch({
    ca: AUTHORITY,
    resolve: async () => PUBLIC_ADDRESSES,
    dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
    ...seams,
  })
}

/** Sends an answer in pieces, and then either waits for ever or hangs up. */
const send =
  (...pieces: (Uint8Array | string | 'hang up')[]) =>
  (socket: TLSSocket): void => {
    for (const piece of pieces) {
      if (piece === 'hang up') socket.end()
      else socket.write(piece)
    }
  }

const MEGABYTE = new Uint8Array(1024 * 1024)
const head = (...lines: string[]): string =>
  `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
const chunked = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

describe('an image is fetched', () => {
  test('from the addresses that were judged, on port 443, with one look-up', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const lookedUp: string[] = []
    const dialled: Dial[] = []
    const fetchImage = fetchFrom(server, {
      resolve: async (name) => {
        lookedUp.push(name)
        return PUBLIC_ADDRESSES
      },
      dial: (judged) => {
        dialled.push(judged)
        return { addresses: ['127.0.0.1'], port: server.port }
      },
    })
    const image = await fetchImage(URL_TEXT)
    expect(image.mime).toBe('image/png')
    expect(Buffer.from(image.bytes).equals(PNG)).toBe(true)
    expect(lookedUp).toEqual(['images.example.com'])
    expect(dialled).toEqual([{ addresses: PUBLIC_ADDRESSES, port: 443 }])
  })

  test('with a request that names the host, asks for no coding, and keeps no connection', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    await fetchFrom(server)('https://images.example.com./a.png?size=2#top')
    const [request = ''] = server.requests
    expect(request).toStartWith('GET /a.png?size=2 HTTP/1.1\r\n')
    expect(request).toMatch(/\r\nhost: images\.example\.com\r\n/i)
    expect(request).toMatch(/\r\naccept-encoding: identity\r\n/i)
    expect(request).toMatch(/\r\nconnection: close\r\n/i)
    expect(request).not.toMatch(/\r\n(cookie|authorization|referer):/i)
  })

  test('each on a connection of its own', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const fetchImage = fetchFrom(server)
    await Promise.all([fetchImage(URL_TEXT), fetchImage(URL_TEXT)])
    await fetchImage(URL_TEXT)
    expect(server.connections()).toBe(3)
  })

  test('from a public address as such, without a look-up', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const resolve = () => Promise.reject(new Error('looked up'))
    const dialled: Dial[] = []
    const fetchImage = fetchFrom(server, {
      resolve,
      dial: (judged) => {
        dialled.push(judged)
        return { addresses: ['127.0.0.1'], port: server.port }
      },
    })
    // The certificate does not hold for the loopback address that stands in, which shows that it is looked at here, too.
    expect(await codeOf(() => fetchImage('https://93.184.216.34/a.png'))).toBe('UPSTREAM_ERROR')
    expect(dialled).toEqual([{ addresses: ['93.184.216.34'], port: 443 }])
    expect(server.connections()).toBe(1)
    expect(server.requests).toEqual([])
  })

  test.each(['image/png', 'IMAGE/PNG', 'image/png; charset=utf-8', ' image/png ;q=1'])(
    'Content-Type %j',
    async (type) => {
      await using server = await serveTls(send(httpAnswer(PNG, { headers: { 'content-type': type } })))
      expect((await fetchFrom(server)(URL_TEXT)).mime).toBe('image/png')
    },
  )

  test.each(['jpeg', 'png', 'gif', 'webp'] as const)('of type %s', async (format) => {
    const bytes = await paint(format)
    await using server = await serveTls(
      send(httpAnswer(bytes, { headers: { 'content-type': `image/${format}` } })),
    )
    expect(await fetchFrom(server)(URL_TEXT)).toEqual({ bytes: Buffer.from(bytes), mime: `image/${format}` })
  })

  test.each([
    [
      'in chunks',
      send(
        head('content-type: image/png', 'transfer-encoding: chunked'),
        chunked(PNG.subarray(0, 9)),
        chunked(PNG.subarray(9)),
        '0\r\n\r\n',
      ),
    ],
    ['up to the end of the connection', send(head('content-type: image/png'), PNG, 'hang up')],
    [
      'with the coding identity',
      send(httpAnswer(PNG, { headers: { 'content-type': 'image/png', 'content-encoding': 'Identity' } })),
    ],
    ['after an interim answer', send('HTTP/1.1 103 Early Hints\r\nlink: </b>\r\n\r\n', httpAnswer(PNG))],
  ])('sent %s', async (_, answer) => {
    await using server = await serveTls(answer)
    expect(Buffer.from((await fetchFrom(server)(URL_TEXT)).bytes).equals(PNG)).toBe(true)
  })

  test('of 25 MB exactly', async () => {
    const rest = MAX_IMAGE_BYTES - PNG.length
    await using server = await serveTls(
      send(head('content-type: image/png', `content-length: ${MAX_IMAGE_BYTES}`), PNG, new Uint8Array(rest)),
    )
    expect((await fetchFrom(server)(URL_TEXT)).bytes.length).toBe(MAX_IMAGE_BYTES)
  })

  test('whatever the environment says of proxies', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY']
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:9'
    try {
      expect((await fetchFrom(server)(URL_TEXT)).mime).toBe('image/png')
    } finally {
      for (const name of names) delete process.env[name]
    }
  })
})

describe('DNS rebinding', () => {
  test('a name that turns private after it was judged is connected to where it was judged', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const answers = [PUBLIC_ADDRESSES, ['127.0.0.1'], ['169.254.169.254']]
    const dialled: Dial[] = []
    const fetchImage = fetchFrom(server, {
      resolve: async () => answers.shift() ?? [],
      dial: (judged) => {
        dialled.push(judged)
        return { addresses: ['127.0.0.1'], port: server.port }
      },
    })
    await fetchImage(URL_TEXT)
    expect(dialled).toEqual([{ addresses: PUBLIC_ADDRESSES, port: 443 }])
    expect(await codeOf(() => fetchImage(URL_TEXT))).toBe('PRIVATE_IP')
    expect(await codeOf(() => fetchImage(URL_TEXT))).toBe('PRIVATE_IP')
    expect(dialled.length).toBe(1)
    expect(server.connections()).toBe(1)
  })
})

describe('a socket goes nowhere but to what was judged', () => {
  test('with no address to go to, it goes to none, though the name may have others', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const dial = () => ({ addresses: [], port: server.port })
    expect(await codeOf(() => fetchFrom(server, { dial })(URL_TEXT))).toBe('UPSTREAM_ERROR')
    expect(server.connections()).toBe(0)
  })
})

describe('redirects are refused: REDIRECT_BLOCKED, and not followed', () => {
  const places = [
    'https://images.example.com/b.png',
    'http://images.example.com/',
    'https://127.0.0.1/',
    '/b.png',
    'file:///etc/passwd',
  ]
  const cases = [301, 302, 303, 307, 308, 300, 304].flatMap((status) =>
    places.map((location): [number, string] => [status, location]),
  )
  test.each(cases)('%d to %s', async (status, location) => {
    const headers = { location, 'content-type': 'image/png' }
    await using server = await serveTls(
      send(httpAnswer(status === 304 ? '' : PNG, { status: `${status} Moved`, headers })),
    )
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('REDIRECT_BLOCKED')
    expect(server.requests.length).toBe(1)
    expect(server.connections()).toBe(1)
  })
})

describe('the certificate must hold for the name: UPSTREAM_ERROR, and no request is sent', () => {
  test.each<Certificate>(['another-name', 'expired', 'self-signed'])('%s', async (certificate) => {
    await using server = await serveTls(send(httpAnswer(PNG)), certificate)
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('UPSTREAM_ERROR')
    expect(server.connections()).toBe(1)
    expect(server.requests).toEqual([])
  })

  test('an authority that is not trusted', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const withPublicAuthorities = createRemoteFetch({
      resolve: async () => PUBLIC_ADDRESSES,
      dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
    })
    expect(await codeOf(() => withPublicAuthorities(URL_TEXT))).toBe('UPSTREAM_ERROR')
    expect(server.requests).toEqual([])
  })

  test('even where the environment says that certificates do not matter', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)), 'self-signed')
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('UPSTREAM_ERROR')
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
    expect(server.requests).toEqual([])
  })
})

describe('an answer that is no image', () => {
  const typed = (type: string, body: Uint8Array | string = PNG) =>
    send(httpAnswer(body, { headers: { 'content-type': type } }))
  const coded = (coding: string, body: Uint8Array) =>
    send(httpAnswer(body, { headers: { 'content-type': 'image/png', 'content-encoding': coding } }))
  const gzipped = Bun.gzipSync(Buffer.from(PNG))

  test.each([
    ['no Content-Type', send(head(`content-length: ${PNG.length}`), PNG), 'NOT_IMAGE'],
    ['an empty Content-Type', typed(''), 'NOT_IMAGE'],
    ['a page', typed('text/html; charset=utf-8', '<h1>hello</h1>'), 'NOT_IMAGE'],
    ['bytes of no type', typed('application/octet-stream'), 'NOT_IMAGE'],
    ['JSON', typed('application/json', '{}'), 'NOT_IMAGE'],
    ['a type that only mentions an image', typed('text/image/png'), 'NOT_IMAGE'],
    ['two types', typed('text/html, image/png'), 'NOT_IMAGE'],
    ['SVG', typed('image/svg+xml', '<svg/>'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['TIFF', typed('image/tiff'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['AVIF', typed('image/avif'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['HEIC', typed('image/heic'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['image/jpg, which is no registered type', typed('image/jpg'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['any image', typed('image/*'), 'IMAGE_TYPE_UNSUPPORTED'],
    ['a PNG that says JPEG', typed('image/jpeg'), 'MAGIC_MISMATCH'],
    ['a page that says PNG', typed('image/png', '<html>'), 'MAGIC_MISMATCH'],
    [
      'an SVG that says PNG',
      typed('image/png', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'MAGIC_MISMATCH',
    ],
    ['an empty body', typed('image/png', ''), 'MAGIC_MISMATCH'],
    ['coded with gzip', coded('gzip', gzipped), 'UPSTREAM_ERROR'],
    ['coded with br', coded('br', PNG), 'UPSTREAM_ERROR'],
    ['coded with deflate', coded('deflate', PNG), 'UPSTREAM_ERROR'],
    ['coded twice', coded('identity, gzip', gzipped), 'UPSTREAM_ERROR'],
    ['coded with something unknown', coded('x-rot13', PNG), 'UPSTREAM_ERROR'],
  ])('%s', async (_, answer, code) => {
    await using server = await serveTls(answer)
    expect(await refusalOf(() => fetchFrom(server)(URL_TEXT))).toMatchObject({
      kind: 'invalid_request',
      code,
    })
  })
})

test('an answer that is refused by its head is hung up on, whatever is still to come', async () => {
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
  ])('without one, %s: as soon as the byte too many comes', async (_, line, wrap) => {
    await using server = await serveTls((socket) => {
      socket.write(head('content-type: image/png', line))
      for (let sent = 0; sent < MAX_IMAGE_BYTES; sent += MEGABYTE.length) socket.write(wrap(MEGABYTE))
      socket.write(wrap(Uint8Array.of(0)))
    })
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('TOO_LARGE')
  })

  test('a server that never ends is hung up on', async () => {
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

describe('what breaks on the way is UPSTREAM_ERROR', () => {
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
    ['no HTTP', send('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'headers without end',
      send(head(...Array.from({ length: 4000 }, () => `x-filler: ${'a'.repeat(100)}`))),
    ],
    ['nothing at all', send('hang up')],
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
      'a name that is not found',
      () => Promise.reject(Object.assign(new Error('ENOTFOUND 10.9.8.7'), { code: 'ENOTFOUND' })),
    ],
    ['a name without addresses', () => Promise.resolve([])],
  ])('%s', async (_, resolve) => {
    const dialled: Dial[] = []
    const dial = (judged: Dial) => {
      dialled.push(judged)
      return judged
    }
    const refusal = await refusalOf(() => fetchFrom({ port: 1 }, { resolve, dial })(URL_TEXT))
    expect(refusal.code).toBe('UPSTREAM_ERROR')
    expect(refusal.message).not.toContain('10.9.8.7')
    expect(dialled).toEqual([])
  })

  test('a refused connection; its address is not told', async () => {
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
    ['a server that says nothing', send()],
    ['half a head', send('HTTP/1.1 200 OK\r\ncontent-ty')],
    [
      'half a body',
      send(head('content-type: image/png', `content-length: ${PNG.length}`), PNG.subarray(0, 10)),
    ],
  ])('%s', async (_, answer) => {
    await using server = await serveTls(answer)
    expect(await codeOf(() => fetchFrom(server, { timeout_ms })(URL_TEXT))).toBe('UPSTREAM_ERROR')
  })

  test('a trickle that never rests for long', async () => {
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

describe('a caller who leaves', () => {
  test('ends the fetch and its connection; the reason is his', async () => {
    const reached = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    await using server = await serveTls((socket) => {
      socket.once('close', () => closed.resolve())
      socket.write(head('content-type: image/png', 'content-length: 100'))
      reached.resolve()
    })
    const caller = new AbortController()
    const fetching = fetchFrom(server)(URL_TEXT, caller.signal)
    await reached.promise
    caller.abort('left')
    expect(await fetching.catch((reason: unknown) => reason)).toBe('left')
    await closed.promise
  })

  test('before it began: nothing is looked up or connected to', async () => {
    const done: string[] = []
    const fetchImage = fetchFrom(
      { port: 1 },
      {
        resolve: async () => {
          done.push('looked up')
          return PUBLIC_ADDRESSES
        },
        dial: (judged) => {
          done.push('dialled')
          return judged
        },
      },
    )
    const fetching = fetchImage(URL_TEXT, AbortSignal.abort('left'))
    expect(await fetching.catch((reason: unknown) => reason)).toBe('left')
    expect(done).toEqual([])
  })
})
