// Access to the metrics: with the token at the gateway's own address, without one on this machine alone, for nobody if they are off.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { health } from '../../plugins/health/routes.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { readExposition, totalOf } from '../support/exposition.ts'
import { freePort } from '../support/free-port.ts'
import { startTestGateway } from '../support/gateway.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { routesPlugin } from '../support/plugins.ts'
import { type Scene, scene } from '../support/scene.ts'

const TOKEN = 'the-token-of-the-metrics'
const OTHER = 'the-token-of-another-one'
const withToken = (token: string) => `[metrics]\ntoken = "${token}"\n`

async function callOnce({ call, upstream, gateway }: Scene): Promise<void> {
  upstream.answer(answering)
  await (await call(wholePath(), ask())).text()
  await gateway.rest()
}

const metricsOf = ({ gateway }: Scene, key: string) => gateway.call('/metrics', undefined, { key })

const callsCounted = async (response: Response): Promise<number> =>
  totalOf(readExposition(await response.text()), 'tollgate_calls_total')

describe('metrics that are off, as by default', () => {
  let off: Scene
  beforeAll(async () => {
    off = await scene()
  })
  afterAll(() => off[Symbol.asyncDispose]())

  test.each([
    ['GET', undefined],
    ['GET', TOKEN],
    ['POST', undefined],
  ])('%s with %p is answered as any unknown path', async (method, token) => {
    const options = { method, headers: token ? { authorization: `Bearer ${token}` } : {} }
    const answers = await Promise.all(
      ['/metrics', '/unknown'].map((path) => off.gateway.call(path, undefined, options)),
    )
    const [metrics, unknown] = await Promise.all(
      answers.map(async (answer) => ({ status: answer.status, body: await answer.json() })),
    )
    expect(metrics).toEqual(unknown as typeof metrics)
    expect(metrics?.status).toBe(404)
  })

  test('nothing listens to settled calls', async () => {
    let listeners = 0
    await using own = await scene({
      plugins: [
        routesPlugin('listening', (gateway) => {
          const { events } = gateway.calls
          const { on } = events
          events.on = (...listening) => {
            listeners++
            return on(...listening)
          }
          return health(gateway)
        }),
      ],
    })
    expect((await own.gateway.call('/healthz')).status).toBe(200)
    expect(listeners).toBe(0)
  })
})

describe('with a token', () => {
  let on: Scene
  beforeAll(async () => {
    on = await scene({ more: withToken(TOKEN) })
  })
  afterAll(() => on[Symbol.asyncDispose]())

  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another token', { authorization: `Bearer ${OTHER}` }],
    ['a part of it', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['more than it', { authorization: `Bearer ${TOKEN}x` }],
    ['two tokens', { authorization: `Bearer ${OTHER} ${TOKEN}` }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['the token in x-api-key', { 'x-api-key': TOKEN }],
  ])('%s is 401 and reveals nothing', async (_, headers) => {
    const answer = await on.gateway.call('/metrics', undefined, { headers })
    const body = await answer.text()
    expect(answer.status).toBe(401)
    expect(body).toContain('Authorization: Bearer')
    expect(body).not.toContain('tollgate_')
    expect(body).not.toContain(TOKEN)
  })

  test('a key of an account, and the token in the query, are 401', async () => {
    expect((await on.call('/metrics')).status).toBe(401)
    expect((await on.gateway.call('/metrics', undefined, { key: TOKEN, form: 'query' })).status).toBe(401)
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s is no endpoint', async (method) => {
    expect((await on.gateway.call('/metrics', undefined, { method, key: TOKEN })).status).toBe(404)
  })

  test('a request with the token gets the text format, with the calls since the start', async () => {
    await using on = await scene({ more: withToken(TOKEN) })
    await callOnce(on)
    const answer = await metricsOf(on, TOKEN)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(await callsCounted(answer)).toBe(1)
    expect(on.gateway.log.text()).not.toContain(TOKEN)
  })

  test('a changed token applies at once; a removed one ends the metrics', async () => {
    await using on = await scene({ more: withToken(TOKEN) })
    await callOnce(on)
    await on.recatalogue({ more: withToken(OTHER) })
    expect((await metricsOf(on, TOKEN)).status).toBe(401)
    expect(await callsCounted(await metricsOf(on, OTHER))).toBe(1)
    await on.recatalogue()
    expect((await metricsOf(on, OTHER)).status).toBe(404)
  })

  test('a token set while the gateway runs begins the counts with its first reading', async () => {
    await using on = await scene()
    await callOnce(on)
    await on.recatalogue({ more: withToken(TOKEN) })
    expect(await callsCounted(await metricsOf(on, TOKEN))).toBe(0)
    await callOnce(on)
    expect(await callsCounted(await metricsOf(on, TOKEN))).toBe(1)
  })
})

describe('on an address of this machine', () => {
  const listening = async () => {
    const port = freePort()
    const on = await scene({ more: `[metrics]\nlisten = "127.0.0.1:${port}"\n` })
    return { on, port, url: `http://127.0.0.1:${port}` }
  }

  test('a GET at a local name needs no token; other requests are refused, and the main address has no metrics', async () => {
    const { on, url } = await listening()
    await using _ = on
    await callOnce(on)
    expect(await callsCounted(await fetch(`${url}/metrics`))).toBe(1)
    expect((await on.gateway.call('/metrics')).status).toBe(404)
    for (const [path, init, status] of [
      ['/', {}, 404],
      ['/healthz', {}, 404],
      ['/v1/models', {}, 404],
      ['/metrics', { method: 'POST' }, 405],
      ['/metrics', { headers: { host: 'evil.example' } }, 403],
      ['/metrics', { headers: { host: 'evil.example:9464' } }, 403],
      ['/metrics', { headers: { host: 'localhost' } }, 200],
    ] as const)
      expect([path, init, (await fetch(url + path, init)).status]).toEqual([path, init, status])
  })

  test('the address is closed when the gateway stops', async () => {
    const { on, url } = await listening()
    await on[Symbol.asyncDispose]()
    await expect(fetch(`${url}/metrics`)).rejects.toThrow()
  })

  test('an address in use refuses the start, and the error says what to do', async () => {
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const more = `[metrics]\nlisten = "127.0.0.1:${taken.port}"\n`
    await expect(
      startTestGateway({ catalogue: catalogueOf({ upstream_url: 'simulator', more }) }),
    ).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${taken.port}: another program listens there already. Choose another address for the metrics with listen in [metrics] of tollgate.toml, or take it out.`,
    )
  })

  test('a change waits for a restart', async () => {
    const { on } = await listening()
    await using _ = on
    await on.recatalogue()
    const reloaded = on.gateway.log.lines().find(({ message }) => message === 'catalogue reloaded')
    expect(reloaded?.waiting_for_restart).toEqual(['metrics.listen'])
  })
})
