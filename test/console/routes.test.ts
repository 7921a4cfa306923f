// Every route of the console without a session, and with the wrong role: the table is made from the app's own routes.

import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { gatewaySpy } from '../support/plugins.ts'

/** For anybody, to sign in. */
const FOR_VISITORS = ['GET /session', 'POST /session', 'POST /links/look', 'POST /links/accept']

/**
 * For accounts and keys, too; every other route is the operator's. A line more needs tests that an account sees its own
 * things there, and nobody else's.
 */
const FOR_ACCOUNTS = Object.entries({
  DELETE: `
    /session /sessions /sessions/:id /images/:id /files`,
  GET: `
    /session/confirm /sessions /start /first-call /failed-calls /play /images /images.csv /images/:id /images/:id/picture
    /images/:id/thumbnail /files /files.csv /files/picture /files/thumbnail /usage /usage.csv /overview /health
    /live /entry-sums /statement /statement.csv /sessions.csv /calls /calls.csv /call-sums /call-filters
    /calls/:request_id /refusals /refusals/:request_id /keys /keys.csv /keys/:id /entries /entries.csv
    /audit-log /audit-log.csv /history /history.csv /search /models /models.csv /models/detail`,
  PUT: `
    /password`,
  POST: `
    /play/key /play/quote /play/chat /play/images /play/edits /play/compose /files /keys
    /keys/:id/rotate /keys/:id/revoke /session/confirm`,
  PATCH: `
    /keys/:id`,
}).flatMap(([method, paths]) =>
  paths
    .trim()
    .split(/\s+/)
    .map((path) => `${method} ${path}`),
)

const PREFIX = '/console/api'
const spy = gatewaySpy()

const gateway = await fileGateway({ plugins: [...plugins, spy.plugin] })
const loaded = await Promise.all(spy.gateway().operations.console_routes.map((load) => load()))
await gateway.account('alice', { balance_usd: '1' })

/** All of them, by name, with a path that each matches. */
function routes(): { name: string; method: string; path: string }[] {
  return loaded
    .flatMap((each) => each?.routes ?? [])
    .map(({ method, path }) => {
      const below = path.slice(PREFIX.length)
      return {
        name: `${method} ${below}`,
        method,
        path: below.replace(/:[a-z_]+\??/gi, '1').replace('*', '1'),
      }
    })
}

const BODIES = ['{}', '{"', 'x'.repeat(100_000)]
const withoutBody = (method: string) => method === 'GET' || method === 'HEAD'
const bodiesOf = (method: string) => (withoutBody(method) ? [undefined] : BODIES)

test('the lists name routes that exist', () => {
  const names = routes().map(({ name }) => name)
  expect([...FOR_VISITORS, ...FOR_ACCOUNTS].filter((name) => !names.includes(name))).toEqual([])
})

describe('without a session', () => {
  test('every route but those to sign in is 401, before anything of the body is looked at', async () => {
    const closed = routes().filter(({ name }) => !FOR_VISITORS.includes(name))
    expect(closed.length).toBeGreaterThan(4)
    for (const client of [clientOf(gateway), clientOf(gateway, `__Host-tollgate=${'x'.repeat(43)}`)])
      for (const { name, method, path } of closed)
        for (const body of bodiesOf(method)) {
          const answer = await client.send(method, path, body === undefined ? {} : { body })
          expect([name, answer.status]).toEqual([name, 401])
          expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
          expect(await answer.json()).toMatchObject({ error: { code: 'session_required' } })
        }
  })
})

describe('with a session of an account or a key', () => {
  test('every route that is not theirs is 403, before anything of the body is looked at', async () => {
    const operators = routes().filter(({ name }) => ![...FOR_VISITORS, ...FOR_ACCOUNTS].includes(name))
    expect(operators.length).toBeGreaterThan(0)
    const key = await gateway.key('alice')
    for (const client of [await signedIn(gateway, { account: 'alice' }), await signedIn(gateway, { key })])
      for (const { name, method, path } of operators)
        for (const body of bodiesOf(method)) {
          const answer = await client.send(method, path, body === undefined ? {} : { body })
          expect([name, answer.status]).toEqual([name, 403])
        }
  })
})

describe('from a page of another origin', () => {
  test('every route that changes something is 403, for the operator too', async () => {
    const unsafe = routes().filter(({ method }) => !withoutBody(method))
    for (const origin of [null, 'null', 'https://evil.example', 'http://127.0.0.1:1']) {
      const client = await signedIn(gateway, 'operator')
      for (const { name, method, path } of unsafe) {
        const answer = await client.send(method, path, { origin, body: '{}' })
        const sets_cookie = answer.headers.has('set-cookie')
        expect([name, origin, answer.status, sets_cookie]).toEqual([name, origin, 403, false])
      }
      expect((await client.send('GET', '/sessions')).status).toBe(200)
    }
  })
})

test('no answer of a route is kept by a browser or a proxy, shown in a frame, or used by another site', async () => {
  const [operator, nobody] = [await signedIn(gateway, 'operator'), clientOf(gateway)]
  const all = [...routes(), { method: 'GET', path: '/nothing' }, { method: 'OPTIONS', path: '/session' }]
  for (const { method, path } of all)
    for (const client of method === 'GET' ? [operator, nobody] : [nobody]) {
      const answer = await client.send(method, path)
      await answer.body?.cancel()
      expect([path, Object.fromEntries(answer.headers)]).toEqual([
        path,
        expect.objectContaining({
          'cache-control': expect.stringMatching(/no-store|private/),
          'content-security-policy': expect.stringContaining("default-src 'none'"),
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        }),
      ])
    }
})

test('the pages of an account ask so often in a minute, whatever sessions it has; the operator’s as often as they like', async () => {
  const bob = await gateway.account('bob', { balance_usd: '1' })
  const key = await gateway.key('bob')
  const clients = [await signedIn(gateway, { account: 'bob' }), await signedIn(gateway, { key })]
  for (let call = 0; call < 1_199; call++)
    expect(spy.gateway().people.page_calls.take(bob.id, 1_200).admitted).toBe(true)
  expect((await clients[0]?.send('GET', '/sessions'))?.status).toBe(200)
  for (const client of clients) {
    const refused = await client.send('GET', '/sessions')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await (await signedIn(gateway, { account: 'alice' })).send('GET', '/sessions')).status).toBe(200)
  expect((await (await signedIn(gateway, 'operator')).send('GET', '/sessions')).status).toBe(200)
})

test('exports have an allowance of their own: no page is refused for them, and none for pages', async () => {
  await gateway.account('carol', { balance_usd: '1' })
  const carol = await signedIn(gateway, { account: 'carol' })
  for (let file = 0; file < 12; file++) expect((await carol.send('GET', '/keys.csv')).status).toBe(200)
  const refused = await carol.send('GET', '/calls.csv')
  expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([
    429,
    expect.stringMatching(/^This account has exported 12 lists within a minute\. Try again in \d+ seconds\./),
  ])
  expect((await carol.send('GET', '/sessions')).status).toBe(200)
  const operator = await signedIn(gateway, 'operator')
  for (let file = 0; file < 13; file++) expect((await operator.send('GET', '/keys.csv')).status).toBe(200)
})

test('nothing of all this moved money or left a call', async () => {
  const { holds, calls, entries } = await gateway.atRest()
  expect([holds, calls, entries.length]).toEqual([[], [], 3])
})
