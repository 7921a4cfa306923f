// Attacks on sessions of the console, by hostile pages, callers and networks.
import { describe, expect, test } from 'bun:test'
import { makeInvitation, makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { type ConsoleClient, clientOf, signedIn } from '../support/console-session.ts'
import { fileGateway, startTestGateway } from '../support/gateway.ts'

const PASSWORD = 'correct horse battery'
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const issuing = () => ({ randomBytes, now_ms: Date.now() })
const catalogue = (server = '', more = '') => catalogueOf({ upstream_url: 'simulator', server, more })
const start = (text = catalogue()) => startTestGateway({ catalogue: text })

const gateway = await fileGateway({ catalogue: catalogue() })
const nobody = clientOf(gateway)
const { token: link } = await makeOperatorsLink(gateway.store, issuing())
await nobody.json('POST', '/links/accept', { token: link, password: PASSWORD })

describe('a cookie', () => {
  test('planted by an attacker is not adopted: signing in makes a new one', async () => {
    const planted = clientOf(gateway, `__Host-tollgate=${'A'.repeat(43)}`)
    const answer = await planted.send('POST', '/session', { body: { password: PASSWORD } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).not.toContain('A'.repeat(43))
    expect((await planted.send('GET', '/sessions')).status).toBe(401)
  })

  test('of another gateway is not known here', async () => {
    const other = await start()
    const { cookie } = await signedIn(other, 'operator')
    expect((await clientOf(other, cookie).send('GET', '/sessions')).status).toBe(200)
    expect((await clientOf(gateway, cookie).send('GET', '/sessions')).status).toBe(401)
    await other.stop()
  })

  test.each([
    ['nothing', ''],
    ['a guess', 'x'.repeat(43)],
    ['a long guess', 'x'.repeat(5_000)],
    ['SQL', "' OR 1=1 --"],
    ['a number', '1'],
    ['a null byte, encoded', '%00'],
  ])('with %s is nobody’s', async (_, token) => {
    expect((await clientOf(gateway, `__Host-tollgate=${token}`).send('GET', '/sessions')).status).toBe(401)
  })

  test('is the only place for a token, and an API key is no token', async () => {
    await gateway.account('alice')
    const key = await gateway.key('alice')
    const { cookie } = await signedIn(gateway, 'operator')
    const token = cookie.split('=')[1] ?? ''
    const statusWith = async (headers: Record<string, string>) =>
      (await nobody.send('GET', '/sessions', { headers })).status
    expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(401)
    expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(401)
    expect(await statusWith({ 'x-api-key': key })).toBe(401)
    expect(await statusWith({ cookie: `session=${token}` })).toBe(401)
    expect(await statusWith({ cookie: `__Host-tollgate=${key}` })).toBe(401)
    expect(await statusWith({ cookie })).toBe(200)
    const account = await gateway.call('/api/v1/account', undefined, { method: 'GET', headers: { cookie } })
    expect(account.status).toBe(401)
  })

  test('is stored as a hash', async () => {
    const { cookie } = await signedIn(gateway, 'operator')
    const stored = JSON.stringify(gateway.db.query('SELECT hex(sha256), * FROM sessions').all())
    expect(stored).not.toContain(cookie.split('=')[1] ?? '-')
  })
})

describe('a page of another origin', () => {
  test('is not let in by cors_origins, nor is its preflight answered', async () => {
    const open = await start(catalogue('cors_origins = ["https://app.example", "*"]'))
    const client = await signedIn(open, 'operator')
    const read = await client.send('GET', '/sessions', { headers: { origin: 'https://app.example' } })
    expect([...read.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    const preflight = await fetch(new URL('/console/api/sessions', open.url), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'DELETE' },
    })
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect((await client.send('DELETE', '/sessions', { origin: 'https://app.example' })).status).toBe(403)
    const outside = await fetch(new URL('/healthz', open.url), { headers: { origin: 'https://app.example' } })
    expect(outside.headers.get('access-control-allow-origin')).toBe('https://app.example')
    await open.stop()
  })

  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'password=x'],
    ['a form with files', 'multipart/form-data; boundary=x', '--x--'],
    ['plain text', 'text/plain', JSON.stringify({ password: PASSWORD })],
    ['a type like JSON', 'application/jsonp', JSON.stringify({ password: PASSWORD })],
  ])('cannot send %s, which needs no preflight', async (_, type, body) => {
    const answer = await nobody.send('POST', '/session', { body, headers: { 'content-type': type } })
    expect(answer.status).toBe(400)
  })
})

