// The console's routes of the catalogue, models and providers, over real sockets: answers, changes, and secrets that stay hidden.
import { afterAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Price } from '../../../src/domain/prices.ts'
import { chargeTokens } from '../../../src/money/pricing/charge.ts'
import {
  MODEL,
  PICTURE,
  PROVIDER,
  PROVIDER_KEYS,
  RETIRED,
  TIERED,
  UPSTREAM_MODEL,
} from '../../support/catalogue.ts'
import { type ConsoleUser, clientOf, signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'
import { refusal, whole } from '../../support/upstream.ts'

const OTHER_SECRET = 'secret-of-a-header-77'
const ANSWER = whole({
  candidates: [{ content: { role: 'model', parts: [{ text: 'OK.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1_200, candidatesTokenCount: 3, totalTokenCount: 1_203 },
})

const scene = await fileScene({
  script: ANSWER,
  api_keys: PROVIDER_KEYS,
  provider: `headers = { "x-secret" = "${OTHER_SECRET}" }`,
})
const { gateway, upstream, key } = scene
const file = () => readFile(join(gateway.data_folder, 'tollgate.toml'), 'utf8')

interface ConsoleAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes are looked into
  body: any
}

/** @param body sent as JSON; without a method it makes the call a POST */
type ConsoleCall = (path: string, body?: object, method?: string) => Promise<ConsoleAnswer>

/** Every answer of every test, searched for secrets at the end. */
const answers: string[] = []
async function visitor(who: ConsoleUser): Promise<ConsoleCall> {
  const session = await signedIn(gateway, who)
  return async (path, body, method = body ? 'POST' : 'GET') => {
    const answer = await session.send(method, path, body ? { body } : {})
    const text = await answer.text()
    answers.push(text)
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}
const operator = await visitor('operator')

afterAll(() => {
  const all = answers.join('\n')
  for (const secret of [...PROVIDER_KEYS, OTHER_SECRET]) expect(all).not.toContain(secret)
  expect(answers.length).toBeGreaterThan(20)
})

const ask = (model: string, text = 'Hi') =>
  scene.call('/v1/chat/completions', { model, messages: [{ role: 'user', content: text }] })

const INPUT = ['models', 0, 'price', 'input']
const price = (value: string) => ({ op: 'set', path: INPUT, value })

describe('access', () => {
  test.each([
    ['GET', '/catalogue', undefined],
    ['POST', '/catalogue/check', {}],
    ['POST', '/catalogue/previews', {}],
    ['POST', '/catalogue/save', { hash: 'x' }],
    ['GET', '/providers', undefined],
    ['POST', '/providers/try', { provider: PROVIDER, model: UPSTREAM_MODEL }],
  ] as const)('%s %s is for the operator alone', async (method, path, body) => {
    const by_key = await visitor({ key })
    expect((await by_key(path, body, method)).status).toBe(403)
    const anonymous = await clientOf(gateway).send(method, path, body ? { body } : {})
    expect(anonymous.status).toBe(401)
  })

  test('everybody sees models, but only those they may call', async () => {
    const limited = await gateway.key((await gateway.account('limited')).name, { models: ['test-t*'] })
    const idsFor = async (call: ConsoleCall) =>
      (await call('/models')).body.models.map(({ id }: { id: string }) => id)
    const by_key = await visitor({ key: limited })
    expect(await idsFor(by_key)).toEqual(['test-tiered', 'test-thinking'])
    expect((await by_key(`/models/detail?id=${MODEL}`)).status).toBe(404)
    await gateway.account('portal')
    const by_account = await visitor({ account: 'portal' })
    expect(await idsFor(by_account)).not.toContain(RETIRED)
    expect(await idsFor(operator)).toContain(RETIRED)
    const { body } = await by_account('/models')
    expect(JSON.stringify(body)).not.toContain(PROVIDER)
    expect((await gateway.call('/console/api/models')).status).toBe(401)
  })
})

describe('models', () => {
  test('have their prices, routes, and the calls of the week', async () => {
    expect((await ask(MODEL)).status).toBe(200)
    await gateway.rest()
    const { body } = await operator(`/models/detail?id=${MODEL}`)
    expect(body).toMatchObject({
      state: 'served',
      week: { calls: 1, failed: 0, cost_nanos: 1_212_000 },
      routes: [{ provider: PROVIDER, model: UPSTREAM_MODEL }],
    })
    expect(body.price.slice(0, 1)).toEqual([
      { name: 'input', of: '', per: 'million tokens', price_nanos: 1e9, price_usd: '1.00' },
    ])
  })
})

describe('a variable that [server] env_names does not list', () => {
  const edits = [{ op: 'set', path: ['providers', 0, 'api_keys'], value: ['env:AWS_SECRET_ACCESS_KEY'] }]

  test.each([
    ['previewed', '/catalogue/previews', {}],
    ['tried', '/providers/try', { provider: PROVIDER, model: UPSTREAM_MODEL }],
    ['saved', '/catalogue/save', {}],
  ])('is not %s, and the provider gets no request', async (_, path, more) => {
    const sentBefore = scene.upstream.requests.length
    const { hash } = (await operator('/catalogue')).body
    const sent = path === '/catalogue/save' ? { edits, hash } : { edits, ...more }
    const { status, body } = await operator(path, sent)
    expect([status, body.error.message]).toEqual([
      422,
      expect.stringContaining('add "AWS_SECRET_ACCESS_KEY" to env_names there'),
    ])
    expect((await operator('/catalogue')).body.hash).toBe(hash)
    expect(scene.upstream.requests).toHaveLength(sentBefore)
  })
})

describe('a change of prices', () => {
  test('is previewed: its changes, and last week’s calls at the new prices, exactly', async () => {
    for (const model of [MODEL, TIERED, TIERED]) expect((await ask(model)).status).toBe(200)
    await gateway.rest()
    const edits = [
      price('1.50'),
      { op: 'set', path: ['models', 1, 'price', 'tiers', 0, 'output'], value: '9.99' },
    ]
    const { body } = await operator('/catalogue/previews', { edits })
    expect(body.changes.map(({ name }: { name: string }) => name)).toEqual([MODEL, TIERED])
    expect(body.changes[0].prices[0]).toMatchObject({
      name: 'input',
      before_nanos: 1e9,
      after_nanos: 1.5e9,
    })
    const result = body.rating
    const { catalogue } = await gatewayCheck(edits)
    const wanted = gateway
      .rows()
      .calls.filter(({ model }) => [MODEL, TIERED].includes(model))
      .map((call) => ({ call, cost: chargeTokens(tokensOf(catalogue.get(call.model)), call).cost_nanos }))
    expect(result.all).toMatchObject({
      calls: wanted.length,
      charged_nanos: wanted.reduce((sum, { call }) => sum + call.cost_nanos, 0),
      would_cost_nanos: wanted.reduce((sum, { cost }) => sum + cost, 0),
      unrated_calls: 0,
    })
    expect(result.sampled_calls).toBeNull()
    expect(result.all.difference_nanos).toBe(result.all.would_cost_nanos - result.all.charged_nanos)
    expect(result.models.map(({ model }: { model: string }) => model).sort()).toEqual([MODEL, TIERED].sort())
    expect(result.accounts).toHaveLength(1)
  })

  test('without edits has no re-rating', async () => {
    const { body } = await operator('/catalogue/previews', {})
    expect(body).toEqual({ rating: null, changes: [], lost_groups: [] })
  })

  test('with a mistake is reported at its field and line', async () => {
    const { status, body } = await operator('/catalogue/previews', { edits: [price('much')] })
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ code: 'configuration_mistakes', param: 'models[0].price.input' })
    const checked = await operator('/catalogue/check', { edits: [price('much')] })
    expect(checked.body.mistakes).toEqual([
      expect.objectContaining({ path: 'models[0].price.input', line: 18 }),
    ])
    expect(checked.body.changes).toBeNull()
  })

  test.each([
    [1, ''],
    [2, ' The file has 1 other mistake.'],
    [3, ' The file has 2 other mistakes.'],
  ])('with %d mistakes is refused in words that count the others', async (count, others) => {
    const { text, hash } = (await operator('/catalogue')).body
    const wrong = Array.from({ length: count }, (_, at) => `[unknown_${at}]\n`).join('')
    const { status, body } = await operator('/catalogue/save', { text: `${text}\n${wrong}`, hash })
    expect(status).toBe(422)
    expect(body.error.message).toEndWith(`.${others} Nothing was saved.`)
  })

  test('is saved once for a hash, and is in force for the next call', async () => {
    const before = await file()
    const { hash } = (await operator('/catalogue')).body
    const stale = await operator('/catalogue/save', { edits: [price('5')], hash: 'another' })
    expect(stale).toMatchObject({ status: 409, body: { error: { code: 'configuration_changed' } } })
    const saved = await operator('/catalogue/save', { edits: [price('5')], hash })
    expect(saved.status).toBe(200)
    expect(await file()).toBe(before.replace('price = { input = 1,', 'price = { input = 5,'))
    const again = await operator('/catalogue/save', { edits: [price('6')], hash })
    expect(again.status).toBe(409)
    expect((await ask(MODEL)).status).toBe(200)
    expect((await scene.lastCall()).cost_nanos).toBe(1_200 * 5_000 + 3 * 4_000)
    const { body } = await operator('/catalogue')
    const back = await operator('/catalogue/save', {
      text: body.text.replace('input = 5', 'input = 1'),
      hash: body.hash,
    })
    expect(back.status).toBe(200)
    expect(await file()).toBe(before)
  })

  test.each([
    ['an unknown field', { hash: 'x', more: 1 }, 'more'],
    ['an empty path', { hash: 'x', edits: [{ op: 'set', path: [], value: 1 }] }, 'edits[0]'],
    [
      'a value that TOML cannot write',
      { hash: 'x', edits: [{ op: 'set', path: ['a'], value: null }] },
      'edits[0].value',
    ],
    ['another operation', { hash: 'x', edits: [{ op: 'move', path: ['a'] }] }, 'edits[0]'],
  ])('%s is refused', async (_, body, param) => {
    const refused = await operator('/catalogue/save', body)
    expect([refused.status, refused.body.error.param]).toEqual([400, param])
  })

  async function gatewayCheck(edits: object[]) {
    const { body } = await operator('/catalogue/check', { edits })
    expect(body.mistakes).toEqual([])
    const { readCatalogue } = await import('../../../src/catalogue/load.ts')
    const { BUILT_IN_REGISTRY } = await import('../../../src/protocols/registry.ts')
    const reading = readCatalogue(body.text, { env: {}, protocols: BUILT_IN_REGISTRY })
    if (!reading.ok) throw new Error('the draft has mistakes')
    return { catalogue: new Map([...reading.catalogue.models].map(([id, { price }]) => [id, price])) }
  }

  function tokensOf(priced: Price | undefined) {
    if (priced?.unit !== 'token') throw new Error('no price by tokens')
    return priced
  }
})

describe('providers', () => {
  type Key = { id: string; state: string; words: string | null; mark: string; source: string; failed: number }
  const keys = async (): Promise<Key[]> => {
    const { body } = await operator('/providers')
    return body.providers[0].keys
  }

  test('show marks in place of their keys', async () => {
    const { body } = await operator('/providers')
    expect(body.providers[0]).toMatchObject({
      name: PROVIDER,
      state: 'ready',
      headers: ['x-secret'],
      place: 0,
    })
    const [first, second] = await keys()
    expect(first).toMatchObject({ id: `${PROVIDER}#1`, source: 'in the file', state: 'ready' })
    expect(first?.mark).not.toBe(second?.mark)
  })

  test('show the key in cooldown, and its reason, without secrets', async () => {
    upstream.answer(({ headers }) =>
      JSON.stringify(headers).includes(PROVIDER_KEYS[0])
        ? refusal(429, { error: { message: `slow down, ${PROVIDER_KEYS[0]}` } })
        : ANSWER,
    )
    for (let call = 0; call < 12 && (await keys()).every(({ failed }) => failed === 0); call++)
      // A conversation keeps its key: each call begins another.
      await ask(MODEL, `Conversation ${call}`)
    const [cooling] = await keys()
    expect(cooling).toMatchObject({ state: 'cooling', failure_class: 'rate_limited', failures: 1 })
    expect(cooling?.words).toContain('slow down')
    expect((await operator('/providers')).body.providers[0].state).toBe('partly cooling')
  })

  test('are tried with one key, and show the provider’s own words; an answer ends the cooldown of the key', async () => {
    const order = { provider: PROVIDER, model: UPSTREAM_MODEL, key: 1 }
    const failed = await operator('/providers/try', order)
    expect(failed.body).toMatchObject({
      ok: false,
      result: 'rate limited',
      status: 429,
      provider_key: `${PROVIDER}#1`,
    })
    expect(failed.body.advice).toContain('at its limit')
    expect((await keys())[0]?.state).toBe('cooling')
    upstream.answer(ANSWER)
    const calls = gateway.rows().calls.length
    const tried = await operator('/providers/try', order)
    expect(tried.body).toMatchObject({ ok: true, result: 'ok', words: 'OK.', advice: null })
    expect((await keys())[0]?.state).toBe('ready')
    expect(gateway.rows().calls).toHaveLength(calls)
  })

  test('can be tried before they are saved', async () => {
    const edits = [
      {
        op: 'add',
        path: ['providers'],
        value: { name: 'new', protocol: 'gemini', base_url: upstream.url, api_keys: ['typed-just-now-123'] },
      },
    ]
    const { body } = await operator('/providers/try', {
      provider: 'new',
      model: 'theirs',
      edits,
      is_new: true,
    })
    expect(body).toMatchObject({ ok: true, model: 'theirs', provider_key: 'new#1' })
    expect(upstream.last().path).toContain('theirs')
    expect(JSON.stringify(upstream.last().headers)).toContain('typed-just-now-123')
    expect(await file()).not.toContain('typed-just-now-123')
  })

  test('get no key written for another address, not even in a trial', async () => {
    const edits = [
      {
        op: 'set',
        path: ['providers', 0, 'base_url'],
        value: upstream.url.replace('127.0.0.1', 'localhost'),
      },
    ]
    const seen = upstream.requests.length
    const { status, body } = await operator('/providers/try', {
      provider: PROVIDER,
      model: UPSTREAM_MODEL,
      edits,
    })
    expect(status).toBe(422)
    expect(body.error.param).toContain('providers[0]')
    expect(upstream.requests).toHaveLength(seen)
  })

  test.each([
    ['another provider', { provider: 'other', model: UPSTREAM_MODEL }, 404, 'provider'],
    ['another model', { provider: PROVIDER, model: 'other' }, 404, 'model'],
    ['another key', { provider: PROVIDER, model: UPSTREAM_MODEL, key: 9 }, 404, 'key'],
  ])('%s is refused', async (_, body, status, param) => {
    const refused = await operator('/providers/try', body)
    expect(refused.status).toBe(status)
    expect(refused.body.error.param).toBe(param)
  })

  test('generate no image unless the operator confirms it', async () => {
    const edits = [{ op: 'set', path: ['models', 4, 'routes', 0, 'model'], value: 'paints' }]
    const order = { provider: PROVIDER, model: 'paints', edits }
    const refused = await operator('/providers/try', order)
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'image' } } })
    expect((await operator('/models')).body.models[4].id).toBe(PICTURE)
  })
})
