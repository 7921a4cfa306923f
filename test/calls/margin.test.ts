// Provider costs and margins of real calls: recorded to the nano-dollar, visible to the operator alone; routes that lose money.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import {
  answer,
  answering,
  ask,
  nativeError,
  piece,
  streamPath,
  usage,
  wholePath,
} from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { RESET, stream, whole } from '../support/upstream.ts'

const IMAGE_MODEL = 'test-drawing'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let clock_ms = Date.now()
const { gateway, upstream, call, lastCall, key } = await fileScene({ now: () => clock_ms })
afterAll(() => gateway.stop())
beforeEach(() => {
  upstream.answer(answering)
  // A route that loses money is logged once a minute.
  clock_ms += 120_000
})

interface Routes {
  /** Costs of the first and the second route; undefined for a route without one. */
  costs: readonly (string | undefined)[]
  refuse?: boolean
}

const cost = (text: string | undefined) => (text === undefined ? '' : `, cost = ${text}`)
const routes = (costs: Routes['costs']) =>
  costs
    .map((text, at) => `{ provider = "p${at + 1}", model = "up-${at + 1}", order = ${at}${cost(text)} }`)
    .join(', ')

const catalogue = ({ costs, refuse = false }: Routes) => `
[server]
[limits]
refuse_negative_margin = ${refuse}
${costs.map((_, at) => providerSection(`p${at + 1}`, 'gemini', upstream.url, 'cooldown_ms = 0')).join('')}
[[models]]
id = "${MODEL}"
kind = "text"
max_output_tokens = 8192
price = { input = 1, output = 4 }
routes = [${routes(costs)}]
[[models]]
id = "${IMAGE_MODEL}"
kind = "image"
max_n_per_request = 4
price = { per_image = 0.04 }
routes = [${routes(costs.map((text) => (text === undefined ? undefined : '{ per_image = 0.03, variants = [{ size = "512x512", per_image = 0.05 }] }')))}]
`
const CHEAP = '{ input = 0.5, output = 1 }'
const EXPENSIVE = '{ input = 1, output = 5 }'

const setRoutes = (options: Routes) => gateway.recatalogue(catalogue(options))
const paths = () => upstream.requests.map(({ path }) => path)

describe('the recorded provider cost', () => {
  const LONG = { cachedContentTokenCount: 4, thoughtsTokenCount: 3 }
  test.each([
    ['a whole answer', wholePath(), 10 * 500 + 5 * 1_000],
    ['a stream', streamPath(), 10 * 500 + 5 * 1_000],
  ])('%s: is at the rates of the provider', async (_row, path, nanos) => {
    await setRoutes({ costs: [CHEAP] })
    await (await call(path, ask())).text()
    expect(await lastCall()).toMatchObject({ provider_cost_nanos: nanos, cost_nanos: 30_000 })
  })

  test('counts every kind of tokens at its own rate', async () => {
    await setRoutes({ costs: ['{ input = 0.5, output = 1, cache_read = 0.1, thinking = 2 }'] })
    upstream.answer(whole(answer('Hi.', usage(10, 5, LONG))))
    await (await call(wholePath(), ask())).text()
    expect((await lastCall()).provider_cost_nanos).toBe(6 * 500 + 4 * 100 + 5 * 1_000 + 3 * 2_000)
  })

  test('is unknown, not 0, for a route without a cost', async () => {
    await setRoutes({ costs: [undefined] })
    await (await call(wholePath(), ask())).text()
    expect((await lastCall()).provider_cost_nanos).toBeNull()
  })

  test('is that of the route that answered, not of the first one', async () => {
    await setRoutes({ costs: [CHEAP, '{ input = 2, output = 3 }'] })
    upstream.answer((seen) => (seen.path.includes('up-1') ? RESET : whole(answer())))
    await (await call(wholePath(), ask())).text()
    expect(await lastCall()).toMatchObject({ provider: 'p2', provider_cost_nanos: 10 * 2_000 + 5 * 3_000 })
  })

  test('is unknown when nothing was delivered', async () => {
    await setRoutes({ costs: [CHEAP] })
    upstream.answer(RESET)
    expect((await call(wholePath(), ask())).status).toBe(502)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0, provider_cost_nanos: null })
  })

  test('covers the charged tokens when the caller disconnects', async () => {
    await setRoutes({ costs: [CHEAP] })
    const delivered = Promise.withResolvers<void>()
    upstream.answer(
      stream(
        { event: piece('Once', { usageMetadata: usage(10, 2) }) },
        'read',
        { tell: delivered.resolve },
        'hang',
      ),
    )
    const leaving = new AbortController()
    const response = await call(streamPath(), ask(), { signal: leaving.signal })
    await response.body?.getReader().read()
    await delivered.promise
    leaving.abort()
    const { cost_nanos, output_tokens, input_tokens, provider_cost_nanos } = await lastCall()
    expect(cost_nanos).toBe(input_tokens * 1_000 + output_tokens * 4_000)
    expect(provider_cost_nanos).toBe(input_tokens * 500 + output_tokens * 1_000)
  })

  test('depends on the requested size of images', async () => {
    await setRoutes({ costs: [CHEAP] })
    const image = {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] } }],
    }
    upstream.answer(whole(image))
    const response = await call('/v1/images/generations', {
      model: IMAGE_MODEL,
      prompt: 'A fox',
      n: 2,
      size: '512x512',
    })
    expect([response.status, await response.text()]).toMatchObject([200, expect.any(String)])
    expect(await lastCall()).toMatchObject({
      images: 2,
      cost_nanos: 80_000_000,
      provider_cost_nanos: 100_000_000,
    })
  })
})

