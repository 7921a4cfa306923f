// Prices by group over real sockets: holds and costs of calls of every kind, visible prices by role, and moves of accounts.
import { describe, expect, test } from 'bun:test'
import { setPriceGroup } from '../../src/access/account-group.ts'
import { accountByName } from '../../src/access/accounts.ts'
import type { Call } from '../../src/store/schema.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'
import { modelSection, providerSection } from '../support/sections.ts'

const kind = (id: string, of: string, price: string, more = '') =>
  modelSection(id, { sim: id }, { kind: of, price, more })
const MODELS = [
  providerSection('sim', 'openai', 'simulator', '', []),
  modelSection(
    'chat',
    { sim: 'chat-tokens-40' },
    { price: 'input = 1.000000001, output = 4.000000003, service_tiers = { priority = 2 }' },
  ),
  modelSection('slow', { sim: 'chat-slow-400' }, { price: 'input = 1, output = 4' }),
  modelSection(
    'fee',
    { sim: 'fee' },
    { price: 'input = 1, output = 4, extras = { request = { per_request = 0.003 } }' },
  ),
  kind('vectors', 'embedding', 'input = 0.020000001'),
  kind(
    'image',
    'image',
    'per_image = 0.04, variants = [{ size = "1024x1024", quality = "high", per_image = 0.167 }]',
    'max_n_per_request = 2',
  ),
  kind('voice', 'speech', 'per_million_characters = 15'),
  kind('judge', 'moderation', 'input = 0.1'),
  kind('sorter', 'rerank', 'per_thousand_searches = 2'),
].join('\n')
const GROUPS = `
[[price_groups]]
name = "third"
factor = "0.333333333"
[price_groups.models."im*"]
factor = 0.5

[[price_groups]]
name = "double"
factor = 2

[[price_groups]]
name = "gift"
factor = 0
`
const CATALOGUE = `[site]\nenabled = true\n${MODELS}`

const gateway = await fileGateway({ catalogue: CATALOGUE + GROUPS })
const { store } = gateway
const callers: Record<string, string> = {}
for (const name of ['list', 'third', 'double', 'gift']) {
  const { id } = await gateway.account(name, { balance_usd: name === 'gift' ? '0' : '100' })
  expect(id).toBeGreaterThan(0)
  callers[name] = await gateway.key(name)
  if (name !== 'list') await setPriceGroup(store, name, name)
}

async function callOf(who: string, path: string, body: object): Promise<Call> {
  const before = gateway.counts().calls
  const response = await gateway.call(path, body, {
    key: callers[who] as string,
    form: 'bearer',
    headers: { 'anthropic-version': '2023-06-01' },
  })
  const text = await response.text()
  expect([response.status, text.slice(0, 300)]).toEqual([200, expect.anything()])
  await eventually('the call is written', () => gateway.counts().calls > before)
  return gateway.rows().calls.at(-1) as Call
}

const MESSAGES = [{ role: 'user', content: 'Say hello to the world.' }]
const up = (amount: bigint, by: bigint) => Number((amount + by - 1n) / by)
const MILLION = 1_000_000n
const byTokens = ({ input_tokens, output_tokens, thinking_tokens }: Call, input: bigint, output: bigint) =>
  up(BigInt(input_tokens) * input + BigInt(output_tokens + thinking_tokens) * output, MILLION)

