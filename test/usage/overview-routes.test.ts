// The console's overview and its live feed: of all calls for the operator, of their own for others.

import { afterAll, describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { liveRoutes } from '../../plugins/live-feed/console.ts'
import { openActivity } from '../../plugins/live-feed/others-calls.ts'
import { changeKey } from '../../src/access/keys.ts'
import type { Plugin } from '../../src/app/plugin.ts'
import { MODEL, PROVIDER, THINKING } from '../support/catalogue.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway, startTestGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../support/native.ts'
import { routesPlugin } from '../support/plugins.ts'
import { refusal, startUpstream } from '../support/upstream.ts'

const CHECK_EVERY_MS = 10
/** The gateway's clock, which is ahead of this machine's. */
const clock = { ahead_ms: 0 }

const upstream = await startUpstream(answering)
afterAll(() => upstream[Symbol.asyncDispose]())
const gateway = await fileGateway({ upstream, now: () => Date.now() + clock.ahead_ms })
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
const keys = { alice: await gateway.key('alice'), bob: await gateway.key('bob') }
const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })
for (const key of [keys.alice, keys.bob, keys.bob])
  await (await gateway.call(wholePath(), ask(), { key })).text()
upstream.answer(refusal(503, { error: { code: 503, message: 'overloaded' } }))
await (await gateway.call(wholePath(), ask(), { key: keys.bob })).text()
upstream.answer(answering)
await gateway.rest()

describe.each(['today', '7', '30', '90', 'mtd'])('the overview, range %s', (range) => {
  test('has all calls for the operator', async () => {
    const overview = await operator.json('GET', `/overview?range=${range}`)
    expect(overview.totals).toMatchObject({ calls: 4, failed: 1, revenue_nanos: 3 * ANSWER_NANOS })
    expect(overview.totals.first_byte_p50_ms).toBeNumber()
    expect(overview.before).toMatchObject({ calls: 0, revenue_nanos: 0 })
    const sum = overview.points.reduce((total: number, { calls }: { calls: number }) => total + calls, 0)
    expect([sum, overview.unfinished]).toEqual([4, true])
    expect(overview.money).toBeNull()
    expect(overview.resale).toMatchObject({
      owed_nanos: 20_000_000_000 - 3 * ANSWER_NANOS,
      ...{ debts_nanos: 0, debtors: 0, models: 1, plans: null, below_cost: [], cost_unknown: [MODEL] },
    })
  })

  test('has its own calls and money for an account, and none of the operator’s figures', async () => {
    for (const client of [alice, await signedIn(gateway, { key: keys.alice })]) {
      const overview = await client.json('GET', `/overview?range=${range}`)
      expect(overview.totals).toMatchObject({ calls: 1, failed: 0, spent_nanos: ANSWER_NANOS })
      expect(overview.totals).not.toContainAnyKeys([
        'revenue_nanos',
        'provider_cost_nanos',
        'known_cost_percent',
      ])
      expect(overview).toMatchObject({
        alerts: null,
        ending: null,
        resale: null,
      })
      expect(overview.money).toMatchObject({ available_nanos: 10_000_000_000 - ANSWER_NANOS, debt_nanos: 0 })
    }
  })
})

test('the overview is filtered by model, key, account and provider, and by any days of any zone', async () => {
  const callsIn = async (query: string) => (await operator.json('GET', `/overview?${query}`)).totals.calls
  expect(await callsIn('account=bob')).toBe(3)
  expect(await callsIn('account=bob&key=2')).toBe(3)
  expect(await callsIn(`provider=${PROVIDER}`)).toBe(3)
  expect(await callsIn('provider=nobody')).toBe(0)
  expect(await callsIn('model=none')).toBe(0)
  const day = new Date(Date.now()).toISOString().slice(0, 10)
  expect(await callsIn(`since=${day}&zone=UTC`)).toBe(4)
  const past = await operator.json('GET', '/overview?since=2026-01-01&until=2026-01-02&zone=Asia/Kolkata')
  expect(past).toMatchObject({ unfinished: false, from_at: '2025-12-31T18:30:00.000Z', step_ms: 3_600_000 })
  expect([past.points.length, past.before_from_at]).toEqual([48, '2025-12-29T18:30:00.000Z'])
})

