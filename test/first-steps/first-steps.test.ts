// The routes of the first steps: the state of the checklist, and the first call of a key.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { KNOWN_PROVIDERS } from '../../src/catalogue/known-models.ts'
import { readCatalogue } from '../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway, startTestGateway } from '../support/gateway.ts'

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE })
const operator = await signedIn(gateway, 'operator')
describe('the checklist', () => {
  test('has the providers, a model and an account to choose, and whether it is due', async () => {
    const before = await operator.json('GET', '/start')
    expect(before).toEqual({
      due: true,
      providers: [],
      sample_model: 'sim-flash',
      is_simulated: true,
      account: null,
    })
    await gateway.account('erin', { balance_usd: '1' })
    await gateway.account('zoe')
    const { text, key } = await operator.json('POST', '/keys', { account: 'erin', name: 'k' })
    expect((await operator.json('GET', '/start')).account).toMatchObject({
      name: 'erin',
      available_usd: '1.00',
      debt_nanos: 0,
      ...{ key_id: key.id, has_plan: false },
    })
    const zoe = await operator.json('GET', '/start?account=zoe')
    expect(zoe.account).toMatchObject({ name: 'zoe', key_id: null })
    expect((await operator.json('GET', `/first-call?key_id=${key.id}`)).call).toBeNull()
    const messages = [{ role: 'user', content: 'Hello' }]
    const answer = await gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key: text })
    expect(answer.status).toBe(200)
    const { calls, accounts } = await gateway.atRest()
    const call = calls.at(-1)
    const seen = await operator.json('GET', `/first-call?key_id=${key.id}`)
    expect(seen.call).toMatchObject({
      request_id: call?.request_id,
      model: 'sim-flash',
      cost_nanos: call?.cost_nanos,
      left_nanos: accounts.find(({ name }) => name === 'erin')?.balance_nanos,
    })
    expect((await operator.json('GET', '/start')).due).toBe(false)
  })

  test('names a real provider before a simulated one', async () => {
    await using real = await startTestGateway({
      catalogue: `${FIRST_CATALOGUE}
[[providers]]
name = "house"
protocol = "openai"
base_url = "http://127.0.0.1:1/v1"
api_keys = []

[[models]]
id = "house-model"
kind = "text"
routes = [{ provider = "house", model = "house-model" }]
price = { input = 1, output = 2 }
`,
    })
    const client = await signedIn(real, 'operator')
    expect(await client.json('GET', '/start')).toMatchObject({
      providers: ['house'],
      sample_model: 'house-model',
      is_simulated: false,
    })
  })

  test('counts all charged tokens of the first call, thinking tokens, too', async () => {
    await using thinking = await startTestGateway({
      catalogue: `${FIRST_CATALOGUE}
[[models]]
id = "thinker"
kind = "text"
routes = [{ provider = "simulator", model = "flash-tokens-400" }]
price = { input = 1, output = 4 }`,
    })
    await thinking.account('tina', { balance_usd: '1' })
    const key = await thinking.key('tina')
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
    expect(
      (await thinking.call('/v1beta/models/thinker:generateContent', { contents }, { key })).status,
    ).toBe(200)
    const call = (await thinking.atRest()).calls.at(-1)
    expect(call?.thinking_tokens).toBeGreaterThan(0)
    const staff = await signedIn(thinking, 'operator')
    const { call: seen } = await staff.json('GET', `/first-call?key_id=${call?.key_id}`)
    expect(seen.output_tokens).toBe((call?.output_tokens ?? 0) + (call?.thinking_tokens ?? 0))
    expect(seen.cost_nanos).toBe(seen.input_tokens * 1_000 + seen.output_tokens * 4_000)
  })

  test('shows the reason of a refusal, until a call succeeds', async () => {
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

  test('is 404 for an unknown key, or for somebody else’s', async () => {
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

  test('the start of an account has its balance, its keys and a model that it can call; other accounts are not found', async () => {
    await gateway.account('starter', { balance_usd: '2' })
    const starter = await signedIn(gateway, { account: 'starter' })
    expect(await starter.json('GET', '/start')).toMatchObject({
      due: true,
      providers: null,
      account: { name: 'starter', available_usd: '2.00', debt_nanos: 0, key_id: null },
      sample_model: 'sim-flash',
    })
    expect((await starter.send('GET', '/start?account=erin')).status).toBe(404)
    const key = await gateway.key('starter', { models: ['sim-claude'] })
    expect(await (await signedIn(gateway, { key })).json('GET', '/start')).toMatchObject({
      account: { name: 'starter', key_id: expect.any(Number) },
      sample_model: 'sim-claude',
    })
    expect((await operator.send('GET', '/start?account=nobody')).status).toBe(404)
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

test('every well-known provider and model makes a valid catalogue', () => {
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