/** The cost of each kind at rates of its list price times a factor in billionths, by the figures of its record alone. */
const KINDS: [string, string, object, (call: Call, rate: (nanos: number) => bigint) => number][] = [
  [
    'a chat',
    '/v1/chat/completions',
    { model: 'chat', messages: MESSAGES },
    (call, rate) => byTokens(call, rate(1_000_000_001), rate(4_000_000_003)),
  ],
  [
    'a stream',
    '/v1/chat/completions',
    { model: 'chat', messages: MESSAGES, stream: true },
    (call, rate) => byTokens(call, rate(1_000_000_001), rate(4_000_000_003)),
  ],
  [
    'a message, translated',
    '/v1/messages',
    { model: 'chat', messages: MESSAGES, max_tokens: 100 },
    (call, rate) => byTokens(call, rate(1_000_000_001), rate(4_000_000_003)),
  ],
  [
    'a response',
    '/v1/responses',
    { model: 'chat', input: 'Hello' },
    (call, rate) => byTokens(call, rate(1_000_000_001), rate(4_000_000_003)),
  ],
  [
    'a native call',
    '/v1beta/models/chat:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    (call, rate) => byTokens(call, rate(1_000_000_001), rate(4_000_000_003)),
  ],
  [
    'a fee of each request',
    '/v1/chat/completions',
    { model: 'fee', messages: MESSAGES },
    (call, rate) => byTokens(call, rate(1_000_000_000), rate(4_000_000_000)) + Number(rate(3_000_000)),
  ],
  [
    'an embedding',
    '/v1/embeddings',
    { model: 'vectors', input: 'Some words to embed.' },
    ({ input_tokens }, rate) => up(BigInt(input_tokens) * rate(20_000_001), MILLION),
  ],
  [
    'speech',
    '/v1/audio/speech',
    { model: 'voice', input: 'Twelve chars', voice: 'alloy' },
    (_, rate) => up(12n * rate(15_000_000_000), MILLION),
  ],
  [
    'a moderation',
    '/v1/moderations',
    { model: 'judge', input: 'be nice' },
    ({ input_tokens }, rate) => up(BigInt(input_tokens) * rate(100_000_000), MILLION),
  ],
  [
    'a rerank',
    '/v1/rerank',
    { model: 'sorter', query: 'a', documents: ['a', 'b'] },
    (_, rate) => up(rate(2_000_000_000), 1_000n),
  ],
]

const FACTORS = { list: 1_000_000_000n, third: 333_333_333n, double: 2_000_000_000n, gift: 0n }
const times = (factor: bigint) => (nanos: number) => (BigInt(nanos) * factor + 999_999_999n) / 1_000_000_000n

describe('a call costs the group’s price, and holds no less:', () => {
  test.each(KINDS)('%s', async (_, path, body, costOf) => {
    for (const [who, factor] of Object.entries(FACTORS)) {
      const call = await callOf(who, path, body)
      expect([who, call.cost_nanos]).toEqual([who, costOf(call, times(factor))])
      expect(call.hold_nanos).toBeGreaterThanOrEqual(call.cost_nanos)
      if (who === 'gift') expect(call.hold_nanos).toBe(0)
    }
  })
  test.each([
    ['of any size', {}, 40_000_000],
    ['of a priced size and quality', { size: '1024x1024', quality: 'high' }, 167_000_000],
  ])('an image %s, by the factor of its pattern', async (_, more, nanos) => {
    const body = { model: 'image', prompt: 'a house', n: 2, ...more }
    for (const [who, factor] of Object.entries({ ...FACTORS, third: 500_000_000n })) {
      const call = await callOf(who, '/v1/images/generations', body)
      const cost_nanos = 2 * Number(times(factor)(nanos))
      expect([who, call.cost_nanos, call.hold_nanos]).toEqual([who, cost_nanos, cost_nanos])
    }
  })
  test('the hold is the ceiling at the group’s rates', async () => {
    const body = { model: 'chat', messages: MESSAGES, max_tokens: 1_000_000 }
    const [list, double] = [
      await callOf('list', '/v1/chat/completions', body),
      await callOf('double', '/v1/chat/completions', body),
    ]
    expect(Math.abs(double.hold_nanos - 2 * list.hold_nanos)).toBeLessThanOrEqual(2)
  })
  test('the applied price stays with the call', async () => {
    const { id } = await callOf('third', '/v1/chat/completions', { model: 'chat', messages: MESSAGES })
    const [{ price }] = (await store.rows<{ price: string }>(
      `SELECT prices.json AS price FROM calls JOIN prices ON prices.id = calls.price_id WHERE calls.id = ${id}`,
    )) as [{ price: string }]
    expect(JSON.parse(price).nanos_per_million_tokens).toMatchObject({
      input_tokens: Number(times(FACTORS.third)(1_000_000_001)),
      output_tokens: Number(times(FACTORS.third)(4_000_000_003)),
    })
  })
})

