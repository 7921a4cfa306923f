// spec.md, Endpoints: "All endpoints require authentication": every route is called without a key and with wrong keys.
import { beforeEach, describe, expect, test } from 'bun:test'
import { plugins } from '../../../plugins/index.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { gatewaySpy, routesOf } from '../../support/plugins.ts'
import { fileScene } from '../../support/scene.ts'

/** The routes that need no key. Add one only with a reason in the specification. */
const OPEN = ['GET /healthz', 'GET /readyz']
/** The API reference (test/docs): it describes the program, and contains no data of accounts. */
const isReference = ({ path }: { path: string }) => /^\/docs(\/|$)/.test(path)
/** The public pages of the service (test/site): off, unless the operator turns them on. */
const isPublic = ({ path }: { path: string }) => /^\/(brand|pricing|status|robots\.txt)\b/.test(path)
/** The metrics (test/metrics): off without a token in the catalogue, which is not a key of an account. */
const isMetrics = ({ path }: { path: string }) => path === '/metrics'
/** The recipient of a mail has the token of its link instead of a key (test/mail). */
const isMail = ({ path }: { path: string }) => path === '/mail/unsubscribe'
/** An identity provider signs its requests instead of using a key (test/identity-providers). */
const isProvider = ({ path }: { path: string }) => path.startsWith('/identity-providers/')

/** A payment provider signs its webhooks instead of using a key (test/payments). */
const isPayment = ({ path }: { path: string }) => path.startsWith('/payments/')

const spy = gatewaySpy()
const { gateway, upstream } = await fileScene({ plugins: [...plugins, spy.plugin] })
const served = await routesOf(spy.gateway(), plugins)
beforeEach(() => {
  upstream.requests.length = 0
})

/** All routes except those of the console, covered by test/console, and `/`, which redirects there; each with a matching path. */
function routes(): { method: string; path: string }[] {
  const others = served.filter(({ path }) => !/^\/(console(\/.*)?)?$/.test(path))
  return others.flatMap(({ method, path }) =>
    (method === 'ALL' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] : [method]).map((one) => ({
      method: one,
      path: path.replace(/:[a-z_]+/gi, 'anything').replace('*', 'anything:generateContent'),
    })),
  )
}

const isOpen = ({ method, path }: { method: string; path: string }) => OPEN.includes(`${method} ${path}`)
const withoutBody = (method: string) => method === 'GET' || method === 'HEAD'

/** No key, and wrong keys in each form of a key. */
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
  ['an unknown type', 'x', 'text/weird'],
]

describe('without a key', () => {
  test.each(WRONG)(
    '%s: every protected route answers 401 before it reads the body',
    async (_, headers, query) => {
      const closed = routes().filter(
        (route) =>
          !isOpen(route) &&
          !isReference(route) &&
          !isPublic(route) &&
          !isMetrics(route) &&
          !isMail(route) &&
          !isProvider(route) &&
          !isPayment(route),
      )
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
      expect(upstream.requests).toEqual([])
      const { holds, calls } = await gateway.atRest()
      expect([holds, calls]).toEqual([[], []])
    },
  )

  test.each(OPEN)('%s answers with its status', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const response = await fetch(new URL(path, gateway.url), { method })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(Object.keys((await response.json()) as object)).toEqual(['status'])
  })

  test('the routes that need no key exist', () => {
    expect(
      routes()
        .filter(isOpen)
        .map(({ method, path }) => `${method} ${path}`),
    ).toEqual(OPEN)
  })
})

describe('an unknown path', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['POST', '/healthz'],
    ['GET', '/v1beta1/models'],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd'],
    ['GET', '/%zz'],
    ['DELETE', '/v2/unknown'],
    ['GET', '/v1'],
  ])('%s %s: 404, in JSON, with a request id', async (method, path) => {
    const response = await fetch(gateway.url.origin + path, { method })
    expect(response.status).toBe(404)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/[Nn]o such endpoint/) },
    })
  })

  test('a short Host header, with which Elysia misreads the path, does not bypass authentication', async () => {
    const response = await fetch(new URL('/v1beta/models/x:generateContent', gateway.url), {
      method: 'POST',
      headers: { host: 'a' },
      body: '{}',
    })
    expect(response.status).toBe(401)
  })
})

describe('readiness', () => {
  test('/readyz is 503, and calls are refused, as soon as the gateway begins to stop', async () => {
    await using own = await startTestGateway({ upstream, plugins: [...plugins, spy.plugin] })
    const key = await own.caller()
    const stopping = spy.gateway().calls.running.stop(0)
    const ready = await fetch(new URL('/readyz', own.url))
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reason: 'the gateway is stopping' },
    ])
    expect((await fetch(new URL('/healthz', own.url))).status).toBe(200)
    const refused = await own.call('/v1beta/models/test-model:generateContent', {}, { key })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await stopping
  })
})

test('no route makes Elysia parse cookies or copy all headers into an object', () => {
  const readers = served.filter((route) => /parseCookie|headers\.toJSON/.test(String(route.compile())))
  expect(readers.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
