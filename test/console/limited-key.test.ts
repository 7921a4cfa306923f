// A session by a limited key: it says that it sees its own calls only, and sees no more, unless its account allows more.
import { beforeAll, describe, expect, test } from 'bun:test'
import { changeDetails } from '../../src/access/account-details.ts'
import { type clientOf, signedIn } from '../support/console-session.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { idOf } from '../support/request-lines.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway } = await fileScene({ script: whole(answer()) })
await gateway.account('alice', { balance_usd: '10' })
const limited = gateway.key('alice', { name: 'site', spend_limit_nanos: 1_000_000_000 })
const free = gateway.key('alice', { name: 'desk' })
const ids = { limited: '', free: '' }
const numberOf = (name: string) => gateway.rows().keys.find((key) => key.name === name)?.id ?? 0

type Client = ReturnType<typeof clientOf>
let site: Client
let desk: Client

beforeAll(async () => {
  ids.limited = await idOf(await gateway.call(wholePath(), ask(), { key: limited }))
  for (let times = 0; times < 2; times++)
    ids.free = await idOf(await gateway.call(wholePath(), ask(), { key: free }))
  await gateway.rest()
  site = signedIn(gateway, { key: limited })
  desk = signedIn(gateway, { key: free })
})

const callsSeen = async (client: Client, query = '') =>
  (await client.json('GET', `/calls${query}`)).calls.map((call: { key: string }) => call.key)

describe('a session by a limited key', () => {
  test('says so, and sees its own calls, key and usage', async () => {
    expect((await site.json('GET', '/session')).viewer.rights).toMatchObject({ see_account: false })
    expect(await callsSeen(site)).toEqual(['site'])
    expect((await site.json('GET', '/keys')).keys.map(({ name }: { name: string }) => name)).toEqual(['site'])
    expect((await site.json('GET', '/call-filters')).keys).toMatchObject([{ name: 'site' }])
    expect((await site.json('GET', '/usage')).total).toMatchObject({ calls: 1 })
    expect((await site.json('GET', `/search?q=${ids.limited}`)).calls).toHaveLength(1)
    expect((await site.send('GET', `/calls/${ids.limited}`)).status).toBe(200)
    expect(await (await site.send('GET', '/calls.csv')).text()).not.toContain(ids.free)
    expect((await site.json('GET', '/call-sums')).calls).toBe(1)
    const [model] = (await site.json('GET', '/models')).models
    expect(JSON.stringify(model)).not.toContain('"calls":3')
  })

  test.each([
    ['a call of another key', () => `/calls/${ids.free}`, 404],
    ['calls of another key', () => `/calls?key=${numberOf('desk')}`, 404],
    ['the usage of another key', () => `/usage?key=${numberOf('desk')}`, 404],
    ['refusals of another key', () => `/refusals?key=${numberOf('desk')}`, 404],
    ['another key', () => `/keys/${numberOf('desk')}`, 404],
    ['the first call of another key', () => `/first-call?key_id=${numberOf('desk')}`, 404],
    ['the overview of the account', () => '/overview', 403],
    ['entries', () => '/entries', 403],
    ['entries as a file', () => '/entries.csv', 403],
  ])('is refused %s', async (_, path, status) => {
    expect((await site.send('GET', path())).status).toBe(status)
  })

  test('finds no call and no key of others', async () => {
    expect((await site.json('GET', `/search?q=${ids.free}`)).calls).toEqual([])
    expect((await site.json('GET', '/search?q=desk')).keys).toEqual([])
  })
})

test('a session by a key without limits sees all of the account', async () => {
  expect((await desk.json('GET', '/session')).viewer.rights).toMatchObject({ see_account: true })
  expect((await callsSeen(desk)).sort()).toEqual(['desk', 'desk', 'site'])
  expect((await desk.send('GET', '/overview')).status).toBe(200)
})

test('an account that allows more lets its limited keys see all, at once', async () => {
  changeDetails(gateway.db, 'alice', { keys_see_account: true })
  expect((await callsSeen(site)).sort()).toEqual(['desk', 'desk', 'site'])
  expect((await site.send('GET', '/entries')).status).toBe(200)
  changeDetails(gateway.db, 'alice', { keys_see_account: false })
  expect(await callsSeen(site)).toEqual(['site'])
})
