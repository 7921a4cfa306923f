// Automatic top-ups: when one is made, how often, and when they end; kills and races; on both engines.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { turnOff } from '../../../plugins/payments/automatic/deciding.ts'
import { failedTopUps } from '../../../plugins/payments/automatic/store.ts'
import { createTopUpWorker } from '../../../plugins/payments/automatic/worker.ts'
import { cancelOrder, startPayment } from '../../../plugins/payments/ordering.ts'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import { stateChangesOf } from '../../../src/store/state-changes.ts'
import { mortal } from '../mortal.ts'
import { ENGINES, SETTINGS } from '../world.ts'
import { type TopUpScene, topUpOnce, topUpScene, USD } from './scene.ts'

/** The steps of a top-up: make its order, charge the card, store the reference, look the payment up, and credit it. */
const STEPS = ['begin', 'charge', 'write', 'look', 'write', 'submit', 'write']

describe.each(ENGINES)('on %s', (_, make) => {
  let scene: TopUpScene
  beforeEach(async () => {
    scene = await topUpScene(make)
    // The first one starts PostgreSQL.
  }, 60_000)
  afterEach(async () => {
    expect(await scene.world.broken()).toEqual([])
    await scene[Symbol.asyncDispose]()
  })
  const states = async () => (await scene.orders()).map(({ state }) => state)

  test.each([
    ['below the threshold', 4.99, 15.79],
    ['of zero', 0, 10.8],
    ['at the threshold', 5, 5],
    ['above the threshold', 20, 20],
  ])('a balance %s goes from %d to %d USD', async (_, before, after) => {
    await scene.set()
    await scene.setBalance(before)
    await scene.runSeconds()
    expect(await scene.balance()).toBeCloseTo(after, 9)
    expect(await states()).toEqual(before < 5 ? ['paid'] : [])
  })

  test('a top-up that is not enough is followed by another, up to the month limit', async () => {
    await scene.set({ below_nanos: 100 * USD })
    await scene.setBalance(0)
    await scene.runSeconds(6)
    expect(await states()).toEqual(['paid', 'paid', 'paid'])
    expect((await scene.setting()).is_on).toBe(1)
  })

  test('a used-up month limit starts anew with the calendar month (UTC)', async () => {
    await scene.set({ month_limit_minor: 1_999 })
    await scene.setBalance(0)
    scene.world.clock.now_ms = Date.UTC(2026, 10, 30, 23, 59, 0)
    await scene.runSeconds()
    await scene.setBalance(0)
    await scene.runSeconds(5)
    expect(await states()).toEqual(['paid'])
    scene.world.clock.now_ms = Date.UTC(2026, 11, 1)
    await scene.runSeconds()
    expect(await states()).toEqual(['paid', 'paid'])
  })

  test('a raised month limit applies at once', async () => {
    await scene.set({ month_limit_minor: 1_000 })
    await scene.setBalance(0)
    await scene.runSeconds()
    await scene.setBalance(0)
    await scene.runSeconds()
    await scene.set({ month_limit_minor: 2_000 })
    await scene.runSeconds()
    expect(await states()).toEqual(['paid', 'paid'])
  })

  test('three refusals in a row, an hour and six hours apart, turn it off with the reason', async () => {
    await scene.set()
    await scene.setBalance(0)
    scene.card.refuses = 'The saved card has expired. Save another one.'
    await scene.runSeconds(5)
    expect(await states()).toEqual(['cancelled'])
    expect(await scene.setting()).toMatchObject({ is_on: 1, failures: 1, failure: scene.card.refuses })
    scene.world.clock.now_ms += HOUR_MS
    await scene.runSeconds(5)
    scene.world.clock.now_ms += 5 * HOUR_MS
    await scene.runSeconds(5)
    expect(await states()).toEqual(['cancelled', 'cancelled'])
    scene.world.clock.now_ms += HOUR_MS
    await scene.runSeconds(5)
    expect(await scene.setting()).toMatchObject({ is_on: 0, off_reason: 'failures', failures: 3 })
    scene.world.clock.now_ms += 100 * HOUR_MS
    await scene.runSeconds(5)
    expect(await states()).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await failedTopUps(scene.world.db)).toMatchObject([{ failure: scene.card.refuses }])
    const [order] = await scene.orders()
    const lines = await stateChangesOf(scene.world.db, 'orders', Number(order?.id))
    expect(lines.map(({ to_state, detail }) => [to_state, JSON.parse(detail).reason])).toEqual([
      ['cancelled', scene.card.refuses],
    ])
    const ended = await scene.world.db.rows<{ action: string }>(
      "SELECT action FROM actions WHERE action LIKE 'automatic%' ORDER BY id",
    )
    expect(ended.map(({ action }) => action)).toEqual(['automatic_top_up.changed', 'automatic_top_up.ended'])
  })

  test('a paid top-up resets the count of failures', async () => {
    await scene.set()
    await scene.setBalance(0)
    scene.card.refuses = 'no'
    await scene.runSeconds(3)
    scene.world.clock.now_ms += HOUR_MS
    await scene.runSeconds(3)
    expect(await scene.setting()).toMatchObject({ failures: 2 })
    scene.card.refuses = undefined
    scene.world.clock.now_ms += 6 * HOUR_MS
    await scene.runSeconds(3)
    expect(await scene.setting()).toMatchObject({ is_on: 1, failures: 0, failure: null, order_id: null })
  })

  test('a suspended account, like a closed one, is not charged, and its automatic top-up is turned off', async () => {
    await scene.set()
    await scene.setBalance(0)
    await scene.world.db.write((db) => db.rows("UPDATE accounts SET status = 'suspended' WHERE id = 1"))
    scene.worker.spent(1)
    await scene.worker.work()
    expect(scene.card.charges).toEqual([])
    expect(await scene.setting()).toMatchObject({ is_on: 0, off_reason: 'account' })
  })

  test('turned off, it charges nothing more, but completes the order that it made', async () => {
    await scene.set()
    await scene.setBalance(0)
    scene.card.loses_charges = true
    await scene.runSeconds(1)
    await scene.world.db.begin((tx) => turnOff(tx, 1, { reason: 'person', now_ms: scene.world.clock.now_ms }))
    scene.card.loses_charges = false
    scene.world.clock.now_ms += 60_000
    await scene.runSeconds(5)
    expect(await states()).toEqual(['paid'])
    await scene.setBalance(0)
    await scene.runSeconds(5)
    scene.world.clock.now_ms += HOUR_MS
    await scene.runSeconds(5)
    expect(await states()).toEqual(['paid'])
    expect(await scene.setting()).toMatchObject({ is_on: 0, off_reason: 'person', order_id: null })
  })

  test('an order whose card may be charged cannot be paid or cancelled, and does not expire, before the answer is known', async () => {
    await scene.set()
    await scene.setBalance(0)
    scene.card.loses_charges = true
    await scene.runSeconds(1)
    const id = Number((await scene.orders())[0]?.id)
    await expect(startPayment(scene.parts, id)).rejects.toThrow('is being charged')
    await expect(cancelOrder(scene.parts, id, { source: 'page' })).rejects.toThrow('is being charged')
    scene.world.clock.now_ms += 50 * HOUR_MS
    await scene.runSeconds(5)
    expect(await states()).toEqual(['open'])
    scene.card.loses_charges = false
    scene.world.clock.now_ms += HOUR_MS
    await scene.runSeconds(5)
    expect(await states()).toEqual(['paid'])
    expect(scene.card.payments.size).toBe(1)
  })

  test('staff cancel the order of an unreachable method once its charge can no longer start, and nothing is charged later', async () => {
    const { world, parts, card } = scene
    await scene.set()
    await scene.setBalance(0)
    card.trouble = () => {
      throw new Error('away')
    }
    await scene.runSeconds(1)
    const id = Number((await scene.orders())[0]?.id)
    const operator = { source: 'operator' } as const
    await expect(cancelOrder(parts, id, operator)).rejects.toThrow('Wait a minute.')
    world.remove('card')
    world.clock.now_ms += 24 * HOUR_MS
    await scene.runSeconds(1)
    await expect(cancelOrder(parts, id, { source: 'page' })).rejects.toThrow('Ask the operator to cancel it.')
    await cancelOrder(parts, id, operator)
    card.trouble = undefined
    world.restore('card', card)
    await scene.setBalance(100)
    world.clock.now_ms += HOUR_MS
    await scene.runSeconds(2)
    expect([await states(), card.charges]).toEqual([['cancelled'], []])
    expect(await scene.setting()).toMatchObject({ is_on: 1, order_id: null, failures: 1 })
  })

  test('a clock that ran years ahead and is corrected delays no top-up', async () => {
    await scene.set()
    await scene.setBalance(100)
    const { clock } = scene.world
    clock.now_ms += 90_000 * HOUR_MS
    await scene.worker.work()
    clock.now_ms -= 90_000 * HOUR_MS
    await scene.setBalance(0)
    await scene.worker.work()
    expect(await states()).toEqual(['paid'])
  })

  test('a top-up that the settings no longer allow counts as a failure, with the reason', async () => {
    await scene.set()
    await scene.setBalance(0)
    const settings = () => ({ ...SETTINGS, rates: new Map() })
    await createTopUpWorker({ ...scene.parts, settings }).work()
    expect(await scene.orders()).toEqual([])
    expect(await scene.setting()).toMatchObject({ failures: 1, failure: expect.stringContaining('currency') })
  })

  test('50 calls that end at once below the threshold make one order', async () => {
    await scene.set({ month_limit_minor: 100_000 })
    await scene.setBalance(1)
    for (let call = 0; call < 50; call += 1) scene.worker.spent(1)
    await Promise.all(Array.from({ length: 50 }, () => scene.worker.work()))
    expect(await states()).toEqual(['paid'])
    expect(scene.card.charges).toHaveLength(1)
  })

  test('two gateways that decide at once, five times, make one order each time', async () => {
    await scene.set({ month_limit_minor: 1_000_000 })
    const other = await scene.another()
    for (let round = 1; round <= 5; round += 1) {
      await scene.setBalance(1)
      await Promise.all([scene.parts, other, scene.parts, other].map(topUpOnce))
      expect(await scene.orders()).toHaveLength(round)
      await scene.runSeconds()
    }
    expect(scene.card.payments.size).toBe(5)
  })

  test('a top-up killed before or after any of its steps is charged once and credited once', async () => {
    await scene.set({ month_limit_minor: 1_000_000 })
    const steps: string[] = []
    for (let at = 1; ; at += 1)
      for (const when of ['before', 'after'] as const) {
        await scene.setBalance(0)
        const { parts, did, isDead } = mortal(scene.parts, { at, when })
        // Dropped: its death.
        await topUpOnce({ ...scene.parts, ...parts }).catch(() => {})
        if (!isDead()) {
          expect(steps).toEqual(STEPS)
          expect(scene.card.payments.size).toBe(2 * STEPS.length + 1)
          return
        }
        if (when === 'before') steps.push(did.at(-1) ?? '')
        scene.world.clock.now_ms += 121_000
        await scene.runSeconds(3)
        expect(await scene.balance()).toBeCloseTo(10.8, 9)
        expect(await scene.setting()).toMatchObject({ order_id: null, failures: 0 })
        expect(scene.card.payments.size).toBe(2 * at - (when === 'before' ? 1 : 0))
      }
  })

  test('a refusal killed before or after any of its steps counts once', async () => {
    await scene.set({ month_limit_minor: 1_000_000 })
    for (let at = 1; at <= 4; at += 1)
      for (const when of ['before', 'after'] as const) {
        await scene.setBalance(0)
        scene.card.refuses = 'no'
        const { parts } = mortal(scene.parts, { at, when })
        // Dropped: its death.
        await topUpOnce({ ...scene.parts, ...parts }).catch(() => {})
        scene.world.clock.now_ms += 121_000
        await scene.runSeconds(3)
        expect(await scene.setting()).toMatchObject({ order_id: null, failures: 1 })
        scene.card.refuses = undefined
        await scene.set({ month_limit_minor: 1_000_000 })
        await scene.runSeconds(3)
        expect(await scene.balance()).toBeCloseTo(10.8, 9)
      }
  })
})
