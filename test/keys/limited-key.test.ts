// A limited key, in a session of the console and in the account's API: it sees only its own calls, unless its account allows more.
import { describe, expect, test } from 'bun:test'
import { changeDetails, seesAccount } from '../../src/access/account-details.ts'
import { changeKey } from '../../src/access/keys.ts'
import { keyQueries } from '../../src/access/queries.ts'
import type { Db } from '../../src/store/db.ts'
import { MODEL } from '../support/catalogue.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { idOf } from '../support/request-lines.ts'
import { fileScene } from '../support/scene.ts'
import { heldBack, whole } from '../support/upstream.ts'

const { gateway, upstream } = await fileScene({ script: whole(answer()) })
await gateway.account('alice', { balance_usd: '10' })
const limited = await gateway.key('alice', { name: 'site', spend_limit_nanos: 1_000_000_000 })
const free = await gateway.key('alice', { name: 'desk' })
const recordedRefusals = () =>
  gateway.db.query<{ refused: number }, []>('SELECT count(*) AS refused FROM refusals').get()?.refused
const HELD = "SELECT request_id FROM holds WHERE state = 'pending' ORDER BY key_id"
const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }
const numberOf = (name: string) => gateway.rows().keys.find((key) => key.name === name)?.id ?? 0

const makeCall = async (key: string, model?: string) =>
  await idOf(await gateway.call(wholePath(model), ask(), { key }))
await makeCall(free)
const ids = {
  limited: await makeCall(limited),
  free: await makeCall(free),
  refused: await makeCall(limited, 'none'),
  refused_free: await makeCall(free, 'none'),
}
await gateway.rest()
await eventually('both refusals are recorded', () => recordedRefusals() === 2)
const site = await signedIn(gateway, { key: limited })
const desk = await signedIn(gateway, { key: free })

const callsSeen = async (client: ConsoleClient) =>
  (await client.json('GET', '/calls?outcome=call')).calls.map((call: { key: string }) => call.key)

describe('a session by a limited key', () => {
  test('sees only its own calls, key and usage', async () => {
    expect((await site.json('GET', '/session')).viewer).toMatchObject({ see_account: false })
    expect(await callsSeen(site)).toEqual(['site'])
    expect((await site.json('GET', '/keys')).keys.map(({ name }: { name: string }) => name)).toEqual(['site'])
    expect(await site.json('GET', '/keys?limit=1')).toMatchObject({
      keys: [{ name: 'site' }],
      next_cursor: null,
    })
    expect((await site.json('GET', '/call-filters')).keys).toMatchObject([{ name: 'site' }])
    expect((await site.json('GET', '/usage')).total).toMatchObject({ calls: 1 })
    expect(await site.json('GET', '/overview')).toMatchObject({ totals: { calls: 1 }, money: null })
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
    ['the overview of another key', () => `/overview?key=${numberOf('desk')}`, 404],
    ['entries', () => '/entries', 403],
    ['entries as a file', () => '/entries.csv', 403],
    ['the sums of entries', () => '/entry-sums', 403],
    ['the statement', () => '/statement', 403],
    ['the statement as a file', () => '/statement.csv', 403],
  ])('is refused %s', async (_, path, status) => {
    expect((await site.send('GET', path())).status).toBe(status)
  })

  test('sees the reasons for refusals of its own requests, not of others', async () => {
    const refused = async (key: string, wrong: object) =>
      expect((await gateway.call('/v1/chat/completions', { ...CHAT, ...wrong }, { key })).status).toBe(400)
    const recorded = recordedRefusals() ?? 0
    await refused(limited, { top_p: 'own' })
    await refused(free, { temperature: 'other' })
    await refused(free, { temperature: 'other' })
    await eventually('they are recorded', () => recordedRefusals() === recorded + 3)
    for (const reasons of ['reasons', 'reasons_of_hour'])
      expect(JSON.stringify((await site.json('GET', '/refusals'))[reasons])).toMatch(/top_p(?!.*temperature)/)
    gateway.db.run('DELETE FROM refusals WHERE id IN (SELECT id FROM refusals ORDER BY id DESC LIMIT 3)')
    gateway.db.run("DELETE FROM refusal_sums WHERE code <> 'model_not_found'")
  })

  test('does not find calls and keys of others', async () => {
    expect((await site.json('GET', `/search?q=${ids.free}`)).calls).toEqual([])
    expect((await site.json('GET', '/search?q=desk')).keys).toEqual([])
  })
})

interface Answer {
  calls: { request_id: string }[]
  sums: { key: string; calls: number }[]
  refusals: { request_id: string }[]
  refused: number | null
  next_cursor: number | null
  error: { param: string | null; message: string }
}

/** Calls a path below /api/v1 with a key. */
async function api(path: string, key: string): Promise<{ status: number; body: Answer }> {
  const response = await gateway.call(`/api/v1/${path}`, undefined, { key, method: 'GET' })
  return { status: response.status, body: (await response.json()) as Answer }
}
const requests = (rows: { request_id: string }[]) => rows.map(({ request_id }) => request_id)
const prefixOf = (key: string) => key.slice(0, 10)

