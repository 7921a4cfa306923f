// The routes of the first visit: what there is to choose from, an account with its key in one step, and the key's first call.
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { KNOWN_PROVIDERS } from '../../src/catalogue/known-models.ts'
import { readCatalogue } from '../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE })
const operator = await signedIn(gateway, 'operator')
const requestKey = () => randomBytes(32).toString('base64url')

describe('a key, with its account', () => {
  test('of a new account comes with its first balance, as a top-up', async () => {
    const made = await operator.json('POST', '/setup/account', {
      account: 'alice',
      balance_usd: '12.5',
      key: 'first',
      request_key: requestKey(),
    })
    expect(made).toMatchObject({ account: 'alice', text: expect.stringMatching(/^tg_/) })
    const { accounts, keys, entries } = await gateway.atRest()
    const alice = accounts.find(({ name }) => name === 'alice')
    expect(alice).toMatchObject({ balance_nanos: 12_500_000_000, status: 'active' })
    expect(keys.find(({ id }) => id === made.key_id)).toMatchObject({
      account_id: alice?.id,
      name: 'first',
      models: null,
    })
    expect(entries.filter(({ account_id }) => account_id === alice?.id)).toMatchObject([
      { kind: 'top_up', amount_nanos: 12_500_000_000, note: 'first balance' },
    ])
  })

  test('of an account that is there changes no money', async () => {
    await gateway.account('bob', { balance_usd: '3' })
    await operator.json('POST', '/setup/account', {
      account: 'bob',
      key: 'first',
      request_key: requestKey(),
    })
    const { accounts, entries } = await gateway.atRest()
    const bob = accounts.find(({ name }) => name === 'bob')
    expect(bob?.balance_nanos).toBe(3_000_000_000)
    expect(entries.filter(({ account_id }) => account_id === bob?.id)).toHaveLength(1)
  })

  test('may have no balance at all', async () => {
    await operator.json('POST', '/setup/account', {
      account: 'carol',
      balance_usd: '0',
      key: 'first',
      request_key: requestKey(),
    })
    const { accounts, entries } = await gateway.atRest()
    const carol = accounts.find(({ name }) => name === 'carol')
    expect(entries.filter(({ account_id }) => account_id === carol?.id)).toEqual([])
  })

  test.each([
    ['a name that is taken', { account: 'taken', balance_usd: '1', key: 'first' }, 400, 'name'],
    ['an invalid name', { account: 'no spaces', balance_usd: '1', key: 'first' }, 400, 'name'],
    ['a key without a name', { account: 'dora', balance_usd: '1', key: '' }, 400, 'key'],
    ['an invalid amount', { account: 'dora', balance_usd: '1,5', key: 'first' }, 400, 'balance_usd'],
    [
      'an amount with ten decimals',
      { account: 'dora', balance_usd: '0.0000000001', key: 'first' },
      400,
      'balance_usd',
    ],
    [
      'an amount beyond what can be counted',
      { account: 'dora', balance_usd: '99999999', key: 'first' },
      400,
      'balance_usd',
    ],
    ['an amount below zero', { account: 'dora', balance_usd: '-1', key: 'first' }, 400, 'balance_usd'],
    ['an account that is not there', { account: 'dora', key: 'first' }, 404, null],
  ])('is refused for %s, and nothing is made', async (_, body, status, param) => {
    if (!gateway.rows().accounts.some(({ name }) => name === 'taken')) await gateway.account('taken')
    const before = gateway.rows()
    const sent = { ...body, request_key: requestKey() }
    const answer = await operator.send('POST', '/setup/account', { body: sent })
    const { error } = (await answer.json()) as { error: { param: string | null } }
    expect({ status: answer.status, param: error.param }).toEqual({ status, param })
    expect(gateway.rows()).toEqual(before)
  })
})