describe('routes that cost more than a call brings', () => {
  test('are used, and logged once a minute, unless the operator refuses them', async () => {
    await setRoutes({ costs: [EXPENSIVE] })
    const before = gateway.log.lines().length
    for (let at = 0; at < 3; at++) expect((await call(wholePath(), ask())).status).toBe(200)
    const lines = () =>
      gateway.log
        .lines()
        .slice(before)
        .filter(({ message }) => message.startsWith('a route costs more'))
    expect(lines()).toMatchObject([{ model: MODEL, provider: 'p1', passed_over: false }])
    clock_ms += 61_000
    await (await call(wholePath(), ask())).text()
    expect(lines()).toHaveLength(2)
    expect(await lastCall()).toMatchObject({ cost_nanos: 30_000, provider_cost_nanos: 35_000 })
  })

  test.each([
    ['whole', wholePath()],
    ['streamed', streamPath()],
  ])('are passed over for another route: %s', async (_row, path) => {
    await setRoutes({ costs: [EXPENSIVE, CHEAP], refuse: true })
    upstream.requests.length = 0
    await (await call(path, ask())).text()
    expect(await lastCall()).toMatchObject({ provider: 'p2', provider_cost_nanos: 10_000 })
    expect(paths().every((seen) => seen.includes('up-2'))).toBe(true)
  })

  test('are passed over for a route without a cost', async () => {
    await setRoutes({ costs: [EXPENSIVE, undefined], refuse: true })
    await (await call(wholePath(), ask())).text()
    expect(await lastCall()).toMatchObject({ provider: 'p2', provider_cost_nanos: null })
  })

  test.each([
    ['whole', wholePath(), ask()],
    ['streamed', streamPath(), ask()],
    ['an image', '/v1/images/generations', { model: IMAGE_MODEL, prompt: 'A fox', size: '512x512' }],
  ])('as the only routes: 404 model_unavailable, without a hold or request: %s', async (_row, path, body) => {
    await setRoutes({ costs: [EXPENSIVE], refuse: true })
    const before = gateway.rows()
    upstream.requests.length = 0
    const response = await call(path, body)
    const words = await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([404, null])
    expect(words).toMatch(/no route that may serve it/)
    expect(words).not.toMatch(/cost|price|margin|p1|up-1/i)
    expect(gateway.rows()).toEqual(before)
    expect(upstream.requests).toEqual([])
  })

  test('are refused in the shape of the protocol', async () => {
    await setRoutes({ costs: [EXPENSIVE], refuse: true })
    expect(await (await call(wholePath(), ask())).json()).toEqual(nativeError(404, 'NOT_FOUND'))
  })

  test('are found by the cost of requested extras, too', async () => {
    const search = (usd: string) => `{ google_search = { per_unit = ${usd}, max_units = 3 } }`
    const priced = catalogue({
      costs: [`{ input = 1, output = 4, extras = ${search('0.05')} }`],
      refuse: true,
    })
    await gateway.recatalogue(
      priced.replace(
        'price = { input = 1, output = 4 }',
        `price = { input = 1, output = 4, extras = ${search('0.01')} }`,
      ),
    )
    expect((await call(wholePath(), ask())).status).toBe(200)
    const searching = ask('Who won?', { tools: [{ googleSearch: {} }] })
    expect((await call(wholePath(), searching)).status).toBe(404)
  })

  test('do not include a route whose cost equals the price', async () => {
    await setRoutes({ costs: ['{ input = 1, output = 4 }'], refuse: true })
    expect((await call(wholePath(), ask())).status).toBe(200)
  })
})

