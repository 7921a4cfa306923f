// Provider costs and margins of real calls: recorded to the nano-dollar, shown to the operator alone; routes that lose money.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
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
import { events, RESET, stream, whole } from '../support/upstream.ts'

const DRAWING = 'test-drawing'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let clock_ms = Date.now()
const { gateway, upstream, call, lastCall, key } = await fileScene({ now: () => clock_ms })
afterAll(() => gateway.stop())
beforeEach(() => {
  upstream.answer(answering)
  // A route that lost money is told of once a minute.
  clock_ms += 120_000
})

interface Routes {
  /** Of the first and the second route; absent where they have none. */
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
id = "${DRAWING}"
kind = "image"
max_n_per_request = 4
price = { per_image = 0.04 }
routes = [${routes(costs.map((text) => (text === undefined ? undefined : '{ per_image = 0.03, variants = [{ size = "512x512", per_image = 0.05 }] }')))}]
`
const CHEAP = '{ input = 0.5, output = 1 }'
const DEAR = '{ input = 1, output = 5 }'

const set = (given: Routes) => gateway.recatalogue(catalogue(given))
const paths = () => upstream.seen.map(({ path }) => path)

describe('what a call records', () => {
  const LONG = { cachedContentTokenCount: 4, thoughtsTokenCount: 3 }
  test.each([
    ['a whole answer', wholePath(), 10 * 500 + 5 * 1_000],
    ['a stream', streamPath(), 10 * 500 + 5 * 1_000],
  ])('%s: what its provider takes', async (_row, path, nanos) => {
    await set({ costs: [CHEAP] })
    await (await call(path, ask())).text()
    expect(await lastCall()).toMatchObject({ provider_cost_nanos: nanos, cost_nanos: 30_000 })
  })

  test('every kind of tokens at its own rate', async () => {
    await set({ costs: ['{ input = 0.5, output = 1, cache_read = 0.1, thinking = 2 }'] })
    upstream.answer(whole(answer('Hi.', usage(10, 5, LONG))))
    await (await call(wholePath(), ask())).text()
    expect((await lastCall()).provider_cost_nanos).toBe(6 * 500 + 4 * 100 + 5 * 1_000 + 3 * 2_000)
  })

  test('a route without a cost: not known, which is not 0', async () => {
    await set({ costs: [undefined] })
    await (await call(wholePath(), ask())).text()
    expect((await lastCall()).provider_cost_nanos).toBeNull()
  })

  test('the route that answered counts, not the first one', async () => {
    await set({ costs: [CHEAP, '{ input = 2, output = 3 }'] })
    upstream.answer((seen) => (seen.path.includes('up-1') ? RESET : whole(answer())))
    await (await call(wholePath(), ask())).text()
    expect(await lastCall()).toMatchObject({ provider: 'p2', provider_cost_nanos: 10 * 2_000 + 5 * 3_000 })
  })

  test('nothing was delivered: not known', async () => {
    await set({ costs: [CHEAP] })
    upstream.answer(RESET)
    expect((await call(wholePath(), ask())).status).toBe(502)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0, provider_cost_nanos: null })
  })

  test('left by its caller: of what was charged', async () => {
    await set({ costs: [CHEAP] })
    const come = Promise.withResolvers<void>()
    upstream.answer(
      stream(
        { event: piece('Once', { usageMetadata: usage(10, 2) }) },
        'read',
        { tell: come.resolve },
        'hang',
      ),
    )
    const leaving = new AbortController()
    const response = await call(streamPath(), ask(), { signal: leaving.signal })
    await response.body?.getReader().read()
    await come.promise
    leaving.abort()
    const { cost_nanos, output_tokens, input_tokens, provider_cost_nanos } = await lastCall()
    expect(cost_nanos).toBe(input_tokens * 1_000 + output_tokens * 4_000)
    expect(provider_cost_nanos).toBe(input_tokens * 500 + output_tokens * 1_000)
  })

  test('images, by the size that was asked for', async () => {
    await set({ costs: [CHEAP] })
    const image = {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] } }],
    }
    upstream.answer(whole(image))
    const drawn = await call('/v1/images/generations', {
      model: DRAWING,
      prompt: 'A fox',
      n: 2,
      size: '512x512',
    })
    expect([drawn.status, await drawn.text()]).toMatchObject([200, expect.any(String)])
    expect(await lastCall()).toMatchObject({
      images: 2,
      cost_nanos: 80_000_000,
      provider_cost_nanos: 100_000_000,
    })
  })
})

describe('routes that cost more than a call brings', () => {
  test('are taken, and logged once a minute, where that is not refused', async () => {
    await set({ costs: [DEAR] })
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
  ])('are passed over where another one is left: %s', async (_row, path) => {
    await set({ costs: [DEAR, CHEAP], refuse: true })
    upstream.seen.length = 0
    await (await call(path, ask())).text()
    expect(await lastCall()).toMatchObject({ provider: 'p2', provider_cost_nanos: 10_000 })
    expect(paths().every((seen) => seen.includes('up-2'))).toBe(true)
  })

  test('are passed over for a route whose cost nobody said', async () => {
    await set({ costs: [DEAR, undefined], refuse: true })
    await (await call(wholePath(), ask())).text()
    expect(await lastCall()).toMatchObject({ provider: 'p2', provider_cost_nanos: null })
  })

  test.each([
    ['whole', wholePath(), ask()],
    ['streamed', streamPath(), ask()],
    ['an image', '/v1/images/generations', { model: DRAWING, prompt: 'A fox', size: '512x512' }],
  ])('none is left: 404 model_unavailable, nothing is held or asked: %s', async (_row, path, body) => {
    await set({ costs: [DEAR], refuse: true })
    const before = gateway.rows()
    upstream.seen.length = 0
    const response = await call(path, body)
    const words = await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([404, null])
    expect(words).toMatch(/no route that may serve it/)
    expect(words).not.toMatch(/cost|price|margin|p1|up-1/i)
    expect(gateway.rows()).toEqual(before)
    expect(upstream.seen).toEqual([])
  })

  test('the refusal has the shape of the protocol', async () => {
    await set({ costs: [DEAR], refuse: true })
    expect(await (await call(wholePath(), ask())).json()).toEqual(nativeError(404, 'NOT_FOUND'))
  })

  test('what a request asks for beyond tokens counts at its own cost', async () => {
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

  test('a cost that is no more than the price is none of them', async () => {
    await set({ costs: ['{ input = 1, output = 4 }'], refuse: true })
    expect((await call(wholePath(), ask())).status).toBe(200)
  })
})

describe('who sees it', () => {
  const HIDDEN =
    /provider_cost_(nanos|usd)":(?!null)|margin_(nanos|usd)":(?!null)|known_revenue_(nanos|usd)":(?!null)/

  test('the operator: in a call, in the list of calls, in the overview, and in what would change', async () => {
    await set({ costs: [CHEAP] })
    await (await call(wholePath(), ask())).text()
    const { request_id } = await lastCall()
    const operator = await signedIn(gateway, 'operator', clock_ms)
    const shown = { provider_cost_nanos: 10_000, margin_nanos: 20_000, margin_usd: '0.00002' }
    expect(await operator.json('GET', `/calls/${request_id}`)).toMatchObject(shown)
    expect((await operator.json('GET', '/calls?limit=1')).calls).toMatchObject([shown])
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

  test('an account and a key: nowhere', async () => {
    await set({ costs: [CHEAP] })
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

test('the sums are those of the calls, and the audit says so where they are not', async () => {
  await set({ costs: [CHEAP, undefined] })
  upstream.answer((_seen, index) => (index % 3 === 0 ? RESET : events([answer()])))
  await Promise.all(Array.from({ length: 12 }, async () => (await call(streamPath(), ask())).text()))
  await eventually('all are settled', () => gateway.rows().holds.every(({ state }) => state !== 'pending'))
  await gateway.rest()
  const found = gateway.db
    .query<{ kept: number; revenue: number }, []>(
      'SELECT sum(provider_cost_nanos) AS kept, sum(known_revenue_nanos) AS revenue FROM call_sums WHERE span_s = 86400',
    )
    .get()
  const { calls } = gateway.rows()
  const known = calls.filter(({ provider_cost_nanos }) => provider_cost_nanos !== null)
  expect(found).toEqual({
    kept: known.reduce((sum, { provider_cost_nanos }) => sum + (provider_cost_nanos ?? 0), 0),
    revenue: known.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0),
  })
})