describe('a body', () => {
  test('without a session is refused over 16 KB, and that of an account over 256 KB', async () => {
    await gateway.account('bob')
    const sendChars = async (client: ConsoleClient, method: string, path: string, chars: number) =>
      await client.send(method, path, { body: JSON.stringify({ password: 'x'.repeat(chars) }) })
    expect((await sendChars(nobody, 'POST', '/session', 16_000)).status).toBe(400)
    const refused = await sendChars(nobody, 'POST', '/session', 17_000)
    expect(refused.status).toBe(413)
    expect(await refused.text()).toContain('16 KB, the limit')
    const bob = await signedIn(gateway, { account: 'bob' })
    expect((await sendChars(bob, 'POST', '/keys', 260_000)).status).toBe(400)
    expect((await sendChars(bob, 'POST', '/keys', 270_000)).status).toBe(413)
  })

  test('over 2 MB is refused, before and without a session', async () => {
    const body = JSON.stringify({ password: 'x'.repeat(3 * 1024 * 1024) })
    expect((await nobody.send('POST', '/session', { body })).status).toBe(413)
    const chunked = (client: ConsoleClient, path: string, method: string) =>
      fetch(new URL(`/console/api${path}`, gateway.url), {
        method,
        headers: { 'content-type': 'application/json', origin: gateway.url.origin, cookie: client.cookie },
        body: new Blob([body]).stream(),
      })
    expect((await chunked(nobody, '/session', 'POST')).status).toBe(413)
    expect((await chunked(nobody, '/password', 'PUT')).status).toBe(401)
    expect((await chunked(await signedIn(gateway, 'operator'), '/password', 'PUT')).status).toBe(413)
    expect((await chunked(await signedIn(gateway, 'operator'), '/catalogue/check', 'POST')).status).toBe(413)
  })

  test.each(['{"', 'nonsense', '\u{feff}{}', '[', '"x"', 'null', '{"password":"\\ud800"}'])(
    '%p is refused without an internal error',
    async (body) => {
      expect([400, 401]).toContain((await nobody.send('POST', '/session', { body })).status)
    },
  )
})

describe('guessing', () => {
  test('a password is stopped after ten tries for a name, and says when to come back', async () => {
    const own = await start()
    const client = clientOf(own)
    await own.account('alice')
    const { token } = await makeInvitation(own.store, 'alice', issuing())
    await client.json('POST', '/links/accept', { token, password: PASSWORD })
    const guess = (account: string, password = 'wrong password here') =>
      client.send('POST', '/session', { body: { account, password } })
    const tries = await Promise.all(Array.from({ length: 10 }, () => guess('alice')))
    expect(tries.map(({ status }) => status)).toEqual(Array(10).fill(401))
    const stopped = await guess('alice', PASSWORD)
    expect(stopped.status).toBe(429)
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(50)
    // An unknown account gets the same answers.
    const unknown = await Promise.all(Array.from({ length: 10 }, () => guess('nobody')))
    expect(unknown.map(({ status }) => status)).toEqual(Array(10).fill(401))
    expect((await guess('somebody')).status).toBe(429)
    // The account can still be used by a session.
    expect((await (await signedIn(own, { account: 'alice' })).send('GET', '/sessions')).status).toBe(200)
    await own.stop()
  })

  test('links and keys is stopped after twenty tries from an address', async () => {
    const own = await start()
    const client = clientOf(own)
    const guess = (token: string) => client.send('POST', '/links/look', { body: { token } })
    for (let i = 0; i < 20; i++) expect((await guess('x'.repeat(32))).status).toBe(404)
    expect((await guess('x'.repeat(32))).status).toBe(429)
    expect((await client.send('POST', '/session', { body: { key: `tg_${'x'.repeat(43)}` } })).status).toBe(
      429,
    )
    await own.stop()
  })

  test('on purpose never locks out people who have signed in from the same address, or holders of a link or a key', async () => {
    const own = await start(catalogue('trusted_proxies = ["127.0.0.1"]'))
    const from = (address: string, path: string, body: object) =>
      clientOf(own).send('POST', path, { body, headers: { 'x-forwarded-for': address } })
    const link = async () => (await makeOperatorsLink(own.store, issuing())).token
    await from('203.0.113.7', '/links/accept', { token: await link(), password: PASSWORD })
    expect((await from('203.0.113.7', '/session', { password: PASSWORD })).status).toBe(200)
    const attack = await Promise.all(
      Array.from({ length: 11 }, () => from('198.51.100.1', '/session', { password: 'x' })),
    )
    expect(attack.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), 429])
    expect((await from('203.0.113.7', '/session', { password: PASSWORD })).status).toBe(200)
    // Nor if all come from one address, as behind an untrusted proxy.
    for (let i = 0; i < 20; i++) await from('203.0.113.7', '/links/look', { token: 'x' })
    expect((await from('203.0.113.7', '/links/look', { token: 'x' })).status).toBe(429)
    expect((await from('203.0.113.7', '/session', { password: PASSWORD })).status).toBe(200)
    await own.account('alice')
    expect((await from('203.0.113.7', '/session', { key: await own.key('alice') })).status).toBe(200)
    const token = await link()
    expect((await from('203.0.113.7', '/links/accept', { token, password: PASSWORD })).status).toBe(200)
    await own.stop()
  })

  test('is counted by the caller’s address behind a trusted proxy', async () => {
    const own = await start(catalogue('trusted_proxies = ["127.0.0.1"]'))
    const guess = (address: string) =>
      clientOf(own).send('POST', '/links/look', {
        body: { token: 'x' },
        headers: { 'x-forwarded-for': address },
      })
    for (let i = 0; i < 20; i++) expect((await guess('198.51.100.1, 203.0.113.7')).status).toBe(404)
    expect((await guess('198.51.100.2, 203.0.113.7')).status).toBe(429)
    expect((await guess('203.0.113.8')).status).toBe(404)
    await own.stop()
  })
})

