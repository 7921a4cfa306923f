// Hostile providers: bad answers, addresses in the operator's network, and invalid logout tokens.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createProviderFetch } from '../../plugins/identity-providers/provider-fetch.ts'
import { CLIENT_ID, startHostileProvider } from '../support/hostile-identity-provider.ts'
import { browserAt, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const MB = 1_024 * 1_024

/** A server in the operator's network, which no provider may reach. */
const inside = { requests: 0 }
const internal = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    inside.requests += 1
    return Response.json({ secret: 'of the network' })
  },
})
const INTERNAL = `http://127.0.0.1:${internal.port}`

const address = gatewayAddress()
const provider = await startHostileProvider('hostile')
/** Further names of the same provider: each has its configuration and keys read again. */
const NAMES = Array.from({ length: 14 }, (_, at) => `hostile-${at}`)
const gateway = await gatewayWith(
  address,
  provider.lines() + NAMES.map((name) => provider.lines('', name)).join(''),
)
const unread = () => NAMES.pop() ?? expect.unreachable('a further name is needed')
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
  await internal.stop(true)
})
await gateway.account('alice')
const VERIFIED = { email: 'alice@example.com', email_verified: true }
await ownerWith(gateway, { account: 'alice', email: VERIFIED.email, is_verified: true })
afterEach(() => {
  expect(inside.requests).toBe(0)
})

async function signIn() {
  const browser = browserAt(gateway)
  const { status, body } = await browser.send('POST', '/identity-providers/start', { provider: 'hostile' })
  if (status !== 200) return { browser, status, body }
  return { browser, ...(await browser.finish('hostile', provider.backFrom(new URL(body.url)))) }
}

const redirect = (to: string) => () => new Response(null, { status: 302, headers: { location: to } })
const endless = () =>
  new Response(
    new ReadableStream({
      pull: (stream) => stream.enqueue(new Uint8Array(MB)),
    }),
  )

describe('a provider whose configuration', () => {
  const at = (answer: () => Response | Promise<Response>) => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.answers['/.well-known/openid-configuration'] = answer
  }
  test.each([
    ['is not JSON', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['is JSON of another kind', () => Response.json([])],
    ['has no end', endless],
    ['is too large', () => new Response(`{"a":"${'x'.repeat(2 * MB)}"}`)],
    ['is an error', () => new Response('no', { status: 500 })],
    ['redirects into the network', redirect(INTERNAL)],
    ['is of another issuer', () => Response.json({ issuer: 'https://accounts.google.com' })],
  ])('%s signs nobody in', async (_, answer) => {
    at(answer)
    const { status, body } = await browserAt(gateway).send('POST', '/identity-providers/start', {
      provider: unread(),
    })
    expect([status, body.error.code]).toEqual([502, 'provider_unavailable'])
    expect(body.error.message).not.toContain('127.0.0.1')
  })

  test('is too late ends in a timeout', async () => {
    provider.tellTruth('alice', VERIFIED)
    const late = Promise.withResolvers<Response>()
    at(() => late.promise)
    const fetch = createProviderFetch(provider.issuer, { timeout_ms: 50 })
    await expect(fetch(`${provider.issuer}/.well-known/openid-configuration`, {})).rejects.toThrow(
      'did not answer within 0.05 s',
    )
    late.resolve(new Response())
  })

  test('arrives byte by byte ends in a timeout, too', async () => {
    const dropped = Promise.withResolvers<void>()
    let timer: Timer
    at(
      () =>
        new Response(
          new ReadableStream({
            start(stream) {
              timer = setInterval(() => stream.enqueue(new Uint8Array([32])), 20)
            },
            cancel() {
              clearInterval(timer)
              dropped.resolve()
            },
          }),
        ),
    )
    const fetch = createProviderFetch(provider.issuer, { timeout_ms: 200 })
    await expect(fetch(`${provider.issuer}/.well-known/openid-configuration`, {})).rejects.toThrow(
      'did not answer',
    )
    await dropped.promise
  })
})

