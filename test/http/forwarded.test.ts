// The caller's address behind proxies: the last entry that is not a trusted proxy, regardless of entries from the caller.
import { describe, expect, test } from 'bun:test'
import { compileAddresses } from '../../src/domain/addresses.ts'
import { callerAddress } from '../../src/http/forwarded.ts'
import { addressOf, behindProxies, type Sockets } from '../../src/http/sockets.ts'

const PROXIES = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']
const isTrusted = compileAddresses(PROXIES)

const by = (headers: Record<string, string>, peer = '127.0.0.1') =>
  callerAddress(peer, new Headers(headers), isTrusted)
const listed = (value: string, peer?: string) => by({ 'x-forwarded-for': value }, peer)
const forwarded = (value: string) => by({ forwarded: value })

describe('X-Forwarded-For', () => {
  test.each([
    ['one caller', '203.0.113.7', '203.0.113.7'],
    ['spaces', '  203.0.113.7  ', '203.0.113.7'],
    ['an entry from the caller comes first', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['a caller who claims to be a proxy', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['a second trusted proxy', '203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['three trusted proxies', '198.51.100.1, 203.0.113.7, 10.1.2.3, 127.0.0.1', '203.0.113.7'],
    ['only proxies: the first is the caller', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['garbage from the caller', 'garbage, <script>, 203.0.113.7', '203.0.113.7'],
    ['IPv6', '2001:db8::7', '2001:db8::7'],
    ['IPv6 in brackets', '[2001:db8::7]', '2001:db8::7'],
    ['IPv6 with a port', '[2001:db8::7]:4711', '2001:db8::7'],
    ['IPv4 with a port', '203.0.113.7:4711', '203.0.113.7'],
    ['IPv4 mapped into IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv4 mapped into IPv6, in hex', '::ffff:cb00:7107', '203.0.113.7'],
    ['a mapped trusted proxy', '203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7'],
    ['a trusted proxy of IPv6', '203.0.113.7, fd00::1', '203.0.113.7'],
    ['quotes', '"203.0.113.7"', '203.0.113.7'],
  ])('%s: %s', (_, value, address) => {
    expect(listed(value)).toBe(address)
  })

  test.each([
    ['nothing', ''],
    ['a comma at the end', '203.0.113.7,'],
    ['a word of the proxy', '203.0.113.7, unknown'],
    ['an octet too large', '203.0.113.256'],
    ['too few octets', '203.0.113'],
    ['octal digits', '0203.0.113.7'],
    ['a number', '3405803783'],
    ['hex', '0xcb007107'],
    ['a CIDR block', '203.0.113.0/24'],
    ['a zone', 'fe80::1%eth0'],
    ['IPv4 in brackets', '[203.0.113.7]'],
    ['an open bracket', '[2001:db8::7'],
    ['a port of six digits', '203.0.113.7:123456'],
    ['a name', 'localhost'],
    ['a very long entry', `203.0.113.7${' '.repeat(20)}x${'7'.repeat(10_000)}`],
    ['a line feed, percent-encoded', '203.0.113.7%0a'],
  ])('%s is no address, and the caller’s is unknown', (_, value) => {
    expect(listed(value)).toBeUndefined()
  })

  test('1,000 entries are read', () => {
    const spoofed = Array.from({ length: 999 }, (_, at) => `10.0.${at >> 8}.${at & 255}`).join(', ')
    expect(listed(`${spoofed}, 203.0.113.7`)).toBe('203.0.113.7')
    expect(listed(`203.0.113.7, ${spoofed}`)).toBe('203.0.113.7')
  })

  test('is ignored if the peer is not a trusted proxy', () => {
    expect(listed('203.0.113.7', '198.51.100.1')).toBe('198.51.100.1')
    expect(by({}, '198.51.100.1')).toBe('198.51.100.1')
  })

  test('without it the proxy is the caller', () => {
    expect(by({})).toBe('127.0.0.1')
  })
})

describe('Forwarded (RFC 7239)', () => {
  test.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="203.0.113.7:4711"', '203.0.113.7'],
    ['for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=203.0.113.7;proto=https;by=10.0.0.1', '203.0.113.7'],
    ['proto=https; for=203.0.113.7', '203.0.113.7'],
    ['for=198.51.100.1, for=203.0.113.7', '203.0.113.7'],
    ['for=203.0.113.7, for=10.1.2.3', '203.0.113.7'],
    ['for="a, b", for=203.0.113.7', '203.0.113.7'],
    ['by="for=198.51.100.1";for=203.0.113.7', '203.0.113.7'],
  ])('%s', (value, address) => {
    expect(forwarded(value)).toBe(address)
  })

  test.each(['for=unknown', 'for=_hidden', 'proto=https', 'for="[2001:db8::7', 'for=', ''])(
    '%p has no address',
    (value) => {
      expect(forwarded(value)).toBeUndefined()
    },
  )

  test('must agree with X-Forwarded-For, because one of them may come from the caller', () => {
    const both = (first: string, second: string) => by({ 'x-forwarded-for': first, forwarded: second })
    expect(both('203.0.113.7', 'for=203.0.113.7')).toBe('203.0.113.7')
    expect(both('203.0.113.7', 'for=198.51.100.1')).toBeUndefined()
    expect(both('203.0.113.7', 'for=unknown')).toBeUndefined()
  })
})

describe('the sockets of a server behind proxies', () => {
  const server = (address: string): Sockets => ({ requestIP: () => ({ address }), timeout() {} })
  const request = new Request('http://gateway/', { headers: { 'x-forwarded-for': '203.0.113.7' } })
  const seen = (address: string, proxies: readonly string[]) => {
    const sockets = behindProxies(server(address), () => proxies)
    return addressOf({ request, sockets: () => sockets })
  }

  test('report the caller’s address, also behind a proxy mapped into IPv6', () => {
    expect(seen('127.0.0.1', PROXIES)).toBe('203.0.113.7')
    expect(seen('::ffff:127.0.0.1', PROXIES)).toBe('203.0.113.7')
  })

  test('report the peer’s address without trusted proxies', () => {
    expect(seen('127.0.0.1', [])).toBe('127.0.0.1')
  })

  test('use the current list of proxies', () => {
    let proxies: readonly string[] = []
    const sockets = behindProxies(server('127.0.0.1'), () => proxies)
    expect(sockets.requestIP(request)?.address).toBe('127.0.0.1')
    proxies = ['127.0.0.1']
    expect(sockets.requestIP(request)?.address).toBe('203.0.113.7')
    proxies = ['10.0.0.0/8']
    expect(sockets.requestIP(request)?.address).toBe('127.0.0.1')
  })
})
