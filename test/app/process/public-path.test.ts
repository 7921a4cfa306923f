// A gateway below a path: addresses with and without the path get the same response, and addresses in responses have the path.
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { hasImpossiblePath, publicPathOf } from '../../../src/domain/public-url.ts'
import { leavePublicPath } from '../../../src/http/public-path.ts'
import { MODEL } from '../../support/catalogue.ts'
import { signedIn } from '../../support/console-session.ts'
import { answering, ask, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { openSocket } from '../../support/web-socket.ts'

const PUBLIC = 'https://example.com/tollgate/'
const { gateway, key, call, recatalogue } = await fileScene({
  script: answering,
  server: `public_url = "${PUBLIC}"`,
})
const at = (path: string, init?: RequestInit) =>
  fetch(new URL(path, gateway.url), { redirect: 'manual', ...init })

describe('an address', () => {
  const withoutPublicPath = (url: string, path = '/tollgate') => {
    const request = { url } as Request
    leavePublicPath(request, path)
    return request.url
  }
  test.each([
    ['http://a/tollgate/v1/models?key=1', 'http://a/v1/models?key=1'],
    ['http://a/tollgate', 'http://a/'],
    ['http://a/tollgate/', 'http://a/'],
    ['http://a/tollgate?x=/tollgate/', 'http://a/?x=/tollgate/'],
    ['http://a/tollgate/tollgate/v1', 'http://a/tollgate/v1'],
    // An address without the path, or with one that only begins so, is unchanged.
    ['http://a/tollgates/v1', 'http://a/tollgates/v1'],
    ['http://a/Tollgate/v1', 'http://a/Tollgate/v1'],
    ['http://a//tollgate/v1', 'http://a//tollgate/v1'],
    ['http://a/v1/tollgate', 'http://a/v1/tollgate'],
    ['http://a/v1?x=/tollgate/', 'http://a/v1?x=/tollgate/'],
    ['http://tollgate/v1', 'http://tollgate/v1'],
    ['http://a', 'http://a'],
    ['/tollgate/v1', '/tollgate/v1'],
  ])('%s becomes %s', (url, expected) => {
    expect(withoutPublicPath(url)).toBe(expected)
  })

  test.each([
    [undefined, '', false],
    ['https://example.com', '', false],
    ['https://example.com/', '', false],
    ['https://example.com/tollgate', '/tollgate', false],
    ['https://example.com/a/b-c_d.e~/', '/a/b-c_d.e~', false],
    ['https://example.com/apis', '/apis', false],
    ...[
      '/v1',
      '/api/',
      '/docs/x',
      '/console',
      '/a/console',
      '/upload',
      '/V1',
      '/../v1',
      '/healthz',
      '/openai',
      '/v1beta',
      '/a%20b',
      '/a//b',
      '/a"b',
    ].map((path) => [`https://example.com${path}`, '', true] as const),
    ['no URL', '', false],
  ] as const)('a public_url %s has the path "%s"; impossible: %p', (public_url, path, is_impossible) => {
    expect(publicPathOf(public_url)).toBe(path)
    expect(hasImpossiblePath(public_url ?? '')).toBe(is_impossible)
  })
})

describe.each(['', '/tollgate'])('with "%s" before its path', (prefix) => {
  test.each([
    '/healthz',
    '/v1/models',
    '/api/v1/account',
    '/docs/openapi.json',
    '/console/api/session',
    '/nothing',
  ])('%s', async (path) => {
    const headers = { authorization: `Bearer ${key}` }
    const [own, found] = await Promise.all([at(path, { headers }), at(prefix + path, { headers })])
    expect([found.status, await found.text()]).toEqual([own.status, await own.text()])
  })

  test('a call succeeds, at an address of Azure, too', async () => {
    expect((await call(prefix + wholePath(), ask())).status).toBe(200)
    const body = { messages: [{ role: 'user', content: 'Hello' }] }
    const azure = await call(
      `${prefix}/openai/deployments/${MODEL}/chat/completions?api-version=2024-10-21`,
      body,
    )
    expect(azure.status).toBe(200)
  })

  test('a response over a WebSocket completes', async () => {
    const socket = await openSocket(gateway, { key, path: `${prefix}/v1/responses` })
    const events = await socket.create({ model: MODEL, input: 'Hello' })
    expect(events.at(-1)?.type).toBe('response.completed')
    socket.raw.close()
    await socket.closed
  })

  test("OpenAI's SDK works with the path in its base URL", async () => {
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url.origin}${prefix}/v1` })
    const answer = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
    })
    expect(answer.choices[0]?.message.content).toBe('Hello.')
  })

  test('pages link to their files below the path', async () => {
    for (const path of ['/console', '/console/accounts/7', '/docs']) {
      const page = await (await at(prefix + path)).text()
      const files = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = '']) => file)
      expect(files.length).toBeGreaterThan(2)
      expect(files.filter((file) => !file.startsWith('/tollgate/'))).toEqual([])
      for (const file of files) expect([file, (await at(file)).status]).toEqual([file, 200])
    }
  })

  test('the root redirects a browser to the console', async () => {
    const { status, headers } = await at(`${prefix}/`, { headers: { accept: 'text/html' } })
    expect([status, headers.get('location')]).toEqual([302, '/tollgate/console'])
  })

  test("the console's document is compressed, and its ETag is recognized", async () => {
    for (const coding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': coding }
      const first = await at(`${prefix}/console`, { headers })
      expect(await first.text()).toContain('"/tollgate/console/assets/')
      const etag = first.headers.get('etag') ?? ''
      expect((await at(`${prefix}/console`, { headers: { ...headers, 'if-none-match': etag } })).status).toBe(
        304,
      )
    }
  })
})

test('the API reference names the path of its routes', async () => {
  const { servers } = (await (await at('/docs/openapi.json')).json()) as { servers: { url: string }[] }
  expect(servers.map(({ url }) => url)).toEqual(['/tollgate'])
})

test('links contain the path, cookies its name, and only pages of the public origin may change data', async () => {
  const operator = await signedIn(gateway, 'operator')
  await gateway.account('alice')
  const own = {
    cookie: operator.cookie.replace('__Host-tollgate=', '__Host-tollgate.tollgate='),
    'content-type': 'application/json',
  }
  const invite = (headers: Record<string, string>) =>
    at('/tollgate/console/api/invitations', { method: 'POST', headers, body: '{"account":"alice"}' })
  const answer = await invite({ ...own, origin: 'https://example.com' })
  expect([answer.status, ((await answer.json()) as { url: string }).url]).toEqual([
    200,
    expect.stringMatching(/^https:\/\/example\.com\/tollgate\/console\/invitation#/),
  ])
  for (const origin of [
    'https://example.org',
    'https://example.com.example.org',
    'https://example.com/tollgate',
  ])
    expect([origin, (await invite({ ...own, origin })).status]).toEqual([origin, 403])
  // The cookie of a gateway at the root of the host.
  expect((await invite({ ...own, cookie: operator.cookie, origin: 'https://example.com' })).status).toBe(401)
  const probes = (await at('/console/api/session')).headers.getSetCookie()
  expect(probes.map((cookie) => cookie.split('=')[0])).toEqual(['__Host-tollgate.tollgate-probe'])
})

test('a changed path replaces the previous one at once', async () => {
  await recatalogue({ server: 'public_url = "https://example.com/other"' })
  expect((await at('/other/healthz')).status).toBe(200)
  expect((await at('/tollgate/healthz')).status).toBe(404)
  expect(await (await at('/console')).text()).toContain('"/other/console/assets/')
  expect(await (await at('/docs')).text()).toContain('"/other/docs/')
  const { servers } = (await (await at('/docs/openapi.json')).json()) as { servers: { url: string }[] }
  expect(servers[0]?.url).toBe('/other')
  await recatalogue()
  expect(await (await at('/console')).text()).toContain('"/console/assets/')
})
