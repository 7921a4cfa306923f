// The scoped plugins of every surface: the order of checks, the shape of failures, and the parts of a response that they change.
import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../../src/access/gate.ts'
import type { Plugin } from '../../../src/app/plugin.ts'
import { calls, freeCalls, openCalls } from '../../../src/app/surface/calls.ts'
import { notFound } from '../../../src/domain/errors.ts'
import type { RenderError } from '../../../src/http/answers.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { type CallOptions, fileGateway } from '../../support/gateway.ts'
import { routesPlugin } from '../../support/plugins.ts'

const STATUS: Partial<Record<string, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
}
/** A shape of errors that no other surface has. */
const shaped =
  (name: string): RenderError =>
  ({ kind, message, code, param }, request_id) => ({
    status: STATUS[kind] ?? 500,
    body: { [name]: { kind, message, code, param, request_id } },
  })
const surfaceOf = (name: string) => ({
  surface: name,
  forms: COMMON_FORMS,
  render: shaped(name),
  id_header: `${name}-id`,
})

const Nested = Type.Object({ inner: Type.Integer() }, { additionalProperties: false })
const ANSWER = { z: 1, a: 'ä', nested: { inner: 2 }, list: [], more: { any: null } }
const SECRET = 'what no caller may read'

const routesOf = (name: string): Plugin =>
  routesPlugin(name, (gateway) =>
    new Elysia({ name })
      .use(freeCalls(gateway, surfaceOf(name)))
      .get(`/${name}`, ({ caller, query }) => ({ account: caller.account.name, query }), {
        query: Type.Object(
          {
            count: Type.Optional(WholeNumber({ minimum: 1, maximum: 9 }, 'a whole number from 1 to 9')),
            word: Type.Optional(Type.String()),
          },
          { additionalProperties: false },
        ),
      })
      .get(`/${name}/items/:id`, ({ params }) => params, {
        params: Type.Object({ id: Type.String({ pattern: '^[a-z]+$', must: 'letters', code: 'bad_id' }) }),
      })
      .get(`/${name}/whole`, () => ANSWER, {
        response: { 200: Type.Object({ z: Type.Integer(), nested: Nested }, { additionalProperties: true }) },
      })
      .get(`/${name}/unfit`, () => ({ nested: { inner: 'x', secret: SECRET } }) as never, {
        response: { 200: Type.Object({ nested: Nested }) },
      })
      .get(`/${name}/bytes`, () => new Response(new Blob(['0123456789']), { headers: { etag: '"x"' } }))
      .get(`/${name}/throws`, () => {
        throw new TypeError(SECRET)
      })
      .get(`/${name}/coded`, () => {
        throw notFound('nothing', { code: 'VALIDATION' })
      }),
  )

const open = routesPlugin('open', (gateway) =>
  new Elysia({ name: 'open' })
    .use(openCalls(gateway, surfaceOf('open')))
    .get('/open', ({ set }) => {
      set.status = 202
      return { open: true }
    })
    .get('/open/named', ({ set }) => {
      set.status = 'Accepted'
      return { open: true }
    }),
)
const paid = routesPlugin('paid', (gateway) =>
  new Elysia({ name: 'paid' }).use(calls(gateway, surfaceOf('paid'))).post(
    '/paid',
    async ({ origin }) => {
      await gateway.calls.gate.admit(origin)
      return new Response(await origin.request.text(), { headers: { 'x-request-id': origin.request_id } })
    },
    { parse: 'none' },
  ),
)
/** A surface without any of the plugins. */
const bare = routesPlugin('bare', () =>
  new Elysia({ name: 'bare' })
    .get('/bare', () => 'bare')
    .derive(() => ({ origin: 'something else' }))
    .get('/bare/throws', () => {
      throw new TypeError(SECRET)
    }),
)

const gateway = await fileGateway({ plugins: [bare, routesOf('one'), open, routesOf('two'), paid] })
const key = await gateway.caller()

