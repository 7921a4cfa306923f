// The public pages: models, prices and the status for everybody, without providers, costs, keys and hidden models.
import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { PricingView } from '../../plugins/site/public/views.ts'
import { StatusView } from '../../plugins/site/status/views.ts'
import { faultsIn } from '../../src/domain/validation.ts'
import { signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'

const MODELS = `
[[providers]]
name = "secret-provider"
protocol = "openai"
base_url = "simulator"
api_keys = ["provider-secret-one"]

[[models]]
id = "plain"
display_name = "Plain <script>alert(1)</script> & \\"co\\""
kind = "text"
context = 200_000
routes = [{ provider = "secret-provider", model = "upstream-name", cost = { input = 0.01, output = 0.02 } }]
price = { input = 0.3, output = 2.5, cache_read = 0.0375 }

[[models]]
id = "rtl"
display_name = "שלום"
kind = "text"
routes = [{ provider = "secret-provider", model = "upstream-name" }]
price = { input = 1, output = 2, tiers = [{ above = 100_000, input = 3, output = 4 }] }

[[models]]
id = "draws"
kind = "image"
routes = [{ provider = "secret-provider", model = "upstream-name" }]
price = { per_image = 0.04 }

[[models]]
id = "internal-test"
kind = "text"
routes = [{ provider = "secret-provider", model = "upstream-name" }]
price = { input = 1, output = 2 }

[[models]]
id = "gone"
kind = "text"
retired = true
routes = [{ provider = "secret-provider", model = "upstream-name" }]
price = { input = 1, output = 2 }
`
const SITE = '[site]\nenabled = true\nhidden_models = ["internal-*"]\n[brand]\nname = "Acme <i>AI</i>"\n'
const PATHS = ['/', '/pricing', '/status', '/pricing.json', '/status.json', '/robots.txt'] as const

const now_ms = Date.parse('2026-11-29T12:00:00Z')
const gateway = await fileGateway({ catalogue: SITE + MODELS, now: () => now_ms })
const off = await fileGateway({ catalogue: MODELS })
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(path, gateway.url), {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    decompress: false,
    redirect: 'manual',
  })
const textOf = async (path: string) => await (await get(path)).text()

// Before the first request, because past days are read once.
const DAY_S = 86_400
const today_s = Math.floor(now_ms / 1_000 / DAY_S) * DAY_S
const add = (model: string, days_ago: number, answered: number, failed: number) =>
  gateway.store.write((db) =>
    db.rows(
      `INSERT INTO model_days VALUES (${today_s - days_ago * DAY_S}, '${model}', ${answered}, ${failed})`,
    ),
  )

await add('plain', 2, 9_999, 1)
await add('plain', 3, 970, 30)
await add('plain', 4, 19, 0)
await add('plain', 89, 500, 500)
await add('internal-test', 2, 1, 99)

describe('a gateway without public pages', () => {
  test.each([...PATHS.filter((path) => path !== '/'), '/brand/site.css', '/brand/site.js'])(
    '%s is not found',
    async (path) => {
      const answer = await fetch(new URL(path, off.url), { headers: { accept: 'text/html' } })
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { error: expect.objectContaining({ message: expect.stringContaining('No such endpoint') }) },
      ])
    },
  )

  test('/ redirects browsers to the console', async () => {
    const answer = await fetch(off.url, { headers: { accept: 'text/html' }, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console'])
    expect((await fetch(off.url)).status).toBe(404)
  })
})