test('an account has at most 24 feeds open over all its sessions, and takes none from others', async () => {
  await gateway.account('dave')
  const clients = [await signedIn(gateway, { account: 'dave' })]
  for (const name of ['feed-1', 'feed-2'])
    clients.push(await signedIn(gateway, { key: await gateway.key('dave', { name }) }))
  const feeds: Response[] = []
  for (let n = 0; n < 8; n++)
    feeds.push(...(await Promise.all(clients.map((client) => client.send('GET', '/live')))))
  expect(feeds.map(({ status }) => status)).toEqual(Array(24).fill(200))
  for (const client of clients) expect((await client.send('GET', '/live')).status).toBe(429)
  const other = await (await signedIn(gateway, 'operator')).send('GET', '/live')
  expect(other.status).toBe(200)
  await Promise.all([...feeds, other].map(({ body }) => body?.cancel()))
})

describe('plain HTTP from another machine', () => {
  const from = (
    client: ConsoleClient,
    host: string,
    method: string,
    path: string,
    body?: object,
    origin = `http://${host}`,
  ) => client.send(method, path, { ...(body ? { body } : {}), origin, headers: { host } })

  test('gets no session, and the refusal says what to do', async () => {
    const session = await from(nobody, 'name.lan', 'GET', '/session')
    expect(await session.json()).toMatchObject({ sign_in_refusal: expect.stringContaining('plain HTTP') })
    const answer = await from(nobody, 'name.lan', 'POST', '/session', { password: PASSWORD })
    expect(answer.status).toBe(403)
    expect(answer.headers.has('set-cookie')).toBe(false)
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'insecure_connection',
        message: expect.stringMatching(/public_url.*tunnel.*insecure_http/s),
      },
    })
    const { token } = await makeOperatorsLink(gateway.store, issuing())
    const link = await from(nobody, 'name.lan', 'POST', '/links/accept', { token, password: PASSWORD })
    expect(link.status).toBe(403)
    expect((await nobody.send('POST', '/links/look', { body: { token } })).status).toBe(200)
  })

  test('signs in if the operator allows it, with a cookie of another name', async () => {
    const own = await start(catalogue('', '[console]\ninsecure_http = true'))
    const { token } = await makeOperatorsLink(own.store, issuing())
    const answer = await from(clientOf(own), 'name.lan', 'POST', '/links/accept', {
      token,
      password: PASSWORD,
    })
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^tollgate=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/)
    const client = clientOf(own, cookie.split(';')[0])
    expect((await from(client, 'name.lan', 'GET', '/sessions')).status).toBe(200)
    await own.recatalogue(catalogue())
    expect((await from(client, 'name.lan', 'GET', '/sessions')).status).toBe(401)
    await own.stop()
  })

  test('is distinguished from TLS by public_url', async () => {
    const own = await start(catalogue('public_url = "https://gateway.example.com"'))
    const { token } = await makeOperatorsLink(own.store, issuing())
    const accept = (origin: string) =>
      from(
        clientOf(own),
        'gateway.example.com',
        'POST',
        '/links/accept',
        { token, password: PASSWORD },
        origin,
      )
    expect((await accept('http://gateway.example.com')).status).toBe(403)
    const answer = await accept('https://gateway.example.com')
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-tollgate=.*; Secure$/)
    await own.stop()
  })
})

test('a disabled console has no routes', async () => {
  const own = await start(catalogue('', '[console]\nenabled = false'))
  expect((await clientOf(own).send('GET', '/session')).status).toBe(404)
  expect((await (await signedIn(own, 'operator')).send('GET', '/sessions')).status).toBe(404)
  await own.stop()
})