test('a call keeps its quoted price if its group changes meanwhile', async () => {
  const { id } = await gateway.account('moving', { balance_usd: '10' })
  await setPriceGroup(store, 'moving', 'double')
  callers.moving = await gateway.key('moving')
  const running = callOf('moving', '/v1/chat/completions', { model: 'slow', messages: MESSAGES })
  await eventually('it is held', () => gateway.rows().holds.some((hold) => hold.account_id === id))
  await setPriceGroup(store, 'moving', null)
  const call = await running
  const rate = times(FACTORS.double)
  expect(call.cost_nanos).toBe(byTokens(call, rate(1_000_000_000), rate(4_000_000_000)))
  await eventually('the next call pays list prices', async () => {
    const next = await callOf('moving', '/v1/chat/completions', { model: 'chat', messages: MESSAGES })
    return next.cost_nanos === KINDS[0]?.[3](next, times(FACTORS.list))
  })
})

describe('visible prices', () => {
  const inputOf = (models: { id: string; price: { name: string; price_nanos: number }[] }[]) =>
    models.find(({ id }) => id === 'chat')?.price.find(({ name }) => name === 'input')?.price_nanos
  const THIRD = Number(times(FACTORS.third)(1_000_000_001))

  test('an account sees its own in the list of models, on a model’s page and in the playground; the operator sees list prices', async () => {
    const visiblePrices = async (who: Parameters<typeof signedIn>[1], account = '') => {
      const client = await signedIn(gateway, who)
      const { models } = await client.json('GET', '/models')
      const detail = await client.json('GET', '/models/detail?id=chat')
      const play = await client.json('GET', `/play${account}`)
      const text = play.text_models.find(({ id }: { id: string }) => id === 'chat')
      return [inputOf(models), inputOf([detail]), text.input_nanos]
    }
    expect(await visiblePrices({ account: 'third' })).toEqual([THIRD, THIRD, THIRD])
    expect(await visiblePrices({ key: callers.third as string })).toEqual([THIRD, THIRD, THIRD])
    expect(await visiblePrices({ account: 'list' })).toEqual([1_000_000_001, 1_000_000_001, 1_000_000_001])
    expect(await visiblePrices('operator', '?account=third')).toEqual([1_000_000_001, 1_000_000_001, THIRD])
  })

  test('the quote of an image is at the group’s price', async () => {
    const order = { model: 'image', prompt: 'a house', n: 2, references: 0 }
    const quoteOf = async (account: string) =>
      (await (await signedIn(gateway, { account })).json('POST', '/play/quote', order)).held_nanos
    expect([await quoteOf('list'), await quoteOf('third')]).toEqual([80_000_000, 40_000_000])
  })

  test('the public page has list prices, and a signed-in account sees its own, which are not cached', async () => {
    const page = async (cookie?: string) => {
      const response = await fetch(new URL('/pricing', gateway.url), { headers: cookie ? { cookie } : {} })
      return { text: await response.text(), cache_control: response.headers.get('cache-control') }
    }
    const own = await page((await signedIn(gateway, { account: 'double' })).cookie)
    expect(own.text).toContain('2.000000002')
    expect(own.text).toContain('prices of your account')
    expect(own.cache_control).toBe('no-store')
    const cookies = [
      undefined,
      '__Host-tollgate=nobody',
      (await signedIn(gateway, 'operator')).cookie,
      (await signedIn(gateway, { account: 'list' })).cookie,
    ]
    for (const cookie of cookies) {
      const { text, cache_control } = await page(cookie)
      expect(text).toContain('1.000000001')
      expect(text).not.toContain('prices of your account')
      expect(cache_control).toBe('public, max-age=5')
    }
  })

  test('only the operator sees the prices of groups on the model’s page', async () => {
    const operator = await signedIn(gateway, 'operator')
    const { groups } = await operator.json('GET', '/models/detail?id=chat')
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(['third', 'double', 'gift'])
    const account = await signedIn(gateway, { account: 'third' })
    expect(await account.json('GET', '/models/detail?id=chat')).not.toHaveProperty('groups')
  })
})

