// GET /api/v1/events: the live feed of an account's calls.

import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { callersFeedRoutes } from '../../plugins/live-feed/callers-feed.ts'
import { openActivity } from '../../plugins/live-feed/others-calls.ts'
import { liveFeed } from '../../plugins/live-feed/plugin.ts'
import { revokeKey } from '../../src/access/keys.ts'
import type { Plugin } from '../../src/app/plugin.ts'
import { MODEL } from '../support/catalogue.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath, usage, wholePath } from '../support/native.ts'
import { routesPlugin } from '../support/plugins.ts'
import { fileScene } from '../support/scene.ts'
import { events, refusal, whole } from '../support/upstream.ts'

const PING_EVERY_MS = 20
const CHECK_EVERY_MS = 10

const all: readonly Plugin[] = plugins
const quick = all.map((plugin) =>
  plugin === liveFeed
    ? routesPlugin('live-feed', (gateway) =>
        callersFeedRoutes(gateway, openActivity(gateway).activity, {
          ping_every_ms: PING_EVERY_MS,
          check_every_ms: CHECK_EVERY_MS,
        }),
      )
    : plugin,
)
const { gateway, upstream } = await fileScene({ plugins: quick })

type Event = { type: string } & Record<string, unknown>

/** An open feed, read event by event. */
async function openFeed(key: string) {
  const disconnect = new AbortController()
  const response = await gateway.call('/api/v1/events', undefined, { key, signal: disconnect.signal })
  expect(response.status).toBe(200)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  /** The next event of any kind; undefined at the end of the feed. */
  async function nextOfAny(): Promise<Event | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1] ?? ''
        text = text.slice(end + 2)
        return JSON.parse(data)
      }
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done) return undefined
      text += value
    }
  }
  return {
    response,
    nextOfAny,
    /** The next event other than a ping. */
    async next(): Promise<Event> {
      for (;;) {
        const event = await nextOfAny()
        if (!event) throw new Error('the feed ended')
        if (event.type !== 'ping') return event
      }
    },
    async end(): Promise<void> {
      for (;;) if (!(await nextOfAny())) return
    },
    leave: () => disconnect.abort(),
  }
}

const fieldsOfCall = (key: string, streamed: boolean) => ({
  request_id: expect.stringMatching(/^req_/),
  key: key.slice(0, 10),
  surface: 'native',
  model: MODEL,
  streamed,
  at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
})

describe('a call of the account', () => {
  test.each([
    ['whole', false, wholePath, () => whole(answer())],
    [
      'streamed',
      true,
      streamPath,
      () => events([piece('Hel'), { ...answer('lo.'), usageMetadata: usage(10, 5) }]),
    ],
  ] as const)('%s: held, first byte, settled with its cost', async (_, streamed, path, script) => {
    upstream.answer(script())
    const key = await gateway.caller()
    const feed = await openFeed(key)
    const call = await gateway.call(path(MODEL), ask(), { key })
    await call.text()
    const shared = { ...fieldsOfCall(key, streamed), request_id: call.headers.get('x-request-id') }
    expect(await feed.next()).toEqual({
      type: 'held',
      ...shared,
      held_nanos: expect.any(Number),
      held_usd: expect.stringMatching(/^0\./),
    })
    expect(await feed.next()).toEqual({ type: 'first_byte', ...shared, after_ms: expect.any(Number) })
    expect(await feed.next()).toEqual({
      type: 'settled',
      ...shared,
      outcome: 'completed',
      status: 200,
      duration_ms: expect.any(Number),
      cost_nanos: ANSWER_NANOS,
      cost_usd: '0.00003',
    })
    feed.leave()
  })

  test('that failed is settled without a cost', async () => {
    upstream.answer(refusal(400, { error: { message: 'no' } }))
    const key = await gateway.caller()
    const feed = await openFeed(key)
    await gateway.call(wholePath(MODEL), ask(), { key })
    expect((await feed.next()).type).toBe('held')
    expect(await feed.next()).toMatchObject({
      type: 'settled',
      outcome: 'failed',
      status: 400,
      cost_nanos: 0,
    })
    feed.leave()
  })

  test('appears to all keys of its account without limits, and to no other account', async () => {
    upstream.answer(whole(answer()))
    const { name } = await gateway.account('shared-feed', { balance_usd: '1' })
    const [one, other] = [await gateway.key(name), await gateway.key(name)]
    const foreign = await openFeed(await gateway.caller())
    const limited = await gateway.key(name, { spend_limit_nanos: 1_000_000_000 })
    const own = await openFeed(limited)
    const feed = await openFeed(one)
    await gateway.call(wholePath(MODEL), ask(), { key: other })
    await gateway.call(wholePath(MODEL), ask(), { key: limited })
    expect(await feed.next()).toMatchObject({ type: 'held', key: other.slice(0, 10) })
    expect(await foreign.nextOfAny()).toEqual({ type: 'ping' })
    expect(await foreign.nextOfAny()).toEqual({ type: 'ping' })
    expect(await own.next()).toMatchObject({ type: 'held', key: limited.slice(0, 10) })
    for (const open of [feed, foreign, own]) open.leave()
  })
})

describe('a feed', () => {
  test('consists of server-sent events that are not cached, with a ping at once and then regularly', async () => {
    const feed = await openFeed(await gateway.caller())
    expect(feed.response.headers.get('content-type')).toBe('text/event-stream')
    expect(feed.response.headers.get('cache-control')).toBe('no-store')
    expect(feed.response.headers.get('x-request-id')).toMatch(/^req_/)
    expect([await feed.nextOfAny(), await feed.nextOfAny()]).toEqual([{ type: 'ping' }, { type: 'ping' }])
    feed.leave()
  })

  test('ends when its key is revoked', async () => {
    const key = await gateway.caller()
    const feed = await openFeed(key)
    await revokeKey(gateway.store, key.slice(0, 10), Date.now())
    await feed.end()
  })

  test('is refused as the fifth of a key, until another one is closed', async () => {
    const key = await gateway.caller()
    const feeds = await Promise.all([1, 2, 3, 4].map(() => openFeed(key)))
    const fifth = await gateway.call('/api/v1/events', undefined, { key })
    expect(fifth.status).toBe(429)
    expect(await fifth.json()).toMatchObject({ error: { type: 'rate_limited' } })
    const [closed] = feeds
    closed?.leave()
    await closed?.response.text().catch(() => 'cut')
    for (;;) {
      const again = await gateway.call('/api/v1/events', undefined, { key })
      await again.body?.cancel()
      if (again.status === 200) break
    }
    for (const feed of feeds.slice(1)) feed.leave()
  })

  test('opens only by GET: HEAD gets its headers, and does not count among the four', async () => {
    const key = await gateway.caller()
    for (let request = 0; request < 5; request++) {
      const { status, headers } = await gateway.call('/api/v1/events', undefined, { key, method: 'HEAD' })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      expect(headers.get('x-request-id')).toMatch(/^req_/)
    }
    const feed = await openFeed(key)
    feed.leave()
  })

  test.each([
    ['no key', undefined, 401],
    ['an unknown key', 'tg_unknown-unknown-unknown', 401],
  ])('with %s is refused', async (_, key, status) => {
    const refused = await gateway.call('/api/v1/events', undefined, { key })
    expect(refused.status).toBe(status)
  })
})
