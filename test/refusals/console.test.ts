// The console's refused requests: beside the calls, counted with their reasons, one in full; an account sees its own.
import { afterAll, describe, expect, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { allPages, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { idOf } from '../support/request-lines.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream(answering)
const MINUTE_MS = 60_000
let at_ms = Date.UTC(2026, 4, 5, 12, 30)
const gateway = await fileGateway({ upstream, now: () => at_ms })
afterAll(() => upstream[Symbol.asyncDispose]())
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob')
const keys = {
  alice: await gateway.key('alice'),
  desk: await gateway.key('alice', { name: 'desk' }),
  bob: await gateway.key('bob'),
  /** A key that sees only its own requests. */
  limited: await gateway.key('bob', { models: ['of-nobody'] }),
}

/** Sends a request a minute after the previous one. */
async function send(model: string, key: string): Promise<string> {
  at_ms += MINUTE_MS
  return await idOf(await gateway.call(wholePath(model), ask(), { key }))
}
/** In their sequence: alice gets two answers between refusals, bob has no balance. */
const ids = [
  await send('of-nobody', keys.alice),
  await send(MODEL, keys.alice),
  await send('of-nobody', keys.desk),
  await send(MODEL, keys.bob),
  await send(MODEL, keys.desk),
  await send(MODEL, keys.bob),
]
const recorded = () => gateway.db.query('SELECT 1 FROM refusals').all().length
await eventually('the refusals are recorded', () => recorded() === 4)
await gateway.rest()

const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })
const bob = await signedIn(gateway, { account: 'bob' })
const idsOf = ({ calls }: { calls: { request_id: string }[] }) => calls.map(({ request_id }) => request_id)
/** The ids by their place, from 1, newest first. */
const idsAt = (...places: number[]) => places.map((place) => ids[place - 1] ?? '').reverse()

describe('the list of calls with refused requests', () => {
  test.each<[string, number[]]>([
    ['', [1, 2, 3, 4, 5, 6]],
    ['?outcome=refused', [1, 3, 4, 6]],
    ['?outcome=completed', [2, 5]],
    ['?outcome=call', [2, 5]],
    ['?account=alice', [1, 2, 3, 5]],
    ['?account=bob&outcome=refused', [4, 6]],
    ['?key=2', [3, 5]],
    ['?model=of-nobody', [1, 3]],
    [`?model=${MODEL}`, [2, 4, 5, 6]],
    ['?status=402', [4, 6]],
    ['?status=4xx', [1, 3, 4, 6]],
    ['?provider=provider-one', [2, 5]],
    ['?min_cost=0', [1, 2, 3, 4, 5, 6]],
    ['?min_cost=0.000001', [2, 5]],
    ['?since=2026-05-05T12:33:00Z&until=2026-05-05T12:35:00Z', [3, 4]],
    ['?outcome=refused&until=2020-01-01', []],
  ])('is filtered by "%s"', async (query, places) => {
    expect(idsOf(await operator.json('GET', `/calls${query}`))).toEqual(idsAt(...places))
  })

  test.each([1, 2, 4])('has pages of %d', async (limit) => {
    const pages = await allPages((cursor) => operator.json('GET', `/calls?limit=${limit}${cursor}`))
    expect(pages.flatMap(idsOf)).toEqual(idsAt(1, 2, 3, 4, 5, 6))
  })

  test('has their reason, and no cost', async () => {
    const { calls } = await operator.json('GET', '/calls?limit=1')
    expect(calls).toMatchObject([
      {
        account: 'bob',
        key_prefix: keys.bob.slice(0, 10),
        surface: 'native',
        model: MODEL,
        outcome: 'refused',
        status: 402,
        refusal: expect.stringMatching(/Insufficient balance/),
        cost_nanos: 0,
        provider: null,
        margin_nanos: null,
      },
    ])
  })

  test.each([
    [alice, [1, 2, 3, 5]],
    [bob, [4, 6]],
  ])('has only those of the viewer’s account', async (client, places) => {
    expect(idsOf(await client.json('GET', '/calls'))).toEqual(idsAt(...places))
  })

  test.each([
    ['', 4],
    ['?outcome=refused', 4],
    ['?outcome=completed', 0],
    ['?account=bob', 2],
    ['?key=2', 1],
    ['?since=2026-05-06', 0],
    ['?model=of-nobody', null],
  ])('has their number in the sums of %p', async (query, refused) => {
    expect((await operator.json('GET', `/call-sums${query}`)).refused).toBe(refused)
  })

  test('has them in the file of all calls, in the same places, with their reason', async () => {
    const rows = await operator.json('GET', '/calls')
    const file = await (await operator.send('GET', '/calls.csv')).text()
    const [head = '', ...lines] = file.trimEnd().split('\r\n')
    expect(lines.map((line) => line.split(',')[0])).toEqual(idsOf(rows))
    expect(head.split(',').indexOf('refusal')).toBeGreaterThan(0)
    expect(lines.filter((line) => line.includes(',refused,'))).toHaveLength(4)
    expect(await (await operator.send('GET', '/calls.csv?outcome=call')).text()).not.toContain(',refused,')
  })

  test('has them as a file of their own', async () => {
    const file = await (await operator.send('GET', '/calls.csv?outcome=refused&account=bob')).text()
    const [head, ...lines] = file.trimEnd().split('\r\n')
    expect(head).toBe('id,refused_utc,request_id,account,key,key_prefix,surface,model,status,code,message')
    expect(lines.map((line) => line.split(',')[2])).toEqual(idsAt(4, 6))
    expect(lines[0]).toContain(`,402,insufficient_balance,`)
  })

  test.each([
    ['alice, of all', () => alice, '', 2],
    ['a limited key, of all', () => limited, '', 0],
    // Refused requests have no cost and no provider: such filters match none.
    ['the operator, of some cost', () => operator, '&min_cost=0.01', 0],
    ['the operator, of a provider', () => operator, '&provider=other', 0],
    ['alice, of some cost', () => alice, '&min_cost=0.01', 0],
    ['a limited key, of some cost', () => limited, '&min_cost=0.01', 0],
  ])('has them as a file for %s', async (_, viewer, filter, rows) => {
    const file = await (await viewer().send('GET', `/calls.csv?outcome=refused${filter}`)).text()
    expect(file.trimEnd().split('\r\n')).toHaveLength(1 + rows)
  })
})

