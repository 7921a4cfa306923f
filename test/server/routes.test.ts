// spec.md, Endpoints: "All endpoints require authentication": every route of the application is tried without a key, and with a wrong one.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { createApp } from '../../src/server/app.ts'
import type { Gateway, Plugin } from '../../src/surface/gateway.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** What needs no key. Nothing is added here without a reason in the specification. */
const OPEN = ['GET /healthz', 'GET /readyz']

let upstream: Upstream
let gateway: TestGateway
let handed: Gateway | undefined
/** Takes no part but to see what the plugins are handed. */
const spy: Plugin = (given) => {
  handed = given
  return createApp(given, [])
}

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway({ upstream, plugins: [...plugins, spy] })
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})
beforeEach(() => {
  upstream.seen.length = 0
})

/** All routes of the application, each with a path that it serves. */
function routes(): { method: string; path: string }[] {
  if (!handed) throw new Error('the plugins were handed nothing')
  return createApp(handed, plugins).routes.flatMap(({ method, path }) =>
    (method === 'ALL' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] : [method]).map((one) => ({
      method: one,
      path: path.replace(/:[a-z_]+/gi, 'anything').replace('*', 'anything:generateContent'),
    })),
  )
}

const isOpen = ({ method, path }: { method: string; path: string }) => OPEN.includes(`${method} ${path}`)
const withoutBody = (method: string) => method === 'GET' || method === 'HEAD'

/** Sent in any of the forms in which a key is sent, and not at all. */
const WRONG: [string, Record<string, string>, string][] = [
  ['no key', {}, ''],
  ['a wrong bearer', { authorization: `Bearer tg_${'x'.repeat(43)}` }, ''],
  ['a wrong x-api-key', { 'x-api-key': `tg_${'x'.repeat(43)}` }, ''],
  ['a wrong ?key=', {}, `?key=tg_${'x'.repeat(43)}`],
  ['an empty bearer', { authorization: 'Bearer ' }, ''],
]
const BODIES: [string, string, string][] = [
  ['an empty object', '{}', 'application/json'],
  ['bad JSON', '{"', 'application/json'],
  ['a bad form', '--x', 'multipart/form-data; boundary=x'],
  ['nothing known', 'x', 'text/weird'],
]

describe('without a key', () => {
  test.each(WRONG)(
    '%s: every route but two gives 401, before its body is looked at',
    async (_, headers, query) => {
      const closed = routes().filter((route) => !isOpen(route))
      expect(closed.length).toBeGreaterThan(10)
      for (const { method, path } of closed)
        for (const [, body, type] of withoutBody(method) ? [['', '', '']] : BODIES) {
          const response = await fetch(new URL(path + query, gateway.url), {
            method,
            headers: {
              ...headers,
              'anthropic-version': '2023-06-01',
              ...(type ? { 'content-type': type } : {}),
            },
            ...(withoutBody(method) ? {} : { body }),
          })
          expect([method, path, type, response.status]).toEqual([method, path, type, 401])
          expect(response.headers.get('x-request-id')).toMatch(/^req_/)
          expect(await response.text()).toMatch(/API key/)
        }
      expect(upstream.seen).toEqual([])
      const { holds, calls } = await gateway.atRest()
      expect([holds, calls]).toEqual([[], []])
    },
  )

  test.each(OPEN)('%s answers', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const response = await fetch(new URL(path, gateway.url), { method })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(Object.keys((await response.json()) as object)).toEqual(['status'])
  })

  test('the routes that need no key exist, and no other does not', () => {
    expect(
      routes()
        .filter(isOpen)
        .map(({ method, path }) => `${method} ${path}`),
    ).toEqual(OPEN)
  })
})

describe('what is no route', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['POST', '/healthz'],
    ['GET', '/v1beta1/models'],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd'],
    ['GET', '/%zz'],
    ['DELETE', '/v1/unknown'],
  ])('%s %s: 404, in JSON, with a request id', async (method, path) => {
    const response = await fetch(gateway.url.origin + path, { method })
    expect(response.status).toBe(404)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/nothing at this address/) },
    })
  })

  test('a path is never what lets somebody in: a short Host header changes nothing', async () => {
    const response = await fetch(new URL('/v1beta/models/x:generateContent', gateway.url), {
      method: 'POST',
      headers: { host: 'a' },
      body: '{}',
    })
    expect(response.status).toBe(401)
  })
})

describe('readiness', () => {
  test('/readyz is 503, and calls are refused, from the moment on that the gateway stops', async () => {
    const own = await startTestGateway({ upstream, plugins: [...plugins, spy] })
    const key = await own.caller()
    const running = handed?.running
    const stopping = running?.stop(0)
    const ready = await fetch(new URL('/readyz', own.url))
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready' }])
    expect((await fetch(new URL('/healthz', own.url))).status).toBe(200)
    const refused = await own.call('/v1beta/models/test-model:generateContent', {}, { key })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await stopping
    await own.stop()
  })
})