describe('the addresses and answers of a provider', () => {
  test.each([
    ['the exchange of codes', { token_endpoint: `${INTERNAL}/token` }],
    ['its keys', { jwks_uri: `${INTERNAL}/jwks` }],
    ['the exchange at a cloud’s metadata', { token_endpoint: 'http://169.254.169.254/latest/meta-data' }],
    ['its keys at an internal name', { jwks_uri: 'https://keys.internal/jwks' }],
    ['the exchange at a numeric address', { token_endpoint: 'https://2130706433/token' }],
  ])('an address in the operator’s network causes no request there: %s', async (_, metadata) => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.metadata = metadata
    const [browser, name] = [browserAt(gateway), unread()]
    const back = provider.backFrom(await browser.start(name))
    const { status, body } = await browser.finish(name, back)
    expect([status, body.error.code]).toEqual([502, 'provider_unavailable'])
    expect(await browser.viewer()).toBeNull()
  })

  test.each(['/token', '/jwks'])('a redirect of %s into the network is not followed', async (path) => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.answers[path] = redirect(INTERNAL)
    const [browser, name] = [browserAt(gateway), unread()]
    const { status } = await browser.finish(name, provider.backFrom(await browser.start(name)))
    expect(status).toBe(502)
  })

  test.each([
    [
      'an error with HTML',
      () => Response.json({ error: '<script>alert(1)</script>', error_description: '<b>' }, { status: 400 }),
    ],
    ['no ID token', () => Response.json({ access_token: 'a', token_type: 'bearer' })],
  ])('an exchange answered with %s signs nobody in, and its text is not shown', async (_, answer) => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.answers['/token'] = answer
    const { status, body } = await signIn()
    expect([status, body.error.code]).toEqual([401, 'identity_not_confirmed'])
    expect(body.error.message).toStartWith('hostile did not confirm who you are')
    expect(body.error.message).not.toContain('<')
  })

  test('an endless answer to the exchange is cut off', async () => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.answers['/token'] = endless
    const { status, body } = await signIn()
    expect([status, body.error.code]).toEqual([502, 'provider_unavailable'])
  })
})