describe('moving an account', () => {
  const move = async (who: Parameters<typeof signedIn>[1], body: object) => {
    const { id } = await accountByName(store, 'list')
    const response = await (await signedIn(gateway, who)).send('PATCH', `/accounts/${id}`, { body })
    return { status: response.status, text: await response.text() }
  }
  test.each<[string, Parameters<typeof signedIn>[1], object, number, string]>([
    [
      'into a group that the catalogue does not have',
      'operator',
      { price_group: 'fourth' },
      400,
      'Its price groups: third, double, gift.',
    ],
    ['into an empty name', 'operator', { price_group: '' }, 400, 'price_group'],
    ['into a number', 'operator', { price_group: 3 }, 400, 'price_group'],
    [
      'over a value that someone changed since',
      'operator',
      { price_group: 'gift', was: { price_group: 'third' } },
      409,
      'changed_meanwhile',
    ],
    ['by support', { staff: 'support' }, { price_group: 'gift' }, 403, 'permission_denied'],
    ['by an auditor', { staff: 'auditor' }, { price_group: 'gift' }, 403, 'permission_denied'],
    ['by its own account', { account: 'list' }, { price_group: 'gift' }, 403, 'permission_denied'],
  ])('%s is refused, and changes nothing', async (_, who, body, status, words) => {
    const answer = await move(who, body)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)])
    expect((await accountByName(store, 'list')).price_group).toBeNull()
  })
  test('is in the audit log, which the account reads, too, and on the account’s page', async () => {
    const operator = await signedIn(gateway, 'operator')
    const made = await operator.json('POST', '/accounts', { name: 'new', price_group: 'third' })
    expect(made).toMatchObject({ price_group: 'third', price_group_lost: false })
    expect(await operator.json('PATCH', `/accounts/${made.id}`, { price_group: null })).toMatchObject({
      account: { price_group: null },
    })
    const account = await signedIn(gateway, { account: 'new' })
    const { actions } = await account.json('GET', '/audit-log')
    const lines = actions.map(({ action, before, after }: Record<string, unknown>) => ({
      action,
      before,
      after,
    }))
    expect(lines).toContainEqual({
      action: 'account.created',
      before: null,
      after: { name: 'new', price_group: 'third' },
    })
    expect(lines).toContainEqual({
      action: 'account.price_group_changed',
      before: { price_group: 'third' },
      after: { price_group: null },
    })
  })
  test('the list of accounts has the group, and can be filtered by it', async () => {
    const operator = await signedIn(gateway, 'operator')
    const names = async (query: string) =>
      (await operator.json('GET', `/accounts${query}`)).accounts.map(
        (row: { name: string; price_group: string | null }) => [row.name, row.price_group],
      )
    expect(await names('?price_group=third')).toEqual([['third', 'third']])
    expect(await names('?price_group=third&order=-balance')).toEqual([['third', 'third']])
    expect(await names('?search=double')).toEqual([['double', 'double']])
    expect(await names('?price_group=fourth')).toEqual([])
  })
})

test('the report by group has the revenue of accounts, by their current group', async () => {
  await gateway.rest()
  const operator = await signedIn(gateway, 'operator')
  const { rows } = await operator.json('GET', '/usage?by=price_group')
  const sums = new Map<string, number>()
  for (const { account_id, cost_nanos } of gateway.rows().calls) {
    const group = gateway.rows().accounts.find(({ id }) => id === account_id)?.price_group ?? '(list prices)'
    sums.set(group, (sums.get(group) ?? 0) + cost_nanos)
  }
  const found = rows.map(({ name, revenue_nanos }: { name: string; revenue_nanos: number }) => [
    name,
    revenue_nanos,
  ])
  expect(new Map(found)).toEqual(sums)
  const account = await signedIn(gateway, { account: 'third' })
  expect((await account.send('GET', '/usage?by=price_group')).status).toBe(403)
})

