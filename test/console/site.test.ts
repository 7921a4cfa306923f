// Own origins of the console, and connections that can keep a session.
import { describe, expect, test } from 'bun:test'
import {
  cookieForm,
  keptCookieForm,
  ownOrigins,
  probes,
  requireOwnOrigin,
  signInRefusal,
  tokenOf,
} from '../../src/app/surface/console/site.ts'

const TLS = 'https://gateway.example.com'
const at = (url: string, origin?: string, method = 'POST') =>
  new Request(`${url}/console/api/session`, { method, headers: origin === undefined ? {} : { origin } })
const settings = (public_url?: string, insecure_http = false) => ({ public_url, insecure_http })

describe('own origins', () => {
  test.each([
    ['http://127.0.0.1:8080', undefined, ['http://127.0.0.1:8080']],
    ['http://gateway.example.com', TLS, [TLS]],
    ['http://gateway.example.com', `${TLS}/`, [TLS]],
    ['http://127.0.0.1:8080', TLS, [TLS, 'http://127.0.0.1:8080']],
    ['http://gateway.example.com:8080', TLS, [TLS, 'http://gateway.example.com:8080']],
  ])('of %s with public_url %s', (url, public_url, origins) => {
    expect(ownOrigins(at(url), settings(public_url))).toEqual(origins)
  })

  test.each([
    ['the gateway’s own', 'http://127.0.0.1:8080', undefined, true],
    ['no origin', undefined, undefined, false],
    ['null, as of a sandboxed frame', 'null', undefined, false],
    ['an empty origin', '', undefined, false],
    ['another host', 'http://evil.example', undefined, false],
    ['another port of this machine', 'http://127.0.0.1:8081', undefined, false],
    ['another name of this machine', 'http://localhost:8080', undefined, false],
    ['another scheme', 'https://127.0.0.1:8080', undefined, false],
    ['an origin that begins alike', 'http://127.0.0.1:8080.evil.example', undefined, false],
    ['an origin with a path', 'http://127.0.0.1:8080/', undefined, false],
    ['several origins', 'http://127.0.0.1:8080, http://evil.example', undefined, false],
    ['public_url', TLS, TLS, true],
    ['public_url without TLS', 'http://gateway.example.com', TLS, false],
  ])('%s, as the origin of a change', (_, origin, public_url, is_own) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const call = () => requireOwnOrigin(at('http://127.0.0.1:8080', origin, method), settings(public_url))
      if (is_own) expect(call).not.toThrow()
      else expect(call).toThrow(expect.objectContaining({ kind: 'permission_denied' }))
    }
    for (const method of ['GET', 'HEAD'])
      expect(() =>
        requireOwnOrigin(at('http://127.0.0.1:8080', origin, method), settings(public_url)),
      ).not.toThrow()
  })
})

describe('a session can be kept', () => {
  const SAFE = '__Host-tollgate'
  test.each([
    ['on this machine', 'http://127.0.0.1:8080', undefined, false, SAFE],
    ['on localhost', 'http://localhost:8080', undefined, false, SAFE],
    ['on a name below localhost', 'http://tollgate.localhost', undefined, false, SAFE],
    ['on ::1', 'http://[::1]:8080', undefined, false, SAFE],
    ['behind TLS', 'http://gateway.example.com', TLS, false, SAFE],
    ['behind TLS, by a proxy with a Host of its own', 'http://10.0.0.2:8080', TLS, false, SAFE],
    ['behind TLS where plain HTTP is allowed', 'http://10.0.0.2:8080', TLS, true, SAFE],
    ['over plain HTTP from another machine', 'http://name.lan', undefined, false, undefined],
    ['over plain HTTP by address', 'http://192.168.1.9:8080', undefined, false, undefined],
    ['on a name that begins like this one', 'http://127.0.0.1.evil.example', undefined, false, undefined],
    ['past the proxy, over plain HTTP', 'http://10.0.0.2:8080', TLS, false, undefined],
    ['over plain HTTP where that is allowed', 'http://name.lan', undefined, true, 'tollgate'],
    ['past the proxy where plain HTTP is allowed', 'http://10.0.0.2:8080', TLS, true, 'tollgate'],
  ])('%s', (where, url, public_url, insecure_http, name) => {
    const origin = where.startsWith('behind TLS') ? TLS : url
    const [request, set] = [at(url, origin), settings(public_url, insecure_http)]
    if (name === undefined) {
      expect(() => cookieForm(request, set)).toThrow(/plain HTTP/)
      expect(signInRefusal(request, set)).toMatch(/public_url.*tunnel.*insecure_http/s)
    } else {
      expect(cookieForm(request, set)).toEqual({ name, secure: name === SAFE })
      expect(signInRefusal(request, set)).toBeUndefined()
    }
  })
})

test.each([
  ['http://name.lan', undefined, false, undefined],
  ['http://name.lan', undefined, true, 'x'],
  ['http://127.0.0.1:8080', undefined, false, 'x'],
  ['http://localhost:8080', 'http://127.0.0.1:8080', false, 'x'],
  // Anyone between the two ends of plain HTTP can plant it for this host, so it does not count with TLS.
  ['http://name.lan', 'https://name.lan', true, undefined],
  ['http://127.0.0.1:8080', 'https://name.lan', false, undefined],
])(
  'the cookie without the prefix at %s with public_url %s and insecure_http %p: %p',
  (url, public_url, insecure, token) => {
    const request = (cookie: string) => new Request(`${url}/`, { headers: { cookie } })
    expect(tokenOf(request('tollgate=x'), settings(public_url, insecure))).toBe(token)
    expect(tokenOf(request('__Host-tollgate=y; tollgate=x'), settings(public_url, insecure))).toBe('y')
  },
)

describe('the cookie that a browser keeps, by the probes that came back', () => {
  const SAFE = '__Host-tollgate'
  test.each([
    [
      'all browsers but WebKit on this machine',
      'http://127.0.0.1:8080',
      `${SAFE}-probe=1; tollgate-probe=1`,
      SAFE,
    ],
    ['WebKit on this machine', 'http://127.0.0.1:8080', 'tollgate-probe=1', 'tollgate'],
    ['WebKit on localhost', 'http://localhost:8080', 'other=1; tollgate-probe=1', 'tollgate'],
    ['a browser with a session', 'http://127.0.0.1:8080', `${SAFE}=abc`, SAFE],
    ['over TLS', TLS, `${SAFE}-probe=1`, SAFE],
    ['no cookies', 'http://127.0.0.1:8080', '', undefined],
    ['only the plain one over TLS', TLS, 'tollgate-probe=1', undefined],
    ['cookies of others', 'http://127.0.0.1:8080', 'tollgate-probes=1', undefined],
  ])('%s', (_, url, cookie, name) => {
    const request = new Request(`${url}/`, { method: 'POST', headers: { cookie, origin: url } })
    const kept = () => keptCookieForm(request, settings()).name
    if (name === undefined) expect(kept).toThrow('did not keep a cookie')
    else expect(kept()).toBe(name)
  })

  test('each probe is sent until it comes back', () => {
    const probesAt = (url: string, cookie = '') =>
      probes(new Request(url, { headers: { cookie } }), settings()).map((each) => each.split(';')[0])
    expect(probesAt('http://127.0.0.1:8080')).toEqual([`${SAFE}-probe=1`, 'tollgate-probe=1'])
    expect(probesAt('http://127.0.0.1:8080', 'tollgate-probe=1')).toEqual([`${SAFE}-probe=1`])
    expect(probesAt(TLS)).toEqual([`${SAFE}-probe=1`])
    expect(probesAt('http://name.lan')).toEqual([])
  })
})