describe('in the API of its account, a limited key', () => {
  test('sees its own calls, their sums and its own refused requests', async () => {
    expect(requests((await api('usage', limited)).body.calls)).toEqual([ids.limited])
    const own = `usage?key=${prefixOf(limited)}`
    expect(requests((await api(own, limited)).body.calls)).toEqual([ids.limited])
    expect((await api('usage?sums=day', limited)).body.sums).toMatchObject([{ key: 'site', calls: 1 }])
    const { refusals, refused } = (await api('refusals', limited)).body
    expect([requests(refusals), refused]).toEqual([[ids.refused], 1])
    expect((await api('account', limited)).status).toBe(200)
  })

  test.each([
    ['the calls of another key', () => `usage?key=${prefixOf(free)}`, 'key'],
    ['the sums of another key', () => `usage?sums=day&key=${prefixOf(free)}`, 'key'],
    ['the refused requests of another key', () => `refusals?key=${prefixOf(free)}`, 'key'],
    ['the calls of an unknown key', () => 'usage?key=tg_0000000', 'key'],
    ['the entries of the account', () => 'entries', null],
  ])('is refused %s', async (_, path, param) => {
    const { status, body } = await api(path(), limited)
    expect([status, body.error.param]).toEqual([403, param])
    expect(body.error.message).toContain('sees its own calls only')
  })

  test('without limits sees all of the account', async () => {
    expect((await api('usage', free)).body.calls).toHaveLength(3)
    expect((await api('entries', free)).status).toBe(200)
    const { refusals, refused } = (await api('refusals', free)).body
    expect([requests(refusals), refused]).toEqual([[ids.refused_free, ids.refused], 2])
    expect(refusals[0]).toMatchObject({ surface: 'native', model: 'none', status: 404, key: 'desk' })
    expect(refusals[0]).toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('Model not found'),
    })
    const of = async (query: string) => (await api(`refusals?${query}`, free)).body
    expect(requests((await of(`key=${prefixOf(limited)}`)).refusals)).toEqual([ids.refused])
    expect(await of('key=tg_0000000')).toMatchObject({ refusals: [], refused: 0 })
    expect(await of('model=none')).toMatchObject({ refusals: [{}, {}], refused: null })
    expect(await of('until=2026-01-01')).toMatchObject({ refusals: [], refused: 0 })
    const first = await of('limit=1')
    expect(requests((await of(`limit=1&cursor=${first.next_cursor}`)).refusals)).toEqual([ids.refused])
  })
})

test('a session by a key without limits sees all of the account', async () => {
  expect((await desk.json('GET', '/session')).viewer).toMatchObject({ see_account: true })
  expect((await callsSeen(desk)).sort()).toEqual(['desk', 'desk', 'site'])
  expect((await desk.send('GET', '/overview')).status).toBe(200)
})

test('an account may let its limited keys see everything, which takes effect at once', async () => {
  await changeDetails(gateway.store, 'alice', { keys_see_account: true })
  expect((await callsSeen(site)).sort()).toEqual(['desk', 'desk', 'site'])
  expect((await site.send('GET', '/entries')).status).toBe(200)
  expect((await api('entries', limited)).status).toBe(200)
  expect((await api('usage', limited)).body.calls).toHaveLength(3)
  // Five of them are the refused reads above.
  await eventually('all are recorded', () => recordedRefusals() === 7)
  expect((await api('refusals', limited)).body.refused).toBe(7)
  await changeDetails(gateway.store, 'alice', { keys_see_account: false })
  expect(await callsSeen(site)).toEqual(['site'])
})

test('a session by a limited key gets the same answer for others’ requests, refused or running, as for unknown ones', async () => {
  const errorFor = async (id: string) => {
    const answer = await site.send('GET', `/calls/${id}`)
    return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code]
  }
  const unknown = await errorFor(`${ids.free}0`)
  expect(await errorFor(ids.refused)).toEqual([404, 'request_refused'])
  expect(await errorFor(ids.refused_free)).toEqual(unknown)

  const held = heldBack(whole(answer()))
  upstream.answer(held.script)
  const calls = [limited, free].map((key) => gateway.call(wholePath(), ask(), { key }))
  const running = () => gateway.db.query<{ request_id: string }, []>(HELD).all()
  await eventually('both are running', () => running().length === 2)
  const [own, other] = running()
  expect(await errorFor(own?.request_id ?? '')).toEqual([409, 'call_under_way'])
  expect(await errorFor(other?.request_id ?? '')).toEqual(unknown)
  held.release()
  await Promise.all(calls)
  await gateway.rest()
})

test('a key with a weekly limit is a limited one, which is known from its rows without another query', async () => {
  const id = numberOf('desk')
  const key = await keyQueries(gateway.store).keyAndBudgets.get({ id })
  // An empty database object: another query would throw.
  expect(key && (await seesAccount({} as Db, key))).toBe(true)
  await changeKey(gateway.store, String(id), { budgets: { week: 9_000_000_000 } }, Date.now())
  expect(await callsSeen(desk)).not.toContain('site')
  expect(JSON.stringify((await api('usage', free)).body)).not.toContain(ids.limited)
  await changeKey(gateway.store, String(id), { budgets: { week: null } }, Date.now())
  expect(await callsSeen(desk)).toContain('site')
})
