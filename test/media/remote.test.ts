// The guarded fetch over a real TLS server on loopback: its connections, and the certificates that it trusts.
import { describe, expect, test } from 'bun:test'
import { MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import type { Dial } from '../../src/media/public-request.ts'
import { createRemoteFetch } from '../../src/media/remote.ts'
import { chunked, fetchFrom, head, PUBLIC_ADDRESSES, send, URL_TEXT } from './remote-support.ts'
import { codeOf, paint } from './support.ts'
import { type Certificate, httpAnswer, serveTls } from './tls-server.ts'

const PNG = await paint('png')

describe('an image is fetched', () => {
  test('from the addresses that were checked, on port 443, with one look-up', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const lookedUp: string[] = []
    const dialled: Dial[] = []
    const fetchImage = fetchFrom(server, {
      resolve: async (name) => {
        lookedUp.push(name)
        return PUBLIC_ADDRESSES
      },
      dial: (checked) => {
        dialled.push(checked)
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

  test('on a connection of its own', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const fetchImage = fetchFrom(server)
    await Promise.all([fetchImage(URL_TEXT), fetchImage(URL_TEXT)])
    await fetchImage(URL_TEXT)
    expect(server.connections()).toBe(3)
  })

  test('from a URL with a public address, without a look-up', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const resolve = () => Promise.reject(new Error('looked up'))
    const dialled: Dial[] = []
    const fetchImage = fetchFrom(server, {
      resolve,
      dial: (checked) => {
        dialled.push(checked)
        return { addresses: ['127.0.0.1'], port: server.port }
      },
    })
    // The certificate does not match the address, which shows that it is checked here, too.
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
    ['after an interim response', send('HTTP/1.1 103 Early Hints\r\nlink: </b>\r\n\r\n', httpAnswer(PNG))],
  ])('sent %s', async (_, answer) => {
    await using server = await serveTls(answer)
    expect(Buffer.from((await fetchFrom(server)(URL_TEXT)).bytes).equals(PNG)).toBe(true)
  })

  test('of exactly 25 MB', async () => {
    const rest = MAX_IMAGE_BYTES - PNG.length
    await using server = await serveTls(
      send(head('content-type: image/png', `content-length: ${MAX_IMAGE_BYTES}`), PNG, new Uint8Array(rest)),
    )
    expect((await fetchFrom(server)(URL_TEXT)).bytes.length).toBe(MAX_IMAGE_BYTES)
  })

  test('directly, even if the environment sets a proxy', async () => {
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
  test('a name that resolves to a private address after the check is connected to at the checked addresses', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const answers = [PUBLIC_ADDRESSES, ['127.0.0.1'], ['169.254.169.254']]
    const dialled: Dial[] = []
    const fetchImage = fetchFrom(server, {
      resolve: async () => answers.shift() ?? [],
      dial: (checked) => {
        dialled.push(checked)
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

describe('a socket is opened to checked addresses only', () => {
  test('without such an address no socket is opened, even if the name has others', async () => {
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

describe('a certificate that is not valid for the name: UPSTREAM_ERROR, and no request is sent', () => {
  test.each<Certificate>(['another-name', 'expired', 'self-signed'])('%s', async (certificate) => {
    await using server = await serveTls(send(httpAnswer(PNG)), certificate)
    expect(await codeOf(() => fetchFrom(server)(URL_TEXT))).toBe('UPSTREAM_ERROR')
    expect(server.connections()).toBe(1)
    expect(server.requests).toEqual([])
  })

  test('of an authority that is not trusted', async () => {
    await using server = await serveTls(send(httpAnswer(PNG)))
    const withPublicAuthorities = createRemoteFetch({
      resolve: async () => PUBLIC_ADDRESSES,
      dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
    })
    expect(await codeOf(() => withPublicAuthorities(URL_TEXT))).toBe('UPSTREAM_ERROR')
    expect(server.requests).toEqual([])
  })

  test('even if the environment turns the check off', async () => {
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

describe('a caller who disconnects', () => {
  test('ends the fetch and its connection; the reason of their signal is thrown', async () => {
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

  test('before the fetch began: no look-up, no socket', async () => {
    const done: string[] = []
    const fetchImage = fetchFrom(
      { port: 1 },
      {
        resolve: async () => {
          done.push('looked up')
          return PUBLIC_ADDRESSES
        },
        dial: (checked) => {
          done.push('dialled')
          return checked
        },
      },
    )
    const fetching = fetchImage(URL_TEXT, AbortSignal.abort('left'))
    expect(await fetching.catch((reason: unknown) => reason)).toBe('left')
    expect(done).toEqual([])
  })
})
