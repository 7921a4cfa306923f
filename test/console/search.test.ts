// The search: accounts by name, keys by name and prefix, calls by request id, models; each within the viewer's rights.
import { describe, expect, test } from 'bun:test'
import { callsBeginningWith } from '../../plugins/calls/one-call.ts'
import { requestIdAt } from '../../src/domain/request-id.ts'
import { MODEL } from '../support/catalogue.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call, key } = await fileScene({ script: whole(answer()), balance_usd: '1' })
await gateway.account('alice', { balance_usd: '1' })
const alices_key = await gateway.key('alice', { name: 'laptop', models: [MODEL] })
const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })
const by_key = await signedIn(gateway, { key: alices_key })
const first = (await call(wholePath(), ask())).headers.get('x-request-id') ?? ''
const alices = (await call(wholePath(), ask(), { key: alices_key })).headers.get('x-request-id') ?? ''
await gateway.rest()
const find = (client: typeof operator, q: string) => client.json('GET', `/search?q=${encodeURIComponent(q)}`)

test('accounts by a part of the name, for the operator', async () => {
  expect((await find(operator, 'LIC')).accounts).toMatchObject([{ name: 'alice', status: 'active' }])
  expect((await find(alice, 'alice')).accounts).toEqual([])
})

test('keys by name and prefix; a whole key is searched by its prefix', async () => {
  for (const words of ['lapt', alices_key.slice(0, 6), alices_key.slice(0, 10), alices_key])
    for (const client of [operator, alice, by_key])
      expect((await find(client, words)).keys).toMatchObject([
        { name: 'laptop', account: 'alice', prefix: alices_key.slice(0, 10) },
      ])
  expect((await find(alice, key.slice(0, 10))).keys).toEqual([])
})

test('calls by the beginning of their request id, of their own account', async () => {
  expect((await find(operator, first)).calls).toMatchObject([{ request_id: first, model: MODEL }])
  expect((await find(operator, first.slice(0, 20))).calls).toMatchObject([{ request_id: first }])
  expect((await find(alice, first)).calls).toEqual([])
  expect((await find(alice, alices)).calls).toMatchObject([{ request_id: alices }])
  expect((await find(operator, 'req_')).calls).toEqual([])
})

test('models: all for the operator, for others those they may call', async () => {
  const ids = async (client: typeof operator) =>
    (await find(client, 'test')).models.map(({ id }: { id: string }) => id)
  const of_operator = await ids(operator)
  expect(of_operator).toContain(MODEL)
  expect(of_operator.length).toBeGreaterThan(1)
  expect(await ids(by_key)).toEqual([MODEL])
})

test('providers by a part of the name, for the operator', async () => {
  const { providers } = await operator.json('GET', '/providers')
  const provider: string = providers[0].name
  expect((await find(operator, provider.slice(1).toUpperCase())).providers).toContainEqual({ name: provider })
  expect((await find(alice, provider)).providers).toEqual([])
})

describe('a query', () => {
  test.each(['', '?q=', `?q=${'x'.repeat(101)}`, '?q=a&q=b', '?q=a&x=b'])('%s: 400', async (query) => {
    expect((await operator.send('GET', `/search${query}`)).status).toBe(400)
  })
  test.each(['%', '_', "'", '"', '\\', '\u0000', '   ', 'é', '../..'])(
    '%p is searched like any other words',
    async (words) => {
      expect((await operator.send('GET', `/search?q=${encodeURIComponent(words)}`)).status).toBe(200)
    },
  )
  test('without a session: 401', async () => {
    expect((await clientOf(gateway).send('GET', '/search?q=alice')).status).toBe(401)
  })
})

test('calls are found by an index on their time, however many other calls there are', async () => {
  const id = requestIdAt(Date.now() - 86_400_000)
  expect(await callsBeginningWith(gateway.store, id, {}, 6)).toEqual([])
  const plan = (sql: string) =>
    gateway.db
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join()
  expect(
    plan('SELECT min(first_call_id) FROM call_sums WHERE span_s = 900 AND start_s >= 0 AND start_s <= 1'),
  ).toContain('call_sums USING PRIMARY KEY (span_s=? AND start_s>? AND start_s<?)')
  expect(plan("SELECT id FROM calls WHERE id BETWEEN 1 AND 2 AND request_id = 'req_'")).toContain(
    'INTEGER PRIMARY KEY',
  )
})
