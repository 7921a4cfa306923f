// The console's overview and its live feed: of everybody's calls for the operator, of their own for others.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { liveRoutes } from '../../plugins/live-feed/console.ts'
import { openActivity } from '../../plugins/live-feed/others-calls.ts'
import { changeKey } from '../../src/access/keys.ts'
import type { Plugin } from '../../src/app/plugin.ts'
import { MODEL, PROVIDER, THINKING } from '../support/catalogue.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../support/native.ts'
import { routesPlugin } from '../support/plugins.ts'
import { refusal, startUpstream, type Upstream } from '../support/upstream.ts'

const CHECK_EVERY_MS = 10
/** The gateway's own is so far ahead of this machine's. */
const clock = { ahead_ms: 0 }

let upstream: Upstream
let gateway: TestGateway
let operator: ConsoleClient
let alice: ConsoleClient
let keys: { alice: string; bob: string }

beforeAll(async () => {
  upstream = await startUpstream(answering)
  gateway = await startTestGateway({ upstream, now: () => Date.now() + clock.ahead_ms })
  await gateway.account('alice', { balance_usd: '10' })
  await gateway.account('bob', { balance_usd: '10' })
  keys = { alice: await gateway.key('alice'), bob: await gateway.key('bob') }
  operator = await signedIn(gateway, 'operator')
  alice = await signedIn(gateway, { account: 'alice' })
  for (const key of [keys.alice, keys.bob, keys.bob])
    await (await gateway.call(wholePath(), ask(), { key })).text()
  upstream.answer(refusal(503, { error: { code: 503, message: 'overloaded' } }))
  await (await gateway.call(wholePath(), ask(), { key: keys.bob })).text()
  upstream.answer(answering)
  await gateway.rest()
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})

describe.each(['hour', 'day', 'week', 'month'])('the overview of a %s', (range) => {
  test('has all calls, and the route that failed, for the operator', async () => {
    const overview = await operator.json('GET', `/overview?range=${range}`)
    expect(overview.totals).toMatchObject({ calls: 4, failed: 1, cost_nanos: 3 * ANSWER_NANOS })
    expect(overview.totals.first_byte_p50_ms).toBeNumber()
    expect(overview.before).toMatchObject({ calls: 0, cost_nanos: 0 })
    expect(overview.points.at(-1)).toBeDefined()
    const sum = overview.points.reduce((total: number, { calls }: { calls: number }) => total + calls, 0)
    expect(sum).toBe(4)
    expect(overview.failing).toMatchObject({
      routes: [{ provider: PROVIDER, failures: 1, classes: { overloaded: 1 }, last_words: 'overloaded' }],
      complete: true,
    })
    expect(overview.money).toBeNull()
    expect(overview.top).toMatchObject({
      models: [{ model: MODEL, calls: 4, failed: 1, cost_nanos: 3 * ANSWER_NANOS }],
      accounts: [
        { account: 'bob', calls: 3, failed: 1, cost_nanos: 2 * ANSWER_NANOS },
        { account: 'alice', calls: 1, failed: 0, cost_nanos: ANSWER_NANOS },
      ],
      further_models: 0,
      further_accounts: 0,
    })
  })

  test('has their own calls and money for an account, and no routes', async () => {
    for (const client of [alice, await signedIn(gateway, { key: keys.alice })]) {
      const overview = await client.json('GET', `/overview?range=${range}`)
      expect(overview.totals).toMatchObject({ calls: 1, failed: 0, cost_nanos: ANSWER_NANOS })
      expect(overview.failing).toBeNull()
      expect(overview.top).toMatchObject({ models: [{ calls: 1 }], accounts: [] })
      expect(overview.money).toMatchObject({ available_nanos: 10_000_000_000 - ANSWER_NANOS, debt_nanos: 0 })
    }
  })
})