describe('each page', () => {
  test.each(PATHS)('%s is public, cached for seconds, and not sent twice; without a cookie', async (path) => {
    const answer = await get(path)
    const { headers } = answer
    expect(answer.status).toBe(200)
    expect(headers.get('cache-control')).toMatch(/^public, max-age=(5|10)$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.has('set-cookie')).toBe(false)
    const again = await get(path, { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const packed = await get(path, { 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await packed.bytes()).toString()).toBe(await answer.text())
    const head = await get(path, {}, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each(['/', '/pricing', '/status'])('%s has nothing inline and a strict policy', async (path) => {
    const answer = await get(path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const page = await answer.text()
    expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son[a-z]+=|\sstyle=|https?:\/\/(?!…)/)
    expect(page).toContain('Acme &lt;i&gt;AI&lt;/i&gt;')
    expect(page).not.toContain('Tollgate')
  })

  test.each(PATHS)('%s names no provider, cost, key, hidden or retired model', async (path) => {
    expect(await textOf(path)).not.toMatch(
      /secret-provider|upstream-name|provider-secret|internal-test|gone|0\.01\b/,
    )
  })

  test.each(['POST', 'PUT', 'DELETE'])('%s is refused', async (method) => {
    for (const path of PATHS) expect((await get(path, {}, method)).status).toBe(404)
  })

  test('names with HTML are text, and the direction of a name stays within it', async () => {
    const page = await textOf('/pricing')
    expect(page).toContain('<bdi>Plain &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;co&quot;</bdi>')
    expect(page).toContain('<bdi>שלום</bdi>')
    expect(page).not.toContain('<script>alert')
  })
})

describe('prices', () => {
  interface Priced {
    models: {
      id: string
      price: { name: string; of: string; per: string; price_nanos: number; price_usd: string }[]
    }[]
  }
  test('are those of the catalogue, line by line', async () => {
    const operator = await signedIn(off, 'operator')
    const console_models = (await operator.json('GET', '/models')) as Priced
    const published = (await (await get('/pricing.json')).json()) as Priced
    expect(published.models.map(({ id }) => id)).toEqual(['plain', 'rtl', 'draws'])
    for (const { id, price } of published.models)
      expect(price).toEqual(console_models.models.find((model) => model.id === id)?.price ?? [])
  })

  test('are those of a charge', async () => {
    const key = await gateway.caller()
    const answer = await gateway.call(
      '/v1/chat/completions',
      { model: 'plain', messages: [{ role: 'user', content: 'Hi' }] },
      { key },
    )
    const { usage } = (await answer.json()) as { usage: { prompt_tokens: number; completion_tokens: number } }
    const { models } = (await (await get('/pricing.json')).json()) as Priced
    const nanosOf = (name: string) =>
      models[0]?.price.find((line) => line.name === name && line.of === '')?.price_nanos ?? 0
    const [call] = await gateway.store.rows<{ cost_nanos: number }>(
      'SELECT cost_nanos FROM calls ORDER BY id DESC LIMIT 1',
    )
    expect(usage.prompt_tokens).toBeGreaterThan(0)
    expect(call?.cost_nanos).toBe(
      Math.ceil(
        (usage.prompt_tokens * nanosOf('input') + usage.completion_tokens * nanosOf('output')) / 1_000_000,
      ),
    )
  })

  test('are on the page, exact, with the rates for larger prompts', async () => {
    const page = await textOf('/pricing')
    for (const amount of ['0.30', '2.50', '0.0375', '0.04 <span class="soft">per image</span>'])
      expect(page).toContain(amount)
    expect(page).toContain('Input, prompts above 100,000 tokens: 3.00 USD per million tokens')
    expect(page).toContain('200,000')
  })
})

describe('the status', () => {
  test('has shares by day, rounded down, but none for few calls, and no counts', async () => {
    const { models } = (await (await get('/status.json')).json()) as {
      models: {
        id: string
        days: { date: string; answered_percent: number | null }[]
        answered_percent: number
      }[]
    }
    expect(models.map(({ id }) => id)).toEqual(['plain', 'rtl', 'draws'])
    const [plain] = models
    expect(plain?.days).toHaveLength(90)
    expect(plain?.days.at(-1)?.date).toBe('2026-11-29')
    const known = plain?.days.filter(({ answered_percent }) => answered_percent !== null)
    expect(known).toEqual([
      { date: '2026-09-01', answered_percent: 50 },
      { date: '2026-11-26', answered_percent: 97 },
      { date: '2026-11-27', answered_percent: 99 },
    ])
    expect(plain?.answered_percent).toBe(95)
    for (const path of ['/status', '/status.json'])
      expect(await textOf(path)).not.toMatch(/9,?999|\b970\b|10,?000/)
    const page = await textOf('/status')
    expect(page).toContain(
      'Last 90 days: 1 day at 99 % or more. 2026-09-01: 50 %. 2026-11-26: 97 %. 87 days without enough calls.',
    )
  })

  test('counts calls by day at their end, without those that a provider refuses as bad requests', async () => {
    const key = await gateway.caller()
    for (let nth = 0; nth < 3; nth++)
      await gateway.call(
        '/v1/chat/completions',
        { model: 'rtl', messages: [{ role: 'user', content: 'Hi' }] },
        { key },
      )
    const { openRouteSums } = await import('../../plugins/health/route-sums.ts')
    const { log } = gateway.started as unknown as { log: never }
    const sums = openRouteSums(gateway.store, { now: () => now_ms, log })
    const call = {
      model: 'rtl',
      provider: 'p',
      upstream_model: 'u',
      started_at_ms: now_ms,
      duration_ms: 0,
      first_byte_ms: 1,
    }
    const addCall = (outcome: string, status: number) => sums.add({ ...call, outcome, status } as never)
    addCall('completed', 200)
    addCall('failed', 400)
    addCall('failed', 502)
    addCall('broken', 200)
    await sums.close()
    const days = await gateway.store.rows<{ answered: number; failed: number }>(
      "SELECT answered, failed FROM model_days WHERE model = 'rtl'",
    )
    expect(days).toEqual([{ answered: 1, failed: 2 }])
  })
})

test.each([
  ['/pricing.json', PricingView],
  ['/status.json', StatusView],
])('%s fits its schema in the API reference', async (path, schema) => {
  const answer = await get(path)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect([...faultsIn(schema, await answer.json())]).toEqual([])
})

test('a hundred requests at once get the same page', async () => {
  const etag = (await get('/pricing')).headers.get('etag')
  const answers = await Promise.all(Array.from({ length: 100 }, () => get('/pricing')))
  expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('etag')}`))).toEqual(
    new Set([`200 ${etag}`]),
  )
})
