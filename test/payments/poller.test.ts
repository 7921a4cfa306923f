// The poller under a clock of its own: who looks, when, and that one method that hangs holds up none but itself.
import { describe, expect, test } from 'bun:test'
import { createPoller } from '../../plugins/payments/poller.ts'
import { eventually } from '../support/eventually.ts'
import { fakeProvider } from './fake-provider.ts'
import { CREDIT, ENGINES, openWorld } from './world.ts'

const SECOND_MS = 1_000

describe.each(ENGINES)('on %s', (_, make) => {
  test('looks after 10, 30, 60, 120, 300 and 900 seconds, then hourly, and once when the order expires', async () => {
    await using world = await openWorld(make)
    const { id } = await world.begun()
    const looked_at: number[] = []
    const poller = createPoller(world.parts)
    // Each moment before a look, too: none is early.
    const moments = [
      9, 10, 29, 30, 59, 60, 119, 120, 299, 300, 899, 900, 4_499, 4_500, 86_399, 86_400, 86_401,
    ]
    for (const second of moments) {
      const before = world.fake.requests.look
      const start = world.clock.now_ms
      world.clock.now_ms = 1_764_000_000_000 + second * SECOND_MS
      await poller.pollDue()
      expect(world.clock.now_ms).toBeGreaterThan(start)
      if (world.fake.requests.look > before) looked_at.push(second)
    }
    expect(looked_at.filter((second) => second < 86_000)).toEqual([10, 30, 60, 120, 300, 900, 4_500])
    expect(looked_at.at(-1)).toBeGreaterThanOrEqual(86_399)
    expect((await world.order(id)).state).toBe('expired')
  })

  test('of two gateways one looks', async () => {
    await using world = await openWorld(make)
    const other = await world.another()
    for (let made = 0; made < 12; made++) world.fake.pay((await world.begun()).reference)
    world.clock.now_ms += 10 * SECOND_MS
    await Promise.all([world.poll(), world.poll(other), world.poll(), world.poll(other)])
    expect(world.fake.requests.look).toBe(12)
    expect(await world.money()).toEqual({ balance: 12 * CREDIT, debt: 0 })
  })

  test('what a gateway took and did not finish another one does after two minutes', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.begun()
    world.fake.pay(reference)
    const other = await world.another()
    world.clock.now_ms += 10 * SECOND_MS
    // It hangs for ever: its process is killed.
    other.providers = () => [{ ...world.fake, look: () => new Promise(() => {}) }]
    void createPoller(other)
      .pollDue()
      .catch(() => {})
    await eventually('it looks', async () => (await world.order(id)).looks > 0)
    await world.poll()
    expect((await world.order(id)).state).toBe('open')
    world.clock.now_ms += 121 * SECOND_MS
    await world.poll()
    expect((await world.order(id)).state).toBe('paid')
  })

  test('a method that hangs holds up no other one', async () => {
    const slow = fakeProvider('slow')
    await using world = await openWorld(make, [slow])
    const answer = Promise.withResolvers<void>()
    for (let made = 0; made < 12; made++) await world.begun({ method: 'slow', account_id: 2 })
    const { id, reference } = await world.begun()
    world.fake.pay(reference)
    slow.trouble = () => answer.promise
    world.clock.now_ms += 10 * SECOND_MS
    const poller = createPoller(world.parts)
    const first = poller.pollDue()
    await eventually('the order is credited', async () => (await world.order(id)).state !== 'open')
    // The next second's round begins nothing anew where it hangs.
    void poller.pollDue()
    const next = await world.begun()
    world.fake.pay(next.reference)
    world.clock.now_ms += 10 * SECOND_MS
    void poller.pollDue()
    await eventually('the next order is credited', async () => (await world.order(next.id)).state !== 'open')
    expect(slow.requests.look).toBe(5)
    answer.resolve()
    await first
    await poller.stop()
    expect(slow.requests.look).toBe(12)
  })

  test('a method that fails is asked for five orders a round, and its orders stay open', async () => {
    await using world = await openWorld(make)
    for (let made = 0; made < 12; made++) await world.begun()
    world.fake.trouble = () => {
      throw new Error('500')
    }
    world.clock.now_ms += 10 * SECOND_MS
    await world.poll()
    expect(world.fake.requests.look).toBe(5)
    await world.poll()
    await world.poll()
    expect(world.fake.requests.look).toBe(12)
    expect(await world.db.rows('SELECT DISTINCT state FROM orders')).toEqual([{ state: 'open' }])
    expect(world.warnings).toHaveLength(12)
  })

  test('once it is stopped it begins nothing', async () => {
    await using world = await openWorld(make)
    await world.begun()
    world.clock.now_ms += 10 * SECOND_MS
    const poller = createPoller(world.parts)
    await poller.stop()
    await poller.pollDue()
    expect(world.fake.requests.look).toBe(0)
  })
})