interface Failure {
  kind: string
  message: string
  code?: string
  param?: string
  request_id: string
}
const get = async (path: string, options: CallOptions = { key }) => {
  const response = await gateway.call(path, undefined, options)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const failureIn = (text: string): Failure =>
  Object.values<Failure>(JSON.parse(text))[0] ?? { kind: '', message: '', request_id: '' }
const logged = (request_id: string) => gateway.log.lines().filter((line) => line.request_id === request_id)

describe('the key is checked before anything else of a request', () => {
  test.each(['/one', '/one?count=x', '/one?colour=red', '/one?word=a&word=b', '/one/items/1', '/one/throws'])(
    '%s without a key: 401, in the surface’s shape',
    async (path) => {
      const response = await gateway.call(path)
      const text = await response.text()
      expect([response.status, failureIn(text)]).toMatchObject([401, { kind: 'unauthenticated' }])
      expect(Object.keys(JSON.parse(text))).toEqual(['one'])
      expect(text).not.toMatch(/colour|count|word|letters/)
    },
  )

  test('a suspended account gets 403, even with wrong parameters', async () => {
    const suspended = await gateway.caller()
    gateway.db.run("UPDATE accounts SET status = 'suspended' WHERE id = (SELECT max(id) FROM accounts)")
    expect((await get('/one?count=x', { key: suspended })).status).toBe(403)
  })
})

describe('parameters', () => {
  test('are read by their schema', async () => {
    const { status, text } = await get('/one?count=07&word=%C3%A4+b')
    expect([status, JSON.parse(text)]).toMatchObject([200, { query: { count: 7, word: 'ä b' } }])
  })

  test.each([
    ['/one?count=10', 'count', 'count: must be a whole number from 1 to 9.'],
    ['/one?colour=red', 'colour', 'colour: unknown parameter; allowed: count, word.'],
    ['/one?word=a&word=a', 'word', 'word: is given more than once.'],
    [
      '/one?count=x&colour=red',
      'colour',
      'colour: unknown parameter; allowed: count, word. count: must be a whole number from 1 to 9.',
    ],
    ['/one/items/1', 'id', 'id: must be letters.'],
    ['/one/items/..%2fa', 'id', 'id: must be letters.'],
  ])('%s is refused by name', async (path, param, message) => {
    const { status, text } = await get(path)
    expect([status, failureIn(text)]).toMatchObject([400, { kind: 'invalid_request', param, message }])
  })

  test('a schema may set the code of its refusal', async () => {
    expect(failureIn((await get('/one/items/1')).text).code).toBe('bad_id')
  })
})

describe('a response', () => {
  test('is sent byte for byte as the route returned it, with the request’s id in both headers', async () => {
    const { status, headers, text } = await get('/one/whole')
    expect([status, text]).toEqual([200, JSON.stringify(ANSWER)])
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    expect(headers.get('one-id')).toBe(headers.get('x-request-id'))
  })

  test('returned as a Response object keeps its body, length and headers, and gets the id', async () => {
    const { headers, text } = await get('/one/bytes')
    expect(text).toBe('0123456789')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': '10',
      etag: '"x"',
      'x-request-id': expect.stringMatching(/^req_/),
    })
  })

  test.each(['/open', '/open/named'])('has the status of its route: %s', async (path) => {
    const { status, text } = await get(path, {})
    expect([status, text]).toEqual([202, '{"open":true}'])
  })

  test('that does not fit its schema becomes 500, and the log names the fields, not the values', async () => {
    const { status, text } = await get('/one/unfit')
    expect([status, failureIn(text).kind]).toEqual([500, 'internal'])
    expect(text).not.toContain(SECRET)
    const lines = logged(failureIn(text).request_id)
    expect(lines).toMatchObject([{ level: 'error', status: 500 }])
    expect(JSON.stringify(lines)).toContain('nested.secret: unknown; nested.inner: wrong')
    expect(JSON.stringify(lines)).not.toContain(SECRET)
  })
})

describe('a failure', () => {
  test('inside the gateway is 500 in the surface’s shape, with its message only in the log', async () => {
    const { status, headers, text } = await get('/two/throws')
    expect([status, Object.keys(JSON.parse(text))]).toEqual([500, ['two']])
    expect(text).not.toContain(SECRET)
    const { request_id } = failureIn(text)
    expect([headers.get('x-request-id'), headers.get('two-id')]).toEqual([request_id, request_id])
    expect(JSON.stringify(logged(request_id))).toContain(`TypeError: ${SECRET}`)
  })

  test('with a code that Elysia uses, too, is not handled as one of Elysia', async () => {
    const { status, text } = await get('/one/coded')
    expect([status, failureIn(text)]).toMatchObject([404, { message: 'nothing', code: 'VALIDATION' }])
  })

  test('is logged once, with its request', async () => {
    const { text } = await get('/one?count=0')
    expect(logged(failureIn(text).request_id)).toMatchObject([
      { level: 'info', method: 'GET', path: '/one?count=0', status: 400 },
    ])
  })
})

describe('surfaces are independent', () => {
  test('a surface without plugins needs no key, and fails in the plain shape', async () => {
    expect((await get('/bare', {})).text).toBe('bare')
    const { status, headers, text } = await get('/bare/throws', {})
    expect([status, JSON.parse(text)]).toMatchObject([500, { error: { type: 'internal' } }])
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    expect(text).not.toContain(SECRET)
  })

  test.each(['one', 'two'])('%s has its own shape', async (name) => {
    expect(Object.keys(JSON.parse((await get(`/${name}?count=0`)).text))).toEqual([name])
  })

  test('an unknown path is refused in the plain shape', async () => {
    const { status, text } = await get('/one/nowhere')
    expect([status, JSON.parse(text)]).toMatchObject([404, { error: { code: 'not_found' } }])
  })
})

describe('a paid call', () => {
  test('reads its own body, and has the id of the request', async () => {
    const response = await gateway.call('/paid', '{"', { key })
    expect(await response.text()).toBe('{"')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  })

  test('fails in its surface’s shape', async () => {
    const response = await gateway.call('/paid', '{"')
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([401, ['paid']])
    expect(response.headers.get('paid-id')).toBe(response.headers.get('x-request-id'))
  })
})