const limited = await signedIn(gateway, { key: keys.limited })

describe('counts of refused requests', () => {
  test.each([
    [operator, '', 4],
    [operator, '?range=hour', 4],
    [operator, '?range=month&account=alice', 2],
    [operator, '?range=week&key=2', 1],
    [operator, '?range=hour&key=3', 2],
    [limited, '?range=hour', 0],
    [alice, '', 2],
    [bob, '?range=hour', 2],
  ])('%#: %s', async (client, query, refused) => {
    const counts = await client.json('GET', `/refusals${query}`)
    expect(counts).toMatchObject({ refused, before: 0, last_hour: refused })
    expect(counts.reasons.reduce((sum: number, reason: { refused: number }) => sum + reason.refused, 0)).toBe(
      refused,
    )
  })

  test('list the most frequent reason first, with its account and sentence', async () => {
    const { reasons, reasons_of_hour } = await operator.json('GET', '/refusals')
    expect(reasons).toEqual(reasons_of_hour)
    expect(reasons).toMatchObject([
      {
        account: 'bob',
        code: 'insufficient_balance',
        refused: 2,
        sentence: expect.stringMatching(/Insufficient balance/),
      },
      {
        account: 'alice',
        code: 'model_not_found',
        refused: 2,
        sentence: expect.stringMatching(/Model not found/),
      },
    ])
  })

  test.each([
    ['2026-05-05', 4],
    ['2026-06-03', 4],
    // Without a start it is 30 days, as in the Overview.
    ['2026-06-04', 0],
    ['2026-05-04', 0],
  ])('cover the days up to %s', async (until, refused) => {
    expect((await operator.json('GET', `/refusals?until=${until}`)).refused).toBe(refused)
  })

  test('include refusals that are not recorded one by one', async () => {
    gateway.db.run("UPDATE refusal_sums SET refusals = refusals + 1000 WHERE code = 'insufficient_balance'")
    const { refused, reasons } = await bob.json('GET', '/refusals')
    gateway.db.run("UPDATE refusal_sums SET refusals = refusals - 1000 WHERE code = 'insufficient_balance'")
    expect([refused, reasons[0].refused]).toEqual([1_002, 1_002])
  })
})

describe('a refused request', () => {
  test('is shown in full', async () => {
    expect(await alice.json('GET', `/refusals/${ids[0]}`)).toMatchObject({
      request_id: ids[0],
      account: 'alice',
      key_id: 1,
      model: 'of-nobody',
      status: 404,
      code: 'model_not_found',
      sentence: expect.stringMatching(/Model not found/),
      refused_at_ms: Date.UTC(2026, 4, 5, 12, 31),
    })
  })

  test.each([
    ['as a call', `/calls/${ids[0]}`, 'request_refused'],
    ['that does not exist', '/refusals/req_none', 'not_found'],
    ['that is a call', `/refusals/${ids[1]}`, 'not_found'],
    ["of another's", `/refusals/${ids[3]}`, 'not_found'],
    ["of another's, as a call", `/calls/${ids[3]}`, 'not_found'],
    ["as counts of another's account", '/refusals?account=bob', 'not_found'],
    ["as counts of another's key", '/refusals?key=3', 'not_found'],
  ])('%s is 404', async (_, path, code) => {
    const refused = await alice.send('GET', path)
    expect([refused.status, await refused.json()]).toMatchObject([404, { error: { code } }])
  })

  test('is found by its request id, by the operator and its account', async () => {
    const search = `/search?q=${ids[0]}`
    for (const client of [operator, alice])
      expect((await client.json('GET', search)).refusals).toMatchObject([
        { request_id: ids[0], code: 'model_not_found' },
      ])
    expect((await bob.json('GET', search)).refusals).toEqual([])
    expect((await operator.json('GET', '/search?q=req_')).refusals).toEqual([])
  })
})