describe('a logout token', () => {
  const now_s = () => Math.floor(Date.now() / 1_000)
  const claimsOf = (more: Record<string, unknown> = {}) => ({
    iss: provider.issuer,
    aud: CLIENT_ID,
    iat: now_s(),
    exp: now_s() + 120,
    jti: crypto.randomUUID(),
    sid: 'session-1',
    sub: 'alice',
    events: EVENTS,
    ...more,
  })
  const send = async (token: string, name = 'hostile') => {
    const answer = await fetch(new URL(`/identity-providers/${name}/logout`, gateway.url), {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs
    return { status: answer.status, body: (await answer.json()) as any, headers: answer.headers }
  }
  const signInAs = async (sid: string, sub = 'alice') => {
    provider.tellTruth(sub, { ...VERIFIED, sid })
    const { browser } = await signIn()
    expect((await browser.viewer()).account).toBe('alice')
    return browser
  }

  test('ends the provider session that it names, once', async () => {
    const [one, other] = [await signInAs('session-1'), await signInAs('session-2')]
    const token = await provider.sign(claimsOf(), { typ: 'logout+jwt' })
    const { status, body, headers } = await send(token)
    expect([status, body, headers.get('cache-control')]).toEqual([200, { ended: 1 }, 'no-store'])
    expect(await one.viewer()).toBeNull()
    expect((await other.viewer()).account).toBe('alice')
    const again = await signInAs('session-1')
    expect((await send(token)).status).toBe(400)
    expect((await again.viewer()).account).toBe('alice')
  })

  test('that names only a person ends all sessions of this identity, and no others', async () => {
    const [one, other] = [await signInAs('session-3'), await signInAs('session-4')]
    const another = await signInAs('session-5', 'alice-too')
    expect((await send(await provider.sign(claimsOf({ sid: undefined })))).status).toBe(200)
    expect([await one.viewer(), await other.viewer()]).toEqual([null, null])
    expect((await another.viewer()).account).toBe('alice')
  })

  test('ends the session of a staff member, too, by the provider session or by the person', async () => {
    await using own = await startHostileProvider('staff')
    const there = await gatewayWith(
      gatewayAddress(),
      own.lines('for = "staff"\nemail_domains = ["staff.example"]\nstaff_role = "support"'),
    )
    try {
      for (const [sid, named] of [
        ['session-6', { sub: undefined }],
        ['session-7', { sid: undefined }],
      ] as const) {
        own.tellTruth('nina', { email: 'nina@staff.example', email_verified: true, sid })
        const browser = browserAt(there)
        await browser.finish('staff', own.backFrom(await browser.start('staff')))
        expect(await browser.viewer()).toMatchObject({ side: 'operator', role: 'support' })
        const claims = claimsOf({ iss: own.issuer, sid, sub: 'nina', ...named })
        const answer = await fetch(new URL('/identity-providers/staff/logout', there.url), {
          method: 'POST',
          body: new URLSearchParams({ logout_token: await own.sign(claims, { typ: 'logout+jwt' }) }),
        })
        expect([answer.status, await answer.json()]).toEqual([200, { ended: 1 }])
        expect(await browser.viewer()).toBeNull()
        expect((await browser.send('GET', '/accounts')).status).toBe(401)
      }
      expect(
        await there.store.rows("SELECT account_id, after FROM actions WHERE action = 'session.ended'"),
      ).toMatchObject([{ account_id: null }, { account_id: null }])
    } finally {
      await there.stop()
    }
  })

  test.each([
    ['of another issuer', { iss: 'https://accounts.google.com' }, {}],
    ['for another client', { aud: 'another' }, {}],
    ['without a time', { iat: undefined }, {}],
    ['of yesterday', { iat: now_s() - 86_400 }, {}],
    ['of tomorrow', { iat: now_s() + 86_400 }, {}],
    ['that has expired', { exp: now_s() - 60 }, {}],
    ['without an id', { jti: undefined }, {}],
    ['with an empty id', { jti: '' }, {}],
    ['without events', { events: undefined }, {}],
    ['of another event', { events: { 'http://example.com/event': {} } }, {}],
    [
      'with an event that is no object',
      { events: { 'http://schemas.openid.net/event/backchannel-logout': true } },
      {},
    ],
    ['with a nonce, as in an ID token', { nonce: 'x' }, {}],
    ['that names nobody', { sid: undefined, sub: undefined }, {}],
    ['of another type', {}, { typ: 'at+jwt' }],
  ])('%s ends nothing', async (_, claims, header) => {
    const browser = await signInAs('session-1')
    const { status, body } = await send(await provider.sign(claimsOf(claims), header))
    expect([status, body.error.code]).toEqual([400, 'invalid_logout_token'])
    expect((await browser.viewer()).account).toBe('alice')
  })

  test('that is unsigned or signed by a stranger ends nothing', async () => {
    const browser = await signInAs('session-1')
    const { UnsecuredJWT } = await import('jose')
    await using stranger = await startHostileProvider('stranger')
    for (const token of [new UnsecuredJWT(claimsOf()).encode(), await stranger.sign(claimsOf()), 'x.y.z', ''])
      expect((await send(token)).status).toBe(400)
    expect((await browser.viewer()).account).toBe('alice')
  })

  test('for an unknown provider is 404; a missing, repeated or too long one is refused', async () => {
    expect((await send(await provider.sign(claimsOf()), 'nobody')).status).toBe(404)
    for (const [body, status] of [
      ['', 400],
      ['logout_token=x&logout_token=y', 400],
      [`logout_token=${'x'.repeat(100_000)}`, 413],
    ] as const) {
      const answer = await fetch(new URL('/identity-providers/hostile/logout', gateway.url), {
        method: 'POST',
        body,
      })
      expect(answer.status).toBe(status)
    }
  })
})