describe('the report of calls', () => {
  const rowsOf = async (client: ConsoleClient, query: string) =>
    (await client.json('GET', `/usage?${query}`)).rows

  test('has its rows by group, in the requested order, with their total', async () => {
    const { rows, total, count, next_cursor } = await operator.json('GET', '/usage?by=account')
    expect(rows).toMatchObject([
      {
        name: 'bob',
        account: 'bob',
        calls: 3,
        failed: 1,
        revenue_nanos: 2 * ANSWER_NANOS,
        known_cost_percent: 33.3,
      },
      {
        name: 'alice',
        account: 'alice',
        calls: 1,
        failed: 0,
        revenue_nanos: ANSWER_NANOS,
        margin_nanos: null,
      },
    ])
    expect(total).toMatchObject({ calls: 4, revenue_nanos: 3 * ANSWER_NANOS, known_cost_percent: 25 })
    expect([count, next_cursor]).toEqual([2, null])
    const names = async (query: string) =>
      (await rowsOf(operator, query)).map(({ name }: { name: string }) => name)
    expect(await names('by=account&order=name')).toEqual(['alice', 'bob'])
    expect(await names('by=model')).toEqual([MODEL])
    expect(await names('by=provider')).toEqual([PROVIDER, 'no route answered'])
    expect(await names('by=day&range=7')).toHaveLength(7)
    expect(await names(`by=key&account=alice`)).toEqual([`key-1 ${keys.alice.slice(0, 10)}`])
  })

  test('has pages, and a file of their rows', async () => {
    const first = await operator.json('GET', '/usage?by=account&limit=1')
    expect([first.rows.length, first.next_cursor, first.total.calls]).toEqual([1, 1, 4])
    const second = await operator.json('GET', '/usage?by=account&limit=1&cursor=1')
    expect([second.rows[0].name, second.next_cursor]).toEqual(['alice', null])
    const file = await (await operator.send('GET', '/usage.csv?by=account&order=calls')).text()
    const [head, ...lines] = file.trimEnd().split('\r\n')
    expect(head).toBe(
      'name,calls,failed,input_tokens,output_tokens,images,revenue_usd,provider_cost_usd,margin_usd,margin_percent,known_cost_percent,covered_calls,covered_usd,covered_provider_cost_usd',
    )
    expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual([
      ['alice', '1', '0'],
      ['bob', '3', '1'],
    ])
  })

  test('has an account’s own calls, without cost and margin', async () => {
    for (const by of ['model', 'key', 'day', 'month']) {
      const { rows, total } = await alice.json('GET', `/usage?by=${by}&range=7`)
      expect(total).toMatchObject({ calls: 1, spent_nanos: ANSWER_NANOS })
      for (const row of [...rows, total])
        expect(Object.keys(row).filter((name) => /revenue|cost|margin|provider/.test(name))).toEqual([])
    }
    const file = await (await alice.send('GET', '/usage.csv')).text()
    expect(file.split('\r\n')[0]).toBe('name,calls,failed,input_tokens,output_tokens,images,spent_usd')
  })

  test.each([
    ['providers', () => alice, '/usage?by=provider', 403],
    ['routes', () => alice, '/usage?by=route', 403],
    ['accounts', () => alice, '/usage?by=account', 403],
    ['an order by margin', () => alice, '/usage?order=-margin', 403],
    ['an order by cost, in the file', () => alice, '/usage.csv?order=cost', 403],
    ['the calls of one provider', () => alice, `/usage?provider=${PROVIDER}`, 403],
    ['the same on the overview', () => alice, `/overview?provider=${PROVIDER}`, 403],
    ['another account', () => alice, '/usage?account=bob', 404],
    ['the same on the overview', () => alice, '/overview?account=bob', 404],
    ['another account’s key', () => alice, '/usage?key=2', 404],
    ['an account that does not exist', () => operator, '/usage?account=nobody', 404],
    ['more days than the maximum', () => alice, '/usage?since=2020-01-01&until=2026-01-01', 400],
    ['a day that does not exist', () => alice, '/usage?since=2026-02-30', 400],
    ['an end before the beginning', () => alice, '/usage?since=2026-02-03&until=2026-02-01', 400],
    ['a future day', () => alice, '/usage?since=2126-02-03', 400],
    ['a range beside days', () => alice, '/usage?range=7&since=2026-02-03', 400],
    ['an unknown range', () => alice, '/overview?range=year', 400],
    ['an unknown zone', () => alice, '/usage?zone=Mars/Base', 400],
    ['an unknown order', () => operator, '/usage?order=colour', 400],
    ['an unknown parameter', () => alice, '/usage?colour=red', 400],
  ] as const)('refuses %s', async (_name, client, path, status) => {
    expect((await client().send('GET', path)).status).toBe(status)
  })
})