describe('what there is', () => {
  test('is told with the served text models and active accounts, and whether the visit is over', async () => {
    const { started } = gateway
    const before = await operator.json('GET', '/setup')
    expect(before.due).toBe(true)
    expect(before.models).toContainEqual({
      id: 'sim-flash',
      providers: ['simulator'],
      input: '0.30',
      output: '2.50',
    })
    expect(before.models.map(({ id }: { id: string }) => id)).not.toContain('sim-image')
    expect(before.providers).toContainEqual({ name: 'simulator', protocol: 'gemini', simulated: true })
    expect(started.catalogue().models.size).toBeGreaterThan(before.models.length)

    const { text, key_id } = await operator.json('POST', '/setup/account', {
      account: 'erin',
      balance_usd: '1',
      key: 'k',
      request_key: requestKey(),
    })
    expect((await operator.json('GET', `/first-call?key_id=${key_id}`)).call).toBeNull()
    const messages = [{ role: 'user', content: 'Hello' }]
    const answer = await gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key: text })
    expect(answer.status).toBe(200)
    const { calls, accounts } = await gateway.atRest()
    const call = calls.at(-1)
    const seen = await operator.json('GET', `/first-call?key_id=${key_id}`)
    expect(seen.call).toMatchObject({
      request_id: call?.request_id,
      model: 'sim-flash',
      cost_nanos: call?.cost_nanos,
      left_nanos: accounts.find(({ name }) => name === 'erin')?.balance_nanos,
    })
    expect((await operator.json('GET', '/setup')).due).toBe(false)
  })

  test('says why it was refused, until there is a call', async () => {
    await gateway.account('frank')
    const key = await gateway.key('frank')
    const frank = await signedIn(gateway, { account: 'frank' })
    const key_id = gateway.rows().keys.at(-1)?.id
    const look = () => frank.json('GET', `/first-call?key_id=${key_id}`)
    expect(await look()).toMatchObject({ call: null, refusal: null })
    const messages = [{ role: 'user', content: 'Hello' }]
    const say = () => gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key })
    const refused = await say()
    expect(refused.status).toBe(402)
    await eventually('the refusal was written', async () => (await look()).refusal !== null)
    expect(await look()).toMatchObject({
      call: null,
      refusal: { code: 'insufficient_balance', request_id: refused.headers.get('x-request-id') },
    })
    await operator.json('POST', '/accounts/frank/top-up', { amount: '1' })
    expect((await say()).status).toBe(200)
    await gateway.atRest()
    expect(await look()).toMatchObject({ call: { model: 'sim-flash' }, refusal: null })
  })

  test('of a key that is not there, or somebody else’s, is 404', async () => {
    const [{ id } = { id: 0 }] = gateway.rows().keys
    await gateway.account('visitor')
    const visitor = await signedIn(gateway, { account: 'visitor' })
    for (const [client, key_id] of [
      [operator, 999],
      [visitor, 999],
      [visitor, id],
    ] as const)
      expect((await client.send('GET', `/first-call?key_id=${key_id}`)).status).toBe(404)
    for (const key_id of ['', 'x', '-1', '1.5'])
      expect((await visitor.send('GET', `/first-call?key_id=${key_id}`)).status).toBe(400)
  })

  test('the start of an account says what it has, and a model that it can call; the operator has none', async () => {
    await gateway.account('starter', { balance_usd: '2' })
    expect(await (await signedIn(gateway, { account: 'starter' })).json('GET', '/start')).toMatchObject({
      due: true,
      available_usd: '2.00',
      debt_nanos: 0,
      keys: 0,
      sample_model: 'sim-flash',
    })
    const key = await gateway.key('starter', { models: ['sim-claude'] })
    expect(await (await signedIn(gateway, { key })).json('GET', '/start')).toMatchObject({
      keys: 1,
      sample_model: 'sim-claude',
    })
    expect((await operator.send('GET', '/start')).status).toBe(403)
  })
})

const ANY_MODEL = {
  model: 'any',
  input: '1',
  output: '2',
  cache_read: '',
  context: 8_192,
  max_output_tokens: 4_096,
}

const VALUES = { resource: 'acme', region: 'us-east-1', api_version: '2024-10-21' } as const

test('every well-known provider and model makes a catalogue that is valid', () => {
  for (const { name, server, protocols, fields, base_url, models } of KNOWN_PROVIDERS) {
    if (server === null && base_url === '') continue
    const blocks = (models.length > 0 ? models : [ANY_MODEL]).map(
      ({ model, input, output, cache_read, context, max_output_tokens }) => `
[[models]]
id = "${model}"
kind = "text"
context = ${context}
max_output_tokens = ${max_output_tokens}
routes = [{ provider = "${name}", model = "${model}" }]
price = { input = ${input}, output = ${output}${cache_read ? `, cache_read = ${cache_read}` : ''} }`,
    )
    const text = `[[providers]]
name = "${name}"
${server ? `server = "${server}"` : `base_url = "${base_url}"`}
protocol = "${protocols[0]}"
${fields.map((field) => `${field.name} = ${JSON.stringify(VALUES[field.name])}`).join('\n')}
api_keys = ["key"]
${blocks.join('\n')}`
    expect(readCatalogue(text, { env: {}, protocols: BUILT_IN_REGISTRY })).toMatchObject({
      ok: true,
      warnings: [],
    })
  }
})