describe('the preview of a draft', () => {
  const preview = async (edits: object[]) =>
    (await signedIn(gateway, 'operator')).json('POST', '/catalogue/previews', { edits })
  test('rates last week’s calls of each account at its group’s new price, and leaves the others out', async () => {
    const { rating, changes } = await preview([{ op: 'set', path: ['price_groups', 1, 'factor'], value: 1 }])
    expect(changes).toMatchObject([
      { kind: 'price_group', name: 'double', change: 'changed', fields: ['factor'] },
    ])
    expect(rating.accounts.map(({ account }: { account: string }) => account)).toEqual(['double'])
    const { charged_nanos, would_cost_nanos, calls } = rating.all
    expect(calls).toBeGreaterThan(5)
    expect(Math.abs(2 * would_cost_nanos - charged_nanos)).toBeLessThanOrEqual(2 * calls)
  })
  test('rates a new list price for every account that pays a part of it', async () => {
    const { values } = await (await signedIn(gateway, 'operator')).json('GET', '/catalogue')
    const at = values.models.findIndex(({ id }: { id: string }) => id === 'chat')
    const { rating } = await preview([{ op: 'set', path: ['models', at, 'price', 'output'], value: 8 }])
    const names = rating.accounts.map(({ account }: { account: string }) => account)
    expect(names).toEqual(expect.arrayContaining(['list', 'third', 'double']))
    expect(names).not.toContain('gift')
  })
  test('names the accounts of a removed group, and rates their calls at list prices', async () => {
    const { lost_groups, rating } = await preview([{ op: 'remove', path: ['price_groups', 1] }])
    expect(lost_groups).toEqual([{ name: 'double', accounts: 1 }])
    expect(rating.accounts.map(({ account }: { account: string }) => account)).toEqual(['double'])
    expect(rating.all.difference_nanos).toBeLessThan(0)
  })
})

test('the list of groups has factors, accounts, and groups that the catalogue lost', async () => {
  const operator = await signedIn(gateway, 'operator')
  await setPriceGroup(store, 'moving', 'gone')
  const { groups } = await operator.json('GET', '/price-groups')
  expect(groups).toEqual([
    {
      name: 'third',
      factor: '0.333333333',
      model_factors: [{ models: 'im*', factor: '0.5' }],
      accounts: 1,
      in_catalogue: true,
      below_cost: [],
    },
    { name: 'double', factor: '2', model_factors: [], accounts: 1, in_catalogue: true, below_cost: [] },
    { name: 'gift', factor: '0', model_factors: [], accounts: 1, in_catalogue: true, below_cost: [] },
    { name: 'gone', factor: '1', model_factors: [], accounts: 1, in_catalogue: false, below_cost: [] },
  ])
  const { id } = await accountByName(store, 'moving')
  expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({
    price_group: 'gone',
    price_group_lost: true,
  })
  // The account may keep its group when its other fields are saved.
  const saved = await operator.json('PATCH', `/accounts/${id}`, { price_group: 'gone', note: 'x' })
  expect(saved.account).toMatchObject({ price_group: 'gone', note: 'x' })
  await setPriceGroup(store, 'moving', null)
})

test('accounts whose group leaves the catalogue pay list prices from then on, and their own again once it is back', async () => {
  const body = { model: 'chat', messages: MESSAGES }
  const costs = async (factor: bigint) => {
    const call = await callOf('double', '/v1/chat/completions', body)
    expect(call.cost_nanos).toBe(KINDS[0]?.[3](call, times(factor)) as number)
  }
  await gateway.recatalogue(CATALOGUE)
  await costs(FACTORS.list)
  await gateway.recatalogue(CATALOGUE + GROUPS)
  await costs(FACTORS.double)
})