describe('provider costs', () => {
  const HIDDEN =
    /provider_cost_(nanos|usd)":(?!null)|margin_(nanos|usd)":(?!null)|known_revenue_(nanos|usd)":(?!null)/

  test('are visible to the operator in a call, the list of calls, the overview, and the check of a catalogue', async () => {
    await setRoutes({ costs: [CHEAP] })
    await (await call(wholePath(), ask())).text()
    const { request_id } = await lastCall()
    const operator = await signedIn(gateway, 'operator', clock_ms)
    const costs = { provider_cost_nanos: 10_000, margin_nanos: 20_000, margin_usd: '0.00002' }
    expect(await operator.json('GET', `/calls/${request_id}`)).toMatchObject(costs)
    expect((await operator.json('GET', '/calls?limit=1')).calls).toMatchObject([costs])
    const { models } = await operator.json('GET', '/models')
    const of_model = models.find(({ id }: { id: string }) => id === MODEL)
    expect(of_model.routes).toEqual([
      expect.objectContaining({
        provider: 'p1',
        cost: expect.arrayContaining([
          { name: 'input', of: '', per: 'million tokens', price_nanos: 500_000_000, price_usd: '0.50' },
        ]),
      }),
    ])
    const { totals } = await operator.json('GET', '/overview?range=30')
    const { calls } = gateway.rows()
    const known = calls.filter(({ provider_cost_nanos }) => provider_cost_nanos !== null)
    const sum = (field: 'cost_nanos' | 'provider_cost_nanos') =>
      known.reduce((total, each) => total + (each[field] ?? 0), 0)
    expect(totals).toMatchObject({
      known_revenue_nanos: sum('cost_nanos'),
      provider_cost_nanos: sum('provider_cost_nanos'),
      margin_nanos: sum('cost_nanos') - sum('provider_cost_nanos'),
    })
    const draft = { edits: [{ op: 'set', path: ['models', 0, 'price', 'input'], value: '0.25' }] }
    const { changes } = await operator.json('POST', '/catalogue/check', draft)
    expect(changes[0].margins).toMatchObject([
      {
        provider: 'p1',
        model: 'up-1',
        lines: expect.arrayContaining([
          expect.objectContaining({ name: 'input', price_usd: '0.25', cost_usd: '0.50' }),
        ]),
      },
    ])
  })

  test('are hidden from accounts and keys everywhere', async () => {
    await setRoutes({ costs: [CHEAP] })
    await (await call(wholePath(), ask())).text()
    const { request_id, account_id } = await lastCall()
    const { name } = gateway.rows().accounts.find(({ id }) => id === account_id) ?? { name: '' }
    for (const who of [{ account: name }, { key }]) {
      const viewer = await signedIn(gateway, who, clock_ms)
      for (const path of [`/calls/${request_id}`, '/calls', '/overview?range=30', '/usage', '/models']) {
        const response = await viewer.send('GET', path)
        expect([path, response.status]).toEqual([path, 200])
        expect(await response.text()).not.toMatch(HIDDEN)
      }
    }
    for (const path of [
      '/api/v1/usage',
      '/api/v1/usage?sums=day',
      '/api/v1/entries',
      '/api/v1/account',
      '/v1/models',
    ]) {
      const response = await gateway.call(path, undefined, { key })
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).not.toMatch(/provider_cost|margin|known_revenue|"cost":\{/)
    }
  })
})