type Event = { type: string } & Record<string, unknown>

async function openLive(client: ConsoleClient, url = gateway.url) {
  const leaving = new AbortController()
  const response = await fetch(new URL('/console/api/live', url), {
    headers: { cookie: client.cookie },
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function next(): Promise<Event | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const event: Event = JSON.parse(/^data: (.*)$/m.exec(text.slice(0, end))?.[1] ?? '{}')
        text = text.slice(end + 2)
        if (event.type !== 'ping') return event
        continue
      }
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done) return undefined
      text += value
    }
  }
  return { response, next, leave: () => leaving.abort() }
}

describe('the live feed', () => {
  test('has all calls for the operator, with their accounts', async () => {
    const feed = await openLive(operator)
    expect(feed.response.headers.get('content-type')).toBe('text/event-stream')
    await (await gateway.call(wholePath(), ask(), { key: keys.bob })).text()
    const about = { account: 'bob', model: MODEL, key: keys.bob.slice(0, 10) }
    expect(await feed.next()).toMatchObject({ type: 'held', ...about })
    expect(await feed.next()).toMatchObject({ type: 'first_byte', ...about })
    expect(await feed.next()).toMatchObject({
      type: 'settled',
      ...about,
      outcome: 'completed',
      cost_nanos: ANSWER_NANOS,
    })
    feed.leave()
  })

  test('has only its own calls for an account', async () => {
    const feed = await openLive(alice)
    await (await gateway.call(wholePath(), ask(), { key: keys.bob })).text()
    await (await gateway.call(wholePath(), ask(), { key: keys.alice })).text()
    for (const type of ['held', 'first_byte', 'settled'])
      expect(await feed.next()).toMatchObject({ type, account: 'alice' })
    feed.leave()
  })

  test('counts events that are too many to send', async () => {
    const CALLS = 40
    const feed = await openLive(operator)
    const all = Array.from({ length: CALLS }, () => gateway.call(wholePath(), ask(), { key: keys.bob }))
    for (const call of await Promise.all(all)) await call.text()
    await gateway.rest()
    clock.ahead_ms += 1_000
    await (await gateway.call(wholePath(), ask(), { key: keys.alice })).text()
    let sent = 0
    let skipped = 0
    for (;;) {
      const event = await feed.next()
      if (!event || event.account === 'alice') break
      if (event.type === 'skipped') skipped += Number(event.events)
      else sent += 1
    }
    expect(sent + skipped).toBe(3 * CALLS)
    feed.leave()
  })

  test('is refused above the maximum of one session', async () => {
    const one = await signedIn(gateway, 'operator')
    const feeds = []
    for (let nth = 0; nth < 6; nth++) feeds.push(await openLive(one))
    const further = await openLive(one)
    expect(further.response.status).toBe(429)
    for (const { leave } of feeds) leave()
  })

  test('has only its own calls for a key once it gets limits, and ends with its session', async () => {
    const quick = [
      ...(plugins as readonly Plugin[]).filter(({ name }) => name !== 'live-feed'),
      routesPlugin('live', (all) =>
        liveRoutes(all, openActivity(all).activity, { check_every_ms: CHECK_EVERY_MS }),
      ),
    ]
    const other = await startTestGateway({ upstream, plugins: quick })
    try {
      await other.account('carol', { balance_usd: '10' })
      const [seen, unseen] = [
        await other.key('carol', { name: 'seen' }),
        await other.key('carol', { name: 'unseen' }),
      ]
      const own = await openLive(await signedIn(other, { key: seen }), other.url)
      /** The keys of the events after a call by each key. */
      async function visibleKeys(): Promise<unknown[]> {
        for (const key of [unseen, seen]) await (await other.call(wholePath(), ask(), { key })).text()
        const visible = new Set<unknown>()
        for (;;) {
          const event = await own.next()
          visible.add(event?.key)
          if (!event || (event.type === 'settled' && event.key === seen.slice(0, 10))) return [...visible]
        }
      }
      expect(await visibleKeys()).toHaveLength(2)
      await changeKey(other.store, seen.slice(0, 10), { spend_limit_nanos: 1_000_000_000 }, Date.now())
      await eventually('only its own calls are visible', async () => (await visibleKeys()).length === 1)
      own.leave()
      const client = await signedIn(other, 'operator')
      const feed = await openLive(client, other.url)
      other.db.run('DELETE FROM sessions')
      expect(await feed.next()).toBeUndefined()
      expect((await openLive(client, other.url)).response.status).toBe(401)
    } finally {
      await other.stop()
    }
  })
})