test('the overview is of a day where no range is named, and of no other than it has', async () => {
  expect((await operator.json('GET', '/overview')).range).toBe('day')
  expect((await operator.send('GET', '/overview?range=year')).status).toBe(400)
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
  test('tells the operator of everybody’s calls, and whose they are', async () => {
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

  test('tells an account of its own calls alone', async () => {
    const feed = await openLive(alice)
    await (await gateway.call(wholePath(), ask(), { key: keys.bob })).text()
    await (await gateway.call(wholePath(), ask(), { key: keys.alice })).text()
    for (const type of ['held', 'first_byte', 'settled'])
      expect(await feed.next()).toMatchObject({ type, account: 'alice' })
    feed.leave()
  })

  test('counts what is too much to be told', async () => {
    const CALLS = 40
    const feed = await openLive(operator)
    const all = Array.from({ length: CALLS }, () => gateway.call(wholePath(), ask(), { key: keys.bob }))
    for (const call of await Promise.all(all)) await call.text()
    await gateway.rest()
    clock.ahead_ms += 1_000
    await (await gateway.call(wholePath(), ask(), { key: keys.alice })).text()
    let told = 0
    let skipped = 0
    for (;;) {
      const event = await feed.next()
      if (!event || event.account === 'alice') break
      if (event.type === 'skipped') skipped += Number(event.events)
      else told += 1
    }
    expect(told + skipped).toBe(3 * CALLS)
    feed.leave()
  })

  test('is refused for too many of one session', async () => {
    const one = await signedIn(gateway, 'operator')
    const feeds = []
    for (let nth = 0; nth < 6; nth++) feeds.push(await openLive(one))
    const further = await openLive(one)
    expect(further.response.status).toBe(429)
    for (const { leave } of feeds) leave()
  })

  test('tells a key that gets limits of its own calls alone from then on, and ends with its session', async () => {
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
      /** Whose calls are told, of one by each key. */
      async function toldOfBoth(): Promise<unknown[]> {
        for (const key of [unseen, seen]) await (await other.call(wholePath(), ask(), { key })).text()
        const told = new Set<unknown>()
        for (;;) {
          const event = await own.next()
          told.add(event?.key)
          if (!event || (event.type === 'settled' && event.key === seen.slice(0, 10))) return [...told]
        }
      }
      expect(await toldOfBoth()).toHaveLength(2)
      await changeKey(other.store, seen.slice(0, 10), { spend_limit_nanos: 1_000_000_000 }, Date.now())
      await eventually('it is told of its own alone', async () => (await toldOfBoth()).length === 1)
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
  const askInVain = async () => {
    upstream.answer(refusal(503, { error: { code: 503, message: 'no room' } }))
    for (const key of [keys.alice, keys.bob, keys.alice, keys.bob, keys.alice])
      await (await gateway.call(wholePath(), ask(), { key })).text()
    upstream.answer(answering)
    await gateway.rest()
  }
  const modelOf = async (client: ConsoleClient, name = MODEL) =>
    (await client.json('GET', '/models')).models.find(({ id }: { id: string }) => id === name)

  test('of calls of which some failed', async () => {
    expect((await operator.json('GET', '/health')).troubles).toEqual([])
    expect(await modelOf(operator)).toMatchObject({ health_state: 'working', health: { judged_by: 'hour' } })
    expect(await modelOf(operator, THINKING)).toMatchObject({ health_state: 'unknown' })
  })

  test('of none but calls that failed, for the operator', async () => {
    clock.ahead_ms += 3 * 3_600_000
    await askInVain()
    const { troubles } = await operator.json('GET', '/health')
    const last_failure = { failure_class: 'overloaded', words: 'no room' }
    expect(troubles).toMatchObject([
      { kind: 'provider', name: PROVIDER, detail: 'The last 5 calls failed (overloaded 5).' },
    ])
    const model = await modelOf(operator)
    expect(model).toMatchObject({ health_state: 'failing', health: { state: 'failing', judged_by: 'hour' } })
    expect(model.routes).toMatchObject([{ health: { state: 'failing' }, last_failure }])
    const { providers } = await operator.json('GET', '/providers')
    expect(providers[0]).toMatchObject({ health: { state: 'failing' }, last_failure })
  })

  test('is a word for an account, which sees no providers', async () => {
    const model = await modelOf(alice)
    expect(model.health_state).toBe('failing')
    expect(model).not.toContainAnyKeys(['health', 'routes'])
    expect(await alice.json('GET', '/health')).toMatchObject({
      troubles: [],
      failing_models: [{ model: MODEL }],
    })
  })
})
