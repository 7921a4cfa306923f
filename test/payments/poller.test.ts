// The poller under a test clock: the times of lookups, one gateway for each, and no delays by a method that hangs.
import { describe, expect, test } from 'bun:test'
import { createPoller } from '../../plugins/payments/poller.ts'
import { eventually } from '../support/eventually.ts'
import { fakeProvider } from './fake-provider.ts'
import { CREDIT, ENGINES, NOW, openWorld } from './world.ts'

const SECOND_MS = 1_000

describe.each(ENGINES)('on %s', (_, make) => {
  test('an order is looked up when it is due, not a second earlier, and once when it expires', async () => {
    await using world = await openWorld(make)
    const { id } = await world.startOrder()
    const moments = [9, 10, 29, 30, 59, 60, 119, 120, 3_719, 3_720, 86_398, 86_399, 86_400, 86_401]
    const lookup_seconds: number[] = []
    for (const second of moments) {
      const before = world.fake.requests.look
      world.clock.now_ms = NOW + second * SECOND_MS
      await world.poll()
      if (world.fake.requests.look > before) lookup_seconds.push(second)
    }
    // The lookups that are due after 300 and 900 seconds are one here: nothing polls between 120 and 3,719.
    expect(lookup_seconds).toEqual([10, 30, 60, 120, 3_719, 86_398, 86_400])
    expect((await world.order(id)).state).toBe('expired')
  })

  test('one of two gateways looks up an order', async () => {
    await using world = await openWorld(make)
    const other = await world.another()
    for (let made = 0; made < 12; made++) world.fake.pay((await world.startOrder()).reference)
    world.clock.now_ms += 10 * SECOND_MS
    await Promise.all([world.poll(), world.poll(other), world.poll(), world.poll(other)])
    expect(world.fake.requests.look).toBe(12)
    expect(await world.money()).toEqual({ balance: 12 * CREDIT, debt: 0 })
  })

  test('another gateway does an unfinished lookup after two minutes', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.startOrder()
    world.fake.pay(reference)
    const other = await world.another()
    world.clock.now_ms += 10 * SECOND_MS
    // Hangs for ever, as a killed process does.
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

  test('a method that hangs does not delay another one', async () => {
    const slow = fakeProvider('slow')
    await using world = await openWorld(make, [slow])
    const answer = Promise.withResolvers<void>()
    for (let made = 0; made < 12; made++) await world.startOrder({ method: 'slow', account_id: 2 })
    const { id, reference } = await world.startOrder()
    world.fake.pay(reference)
    slow.trouble = () => answer.promise
    world.clock.now_ms += 10 * SECOND_MS
    const poller = createPoller(world.parts)
    const first = poller.pollDue()
    await eventually('the order is credited', async () => (await world.order(id)).state !== 'open')
    // The next round starts no more lookups at the method that hangs.
    void poller.pollDue()
    const next = await world.startOrder()
    world.fake.pay(next.reference)
    world.clock.now_ms += 10 * SECOND_MS
    void poller.pollDue()
    await eventually('the next order is credited', async () => (await world.order(next.id)).state !== 'open')
    await eventually('five lookups hang', () => slow.requests.look === 5)
    answer.resolve()
    await first
    await poller.stop()
    expect(slow.requests.look).toBe(12)
  })

  test('a failing method gets five lookups a round, and its orders stay open', async () => {
    await using world = await openWorld(make)
    for (let made = 0; made < 12; made++) await world.startOrder()
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

  test('a stopped poller starts no lookups', async () => {
    await using world = await openWorld(make)
    await world.startOrder()
    world.clock.now_ms += 10 * SECOND_MS
    const poller = createPoller(world.parts)
    await poller.stop()
    await poller.pollDue()
    expect(world.fake.requests.look).toBe(0)
  })
})