describe('health', () => {
  const failCalls = async () => {
    upstream.answer(refusal(503, { error: { code: 503, message: 'no room' } }))
    for (const key of [keys.alice, keys.bob, keys.alice, keys.bob, keys.alice])
      await (await gateway.call(wholePath(), ask(), { key })).text()
    upstream.answer(answering)
    await gateway.rest()
  }
  const modelOf = async (client: ConsoleClient, name = MODEL) =>
    (await client.json('GET', '/models')).models.find(({ id }: { id: string }) => id === name)

  test('is working while only some calls failed', async () => {
    expect((await operator.json('GET', '/health')).troubles).toEqual([])
    expect(await modelOf(operator)).toMatchObject({ health_state: 'working', health: { sentence: null } })
    expect(await modelOf(operator, THINKING)).toMatchObject({ health_state: 'unknown' })
  })

  test('is failing once all calls failed, with the details for the operator', async () => {
    clock.ahead_ms += 3 * 3_600_000
    await failCalls()
    const { troubles } = await operator.json('GET', '/health')
    const last_failure = { failure_class: 'overloaded', words: 'no room' }
    expect(troubles).toMatchObject([
      { kind: 'provider', name: PROVIDER, detail: 'The last 5 calls failed: overloaded (5).' },
    ])
    const model = await modelOf(operator)
    const sentence = 'The last 5 calls failed: overloaded (5).'
    expect(model).toMatchObject({ health_state: 'failing', health: { state: 'failing', sentence } })
    expect(model.routes).toMatchObject([{ health: { state: 'failing' }, last_failure }])
    const { providers } = await operator.json('GET', '/providers')
    expect(providers[0]).toMatchObject({ health: { state: 'failing' }, last_failure })
  })

  test('is only a state for an account, which sees no providers', async () => {
    const model = await modelOf(alice)
    expect(model.health_state).toBe('failing')
    expect(model).not.toContainAnyKeys(['health', 'routes'])
    expect(await alice.json('GET', '/health')).toMatchObject({
      troubles: [],
      failing_models: [{ model: MODEL }],
    })
  })
})
