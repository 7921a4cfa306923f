// Image URLs, spec.md, Image compose request, rule 3: refusals before a look-up, and after it; never with a socket.
import { afterAll, describe, expect, test } from 'bun:test'
import type { Dial } from '../../src/media/public-request.ts'
import { createRemoteFetch } from '../../src/media/remote.ts'
import { parseImageUrl } from '../../src/media/url.ts'
import { HOSTILE_URLS } from './hostile-urls.ts'
import { refusalOf } from './support.ts'
import { AUTHORITY, serveTls } from './tls-server.ts'

const PUBLIC_ADDRESS = '93.184.216.34'

/** DNS answers for a name that looks public: one address that is not public is enough for a refusal. */
const HOSTILE_ANSWERS: [trick: string, answers: string[]][] = [
  ['loopback', ['127.0.0.1']],
  ['private', ['10.0.0.1']],
  ['metadata', ['169.254.169.254']],
  ["Azure's host", ['168.63.129.16']],
  ['carrier-grade NAT', ['100.64.0.1']],
  ['this host', ['0.0.0.0']],
  ['loopback, IPv6', ['::1']],
  ['unique local', ['fd00::1']],
  ['link-local with a zone', ['fe80::1%eth0']],
  ['IPv4-mapped', ['::ffff:10.0.0.1']],
  ['NAT64', ['64:ff9b::a00:1']],
  ['6to4', ['2002:a00:1::1']],
  ['multicast', ['224.0.0.1']],
  ['documentation', ['192.0.2.1']],
  ['one private after public ones', ['93.184.216.34', '2606:4700::1', '192.168.0.1']],
  ['one private before a public one', ['127.0.0.1', '93.184.216.34']],
  ['private IPv6 beside public IPv4', ['93.184.216.34', '::1']],
  ['a text that is not an address', ['93.184.216.34', 'localhost']],
]

const canary = await serveTls((socket) => socket.destroy())
afterAll(() => canary[Symbol.asyncDispose]())

/** A fetch that records each look-up and each socket; a socket would reach the canary. */
function watchedFetch(answers: readonly string[]) {
  const lookedUp: string[] = []
  const dialled: Dial[] = []
  const fetchImage = createRemoteFetch({
    ca: AUTHORITY,
    resolve: async (name) => {
      lookedUp.push(name)
      return answers
    },
    dial: (checked) => {
      dialled.push(checked)
      return { addresses: ['127.0.0.1'], port: canary.port }
    },
  })
  return { fetchImage, lookedUp, dialled }
}

describe('a URL that is refused by its text: no look-up, no socket', () => {
  test.each(HOSTILE_URLS)('%s: %j is %s', async (_, url, code) => {
    const { fetchImage, lookedUp, dialled } = watchedFetch([PUBLIC_ADDRESS])
    const refusal = await refusalOf(() => fetchImage(url))
    expect(refusal).toEqual({ kind: 'invalid_request', code, message: expect.any(String) })
    expect({ lookedUp, dialled, reached: canary.connections() }).toEqual({
      lookedUp: [],
      dialled: [],
      reached: 0,
    })
  })

  test('the table has at least 120 URLs, none twice', () => {
    const urls = HOSTILE_URLS.map(([, url]) => url)
    expect(urls.length).toBeGreaterThanOrEqual(120)
    expect(new Set(urls).size).toBe(urls.length)
  })
})

describe('a DNS answer with any address that is not public: PRIVATE_IP, no socket', () => {
  test.each(HOSTILE_ANSWERS)('%s: %j', async (_, answers) => {
    const { fetchImage, lookedUp, dialled } = watchedFetch(answers)
    const refusal = await refusalOf(() => fetchImage('https://images.example.com/a.png'))
    expect(refusal.code).toBe('PRIVATE_IP')
    expect({ lookedUp, dialled, reached: canary.connections() }).toEqual({
      lookedUp: ['images.example.com'],
      dialled: [],
      reached: 0,
    })
    for (const address of answers) expect(refusal.message).not.toContain(address)
  })
})

describe('an accepted URL: its host and its path, on port 443', () => {
  test.each([
    ['https://images.example.com', { host: 'images.example.com', host_is_address: false, path: '/' }],
    [
      'HTTPS://Images.Example.COM./a%20b.png?x=1#f',
      { host: 'images.example.com', host_is_address: false, path: '/a%20b.png?x=1' },
    ],
    [
      'https://images.example.com:443/a@b:c',
      { host: 'images.example.com', host_is_address: false, path: '/a@b:c' },
    ],
    [
      'https://bücher.example.com/ü',
      { host: 'xn--bcher-kva.example.com', host_is_address: false, path: '/%C3%BC' },
    ],
    [
      'https://my_bucket.example.com/a/../b',
      { host: 'my_bucket.example.com', host_is_address: false, path: '/b' },
    ],
    ['https://93.184.216.34/a.png', { host: '93.184.216.34', host_is_address: true, path: '/a.png' }],
    ['https://0x5db8d822/', { host: '93.184.216.34', host_is_address: true, path: '/' }],
    ['https://[2606:4700::1111]/', { host: '2606:4700::1111', host_is_address: true, path: '/' }],
    ['https://notmetadata.goog/', { host: 'notmetadata.goog', host_is_address: false, path: '/' }],
    ['https://localhost.example.com/', { host: 'localhost.example.com', host_is_address: false, path: '/' }],
    ['https://my.notlocal.com/', { host: 'my.notlocal.com', host_is_address: false, path: '/' }],
    [
      `https://images.example.com/${'a'.repeat(2021)}`,
      { host: 'images.example.com', host_is_address: false, path: `/${'a'.repeat(2021)}` },
    ],
  ])('%s', (url, parsed) => {
    expect(parseImageUrl(url)).toEqual(parsed)
  })
})
